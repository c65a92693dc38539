// The mock's Fastify app: dashboard and control routes. The service itself is beside it, not in it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { registerDashboard } from '../dashboard/dashboard-routes.js';
import type { Samples } from '../dashboard/samples.js';
import type { Mock } from '../mock.js';
import { createSnapshotShelf } from '../world/snapshot-shelf.js';
import { answerOtherMethods } from './allowed-methods.js';
import { registerControlRoutes, registerOpenRoutes } from './control-routes.js';
import { createGuard, type GuardOptions } from './guard.js';
import type { RequestHandler } from './http-server.js';
import type { Log } from './log.js';
import { sendProblem } from './problem.js';

/** What the app is made of. */
export interface AppOptions extends GuardOptions {
  /** Bound already; the app does not listen, and does not close it. */
  server: Server;
  mock: Mock;
  log: Log;
  samples: Samples;
  /** false: no dashboard and no control routes. */
  hasControl: boolean;
}

/** Builds the app; when it resolves, the handler answers. */
export async function createApp(
  options: AppOptions,
): Promise<{ app: FastifyInstance; handler: RequestHandler }> {
  const { server, mock, log } = options;
  let handler: RequestHandler = () => {};

  const app = Fastify({
    serverFactory: (fastifyHandler) => {
      handler = (request: IncomingMessage, response: ServerResponse) => fastifyHandler(request, response);
      return server;
    },
    frameworkErrors: (_error, _request, reply) => sendProblem(reply, 'request_invalid'),
    // A request target is bounded by Node's own header limit.
    routerOptions: { maxParamLength: 65_536 },
    // A scenario's worth of sessions may be put in one request.
    bodyLimit: 16 * 1024 * 1024,
  });

  // By the pattern of its route: a path may hold the id of a user.
  app.addHook('onRequest', async ({ method, routeOptions }, reply) =>
    log.watch(reply.raw, { method, path: routeOptions.url ?? '/*' }),
  );
  app.setNotFoundHandler((_request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(reply, 'route_not_found'),
  );
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    if (status < 500) return sendProblem(reply, 'request_invalid', { status, detail: sentenceOf(error) });
    log.error(error, { method: request.method, path: request.routeOptions.url ?? '/*' });
    return sendProblem(reply, 'internal');
  });

  app.register(async (scope) => {
    scope.addHook('onRequest', createGuard(options));
    // An answer tells what is safe to rely on: with a persist file, that it is written.
    scope.addHook('onSend', async ({ method }, { statusCode }, payload) => {
      if (method !== 'GET' && method !== 'HEAD' && statusCode < 400) await mock.saved();
      return payload;
    });
    const answerOthers = answerOtherMethods(scope);
    registerOpenRoutes(scope, mock);
    if (!options.hasControl) return answerOthers();
    const snapshots = createSnapshotShelf(mock.control);
    registerControlRoutes(scope, { mock, snapshots });
    registerDashboard(scope, {
      publicUrl: mock.publicUrl,
      seed: mock.seed,
      samples: options.samples,
      claimlink: mock.timed,
      control: mock.control,
      isDurable: mock.keptIn === 'database',
      snapshots,
      findClient: mock.tenants.find,
      isConfigured: mock.tenants.isConfigured,
    });
    answerOthers();
  });
  await app.ready();
  return { app, handler };
}

/** What Fastify says of a body that it cannot read: it quotes nothing of it. */
function sentenceOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'The content type must be application/json.';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'The body is too large: at most 16 MiB.';
  return 'The body must be JSON.';
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
