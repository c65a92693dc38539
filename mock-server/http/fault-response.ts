// The response to a request that fails with a status: in the form in which the service would have failed.
import { mediaTypeOf } from '../../lib/core/body.js';
import { renderPage } from '../../lib/core/endpoints.js';
import {
  errorHeaders,
  prefersJson,
  problemResponse as serviceProblem,
  toProblem,
} from '../../lib/core/http.js';
import {
  ClaimlinkError,
  type Client,
  type CoreResponse,
  createStandaloneWidget,
  type ErrorCode,
} from '../../lib/index.js';
import type { AppliedFault } from '../control.js';
import { MockControlError } from '../control-error.js';
import { problemAt } from '../problems.js';
import type { FaultDecision } from '../state/faults.js';
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

/** Headers that go with a status. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  413: { connection: 'close' },
  429: { 'retry-after': '1' },
};

const widget = createStandaloneWidget();

/**
 * Returns the response. Without a body of the fault, a status that the service itself uses on the route comes with the
 * service's code, and any other error status with the code `injected`. Behind a link, a browser gets a page in the
 * brand of the client.
 */
export async function faultResponse(
  { headers = {}, body }: FaultDecision,
  status: number,
  exchange: Exchange,
  client: Client | undefined,
): Promise<CoreResponse> {
  const { request } = exchange;
  const hasOwnBody = body !== undefined || status < 400;
  const response = hasOwnBody ? ownResponse(status, body) : await errorResponse(status, exchange, client);
  const isBodyless = request.method === 'HEAD' || status === 204 || status === 304;
  const ownHeaders = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...response,
    headers: { ...response.headers, ...HEADERS[status], ...Object.fromEntries(ownHeaders) },
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

async function errorResponse(
  status: number,
  exchange: Exchange,
  client: Client | undefined,
): Promise<CoreResponse> {
  const { request, entry } = exchange;
  const isBehindLink = entry.route === 'openLink' || entry.route === 'submitClaim';
  const code = (isBehindLink ? LINK_CODES : API_CODES)[status];
  if (isBehindLink && !prefersJson(request) && mediaTypeOf(request) !== 'application/json')
    return errorPage(status, code, exchange, client);
  const more = isBehindLink ? { 'referrer-policy': 'no-referrer' } : {};
  if (code !== undefined) return serviceProblem(toProblem(toError(code)), more);
  const injected = problemResponse(
    new MockControlError(status, 'injected', 'A fault of the mock is set for this request.'),
  );
  return { ...injected, headers: { ...injected.headers, ...more, ...errorHeaders(status) } };
}

function toError(code: ErrorCode): ClaimlinkError {
  if (code === 'api_key_invalid')
    return new ClaimlinkError(code, 'The API key is unknown, expired, revoked or not for this client.');
  if (code !== 'request_invalid') return new ClaimlinkError(code);
  const details = [problemAt('', 'value', 'is refused by a fault of the mock')];
  return new ClaimlinkError(code, undefined, { details });
}

async function errorPage(
  status: number,
  code: ErrorCode | undefined,
  { request, entry }: Exchange,
  client: Client | undefined,
): Promise<CoreResponse> {
  entry.code = code ?? 'injected';
  const clientName = client?.name;
  const response = await renderPage(widget, status, request, client ? { client } : {}, (view) =>
    widget.renderUnavailable({
      ...view,
      code: code ?? (status >= 500 ? 'internal' : 'request_invalid'),
      status,
      ...(clientName !== undefined && { clientName }),
    }),
  );
  return { ...response, headers: { ...response.headers, ...errorHeaders(status) } };
}
