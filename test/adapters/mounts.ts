// Every way to mount claimlink, each as a running host; and by name what a framework forces to be different.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { Claimlink } from '../../lib/index.js';
import { type RawRequest, type RawResponse, send } from './http-client.js';

/** A running host with claimlink in it. */
export interface Mount {
  /** Sends a request for a path below the mount. */
  send(request: RawRequest): Promise<RawResponse>;
  /** Where raw sockets connect to, and the path prefix; absent where there is no socket. */
  socket?: { port: number; prefix: string };
  close(): Promise<void>;
}

/** A request that a framework answers itself, before claimlink sees it. */
export interface ForcedDifference {
  /** Name of the case in the HTTP suite. */
  case: string;
  reason: string;
  /** The framework's own status; so is the body. */
  status: number;
}

export interface MountKind {
  name: string;
  start(claimlink: Claimlink): Promise<Mount>;
  differences: readonly ForcedDifference[];
}

const FASTIFY: readonly ForcedDifference[] = [
  {
    case: 'a malformed percent escape in the client id',
    reason: "Fastify's router answers 400 FST_ERR_BAD_URL before any route runs",
    status: 400,
  },
  {
    case: 'a malformed percent escape in the user id',
    reason: "Fastify's router answers 400 FST_ERR_BAD_URL before any route runs",
    status: 400,
  },
  {
    case: 'a lone surrogate in the user id',
    reason: "Fastify's router decodes the path itself and answers 400 FST_ERR_BAD_URL",
    status: 400,
  },
  {
    case: 'a client id of 101 characters',
    reason: "Fastify's router answers 414 FST_ERR_MAX_PARAM_LENGTH before any route runs",
    status: 414,
  },
  {
    case: 'a content type that is no media type',
    reason: 'Fastify answers 415 FST_ERR_CTP_INVALID_MEDIA_TYPE before the handler and its hooks run',
    status: 415,
  },
  {
    case: 'QUERY without a content type',
    reason: 'Fastify answers 400 FST_ERR_ROUTE_MISSING_CONTENT_TYPE before the handler and its hooks run',
    status: 400,
  },
  {
    case: 'a method of an HTTP extension',
    reason: "Fastify routes the methods it knows; the host's own 404 handler answers the others",
    status: 404,
  },
  {
    case: 'an unknown path',
    reason: "the host's own 404 handler answers",
    status: 404,
  },
  {
    case: 'a trailing slash',
    reason: "the host's own 404 handler answers",
    status: 404,
  },
];

const NEXT: readonly ForcedDifference[] = [
  {
    case: 'an unknown path',
    reason: 'Express gets it through next() and answers itself',
    status: 404,
  },
  { case: 'a trailing slash', reason: 'Express gets it through next() and answers itself', status: 404 },
];

const JSON_PARSER: readonly ForcedDifference[] = [
  { case: 'malformed JSON', reason: 'express.json() answers 400 before claimlink is reached', status: 400 },
  {
    case: 'a JSON body of a bare number',
    reason: 'express.json() is strict and answers 400 itself',
    status: 400,
  },
  { case: 'a JSON body in latin1', reason: 'express.json() answers 415 for the charset itself', status: 415 },
  {
    case: 'an unknown content encoding',
    reason: 'express.json() answers 415 for the encoding itself',
    status: 415,
  },
  {
    case: 'invalid UTF-8',
    reason: 'express.json() replaces what is no UTF-8, so the request is a valid one',
    status: 200,
  },
  {
    case: 'an empty JSON body',
    reason: 'express.json() turns it into {}, so that the required members are missing: still 400',
    status: 400,
  },
  {
    case: 'malformed JSON without a key',
    reason: 'express.json() runs before claimlink asks for the key',
    status: 400,
  },
];

/** The first is the one that the others are compared with. */
export const MOUNTS: readonly MountKind[] = [
  {
    name: 'node:http',
    differences: [],
    start: (claimlink) => startNode(createServer(createNodeHandler(claimlink)), ''),
  },
  {
    name: 'Fastify plugin at the root',
    differences: FASTIFY,
    async start(claimlink) {
      const app = fastify();
      app.register(claimlinkPlugin, { claimlink });
      return listening('', await app.listen({ port: 0, host: '127.0.0.1' }), () => app.close());
    },
  },
  {
    name: 'Fastify plugin under a prefix, beside a host of its own',
    differences: FASTIFY.map((difference) =>
      difference.case === 'a content type that is no media type' ||
      difference.case === 'QUERY without a content type'
        ? {
            ...difference,
            reason: "Fastify hands it to the host's error handler before the handler runs",
            status: 599,
          }
        : difference,
    ),
    async start(claimlink) {
      const app = fastify();
      app.setErrorHandler((_error, _request, reply) => reply.code(599).send({ host: 'error handler' }));
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
        done(null, { body }),
      );
      app.get('/claims/own/thing', () => ({ host: 'route' }));
      app.post('/echo', (request) => request.body);
      app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
      return listening('/claims', await app.listen({ port: 0, host: '127.0.0.1' }), () => app.close());
    },
  },
  {
    name: 'node:http with a basePath',
    differences: [],
    start: (claimlink) =>
      startNode(createServer(createNodeHandler(claimlink, { basePath: '/claims/' })), '/claims'),
  },
  {
    name: 'Express 5, no parser before it',
    differences: NEXT,
    start(claimlink) {
      const app = express().set('env', 'test'); // does not print the errors that it answers
      app.use('/claims', createNodeHandler(claimlink));
      return startNode(createServer(app), '/claims');
    },
  },
  {
    name: 'Express 5, express.json() before it',
    differences: [...NEXT, ...JSON_PARSER],
    start(claimlink) {
      const app = express().set('env', 'test'); // does not print the errors that it answers
      app.use(express.json());
      app.use('/claims', createNodeHandler(claimlink));
      return startNode(createServer(app), '/claims');
    },
  },
  {
    name: 'fetch handler',
    differences: [],
    async start(claimlink) {
      const handler = createFetchHandler(claimlink, { basePath: '/claims' });
      return { send: (request) => sendToFetch(handler, request), close: async () => {} };
    },
  },
];

async function startNode(server: Server, prefix: string): Promise<Mount> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return listening(prefix, `http://127.0.0.1:${port}`, async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
}

function listening(prefix: string, origin: string, close: () => PromiseLike<unknown>): Mount {
  return {
    send: (request) => send(origin, { ...request, path: prefix + request.path }),
    socket: { port: Number(new URL(origin).port), prefix },
    close: async () => void (await close()),
  };
}

async function sendToFetch(
  handler: (request: Request) => Promise<Response>,
  { method, path, headers = {}, body }: RawRequest,
): Promise<RawResponse> {
  const isPieces = Array.isArray(body);
  const payload = isPieces
    ? ReadableStream.from(body.map((piece) => Buffer.from(piece)))
    : (body as string | Uint8Array | undefined);
  const length =
    isPieces || body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body as string)) };
  const response = await handler(
    new Request(`http://127.0.0.1/claims${path}`, {
      method,
      headers: { ...length, ...headers },
      ...(payload !== undefined && { body: payload, duplex: 'half' as const }),
    }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
