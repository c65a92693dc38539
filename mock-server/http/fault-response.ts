// The response to a request that fails with a status: in the form in which the service would have failed.
import { randomUUID } from 'node:crypto';
import { mediaTypeOf } from '../../lib/core/body.js';
import {
  errorHeaders,
  pagePolicy,
  pageResponse,
  prefersJson,
  problemResponse as serviceProblem,
  toProblem,
} from '../../lib/core/http.js';
import {
  ClaimlinkError,
  type CoreResponse,
  createStandaloneWidget,
  type ErrorCode,
} from '../../lib/index.js';
import type { AppliedFault, RouteName } from '../control.js';
import { MockControlError } from '../control-error.js';
import type { FaultDecision } from '../state/types.js';
import type { Exchange } from './exchange.js';
import { problemResponse } from './problem.js';

/** Tells on a response what a fault did to it. */
export const FAULT_HEADER = 'x-claimlink-fault';

/** Returns the value of `FAULT_HEADER`: `status=503, delay=200`. */
export function describeFault({ status, effect, delayMs }: AppliedFault): string {
  const parts = { status, effect, delay: delayMs };
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

type Codes = Readonly<Record<number, ErrorCode>>;

const CODES: Codes = {
  400: 'request_invalid',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'content_type_unsupported',
  500: 'internal',
  503: 'storage_unavailable',
};
const API_CODES: Codes = { ...CODES, 401: 'api_key_invalid', 404: 'client_not_found' };
const LINK_CODES: Codes = { ...CODES, 404: 'link_not_found', 410: 'link_expired' };
const CODES_OF_ROUTE: Readonly<Record<RouteName, Codes>> = {
  listSessions: API_CODES,
  createLink: API_CODES,
  openLink: LINK_CODES,
  submitClaim: LINK_CODES,
};

/** Headers that go with a status. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  413: { connection: 'close' },
  429: { 'retry-after': '1' },
};

const widget = createStandaloneWidget();

/**
 * Returns the response. Without a body of the fault, a status that the service itself uses on the route comes with the
 * service's code, and any other error status with the code `injected`. Behind a link, a browser gets a page.
 */
export function faultResponse(
  { headers = {}, body }: FaultDecision,
  status: number,
  { request, route }: Exchange,
): CoreResponse {
  const hasOwnBody = body !== undefined || status < 400;
  const response = hasOwnBody ? ownResponse(status, body) : errorResponse(status, route, request);
  const isBodyless = request.method === 'HEAD' || status === 204 || status === 304;
  return {
    ...response,
    headers: { ...response.headers, ...HEADERS[status], ...toLowerCase(headers) },
    body: isBodyless ? '' : response.body,
  };
}

/** Returns a response with the body of the fault: text as it is, any other value as JSON. */
function ownResponse(status: number, body: unknown): CoreResponse {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  // Node sets the length: a 204 must not have any.
  return { status, headers: { ...headers, ...(text !== '' && { 'content-type': type }) }, body: text };
}

function errorResponse(status: number, route: RouteName | null, request: Exchange['request']): CoreResponse {
  const code = route === null ? undefined : CODES_OF_ROUTE[route][status];
  const isBehindLink = route === 'openLink' || route === 'submitClaim';
  if (isBehindLink && !prefersJson(request) && mediaTypeOf(request) !== 'application/json')
    return errorPage(status, code);
  const more = isBehindLink ? { 'referrer-policy': 'no-referrer' } : {};
  if (code !== undefined) return serviceProblem(toProblem(toError(code)), more);
  const injected = problemResponse(
    new MockControlError(status, 'injected', 'A fault of the mock is set for this request.'),
  );
  return { ...injected, headers: { ...injected.headers, ...more, ...errorHeaders(status) } };
}

function toError(code: ErrorCode): ClaimlinkError {
  const detail = 'is refused by a fault of the mock';
  if (code === 'request_invalid')
    return new ClaimlinkError(code, undefined, {
      details: [{ pointer: '', rule: 'value', detail }],
    });
  const message =
    code === 'api_key_invalid'
      ? 'The API key is unknown, expired, revoked or not for this client.'
      : undefined;
  return new ClaimlinkError(code, message);
}

function errorPage(status: number, code: ErrorCode | undefined): CoreResponse {
  const nonce = randomUUID().replaceAll('-', '');
  const shown = code ?? (status >= 500 ? 'internal' : 'request_invalid');
  const policy = pagePolicy(nonce);
  const { html } = widget.renderUnavailable({ nonce, locale: 'en', policy, code: shown, status });
  const response = pageResponse(status, html, policy, 'en');
  return { ...response, headers: { ...response.headers, ...errorHeaders(status) } };
}

function toLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
