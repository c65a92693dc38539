// The control API below /__mock: what a test in the mock's process can do, for everybody else. See docs/control-api.md.
import type { FastifyInstance } from 'fastify';
import { isClaimlinkError } from '../../lib/index.js';
import { callbackPage } from '../dashboard/callback-page.js';
import { sendPage } from '../dashboard/page.js';
import type { Mock } from '../mock.js';
import { WaitTimeoutError } from '../traffic/journal.js';
import type { SnapshotShelf } from '../world/snapshot-shelf.js';
import { registerLinkRoutes } from './control-link-routes.js';
import { registerTrafficRoutes } from './control-traffic-routes.js';
import { registerWorldRoutes } from './control-world-routes.js';
import type { GuardConfig } from './guard.js';
import { sendProblem, sendRefusal } from './problem.js';

const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Registers what has no state and no secret: there whether or not the control is. */
export function registerOpenRoutes(scope: FastifyInstance, { claimlink }: Pick<Mock, 'claimlink'>): void {
  const config: GuardConfig = { isPublic: true };
  scope.get('/__mock/health', { config }, (_request, reply) =>
    reply.headers(NO_STORE).send({ status: 'ok' }),
  );

  scope.get('/__mock/openapi.json', { config }, (_request, reply) =>
    reply.headers(NO_STORE).send(claimlink.openapi),
  );

  const linked: GuardConfig = { isPublic: true, isOpenToLinks: true };
  scope.get<{ Querystring: Record<string, unknown> }, GuardConfig>(
    '/__mock/callback',
    { config: linked },
    (request, reply) => {
      const { reference, status } = request.query;
      return sendPage(reply, 200, callbackPage({ reference: textOf(reference), status: textOf(status) }));
    },
  );
}

/** Registers the control API on a scope that has the guard. */
export function registerControlRoutes(
  scope: FastifyInstance,
  { mock, snapshots }: { mock: Mock; snapshots: SnapshotShelf },
): void {
  scope.register(async (routes) => {
    routes.setErrorHandler((error, _request, reply) => {
      if (error instanceof WaitTimeoutError)
        return sendProblem(reply, 'wait_timed_out', { detail: error.message });
      if (isClaimlinkError(error) && error.statusCode < 500) return sendRefusal(reply, error);
      throw error;
    });
    readJsonOnly(routes);
    routes.addHook('onSend', async (_request, reply) => void reply.headers(NO_STORE));
    registerWorldRoutes(routes, mock, snapshots);
    registerLinkRoutes(routes, mock);
    registerTrafficRoutes(routes, mock);
  });
}

/** JSON as Fastify reads it, and no forms; but a client that calls every request JSON may send none. */
function readJsonOnly(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, String(body), done);
  });
}

/** A query parameter that is there once and not empty. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
