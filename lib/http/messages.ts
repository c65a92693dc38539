// Requests and responses between adapters and claimlink, and problem details.
import { randomUUID } from 'node:crypto';
import { type ClaimlinkError, ERRORS, type ErrorCode, type Problem, publicCode } from '../core/errors.js';

/** A request as an adapter passes it to core. */
export interface CoreRequest {
  method: string;
  /** Path and query as received, still percent-encoded, without the mount prefix. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /**
   * Bytes and strings are parsed by core. A function is called at most once, when core needs the body, and returns
   * the body or a promise of it. Any other value counts as a parsed body.
   */
  body?: unknown;
  /**
   * Returns the bytes of the body as they arrive, and holds none of them: the next chunk is read when it is asked for. Core
   * calls it in place of `body`, at most once, for a photo, and for a form with photos. The iteration throws `request_aborted` if
   * the client goes away or sends another number of bytes, and `body_consumed` if the host has read the body. Absent: the
   * adapter cannot stream.
   */
  stream?: () => AsyncIterable<Uint8Array>;
  /** Maximum size in bytes of the texts of a form with photos, which core reads by `stream`. Default: 65_536. */
  bodyLimitBytes?: number;
}

/** A response that an adapter sends unchanged. */
export interface CoreResponse {
  status: number;
  /** Lower-case names. Includes `content-length`. */
  headers: Record<string, string>;
  /** Empty for HEAD. */
  body: string;
  /** The body in UTF-8, if it is cached. An adapter that sends it does not encode the text again. */
  bytes?: Uint8Array;
  /**
   * The body in place of `body`, which is empty then. The adapter reads a chunk when the client has taken the one before, and
   * ends the iteration when the client goes away. It closes the connection if the iteration throws, or has another number of
   * bytes than `content-length`. A response to HEAD has none.
   */
  stream?: AsyncIterable<Uint8Array>;
}

/** Headers of every response. */
export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Default of Retry-After by status (RFC 9110, 10.2.3). A database that restarts is back within seconds. */
export const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

/** Body of an error response: problem details (RFC 9457). */
export interface ProblemResponse {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  /** `urn:uuid:...` of a 5xx. `onError` gets the same one. */
  instance?: string;
  errors?: readonly Problem[];
  /** Value of Retry-After. Not part of the body. */
  retryAfterSeconds?: number;
}

/** Returns the first value of a header. */
export function headerOf(request: CoreRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Creates a JSON response. */
export function jsonResponse(
  status: number,
  json: string,
  headers?: Record<string, string>,
  bytes?: Uint8Array,
): CoreResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes?.byteLength ?? Buffer.byteLength(json)),
      ...COMMON_HEADERS,
      ...headers,
    },
    body: json,
    ...(bytes && { bytes }),
  };
}

/** Returns the response to a form that has nothing to show. */
export function emptyResponse(): CoreResponse {
  return { status: 204, headers: { ...COMMON_HEADERS, 'referrer-policy': 'no-referrer' }, body: '' };
}

/** Creates a redirect: 303 See Other (RFC 9110, 15.4.4). The browser follows it with GET. */
export function redirectResponse(location: string): CoreResponse {
  return {
    status: 303,
    headers: {
      location,
      'content-length': '0',
      ...COMMON_HEADERS,
      'referrer-policy': 'no-referrer',
    },
    body: '',
  };
}

/** Returns the problem that the caller may see. A 5xx shows nothing of its cause, and has a new `instance`. */
export function toProblem(error: ClaimlinkError): ProblemResponse {
  const code = publicCode(error);
  const [status, title] = ERRORS[code];
  const isServerError = status >= 500;
  const retryAfterSeconds = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[status];
  return {
    type: `urn:claimlink:problem:${code}`,
    title,
    status,
    detail: isServerError ? 'An unexpected error occurred. Try again in a moment.' : error.message,
    code,
    ...(isServerError && { instance: `urn:uuid:${randomUUID()}` }),
    ...(!isServerError && error.problems && { errors: error.problems }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Returns the headers that an error response needs both as a page and as JSON. */
export function errorHeaders({ retryAfterSeconds }: ProblemResponse): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

/** Creates a problem response (RFC 9457). */
export function problemResponse(problem: ProblemResponse, headers?: Record<string, string>): CoreResponse {
  const { retryAfterSeconds: _, ...body } = problem;
  return jsonResponse(problem.status, JSON.stringify(body), {
    'content-type': 'application/problem+json; charset=utf-8',
    ...(problem.status === 401 && { 'www-authenticate': 'ApiKey' }),
    ...errorHeaders(problem),
    ...headers,
  });
}
