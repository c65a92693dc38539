// The HTTP types between adapters and core, problem details and security headers.
import { randomUUID } from 'node:crypto';
import Negotiator from 'negotiator';
import { cspSource } from './callback-url.js';
import { type ClaimlinkError, ERRORS, type ErrorCode, type ErrorDetail, RESPONSE_CODES } from './errors.js';
import type { Client } from './types.js';

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
}

/** Headers of every response. */
const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Retry-After (RFC 9110, 10.2.3): a database that restarts is back within seconds. */
export const RETRY_AFTER_SECONDS = '5';

/** Problem details (RFC 9457) of an error response. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  /** `urn:uuid:...` of a 5xx. `onError` gets the same one. */
  instance?: string;
  errors?: readonly ErrorDetail[];
}

/** Returns the first value of a header. */
export function headerOf(request: CoreRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns whether the Accept header prefers JSON to an HTML page. Without a preference it returns false. */
export function prefersJson(request: CoreRequest): boolean {
  const negotiator = new Negotiator({ headers: { accept: headerOf(request, 'accept') } });
  const preferred = negotiator.mediaType(['text/html', 'application/json', 'application/problem+json']);
  return preferred !== undefined && preferred !== 'text/html';
}

/** The languages of a page, and the preferences that select one of them, besides Accept-Language. */
export interface LanguageChoice {
  /** BCP 47 tags of the page's languages, the default first. */
  locales: readonly string[];
  /** The `lang` parameter of the URL. */
  lang: string | undefined;
  /** The language of the client. */
  preferred: string | undefined;
}

/**
 * Returns the language of a page: the best one for the `lang` parameter, else for Accept-Language (RFC 9110, 12.5.4),
 * else for the language of the client, else the first one.
 */
export function negotiateLanguage(
  request: CoreRequest,
  { lang, locales, preferred }: LanguageChoice,
): string {
  for (const header of [lang, headerOf(request, 'accept-language'), preferred]) {
    const match = header && new Negotiator({ headers: { 'accept-language': header } }).language([...locales]);
    if (match) return match;
  }
  return locales[0] ?? 'en';
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

/**
 * Returns the security headers of a page. Its URL contains a token, so browsers must send no Referer and crawlers must
 * not index it.
 */
export function securityHeaders(contentSecurityPolicy: string): Record<string, string> {
  return {
    ...COMMON_HEADERS,
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  };
}

/** Creates a page response. */
export function pageResponse(
  status: number,
  html: string,
  contentSecurityPolicy: string,
  language: string | undefined,
): CoreResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(language !== undefined && { 'content-language': language }),
      'content-length': String(Buffer.byteLength(html)),
      ...securityHeaders(contentSecurityPolicy),
    },
    body: html,
  };
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

/** The callback of a link and the settings of its client, which the policy of its pages allows. */
export interface PolicyContext {
  callbackUrl?: string;
  client?: Pick<Client, 'branding' | 'frameAncestors'>;
}

/** Returns the default Content-Security-Policy of a page. */
export function pagePolicy(nonce: string, { callbackUrl, client }: PolicyContext = {}): string {
  const callback = callbackUrl === undefined ? '' : cspSource(callbackUrl);
  const logo = client?.branding?.logoUrl === undefined ? '' : cspSource(client.branding.logoUrl);
  const ancestors = client?.frameAncestors?.join(' ') || "'none'";
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    `img-src data:${logo && ` ${logo}`}`,
    "connect-src 'self'",
    // Chromium also applies form-action to the redirect that follows a form submission.
    `form-action 'self'${callback && ` ${callback}`}`,
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** Returns the code that the caller sees: `internal` for a code that no response of this version has. */
export function publicCode({ code }: ClaimlinkError): ErrorCode {
  return RESPONSE_CODES.find((responseCode) => responseCode === code) ?? 'internal';
}

/** Returns the problem that the caller may see. A 5xx shows nothing of its cause, and has a new `instance`. */
export function toProblem(error: ClaimlinkError): Problem {
  const code = publicCode(error);
  const [status, title] = ERRORS[code];
  const isServerError = status >= 500;
  return {
    type: `urn:claimlink:problem:${code}`,
    title,
    status,
    detail: isServerError ? 'An unexpected error occurred. Try again in a moment.' : error.message,
    code,
    ...(isServerError && { instance: `urn:uuid:${randomUUID()}` }),
    ...(!isServerError && error.details && { errors: error.details }),
  };
}

/** Returns the headers that an error response needs both as a page and as JSON. */
export function errorHeaders(status: number): Record<string, string> {
  return status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
}

/** Creates a problem response (RFC 9457). */
export function problemResponse(problem: Problem, headers?: Record<string, string>): CoreResponse {
  return jsonResponse(problem.status, JSON.stringify(problem), {
    'content-type': 'application/problem+json; charset=utf-8',
    ...(problem.status === 401 && { 'www-authenticate': 'ApiKey' }),
    ...errorHeaders(problem.status),
    ...headers,
  });
}
