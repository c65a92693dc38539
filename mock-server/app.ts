// The mock's Fastify app: the mounted service at the root, the dashboard and the control routes beside it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import claimlinkPlugin from '../lib/adapters/fastify.js';
import type { Claimlink } from '../lib/index.js';
import { registerControlRoutes } from './control-routes.js';
import { registerDashboard } from './dashboard-routes.js';
import { createGuard } from './guard.js';
import type { RequestHandler } from './http-server.js';
import type { Log } from './log.js';
import { sendProblem } from './problem.js';
import type { World } from './world.js';

/** What the app is made of. */
export interface AppOptions {
  /** Bound already; the app does not listen, and does not close it. */
  server: Server;
  claimlink: Claimlink;
  log: Log;
  /** Where the server listens, which is not always what the world calls it. */
  url: string;
  world: World;
}

/** Builds the app; when it resolves, the handler answers. */
export async function createApp(
  options: AppOptions,
): Promise<{ app: FastifyInstance; handler: RequestHandler }> {
  const { server, claimlink, log } = options;
  let handler: RequestHandler = () => {};

  // What Fastify's router refuses before any route is matched, core answers as it does under every other mount.
  async function answerUnrouted(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const url = request.raw.url ?? '/';
    if (!claimlink.owns(url)) return sendProblem(reply, 'route_not_found');
    const { status, headers, body } = await claimlink.handle({
      method: request.method,
      url,
      headers: request.headers,
    });
    return reply.code(status).headers(headers).send(body);
  }

  const app = Fastify({
    serverFactory: (fastifyHandler) => {
      handler = (request: IncomingMessage, response: ServerResponse) => fastifyHandler(request, response);
      return server;
    },
    frameworkErrors: (_error, request, reply) => answerUnrouted(request, reply),
    // Over-long ids are for core to refuse; a request target is bounded by Node's own header limit.
    routerOptions: { maxParamLength: 65_536 },
  });

  app.setNotFoundHandler(answerUnrouted);
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    if (status < 500 && claimlink.owns(request.raw.url ?? '/')) return answerUnrouted(request, reply);
    if (status < 500) return sendProblem(reply, 'request_invalid', status);
    log.error(error, { method: request.method, path: request.routeOptions.url ?? '/*' });
    return sendProblem(reply, 'internal');
  });

  app.register(claimlinkPlugin, { claimlink });
  app.register(async (scope) => {
    scope.addHook('onRequest', createGuard({ url: options.url, publicUrl: options.world.publicUrl }));
    registerControlRoutes(scope, claimlink);
    registerDashboard(scope, { ...options.world, claimlink });
  });
  await app.ready();
  return { app, handler };
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
