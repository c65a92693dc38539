// The response to a request that fails with a status, and a broken body: what faults do.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../lib/http/routes.js';
import { ClaimlinkError, type CoreRequest, type CoreResponse, type ErrorCode } from '../../lib/index.js';
import { secondsUntil } from '../../lib/widget/outcome.js';
import { MockControlError } from '../control/control-error.js';
import { problemAt } from '../control/errors.js';
import { isFaultHeader, isFaultLocation } from '../schemas/fault.js';
import { abortedWith } from '../state/abort.js';
import type { FaultDecision } from '../state/faults.js';
import { type MockOutcome, problemOutcome } from './problem-response.js';

/** Response header that names the applied fault. */
export const FAULT_HEADER = 'x-claimlink-fault';

type Codes = Readonly<Record<number, ErrorCode>>;

const CODES: Codes = {
  400: 'request_invalid',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'content_type_unsupported',
  429: 'too_many_requests',
  500: 'internal',
  503: 'storage_unavailable',
};
const API_CODES: Codes = { ...CODES, 401: 'api_key_invalid', 404: 'client_not_found' };
const LINK_CODES: Codes = { ...CODES, 404: 'link_not_found', 410: 'link_expired' };

/** Headers that go with a status. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  413: { connection: 'close' },
  429: { 'retry-after': '1' },
};

/**
 * Returns the response to a request with a status of a fault. If the fault has no body, a status that the service itself
 * uses on the route comes with the service's code, and any other error status with the code `injected`. The service
 * renders it: behind a link, a browser gets a page in the brand of the client.
 */
export async function faultOutcome(
  { headers = {}, body }: FaultDecision,
  status: number,
  { method }: CoreRequest,
  exchange: Exchange,
): Promise<MockOutcome> {
  const ownHeaders = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    // A persist file of an earlier version may have others.
    .filter(([name, value]) => isFaultHeader(name) && (name !== 'location' || isFaultLocation(value)));
  const faultHeaders: Record<string, string> = { ...HEADERS[status], ...Object.fromEntries(ownHeaders) };
  const hasOwnBody = body !== undefined || status < 400;
  const { response, ...outcome } = hasOwnBody
    ? { response: ownResponse(status, body) }
    : await errorOutcome(status, exchange, faultHeaders['retry-after']);
  const isBodyless = method === 'HEAD' || status === 204 || status === 304;
  return {
    ...outcome,
    response: {
      ...response,
      headers: {
        ...response.headers,
        ...faultHeaders,
        'content-security-policy': policyOf(response, ownHeaders.length > 0),
        'x-content-type-options': 'nosniff',
      },
      body: isBodyless ? '' : response.body,
    },
  };
}

/**
 * Returns the Content-Security-Policy of a response. A partner may have written it: it must not become a page that acts with
 * the credentials of an operator. A page of the service escapes every value and runs its own scripts only, so it keeps its
 * policy. Headers of the fault may change how a browser reads it: then it runs no script, and its forms still work.
 */
function policyOf({ headers }: CoreResponse, hasOwnHeaders: boolean): string {
  const policy = headers['content-security-policy'];
  if (policy === undefined) return 'sandbox';
  return hasOwnHeaders ? `${policy}, sandbox allow-forms` : policy;
}

/** Returns a response with the body of the fault: text unchanged, any other value as JSON. */
function ownResponse(status: number, body: unknown): CoreResponse {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  // The server sets the length: a 204 must not have any.
  return { status, headers: { ...headers, ...(text !== '' && { 'content-type': type }) }, body: text };
}

/** Returns whether a route is below a link. */
export function isLinkRoute(route: string | null | undefined): boolean {
  return ['openLink', 'submitClaim', 'listPhotos', 'sendPhoto', 'readPhoto'].includes(route ?? '');
}

async function errorOutcome(
  status: number,
  exchange: Exchange,
  retryAfter: string | undefined,
): Promise<MockOutcome> {
  const code = (isLinkRoute(exchange.operation) ? LINK_CODES : API_CODES)[status];
  if (code !== undefined) return exchange.reject(toError(code, retryAfter));
  const { response } = await exchange.reject(toError(status < 500 ? 'request_invalid' : 'internal'));
  if (response.headers['content-type']?.startsWith('text/html'))
    return { code: 'injected', response: { ...response, status } };
  const message = 'A fault of the mock is set for this request.';
  const injected = problemOutcome(new MockControlError(status, 'injected', message));
  const headers = { ...response.headers, ...injected.response.headers };
  return { ...injected, response: { ...injected.response, headers } };
}

function toError(code: ErrorCode, retryAfter?: string): ClaimlinkError {
  if (code === 'api_key_invalid')
    return new ClaimlinkError(code, 'The API key is unknown, expired, revoked or not for this client.');
  if (code !== 'request_invalid') {
    // The browser compares a date with its own clock, not with that of the client.
    const wait = retryAfter !== undefined && { retryAfterSeconds: secondsUntil(retryAfter, Date.now()) };
    return new ClaimlinkError(code, undefined, { ...wait });
  }
  const problems = [problemAt('', 'value', 'is rejected by a fault of the mock')];
  return new ClaimlinkError(code, undefined, { problems });
}

/** Returns a response whose body does not have its format. The target of a redirect is in its head: it stays. */
export function breakBody({ status, headers, body }: CoreResponse): CoreResponse {
  if (body === '') return { status, headers, body };
  const half = Math.floor(body.length / 2);
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '');
  // JSON cannot end with this character.
  const broken = isJson ? `${body.slice(0, -1)}<` : body.slice(0, half).padEnd(body.length);
  return {
    status,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(broken)) },
    body: broken,
  };
}

/** Yields a body about ten times a second. Rejects when a signal is aborted, of the connection or of the state. */
export async function* slowly(
  bytes: Uint8Array,
  bytesPerSecond: number,
  ...signals: readonly AbortSignal[]
): AsyncGenerator<Uint8Array> {
  const ended = abortedWith(...signals);
  const { signal } = ended;
  const size = Math.ceil(bytesPerSecond / 10);
  try {
    for (let start = 0; start < bytes.length; start += size) {
      const chunk = bytes.subarray(start, start + size);
      await sleep((chunk.length / bytesPerSecond) * 1000, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
      yield chunk;
    }
  } finally {
    ended.abort();
  }
}
