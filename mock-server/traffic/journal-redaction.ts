// What of a request may stand in the journal: enough to find it again, and nothing that opens a link or an account.
import { parseUrl } from '../parse-url.js';

const MAX_PATH_LENGTH = 300;
const MAX_VALUE_LENGTH = 200;
const MAX_NAME_LENGTH = 40;
const MAX_HEADERS = 50;
/** More is not looked at, and not shown: what is shown is shorter. */
const MAX_INPUT_LENGTH = 4096;

/** Parameters whose values are shown. */
const SHOWN_PARAMETERS = new Set(['limit', 'status', '__code', '__delay', '__fault']);

const SECRET_HEADER = /key|token|secret|auth|cookie|session|password/i;

/** A JWT (also one that was cut off), and an API key. */
const JWT = /eyJ[\w-]*(?:\.[\w-]+)+\.?|eyJ[\w-]{16,}/g;
const API_KEY = /clk_[\w-]+/gi;

/** `verify` as a whole segment, with something below it. */
const VERIFY = /(?:^|[/\\])verify(?![\w-])[^/\\]*[/\\]+[^/\\]/i;

const REDACTED = '[redacted]';
const LINK_PATH = '/verify/[access code]';

/**
 * A request target for the journal: access codes, tokens, keys and most query values are replaced, control characters
 * and what is not ASCII percent-encoded. At most 300 characters.
 */
export function redactPath(url: string): string {
  return shorten(redactTarget(url.slice(0, MAX_INPUT_LENGTH)), MAX_PATH_LENGTH);
}

/**
 * Headers for the journal, under lower-case names: credentials and whatever has a secret-looking name are replaced,
 * unless empty; several values are joined. At most 50, of 200 characters each.
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

function redactHeader(name: string, value: string): string {
  // An empty key is a mistake that should be seen, and no secret.
  if (value === '') return '';
  if (SECRET_HEADER.test(name)) return REDACTED;
  if (name === 'referer' || isBelowVerify(value)) return redactUrl(value);
  return printable(redactEncodedSecrets(value));
}

/** A header that holds a URL. */
function redactUrl(value: string): string {
  if (value.startsWith('/')) return redactTarget(value);
  const url = /^https?:/i.test(value) ? parseUrl(value) : undefined;
  return url === undefined ? REDACTED : url.origin + redactTarget(url.pathname + url.search);
}

function redactTarget(target: string): string {
  // Scheme, user name and password of the absolute form (RFC 9112, 3.2.2), and a fragment, say nothing here.
  const [rest = ''] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split('#', 1);
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  const query = mark === -1 ? '' : rest.slice(mark + 1);
  const isLink = isBelowVerify(path);
  const shownPath = isLink
    ? redactLinkPath(path)
    : path
        .split('/')
        .map((segment) => printable(redactEncodedSecrets(segment)))
        .join('/');
  return mark === -1 ? shownPath : `${shownPath}?${redactQuery(query, isLink)}`;
}

/** Keeps what a link is mounted under, where that can be told. */
function redactLinkPath(path: string): string {
  const segments = path.split('/');
  const index = segments.findIndex((segment) => /^verify(?![\w-])/i.test(decode(segment)));
  const prefix = segments.slice(0, Math.max(index, 0));
  if (prefix.some(isBelowVerify)) return LINK_PATH;
  return prefix.map((segment) => printable(redactEncodedSecrets(segment))).join('/') + LINK_PATH;
}

function redactQuery(query: string, isLink: boolean): string {
  return query
    .split('&')
    .map((pair) => redactParameter(pair, isLink))
    .join('&');
}

function redactParameter(pair: string, isLink: boolean): string {
  const mark = pair.indexOf('=');
  const name = mark === -1 ? pair : pair.slice(0, mark);
  if (SHOWN_PARAMETERS.has(name)) return printable(redactEncodedSecrets(pair));
  if (isLink && name === 'token') return 'token=[token]';
  if (pair === '') return '';
  // Behind a link, what stands in the place of a name may be a part of a token.
  const isName = !isLink && name.length <= MAX_NAME_LENGTH && /^[a-z][\w.-]*$/i.test(name);
  const shownName = isName ? redactSecrets(name) : '[…]';
  return mark === -1 ? shownName : `${shownName}=[…]`;
}

function isBelowVerify(text: string): boolean {
  return VERIFY.test(text) || VERIFY.test(decode(text));
}

/** Percent-decoded until nothing is left to decode, three times at most; a malformed escape stays. */
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

/** Also where the secret is percent-encoded: then the text is shown decoded. */
function redactEncodedSecrets(text: string): string {
  const decoded = decode(text);
  const redacted = redactSecrets(decoded);
  return redacted === decoded ? text : redacted;
}

/** What could move a cursor, hide, or end a line is percent-encoded. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
