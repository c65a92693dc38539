// The mock's one Fastify app: the service with faults and request log, control routes, and pages.
import type { RequestListener, Server } from 'node:http';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import {
  assertDeclaredLength,
  chunksOf,
  readStream,
  resolveBodyLimits,
  streamChunks,
} from '../../lib/adapters/request-body.js';
import { isLoopback, parseUrl } from '../../lib/core/url.js';
import { originForm } from '../../lib/http/routes.js';
import type { MockControlError } from '../control/control-error.js';
import { controlError, originError } from '../control/errors.js';
import type { LoggedRequest } from '../control/types.js';
import type { Mock } from '../state/mock.js';
import type { MockClientState } from '../state/mock-client.js';
import { redactPath } from '../state/redaction.js';
import { registerControl } from './control-routes.js';
import { FAULT_HEADER } from './fault-response.js';
import { type Area, CHALLENGES, createGuard } from './guard.js';
import { handleRequest } from './handler.js';
import type { Log } from './log.js';
import { sendCallbackPage, sendDashboard } from './pages.js';
import { problemOutcome, sendProblem } from './problem-response.js';
import { sendAnswer } from './send-answer.js';
import { createUnreadLimit } from './unread.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Default: `service`. */
    area?: Area;
    /** true: the control token of a client is enough. Default: false. */
    forClient?: boolean;
  }
  interface FastifyRequest {
    /** The client whose control token the request has. Set by the guard. The request may concern no other client. */
    tokenClient: MockClientState | undefined;
    logged: LoggedRequest | undefined;
  }
  interface FastifyReply {
    /** Set by `sendProblem`. */
    problem: MockControlError | undefined;
  }
}

function noCompiler(): never {
  throw new Error('A route needs a compiler for its schema.');
}

export async function createApp(mock: Mock, log: Log, bound: { server: Server; url: string }) {
  const guard = createGuard(mock, bound.url);
  const limits = resolveBodyLimits({});
  const isWithinUnread = createUnreadLimit();
  let listener: RequestListener = () => {};

  const fastifyOptions: FastifyServerOptions<Server> = {
    serverFactory(fastifyListener) {
      listener = fastifyListener;
      return bound.server;
    },
    // Control methods check their input themselves, and no route has a serialiser: Fastify need not load its compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    rewriteUrl: ({ url: target = '/' }) => originForm(target),
    // A path with a malformed percent escape. Fastify runs no hooks for it.
    frameworkErrors(_error, request: FastifyRequest, reply: FastifyReply) {
      logResponse(log, request, reply);
      if (!isRejected(request, reply)) serve(request, reply);
    },
  };
  const app: FastifyInstance = Fastify(fastifyOptions);
  app.decorateRequest('logged', undefined);
  app.decorateRequest('tokenClient', undefined);
  app.decorateReply('problem', undefined);

  /** Every path without a route is the service's. */
  const areaOf = ({ routeOptions }: FastifyRequest): Area => routeOptions.config?.area ?? 'service';

  /** Returns true if the guard has rejected the request. */
  function isRejected(request: FastifyRequest, reply: FastifyReply): boolean {
    const error = guard(request, areaOf(request));
    if (error === undefined) return false;
    if (error.status === 401) reply.header('www-authenticate', CHALLENGES);
    if (isPreflight(request)) log.hint(error.message);
    sendProblem(reply, error);
    return true;
  }

  /** Lets the service handle a request. Never throws. */
  function serve(request: FastifyRequest, reply: FastifyReply): void {
    respond(request, reply).catch((error) => {
      log.error(error, { method: request.method, path: redactPath(request.raw.url ?? '/') });
      sendProblem(reply, controlError('internal', 'An unexpected error occurred.'));
    });
  }

  /** Sends the response of the service. Fastify reads no body: the service authenticates the caller first. */
  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { method, headers, raw } = request;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    async function body(): Promise<Uint8Array | undefined> {
      assertDeclaredLength(headers, limits);
      return readStream(raw, limits);
    }
    // CORS has responded to the preflights of allowed origins.
    const rejection = isPreflight(request) ? originError(headers.origin, 'call the API', 'cors') : undefined;
    if (rejection) log.hint(rejection.message);
    const answer = await handleRequest(
      mock,
      { method, url: raw.url ?? '/', headers, body, stream: () => streamChunks(chunksOf(raw), headers) },
      gone.signal,
      rejection,
    );
    request.logged = answer.logged;
    sendAnswer(request, reply, answer, gone.signal);
  }

  app.addHook('onRequest', (request, reply, done) => {
    logResponse(log, request, reply);
    done();
  });
  // Before the guard: a preflight has no token, and an allowed page can read why the guard rejects a request.
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({
      origin: allowOrigin(mock.options, request.headers.origin, areaOf(request)),
      // The service rejects other methods than its own: a page can read its 405, and the request log has the request.
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['link', 'preference-applied', 'retry-after', FAULT_HEADER],
      maxAge: 600,
      // OPTIONS requests that are not preflights are a 405 of the service.
      strictPreflight: false,
    }),
  });
  // Before a body is read.
  app.addHook('onRequest', (request, reply, done) => {
    if (isRejected(request, reply)) return;
    if (areaOf(request) === 'service') serve(request, reply);
    else done();
  });
  app.setNotFoundHandler(() => {});
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isWithinUnread(request, reply, payload)) return done(null, payload);
    const { status, headers, body } = problemOutcome(controlError('too_many_unread')).response;
    reply.removeHeader('content-length');
    reply.code(status).headers({ ...headers, connection: 'close' });
    done(null, body);
  });

  app.register(async (control) => registerControl(control, mock, log));
  app.get('/', { config: { area: 'control', forClient: true } }, (_request, reply) => sendDashboard(reply));
  app.get('/__mock/callback', { config: { area: 'public' } }, ({ query }, reply) =>
    sendCallbackPage(reply, query as object),
  );

  await app.ready();
  return { app, listener };
}

/** Returns whether pages of an origin may call a route; `*`: pages of all origins may. */
function allowOrigin(
  { corsOrigins, controlOrigins }: Mock['options'],
  origin = '',
  area: Area,
): boolean | '*' {
  if (controlOrigins.includes(origin)) return true;
  if (area !== 'service') return false;
  if (corsOrigins === 'loopback') return isLoopback(parseUrl(origin)?.hostname ?? '');
  return corsOrigins.includes('*') ? '*' : corsOrigins.includes(origin);
}

/** A preflight asks whether a page of another origin may send a request (Fetch Standard, 3.3). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && Boolean(headers.origin && headers['access-control-request-method']);
}

/** Writes the line of a request once it has its response or its connection is gone. */
function logResponse(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    const { method, logged, routeOptions } = request;
    const routePath = routeOptions.config?.area && routeOptions.url;
    log.response({
      method,
      path: routePath ?? logged?.path ?? redactPath(request.raw.url ?? '/'),
      status: reply.raw.writableFinished ? reply.raw.statusCode : 499,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      code: logged?.code ?? reply.problem?.code,
      problem: logged?.problems?.[0] ?? reply.problem?.problems[0],
      fault: logged?.fault,
    });
  });
}
