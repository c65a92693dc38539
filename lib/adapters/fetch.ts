/**
 * The fetch handler: for Hono, Next.js route handlers and other hosts that use Request and Response.
 *
 * @module claimlink/fetch
 */

import type { Claimlink } from '../claimlink.js';
import { assertMethods } from '../core/assert-options.js';
import { ClaimlinkError } from '../core/errors.js';
import { stripBasePath } from '../http/base-path.js';
import { resolveMount } from './base-path.js';
import {
  assertDeclaredLength,
  type BodyLimits,
  type BodyOptions,
  readWebStream,
  streamChunks,
} from './request-body.js';
import { chunksToSend } from './response-body.js';

/** Options of `createFetchHandler`. */
export interface FetchHandlerOptions extends BodyOptions {
  /** Path prefix to remove, such as `/claims`. Default: none. */
  basePath?: string;
}

/** Names the fix in each framework whose hosts use this handler. */
const BODY_CONSUMED = [
  'The host read the request body before claimlink.',
  'Next.js, SvelteKit, h3: read a request.clone(), and pass the request to claimlink.',
  'Hono: mount claimlink before that code, or pass it await cloneRawRequest(c.req) of hono/request.',
  "Elysia: mount claimlink by app.mount(), or give its route { parse: 'none' }.",
  'Other hosts: pass claimlink a request whose body is unread.',
].join(' ');

/**
 * Creates a handler from `Request` to `Response`. The handler never rejects.
 * @throws `options_invalid` for an unknown or invalid option, and a `claimlink` that lacks a method.
 */
export function createFetchHandler(
  claimlink: Claimlink,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  assertMethods('claimlink', claimlink, 'handle', 'reportError');
  const { basePath, limits } = resolveMount(options);

  async function respond(request: Request, url: string): Promise<Response> {
    const headers = Object.fromEntries(request.headers);
    const { method } = request;
    const { status, stream, ...response } = await claimlink.handle({
      method,
      url,
      headers,
      body: () => readBody(request, headers, limits),
      stream: () => streamBody(request, headers),
      bodyLimitBytes: limits.bodyLimitBytes,
    });
    const report = (error: unknown) => claimlink.reportError(error, { method, url });
    const body = stream
      ? toWebStream(chunksToSend(stream, response.headers, report))
      : response.body === ''
        ? null
        : response.body;
    return new Response(body, { status, headers: response.headers });
  }

  return async (request) => {
    const url = stripBasePath(request.url, basePath) ?? '';
    const response = await respond(request, url).catch((error) => {
      // A handle function that the host wrapped may reject, or return a header that Response does not accept.
      claimlink.reportError(error, { method: request.method, url });
      return new Response(null, { status: 500 });
    });
    if (request.body !== null && !request.bodyUsed) await endBody(request, request.body, limits);
    // What a reader of the stream has left. A stream that has ended ignores it.
    else if (request.body !== null && !request.body.locked) await cancelBody(request.body);
    return response;
  };
}

/**
 * Ends an unread body. Reads a small one in the background: hosts such as SvelteKit close the connection of a body that is
 * cancelled, before they send the response.
 */
async function endBody(
  request: Request,
  body: NonNullable<Request['body']>,
  limits: BodyLimits,
): Promise<void> {
  const length = request.headers.get('content-length');
  const isSmall = length !== null && Number(length) <= limits.bodyLimitBytes;
  if (isSmall && !body.locked) request.arrayBuffer().catch(() => {});
  else await cancelBody(body);
}

/**
 * Cancels an unread body, so that the client stops its upload. Waits for a turn of the event loop first: a chunk may be
 * on its way, and a stream of `Readable.toWeb` that is cancelled before it arrives ends the process in Node 20 to 24
 * (https://github.com/nodejs/node/issues/64529).
 */
async function cancelBody(body: NonNullable<Request['body']>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  body.cancel().catch(() => {});
}

async function readBody(
  request: Request,
  headers: Record<string, string>,
  limits: BodyLimits,
): Promise<Uint8Array | undefined> {
  assertDeclaredLength(headers, limits);
  assertUnread(request);
  return request.body === null ? undefined : readWebStream(request.body, limits);
}

/** Returns the bytes of the body as they arrive. It cancels none of them: the host could not send the response then. */
async function* streamBody(request: Request, headers: Record<string, string>) {
  assertUnread(request);
  const chunks = request.body?.values({ preventCancel: true });
  if (chunks !== undefined) yield* streamChunks(chunks, headers);
}

/** @throws `body_consumed` if the host has read the body. */
function assertUnread(request: Request): void {
  if (request.bodyUsed || request.body?.locked) throw new ClaimlinkError('body_consumed', BODY_CONSUMED);
}

/** Returns chunks as a web stream, which reads one when the client has taken the one before. */
function toWebStream(chunks: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return()),
    },
    { highWaterMark: 0 },
  );
}
