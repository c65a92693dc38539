/**
 * The Node http handler: for node:http, Express, Connect and other hosts that call (req, res, next).
 *
 * @module claimlink/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Claimlink } from '../claimlink.js';
import { assertMethods } from '../core/assert-options.js';
import { ClaimlinkError } from '../core/errors.js';
import { isBytes } from '../core/plain-data.js';
import { stripBasePath } from '../http/base-path.js';
import { resolveMount } from './base-path.js';
import {
  assertDeclaredLength,
  assertNotCancelled,
  type BodyLimits,
  type BodyOptions,
  bodyTooLarge,
  chunksOf,
  endUnreadBody,
  readStream,
  streamChunks,
} from './request-body.js';
import { bodyToSend, chunksToSend } from './response-body.js';

/**
 * Options of `createNodeHandler`. A body that a parser of the host turned into an object is limited by its
 * Content-Length and by the limits of that parser.
 */
export interface NodeHandlerOptions extends BodyOptions {
  /** Path prefix to remove, such as `/claims`. Not needed below Express's `app.use('/claims', handler)`. Default: none. */
  basePath?: string;
}

/** Names the fix in each framework whose hosts use this handler. */
const BODY_CONSUMED = [
  'The host read the request body before claimlink and left req.body empty.',
  'Express: mount claimlink before that code, or use a body parser that fills req.body, such as express.json().',
  'NestJS: mount claimlink by app.use() in main.ts, before that code.',
  'Koa: mount claimlink before the body parser, or set ctx.req.body = ctx.request.body.',
  "hapi: give the route payload: { parse: false, output: 'stream' }.",
  'Fastify, NestJS on Fastify: register the plugin of claimlink/fastify.',
  'Other hosts: mount claimlink before that code, or set req.body to the bytes of the body.',
].join(' ');

/** Handles a request. Calls `next` for a path that is not claimlink's. Without `next` it responds with 404. */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Creates a handler for `http.createServer(handler)` and for `app.use(handler)`.
 * @throws `options_invalid` for an unknown or invalid option, and a `claimlink` that lacks a method.
 */
export function createNodeHandler(claimlink: Claimlink, options: NodeHandlerOptions = {}): NodeHandler {
  assertMethods('claimlink', claimlink, 'handle', 'owns', 'reportError');
  const { basePath, limits } = resolveMount(options);

  async function respond(req: IncomingMessage, res: ServerResponse, url: string): Promise<void> {
    const report = (error: unknown) => claimlink.reportError(error, { method: req.method ?? 'GET', url });
    try {
      const response = await claimlink.handle({
        method: req.method ?? 'GET',
        url,
        headers: req.headers,
        body: () => readBody(req, limits),
        stream: () => streamBody(req),
        bodyLimitBytes: limits.bodyLimitBytes,
      });
      if (res.headersSent || res.destroyed) return;
      const headers = { ...response.headers, ...endUnreadBody(req, res) };
      // A wrapper of writeHead may return nothing, so calls are not chained.
      res.writeHead(response.status, headers);
      if (response.stream === undefined) res.end(bodyToSend(res, response));
      else await sendStream(res, response.stream, response.headers, report);
    } catch (error) {
      // A handle function that the host wrapped may reject, or return a header that Node does not accept.
      report(error);
      fail(req, res);
    }
  }

  return (req, res, next) => {
    const url = stripBasePath(req.url ?? '/', basePath);
    if (next !== undefined && (url === undefined || !claimlink.owns(url))) return next();
    respond(req, res, url ?? '');
  };
}

/** Sends a streamed body. It ends when the client goes away; the connection is closed if the body fails. */
async function sendStream(
  res: ServerResponse,
  stream: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
  report: (error: unknown) => void,
): Promise<void> {
  const chunks = Readable.from(chunksToSend(stream, headers, report), { objectMode: false });
  // `chunksToSend` has reported a failure of the body, and a client that goes away is none.
  await pipeline(chunks, res).catch(() => {});
}

function fail(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // Headers of the failed response, such as its length, do not fit this one.
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500, { 'content-length': 0, ...endUnreadBody(req, res) });
  res.end();
}

/** Returns the bytes of the body, or the value that a body parser of the host made of it. */
async function readBody(req: IncomingMessage & { body?: unknown }, limits: BodyLimits): Promise<unknown> {
  assertDeclaredLength(req.headers, limits);
  if (!req.readableDidRead && !req.readableEnded) return readStream(req, limits);
  const { body } = req;
  if (body === undefined) {
    assertNotCancelled(req);
    throw new ClaimlinkError('body_consumed', BODY_CONSUMED);
  }
  const isRaw = typeof body === 'string' || isBytes(body);
  if (isRaw && Buffer.byteLength(body) > limits.bodyLimitBytes) throw bodyTooLarge(limits);
  return body;
}

/** Returns the bytes of the body as they arrive, or those that a body parser of the host has collected. */
async function* streamBody(req: IncomingMessage & { body?: unknown }) {
  const { body } = req;
  if (!req.readableDidRead && !req.readableEnded) yield* streamChunks(chunksOf(req), req.headers);
  else if (isBytes(body)) yield body;
  else {
    assertNotCancelled(req);
    throw new ClaimlinkError('body_consumed', BODY_CONSUMED);
  }
}
