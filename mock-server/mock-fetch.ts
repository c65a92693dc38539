// createMockFetch: a mock without a port, as a fetch function. For Node only.

import { STATUS_CODES } from 'node:http';
import { ReadableStream } from 'node:stream/web';
import { assertDeclaredLength, readWebStream, resolveBodyLimits } from '../lib/adapters/request-body.js';
import { invalidOptions } from '../lib/core/errors.js';
import { baseUrlProblem } from '../lib/core/url.js';
import { MULTIPART_TYPE } from '../lib/http/body.js';
import { problemAt } from './control/errors.js';
import type { MockControl } from './control/methods.js';
import { slowly } from './http/fault-response.js';
import { handleRequest, type Reply } from './http/handler.js';
import { createInProcessControl } from './state/in-process.js';
import { type Mock, openMock } from './state/mock.js';
import { type MockFetchOptions, resolveMockOptions } from './state/options.js';

/**
 * A fetch function with a mock behind it, and the methods that control the mock. Requests to other addresses than
 * `publicUrl` reject with a TypeError, like requests to a host that does not exist. It follows no redirect: a 303 is the
 * response.
 */
export interface MockFetch extends MockControl {
  (input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** The contract's {base_url}: target of requests and start of links. */
  readonly publicUrl: string;
  readonly seed: number | string;
  /** Secret of the webhook, given or generated. undefined: there is no webhook. */
  readonly webhookSecret: string | undefined;
}

const LIMITS = resolveBodyLimits({});

/** The target of a photo. */
const PHOTO_TARGET = /^\/verify\/[^/?]+\/photos\//;

/** The top-level domain `.test` is reserved (RFC 6761, 6.2). */
const DEFAULT_PUBLIC_URL = 'http://claimlink.test';

/**
 * Creates a mock in memory, without a port: for unit tests, and for handlers of Mock Service Worker and the like.
 * @throws `options_invalid`
 */
export function createMockFetch(options: MockFetchOptions = {}): MockFetch {
  const resolved = resolveMockOptions(options, false);
  const publicUrl = (options.publicUrl ?? DEFAULT_PUBLIC_URL).replace(/\/+$/, '');
  // createClaimlink checks it as well, but only with the first request.
  const problem = baseUrlProblem(publicUrl);
  if (problem !== undefined) throw invalidOptions([problemAt('/publicUrl', 'url', problem)]);

  let opening: Promise<Mock> | undefined;
  const open = () => {
    opening ??= openMock(resolved, publicUrl);
    return opening;
  };
  const control = createInProcessControl(open);
  const mockFetch = async (input: Request | URL | string, init?: RequestInit) => {
    const request = new Request(input, init);
    const target = targetBelow(publicUrl, request.url);
    return respond(await open(), request, target);
  };
  const { seed, webhookSecret } = resolved;
  return Object.freeze(Object.assign(mockFetch, { ...control, publicUrl, seed, webhookSecret }));
}

/** Returns path and query below the public URL. @throws TypeError for another address */
function targetBelow(publicUrl: string, url: string): string {
  const base = new URL(publicUrl);
  const { origin, pathname, search } = new URL(url);
  const basePath = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${basePath}/`))
    throw new TypeError(`fetch failed: this mock is at ${publicUrl} only`);
  return (pathname.slice(basePath.length) || '/') + search;
}

async function respond(mock: Mock, request: Request, url: string): Promise<Response> {
  const { method, signal } = request;
  signal.throwIfAborted();
  const headers: Record<string, string> = Object.fromEntries(request.headers);
  async function body(): Promise<Uint8Array | undefined> {
    assertDeclaredLength(headers, LIMITS);
    return request.body === null ? undefined : readWebStream(request.body, LIMITS);
  }
  // A fetch function sends the length of a body that is no stream, but a Request does not tell it.
  const hasPhoto = PHOTO_TARGET.test(url) || headers['content-type']?.startsWith(MULTIPART_TYPE);
  const photo = request.body !== null && hasPhoto ? new Uint8Array(await request.arrayBuffer()) : undefined;
  if (photo !== undefined) headers['content-length'] = String(photo.length);
  async function* stream() {
    if (photo !== undefined) yield photo;
  }
  const reply = await handleRequest(mock, { method, url, headers, body, stream }, signal);
  const { response } = reply;
  // A slow response waits for its reader, in the same process.
  reply.end?.();
  signal.throwIfAborted();
  if (response === undefined) throw connectionLost('fetch failed');
  const { status } = response;
  const hasBody = response.body !== '' && ![204, 304].includes(status);
  const chunks = response.stream ?? (hasBody ? readBody(response.body, reply, signal) : undefined);
  const content = chunks ? ReadableStream.from(chunks) : null;
  const statusText = STATUS_CODES[status] ?? '';
  return withUrl(new Response(content, { status, statusText, headers: response.headers }), request.url);
}

/** Sets the URL of a response, which a constructor cannot. MSW sets it again. */
function withUrl(response: Response, url: string): Response {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    url: { value: url.replace(/#.*/, ''), configurable: true, enumerable: true },
    clone: { value: () => withUrl(clone(), url), configurable: true, writable: true },
  });
}

/** Returns the chunks of a body. Fails as the body of fetch does. */
async function* readBody(
  body: string,
  { isTruncated, bytesPerSecond, epoch }: Reply,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  try {
    if (bytesPerSecond !== undefined) return yield* slowly(bytes, bytesPerSecond, signal, epoch);
  } catch (error) {
    throw epoch.aborted ? connectionLost('terminated') : error;
  }
  signal.throwIfAborted();
  yield isTruncated ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
  if (isTruncated) throw connectionLost('terminated');
}

/** Returns the error that Node's fetch rejects with. */
function connectionLost(message: string): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  return new TypeError(message, { cause });
}
