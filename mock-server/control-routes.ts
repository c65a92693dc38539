// Routes below /__mock that need no page: health, the OpenAPI document, the landing page of callbacks.
import type { FastifyInstance } from 'fastify';
import type { Claimlink } from '../lib/index.js';
import { callbackPage } from './callback-page.js';
import type { GuardConfig } from './guard.js';
import { sendPage } from './page.js';

/** Every path that the mock answers itself; nothing in them is secret, so the log may show them. */
export const CONTROL_PATHS: ReadonlySet<string> = new Set([
  '/',
  '/__mock/callback',
  '/__mock/health',
  '/__mock/links',
  '/__mock/openapi.json',
]);

/** Registers them on a scope that has the guard. */
export function registerControlRoutes(scope: FastifyInstance, claimlink: Claimlink): void {
  const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

  scope.get('/__mock/health', (_request, reply) => reply.headers(noStore).send({ status: 'ok' }));

  scope.get('/__mock/openapi.json', (_request, reply) => reply.headers(noStore).send(claimlink.openapi));

  const config: GuardConfig = { isOpenToLinks: true };
  scope.get<{ Querystring: Record<string, unknown> }, GuardConfig>(
    '/__mock/callback',
    { config },
    (request, reply) => {
      const { reference, status } = request.query;
      return sendPage(reply, 200, callbackPage({ reference: textOf(reference), status: textOf(status) }));
    },
  );
}

/** A query parameter that is there once and not empty. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
