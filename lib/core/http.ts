// The HTTP vocabulary between adapters and core: requests in, responses out, problem details, security headers.
import { ClaimlinkError, ERRORS, type ErrorCode, type ErrorDetail, isClaimlinkError } from './errors.js';
import { deepFreeze } from './freeze.js';

/** A request as an adapter hands it over. */
export interface CoreRequest {
  method: string;
  /** Path and query as they came, percent-encoding untouched, any mount prefix stripped. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /**
   * Bytes and strings are parsed by core; anything else but a function is taken as parsed. A function is called once,
   * and only when the request has got as far as its body: it gives (a promise of) any of these.
   */
  body?: unknown;
}

/** A response for an adapter to send, as it is. */
export interface CoreResponse {
  status: number;
  /** Lower-case names; `content-length` included. */
  headers: Record<string, string>;
  /** Empty for HEAD. */
  body: string;
  /** The body in UTF-8, where it is at hand: sending it saves encoding the text again. */
  bytes?: Uint8Array;
}

/** RFC 9110, 10.2.3. A database that restarts is back in seconds. */
const RETRY_AFTER_SECONDS = '5';

/** RFC 9457 problem details, as they are sent. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: readonly ErrorDetail[];
}

/** First value of a header, or undefined. */
export function headerOf(request: CoreRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether the caller asked for JSON and not for a page. */
export function prefersJson(request: CoreRequest): boolean {
  const ranges = (headerOf(request, 'accept') ?? '')
    .split(',')
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*$/i.test(range));
  const accepts = (type: RegExp) => ranges.some((range) => type.test(range));
  return accepts(/^\s*application\/(?:problem\+)?json\b/i) && !accepts(/^\s*text\/html\b/i);
}

/** A JSON answer. */
export function jsonResponse(
  status: number,
  json: string,
  headers?: Record<string, string>,
  bytes?: Uint8Array,
): CoreResponse {
  const all: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(bytes === undefined ? Buffer.byteLength(json) : bytes.byteLength),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (headers !== undefined) Object.assign(all, headers);
  return bytes === undefined
    ? { status, headers: all, body: json }
    : { status, headers: all, body: json, bytes };
}

/** An HTML page, closed up. The URL of every page holds a token, so no Referer and no index. */
export function pageResponse(status: number, html: string, contentSecurityPolicy: string): CoreResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(html)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    },
    body: html,
  };
}

/** 303 See Other (RFC 9110, 15.4.4): the browser goes on with GET. */
export function redirectResponse(location: string): CoreResponse {
  return {
    status: 303,
    headers: {
      location,
      'content-length': '0',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: '',
  };
}

/** The policy of the built-in pages. `callback` is the source that a form may be redirected on to. */
export function pagePolicy(nonce: string, callback: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    // Chromium applies form-action to the redirect that answers a form, too.
    `form-action 'self'${callback && ` ${callback}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** An error as the client may see it: 5xx shows nothing of its cause. */
export function toProblem(error: ClaimlinkError): Problem {
  const isOurs = error.statusCode >= 500;
  const code = isOurs && error.code !== 'storage_unavailable' ? 'internal' : error.code;
  const [status, title] = ERRORS[code];
  return {
    type: `urn:claimlink:problem:${code}`,
    title,
    status,
    detail: isOurs ? 'An unexpected error occurred. Try again in a moment.' : error.message,
    code,
    ...(!isOurs && error.details && { errors: error.details }),
  };
}

/** What an error's answer says about the connection and about trying again. */
export function errorHeaders(status: number): Record<string, string> {
  // The rest of a body that is too large is not read: the connection cannot be used again.
  if (status === 413) return { connection: 'close' };
  return status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
}

const remembered = new WeakMap<ClaimlinkError, CoreResponse>();

/** An error as problem JSON. For one that is frozen, and so given again and again, it is written once, and frozen too. */
export function problemResponse(error: ClaimlinkError, headers?: Record<string, string>): CoreResponse {
  const known = remembered.get(error);
  if (known !== undefined && headers === undefined) return known;
  const problem = toProblem(error);
  const response = jsonResponse(problem.status, JSON.stringify(problem), {
    'content-type': 'application/problem+json; charset=utf-8',
    ...(problem.status === 401 && { 'www-authenticate': 'ApiKey' }),
    ...errorHeaders(problem.status),
    ...headers,
  });
  if (Object.isFrozen(error) && headers === undefined) remembered.set(error, deepFreeze(response));
  return response;
}

/** A response that its receiver may change, but for its bytes: one that is given again is copied. */
export function toOwn(response: CoreResponse): CoreResponse {
  return Object.isFrozen(response) ? { ...response, headers: { ...response.headers } } : response;
}

/** Anything that was thrown, as a ClaimlinkError; what is not ours becomes `internal` with its cause. */
export function asClaimlinkError(error: unknown): ClaimlinkError {
  return isClaimlinkError(error) ? error : new ClaimlinkError('internal', undefined, { cause: error });
}
