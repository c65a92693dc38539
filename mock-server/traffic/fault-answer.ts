// The answer to a request that is to fail with a status: in the form in which the service would have failed.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import {
  type CoreRequest,
  type CoreResponse,
  createStandaloneWidget,
  ERRORS,
  type ErrorCode,
} from '../../lib/index.js';
import type { AppliedFault, RouteName } from '../control.js';

/** What to answer, to which request. */
export interface FaultAnswerOptions {
  /** What is done to the request; its status is answered. */
  fault: AppliedFault & { status: number };
  /** null: no route of the service. */
  route: RouteName | null;
  request: Pick<CoreRequest, 'method' | 'headers'>;
}

/** Says on every answer that it was spoiled on purpose, and how. */
export const FAULT_HEADER = 'x-claimlink-fault';

/** The value of `FAULT_HEADER`: `status=503, delay=200`. */
export function describeFault({ status, effect, delayMs }: AppliedFault): string {
  const parts = [];
  if (status !== undefined) parts.push(`status=${status}`);
  if (effect !== undefined) parts.push(`effect=${effect}`);
  if (delayMs !== undefined) parts.push(`delay=${delayMs}`);
  return parts.join(', ');
}

const INTERNAL_DETAIL = 'An unexpected error occurred. Try again in a moment.';

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
const CODES_OF: Readonly<Record<RouteName, Codes>> = {
  listSessions: API_CODES,
  createLink: API_CODES,
  openLink: LINK_CODES,
  submitClaim: LINK_CODES,
};

/** Details that say more than the title, as the service has them. */
const DETAILS: Partial<Record<ErrorCode, string>> = {
  api_key_invalid: 'The API key is unknown, expired, revoked or not for this client.',
  internal: INTERNAL_DETAIL,
  storage_unavailable: INTERNAL_DETAIL,
};

/** What goes with a status. The one of 401 is demanded by RFC 9110. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'ApiKey' },
  413: { connection: 'close' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '5' },
};

const widget = createStandaloneWidget();

/**
 * The answer. A status with which the service itself answers the route comes with the service's own code, any other
 * with the code `injected`. Behind a link a browser gets a page.
 */
export function faultAnswer({ fault, route, request }: FaultAnswerOptions): CoreResponse {
  const { status } = fault;
  const code = (route === null ? { ...CODES, 404: 'route_not_found' as const } : CODES_OF[route])[status];
  const isBehindLink = route === 'openLink' || route === 'submitClaim';
  const { type, body, headers } =
    isBehindLink && !wantsJson(request) ? pageOf(status, code) : problemOf(status, code, isBehindLink);
  return {
    status,
    headers: {
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      ...HEADERS[status],
      [FAULT_HEADER]: describeFault(fault),
    },
    body: request.method === 'HEAD' ? '' : body,
  };
}

/** A document to send. */
interface Content {
  type: string;
  body: string;
  headers: Record<string, string>;
}

function problemOf(status: number, code: ErrorCode | undefined, isBehindLink: boolean): Content {
  const title = code === undefined ? (STATUS_CODES[status] ?? 'Injected fault') : ERRORS[code][1];
  const problem = {
    type: `urn:claimlink:problem:${code ?? 'injected'}`,
    title,
    status,
    detail: detailOf(code, title),
    code: code ?? 'injected',
    // A 400 of the service has at least one.
    ...(code === 'request_invalid' && {
      errors: [{ pointer: '', rule: 'value', detail: 'is refused by an injected fault' }],
    }),
  };
  return {
    type: 'application/problem+json; charset=utf-8',
    body: JSON.stringify(problem),
    headers: isBehindLink ? { 'referrer-policy': 'no-referrer' } : {},
  };
}

function detailOf(code: ErrorCode | undefined, title: string): string {
  if (code === undefined) return 'The mock answers this on purpose: a fault is set for the request.';
  return DETAILS[code] ?? `${title}.`;
}

function pageOf(status: number, code: ErrorCode | undefined): Content {
  const nonce = randomUUID().replaceAll('-', '');
  // To the page, the codes that it has no words for are all one.
  const shown = code ?? (status >= 500 ? 'internal' : 'request_invalid');
  const { html } = widget.renderUnavailable({ nonce, code: shown, status });
  return {
    type: 'text/html; charset=utf-8',
    body: html,
    headers: {
      'content-security-policy': pagePolicy(nonce),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    },
  };
}

/** As the service's pages have it; a test holds the two together. */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether the service would answer with a problem and not with a page: JSON was sent, or asked for before HTML. */
function wantsJson({ headers }: Pick<CoreRequest, 'headers'>): boolean {
  const ranges = (headerOf(headers, 'accept') ?? '')
    .split(',')
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*$/i.test(range));
  const accepts = (type: RegExp) => ranges.some((range) => type.test(range));
  const sent = headerOf(headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  return (
    sent === 'application/json' ||
    (accepts(/^\s*application\/(?:problem\+)?json\b/i) && !accepts(/^\s*text\/html\b/i))
  );
}

function headerOf(headers: CoreRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
