// The Node http handler: for node:http, Express, Connect and whatever else calls (req, res, next).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Claimlink } from '../claimlink.js';
import { answerOf } from '../core/answers.js';
import { isPromiseLike } from '../core/awaitable.js';
import { ClaimlinkError } from '../core/errors.js';
import type { CoreResponse } from '../core/http.js';
import type { Awaitable } from '../core/types.js';
import { stripBasePath, toBasePath } from './base-path.js';
import { assertDeclaredLength, readStream, resolveBodyLimit, tooLarge } from './read-body.js';

/** Options of `createNodeHandler`. */
export interface NodeHandlerOptions {
  /** Path prefix to take off, such as `/claims`. Not needed below Express's `app.use('/claims', handler)`. Default: none. */
  basePath?: string;
  /**
   * Largest request body: 1024 .. 10_485_760. Default 65_536. A body that a parser before claimlink has made an object
   * of is bounded by its Content-Length and by that parser's own limit.
   */
  bodyLimitBytes?: number;
}

/**
 * Answers a request; what is not claimlink's goes to `next`, or gets a 404 problem where there is none. Where the storage
 * answers at once the response has been sent when this returns: headers of the host's go before it.
 */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Makes a handler for `http.createServer(handler)` and for `app.use(handler)`.
 * @throws `options_invalid` for a bad option.
 */
export function createNodeHandler(claimlink: Claimlink, options: NodeHandlerOptions = {}): NodeHandler {
  const basePath = toBasePath(options.basePath);
  const bodyLimitBytes = resolveBodyLimit(options.bodyLimitBytes);
  const answer = answerOf(claimlink);

  return (req, res, next) => {
    const url = stripBasePath(req.url ?? '/', basePath);
    if (next !== undefined && (url === undefined || !claimlink.owns(url))) return next();
    try {
      const answered = answer({
        method: req.method ?? 'GET',
        url: url ?? '',
        headers: req.headers,
        body: () => bodyOf(req, bodyLimitBytes),
      });
      if (!isPromiseLike(answered)) return send(res, answered);
      answered.then(
        (response) => send(res, response),
        () => fail(res),
      );
    } catch {
      // What a host has put in front of handle may throw, and must not end the process.
      fail(res);
    }
  };
}

function send(res: ServerResponse, response: CoreResponse): void {
  if (res.headersSent || res.destroyed) return;
  try {
    const { status, headers, body, bytes } = response;
    res.writeHead(status, headers);
    res.end(bytes ?? body);
  } catch {
    // A response that cannot be written, such as one with a header that Node refuses, or none.
    fail(res);
  }
}

function fail(res: ServerResponse): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // What was set of the response that failed, its length above all, does not fit this one.
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500, { 'content-length': 0 }).end();
}

/** What a parser before us made of the body, or else its bytes. */
function bodyOf(req: IncomingMessage & { body?: unknown }, limitBytes: number): Awaitable<unknown> {
  assertDeclaredLength(req.headers, limitBytes);
  if (!req.readableDidRead && !req.readableEnded) return readStream(req, limitBytes);
  if (req.body !== undefined) return withinLimit(req.body, limitBytes);
  throw new ClaimlinkError(
    'body_consumed',
    'Something before claimlink read the request body and left nothing in req.body. Mount claimlink before it, or let a body parser such as express.json() fill req.body.',
  );
}

function withinLimit(body: unknown, limitBytes: number): unknown {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  if (isRaw && Buffer.byteLength(body) > limitBytes) throw tooLarge(limitBytes);
  return body;
}
