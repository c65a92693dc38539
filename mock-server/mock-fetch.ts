// createMockFetch: a mock without a port, as a fetch function.
import { createFetchHandler } from '../lib/adapters/fetch.js';
import type { MockControl } from './control.js';
import { createLog } from './http/log.js';
import { createMock, type Mock } from './mock.js';
import { invalidMockOptions, type MockServerOptions, type MockWorldOptions } from './options.js';
import { resolveMockOptions } from './resolve-options.js';
import { admit } from './traffic/admission.js';
import { spoilResponse } from './traffic/fault-fetch.js';
import { redactHeaders, redactPath } from './traffic/journal-redaction.js';
import { openMemoryWorld } from './world/world-store.js';

/** Options of `createMockFetch`. */
export type MockFetchOptions = MockWorldOptions;

/**
 * A fetch function behind which a mock lives, with everything that can be done to it. Requests to other addresses
 * than `publicUrl` reject with a TypeError, as those to a host that does not exist.
 */
export interface MockFetch extends MockControl {
  (input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** The contract's {base_url}: requests go there, and links start with it. */
  readonly publicUrl: string;
  readonly seed: number | string;
}

/** Options of a server that this has no use for. */
const SERVER_OPTIONS: readonly Exclude<keyof MockServerOptions, keyof MockWorldOptions>[] = [
  'port',
  'host',
  'log',
  'logStream',
  'database',
  'schema',
  'persistFile',
  'corsOrigins',
  'tls',
  'control',
  'controlToken',
];

/** What a mock without a port is called, unless told otherwise. `.test` is nobody's (RFC 6761, 6.2). */
const DEFAULT_PUBLIC_URL = 'http://claimlink.test';

/**
 * Makes a mock in memory, without a port: for unit tests, and for handlers of Mock Service Worker and the like.
 * @throws `options_invalid`
 */
export function createMockFetch(options: MockFetchOptions = {}): MockFetch {
  // Nobody but this process reaches its control, whatever it is called.
  const resolved = resolveMockOptions({ ...options, control: false });
  assertWorldOptions(options);
  const publicUrl = (options.publicUrl ?? DEFAULT_PUBLIC_URL).replace(/\/+$/, '');
  const log = createLog('silent', { write() {} });
  const mock = createMock(resolved, openMemoryWorld(resolved), { publicUrl, log });
  const { control } = mock;
  const mockFetch = async (input: Request | URL | string, init?: RequestInit) =>
    answer(mock, new Request(input, init));
  return Object.freeze(
    Object.defineProperties(Object.assign(mockFetch, { ...control, publicUrl, seed: resolved.seed }), {
      clients: { get: () => control.clients, enumerable: true },
    }),
  );
}

async function answer(mock: Mock, request: Request): Promise<Response> {
  const startedAt = performance.now();
  const base = new URL(mock.publicUrl);
  const { origin, pathname, search } = new URL(request.url);
  const basePath = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${basePath}/`)) {
    throw new TypeError(`fetch failed: this mock is at ${mock.publicUrl} and nowhere else`);
  }
  const target = pathname.slice(basePath.length) + search;
  const headers = Object.fromEntries(request.headers);
  const { method } = request;
  const admission = admit(mock, { method, url: target, headers });
  const { trace, fault, answer: given } = admission;
  const time = mock.clocks.nowOf(trace.clientId);

  function record(status: number | null): void {
    mock.record({
      time,
      method,
      path: redactPath(target),
      ...trace,
      status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      headers: redactHeaders(headers),
      ...(fault && { fault }),
    });
  }

  try {
    await pause(fault?.delayMs ?? 0, request.signal);
    const response =
      given === undefined
        ? await untilAborted(
            request.signal,
            handle(mock, request, admission.target, trace.clientId, fault?.effect === 'cut'),
          )
        : new Response(method === 'HEAD' ? null : given.body, {
            status: given.status,
            headers: given.headers,
          });
    for (const [name, value] of Object.entries(admission.headers)) response.headers.set(name, value);
    const effect = fault?.effect;
    const spoiled = effect === undefined ? response : await spoilResponse(response, effect);
    record(response.status);
    return spoiled;
  } catch (error) {
    record(null);
    throw error;
  }
}

/** What only a server has would be of no effect here. @throws `options_invalid` */
function assertWorldOptions(options: object): void {
  const problems = SERVER_OPTIONS.filter((name) => Object(options)[name] !== undefined).map((name) => ({
    pointer: `/${name}`,
    rule: 'unknown_option' as const,
    detail: 'is for startMockServer: a mock without a port has no use for it',
  }));
  if (problems.length > 0) throw invalidMockOptions(problems);
}

/** The service's answer; for a connection that is cut before, nothing is done. */
async function handle(
  mock: Mock,
  request: Request,
  target: string,
  clientId: string | null,
  isCut: boolean,
): Promise<Response> {
  if (isCut) return new Response(null);
  const serve = createFetchHandler(mock.claimlink);
  return mock.clocks.runFor(clientId, () => serve(new Request(new URL(target, mock.publicUrl), request)));
}

/** Rejects as soon as the caller gives up; what was begun goes on, as on a server. */
function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Waits, unless the caller gives up before. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms === 0) return;
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
