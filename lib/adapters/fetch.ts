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
import { assertDeclaredLength, type BodyLimits, type BodyOptions, readWebStream } from './request-body.js';

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
    const { status, ...response } = await claimlink.handle({
      method: request.method,
      url,
      headers,
      body: () => readBody(request, headers, limits),
    });
    return new Response(response.body === '' ? null : response.body, { status, headers: response.headers });
  }

  return async (request) => {
    const url = stripBasePath(request.url, basePath) ?? '';
    const response = await respond(request, url).catch((error) => {
      // A handle function that the host wrapped may reject, or return a header that Response does not accept.
      claimlink.reportError(error, { method: request.method, url });
      return new Response(null, { status: 500 });
    });
    if (request.body !== null && !request.bodyUsed) await endBody(request, request.body, limits);
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
  if (request.bodyUsed || request.body?.locked) {
    throw new ClaimlinkError('body_consumed', BODY_CONSUMED);
  }
  return request.body === null ? undefined : readWebStream(request.body, limits);
}
