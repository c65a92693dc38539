// Removes API keys, tokens and access codes from what the request log shows.
import { parseUrl } from '../../lib/core/url.js';
import type { LoggedBody } from '../control.js';

const MAX_PATH_LENGTH = 300;
const MAX_VALUE_LENGTH = 200;
const MAX_NAME_LENGTH = 40;
const MAX_HEADERS = 50;
/** Longer input is cut first: less of it is shown anyway. */
const MAX_INPUT_LENGTH = 4096;
const MAX_BODY_BYTES = 16 * 1024;
/** Read beyond the limit, so that a secret at the limit is recognised. */
const BODY_MARGIN = 4096;

/** Parameters whose values are shown. */
const SHOWN_PARAMETERS = new Set(['limit', 'status']);

const SECRET_HEADER = /key|token|secret|auth|cookie|session|password/i;

/** Finds JWTs, also incomplete ones. */
const JWT = /eyJ[\w-]*(?:\.[\w-]+)+\.?|eyJ[\w-]{16,}/g;
const API_KEY = /clk_[\w-]+/gi;
/** Finds the access code of a link in a text. */
const ACCESS_CODE = /(\/verify(?:\/|%2f))[\w-]+/gi;

/** Matches `verify` as a whole segment, with something below it. */
const VERIFY = /(?:^|[/\\])verify(?![\w-])[^/\\]*[/\\]+[^/\\]/i;

const REDACTED = '[redacted]';
const LINK_PATH = '/verify/[access code]';

/**
 * Returns a request target for the log: access codes, tokens, keys and most query values are replaced, control
 * characters and non-ASCII characters percent-encoded. At most 300 characters.
 */
export function redactPath(url: string): string {
  return shorten(redactTarget(url.slice(0, MAX_INPUT_LENGTH)), MAX_PATH_LENGTH);
}

/**
 * Returns headers for the log, with lower-case names. Values of headers whose name looks like a credential are
 * replaced, unless they are empty. At most 50 headers of 200 characters.
 */
export function redactHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (shown.length === MAX_HEADERS) break;
    const lowerCase = name.toLowerCase();
    const joined = [value].flat().join(', ').slice(0, MAX_INPUT_LENGTH);
    shown.push([
      shorten(printable(redactSecrets(lowerCase)), MAX_VALUE_LENGTH),
      shorten(redactHeader(lowerCase, joined), MAX_VALUE_LENGTH),
    ]);
  }
  return Object.fromEntries(shown);
}

/** Returns a body for the log: its first 16 KiB, with API keys, tokens and access codes replaced. */
export function redactBody(body: Uint8Array | string): LoggedBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const start = decodeUtf8(bytes.subarray(0, MAX_BODY_BYTES + BODY_MARGIN));
  const redacted = Buffer.from(redactSecrets(start).replaceAll(ACCESS_CODE, '$1[access code]'));
  return {
    text: decodeUtf8(redacted.subarray(0, MAX_BODY_BYTES)),
    bytes: bytes.length,
    isTruncated: bytes.length > MAX_BODY_BYTES + BODY_MARGIN || redacted.length > MAX_BODY_BYTES,
  };
}

/** Leaves out a character that is incomplete at the end. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

function redactHeader(name: string, value: string): string {
  // An empty key is a mistake that readers should see.
  if (value === '') return '';
  if (SECRET_HEADER.test(name)) return REDACTED;
  if (name === 'referer' || isBelowVerify(value)) return redactUrl(value);
  return redactText(value);
}

/** Redacts a header that contains a URL. */
function redactUrl(value: string): string {
  if (value.startsWith('/')) return redactTarget(value);
  const url = /^https?:/i.test(value) ? parseUrl(value) : undefined;
  return url === undefined ? REDACTED : url.origin + redactTarget(url.pathname + url.search);
}

function redactTarget(target: string): string {
  // Removes scheme, user name and password of the absolute form (RFC 9112, 3.2.2), and a fragment.
  const [rest = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1);
  const [, path = '', mark = '', query = ''] = /^([^?]*)(\??)(.*)$/s.exec(rest) ?? [];
  const isLink = isBelowVerify(path);
  const shownPath = isLink ? redactLinkPath(path) : redactSegments(path.split('/'));
  return shownPath + mark + redactQuery(query, isLink);
}

/** Keeps the prefix before `verify`, if it is recognised. */
function redactLinkPath(path: string): string {
  const segments = path.split('/');
  const index = segments.findIndex((segment) => /^verify(?![\w-])/i.test(decode(segment)));
  const prefix = segments.slice(0, Math.max(index, 0));
  if (prefix.some(isBelowVerify)) return LINK_PATH;
  return redactSegments(prefix) + LINK_PATH;
}

function redactSegments(segments: readonly string[]): string {
  return segments.map(redactText).join('/');
}

function redactQuery(query: string, isLink: boolean): string {
  return query
    .split('&')
    .map((pair) => redactParameter(pair, isLink))
    .join('&');
}

function redactParameter(pair: string, isLink: boolean): string {
  const [name = '', ...values] = pair.split('=');
  if (SHOWN_PARAMETERS.has(name)) return redactText(pair);
  if (isLink && name === 'token') return 'token=[token]';
  if (pair === '') return '';
  // Behind a link, a name may be part of a token.
  const isName = !isLink && name.length <= MAX_NAME_LENGTH && /^[a-z][\w.-]*$/i.test(name);
  const shownName = isName ? redactSecrets(name) : '[…]';
  return values.length === 0 ? shownName : `${shownName}=[…]`;
}

function isBelowVerify(text: string): boolean {
  return VERIFY.test(text) || VERIFY.test(decode(text));
}

/** Percent-decodes at most three times. Malformed escapes stay. */
function decode(text: string): string {
  let decoded = text;
  for (let round = 0; round < 3 && decoded.includes('%'); round++) {
    decoded = decoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return decoded;
}

function redactSecrets(text: string): string {
  return text.replaceAll(JWT, '[token]').replaceAll(API_KEY, '[api key]');
}

/** Redacts a text and makes it printable. Also finds percent-encoded secrets: then the text is shown decoded. */
function redactText(text: string): string {
  const decoded = decode(text);
  const redacted = redactSecrets(decoded);
  return printable(redacted === decoded ? text : redacted);
}

/** Percent-encodes characters that could move a cursor, hide, or end a line. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
