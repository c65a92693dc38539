// The fetch handler: for Hono, Next.js route handlers and whatever else speaks Request and Response.
import type { Claimlink } from '../claimlink.js';
import { ClaimlinkError } from '../core/errors.js';
import { stripBasePath, toBasePath } from './base-path.js';
import { assertDeclaredLength, resolveBodyLimit, tooLarge } from './read-body.js';

/** Options of `createFetchHandler`. */
export interface FetchHandlerOptions {
  /** Path prefix to take off, such as `/claims`. Default: none. */
  basePath?: string;
  /** Largest request body: 1024 .. 10_485_760. Default 65_536. */
  bodyLimitBytes?: number;
}

/**
 * Makes a handler from `Request` to `Response`. It never rejects.
 * @throws `options_invalid` for a bad option.
 */
export function createFetchHandler(
  claimlink: Claimlink,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const basePath = toBasePath(options.basePath);
  const bodyLimitBytes = resolveBodyLimit(options.bodyLimitBytes);

  return async (request) => {
    const headers = Object.fromEntries(request.headers);
    const {
      status,
      headers: responseHeaders,
      body,
    } = await claimlink.handle({
      method: request.method,
      // The raw target: URL would normalise nothing here that an HTTP client has not normalised before.
      url: stripBasePath(request.url.replace(/^[^:]+:\/\/[^/]*/, ''), basePath) ?? '',
      headers,
      body: () => bodyOf(request, headers, bodyLimitBytes),
    });
    return new Response(body === '' ? null : body, { status, headers: responseHeaders });
  };
}

async function bodyOf(
  request: Request,
  headers: Record<string, string>,
  limitBytes: number,
): Promise<unknown> {
  assertDeclaredLength(headers, limitBytes);
  if (request.bodyUsed) {
    throw new ClaimlinkError(
      'body_consumed',
      'Something before claimlink read the request body. Hand over a clone.',
    );
  }
  return request.body === null ? undefined : readWebStream(request.body, limitBytes);
}

/** As `readStream`; a body over the limit is cancelled, so that its source can stop. */
async function readWebStream(body: NonNullable<Request['body']>, limitBytes: number): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ClaimlinkError('request_aborted');
    });
    if (done) return Buffer.concat(chunks, length);
    length += value.byteLength;
    if (length > limitBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(limitBytes);
    }
    chunks.push(value);
  }
}
