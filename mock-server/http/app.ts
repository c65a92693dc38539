// The mock's one Fastify app: the claimlink plugin with faults and request log, control routes, and pages.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, Server } from 'node:http';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type InjectOptions,
} from 'fastify';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { endUnreadBody } from '../../lib/adapters/request-body.js';
import { originForm } from '../../lib/core/routes.js';
import { isLoopback, parseUrl } from '../../lib/core/url.js';
import type { MockControlError } from '../control-error.js';
import type { MockState } from '../state/mock-state.js';
import { breakResponse } from './break-response.js';
import { registerControl } from './control-app.js';
import { createExchangeReader, type Exchange } from './exchange.js';
import { FAULT_HEADER } from './fault-response.js';
import { type Area, CHALLENGES, createGuard } from './guard.js';
import { createLog, type Log } from './log.js';
import { sendCallbackPage, sendDashboard } from './pages.js';
import { controlError, sendProblem } from './problem.js';
import { redactPath } from './redaction.js';
import { createMockService, type MockService } from './service.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Default: `service`. */
    area?: Area;
  }
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
  interface FastifyReply {
    /** Set by `sendProblem`. */
    problem: MockControlError | undefined;
  }
}

/** A call from this process, without a port. */
interface LocalCall {
  /** true: no guard, and no line in the log. Without the option `control`, only these calls have control routes. */
  isControl?: boolean;
  /** Signal of the caller. Fastify's `inject` ignores its own signal once it has read the body of the request. */
  signal?: AbortSignal;
}

export type MockApp = Awaited<ReturnType<typeof createApp>>;

/** Codes of Fastify's errors for a malformed content type, and for a QUERY request without one. */
const CONTENT_TYPE_ERRORS = new Set<unknown>([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
]);

function noCompiler(): never {
  throw new Error('A route needs a compiler for its schema.');
}

/** Creates the app and its routes. Without a server that listens already, only `inject` reaches it. */
export async function createApp(state: MockState, bound?: { server: Server; url: string }) {
  const { options } = state;
  const log = createLog(options.log, options.logStream);
  const localCalls = new AsyncLocalStorage<LocalCall>();
  const closing = new AbortController();
  const service = createMockService(state, log);
  const guard = createGuard(state, bound?.url ?? state.publicUrl);
  let handler: RequestListener = () => {};

  const fastifyOptions: FastifyServerOptions<Server> = {
    ...(bound && {
      serverFactory(fastifyHandler) {
        handler = fastifyHandler;
        return bound.server;
      },
    }),
    // Control routes check their input themselves, and no route has a serialiser: Fastify need not load its compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // The service limits path parameters itself. Node limits the request target.
    routerOptions: { maxParamLength: 65_536 },
    rewriteUrl: ({ url: target = '/' }) => originForm(target),
    // A path with a malformed percent escape. Fastify runs no hooks for it.
    frameworkErrors(_error, request: FastifyRequest, reply: FastifyReply) {
      if (!isRefused(request, reply)) void serveUnroutable(request, reply);
    },
  };
  const app: FastifyInstance = Fastify(fastifyOptions);
  app.decorateRequest('exchange', undefined);
  app.decorateReply('problem', undefined);

  /** Returns true if the request is refused. */
  function isRefused(request: FastifyRequest, reply: FastifyReply): boolean {
    if (localCalls.getStore()?.isControl) return false;
    logResponse(log, service, request, reply);
    const error = guard(request, request.routeOptions.config?.area ?? 'service');
    if (error === undefined) return false;
    if (error.status === 401) reply.header('www-authenticate', CHALLENGES);
    sendProblem(reply, error);
    return true;
  }

  // Before everything else, and before a body is read.
  app.addHook('onRequest', (request, reply, done) => {
    if (!isRefused(request, reply)) done();
  });

  const readExchange = createExchangeReader(service.claimlink, state);

  async function openExchange(request: FastifyRequest, reply: FastifyReply): Promise<Exchange> {
    const { method, headers, raw } = request;
    const gone = new AbortController();
    const exchange = await readExchange({ method, url: raw.url ?? '/', headers }, gone.signal);
    reply.raw.once('close', () => {
      gone.abort();
      exchange.record(null);
    });
    const { signal } = localCalls.getStore() ?? {};
    signal?.addEventListener('abort', () => reply.raw.destroy(), { once: true });
    request.exchange = exchange;
    return exchange;
  }

  /** Handles a request that has no route in the app: most are a 404 of the service. Reads no body. */
  async function serveUnroutable(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const exchange = request.exchange ?? (await openExchange(request, reply));
    const { method, url: target, headers } = exchange.request;
    service.run(exchange, async () => {
      const response = await service.claimlink.handle({ method, url: target, headers });
      exchange.record(response);
      reply
        .code(response.status)
        .headers({ ...response.headers, ...endUnreadBody(request.raw, reply.raw) })
        .send(response.body);
    });
  }

  /** Returns whether pages of an origin may call the service; `*`: pages of all origins may. */
  async function allowOrigin(origin: string | undefined): Promise<boolean | '*'> {
    const { corsOrigins } = options;
    if (origin === undefined) return false;
    if (corsOrigins === 'loopback') return isLoopback(parseUrl(origin)?.hostname ?? '');
    return corsOrigins.includes('*') ? '*' : corsOrigins.includes(origin);
  }

  app.register(async (scope) => {
    await scope.register(cors, {
      origin: allowOrigin,
      methods: ['GET', 'HEAD', 'POST'],
      allowedHeaders: ['content-type', 'x-api-key', 'prefer'],
      exposedHeaders: ['link', 'preference-applied', 'retry-after', FAULT_HEADER],
      maxAge: 600,
      // OPTIONS requests that are not preflights are a 405 of the service.
      strictPreflight: false,
    });
    scope.addHook('onRequest', (request, reply, done) => {
      const { origin } = request.headers;
      if (request.method === 'OPTIONS' && origin && request.headers['access-control-request-method'])
        log.hint(`Pages of ${origin} may not call the API. Allow them with --cors-origin ${origin}`);
      openExchange(request, reply).then((exchange) => service.run(exchange, done), done);
    });
    scope.addHook('onSend', (request, reply, payload, done) => {
      const { exchange } = request;
      const effect = exchange?.entry.fault?.effect;
      const isReset = effect === 'reset-before' || effect === 'reset-after' || exchange?.signal.aborted;
      const body = typeof payload === 'string' || payload instanceof Uint8Array ? payload : '';
      const response = { status: reply.statusCode, headers: reply.getHeaders(), body };
      exchange?.record(isReset ? null : response);
      if (effect === undefined) done(null, payload);
      else breakResponse(reply, payload, effect, (broken) => done(null, broken));
    });
    // Fastify refuses a malformed content type before the handler runs. The service answers it as on any other mount.
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof Error && 'code' in error && CONTENT_TYPE_ERRORS.has(error.code))) throw error;
      void serveUnroutable(request, reply);
    });
    await scope.register(claimlinkPlugin, { claimlink: service.claimlink });
    // Unknown paths also get CORS headers and appear in the request log.
    scope.removeAllContentTypeParsers();
    scope.setNotFoundHandler((request, reply) => void serveUnroutable(request, reply));
  });

  const { claimlink } = service;
  app.register(async (scope) => registerControl(scope, { state, claimlink, closing: closing.signal, log }));

  // Without control, the path is one that the service does not have.
  if (options.control)
    app.get('/', { config: { area: 'control' } }, (_request, reply) => sendDashboard(reply));
  app.get('/__mock/callback', { config: { area: 'public' } }, ({ query }, reply) =>
    sendCallbackPage(reply, query as object),
  );

  await app.ready();
  return {
    app,
    // An async function: what Fastify's `inject` returns starts the request only when it is awaited.
    inject: (options: InjectOptions, call: LocalCall) =>
      localCalls.run(call, async () => app.inject(options)),
    handler,
    /** Ends event streams and waits, so that the server can close. */
    stop: () => closing.abort(controlError('mock_closed')),
  };
}

/** Writes the line of a request once it has its response or its connection is gone. */
function logResponse(log: Log, service: MockService, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    const { method, exchange, routeOptions } = request;
    const { url = '/' } = request.raw;
    const { code, problems } = exchange?.logged ?? {};
    // A path of the service is shown without user id and access code.
    const servicePath = service.claimlink.redact({ method, url }).path;
    const otherPath = exchange === undefined ? (routeOptions.url ?? '/*') : redactPath(url);
    log.response({
      method,
      path: servicePath === '/*' ? otherPath : servicePath,
      status: reply.raw.writableFinished ? reply.raw.statusCode : 499,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      code: code ?? reply.problem?.code,
      problem: problems?.[0] ?? reply.problem?.details[0],
    });
  });
}
