// createMockFetch: a mock without a port, as a fetch function. For Node only.
import type { Readable } from 'node:stream';
import type { InjectOptions } from 'fastify';
import { baseUrlProblem } from '../lib/core/url.js';
import type { MockControl } from './control.js';
import { createApp, type MockApp } from './http/app.js';
import { createInProcessControl } from './in-process.js';
import { SERVER_OPTION_SCHEMAS } from './option-schemas.js';
import { type MockWorldOptions, resolveMockOptions } from './options.js';
import { invalidMockOptions, problemAt } from './problems.js';
import { openMockState } from './state/mock-state.js';

/** Options of `createMockFetch`. */
export type MockFetchOptions = MockWorldOptions;

/**
 * A fetch function with a mock behind it, and the methods that control the mock. Requests to other addresses than
 * `publicUrl` reject with a TypeError, like requests to a host that does not exist.
 */
export interface MockFetch extends MockControl {
  (input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** The contract's {base_url}: target of requests and start of links. */
  readonly publicUrl: string;
  readonly seed: number | string;
}

/** Options that only a server has. */
const SERVER_OPTIONS = [...Object.keys(SERVER_OPTION_SCHEMAS), 'logStream'];

/** The top-level domain `.test` is reserved (RFC 6761, 6.2). */
const DEFAULT_PUBLIC_URL = 'http://claimlink.test';

/**
 * Creates a mock in memory, without a port: for unit tests, and for handlers of Mock Service Worker and the like.
 * @throws `options_invalid`
 */
export function createMockFetch(options: MockFetchOptions = {}): MockFetch {
  const resolved = resolveMockOptions({ ...options, control: false });
  const unused = SERVER_OPTIONS.filter((name) => Object(options)[name] !== undefined);
  if (unused.length > 0) {
    const detail = 'is for startMockServer: a mock without a port does not use it';
    throw invalidMockOptions(unused.map((name) => problemAt(`/${name}`, 'unknown_option', detail)));
  }
  const publicUrl = (options.publicUrl ?? DEFAULT_PUBLIC_URL).replace(/\/+$/, '');
  // createClaimlink checks it as well, but only with the first request.
  const problem = baseUrlProblem(publicUrl);
  if (problem !== undefined) throw invalidMockOptions([problemAt('/publicUrl', 'url', problem)]);

  async function open() {
    const state = await openMockState(resolved, publicUrl);
    return { state, mock: await createApp(state) };
  }
  let opening: ReturnType<typeof open> | undefined;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  const control = createInProcessControl(opened);
  const mockFetch = async (input: Request | URL | string, init?: RequestInit) => {
    const request = new Request(input, init);
    const target = targetBelow(publicUrl, request.url);
    const { mock } = await opened();
    return respond(mock, request, target);
  };
  return Object.freeze(Object.assign(mockFetch, { ...control, publicUrl, seed: resolved.seed }));
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

async function respond({ inject }: MockApp, request: Request, url: string): Promise<Response> {
  const { method, signal } = request;
  signal.throwIfAborted();
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const { host } = new URL(request.url);
  const options: InjectOptions = {
    method: method as 'GET',
    url,
    headers: { ...Object.fromEntries(request.headers), host },
    ...(body && { payload: body }),
    payloadAsStream: true,
    signal,
  };
  const response = await inject(options, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw connectionLost('fetch failed', error);
  });
  const { statusCode: status, headers } = response;
  const hasBody = method !== 'HEAD' && ![204, 304].includes(status) && headers['content-length'] !== '0';
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  );
  return new Response(hasBody ? readBody(response.stream(), signal) : null, { status, headers: pairs });
}

/** Returns the chunks of a stream. Fails as the body of fetch does. */
async function* readBody(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw signal.aborted ? signal.reason : connectionLost('terminated', error);
  }
}

/** Returns the error that Node's fetch rejects with. */
function connectionLost(message: string, error: unknown): TypeError {
  const cause = Object.assign(new Error('other side closed', { cause: error }), { code: 'UND_ERR_SOCKET' });
  return new TypeError(message, { cause });
}
