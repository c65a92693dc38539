// Removes API keys, tokens and access codes from what the request log shows.
import { COMPACT_TOKEN } from '../../lib/core/compact-token.js';
import { hasLevels } from '../../lib/core/validators.js';
import type { LoggedBody } from '../control/types.js';

const MAX_PATH_LENGTH = 300;
const MAX_VALUE_LENGTH = 200;
const MAX_HEADERS = 50;
/** Longer input is cut first: less of it is shown anyway. */
const MAX_INPUT_LENGTH = 4096;
const MAX_BODY_BYTES = 16 * 1024;
/** Read beyond the limit, so that a secret at the limit is recognised. */
const BODY_MARGIN = 4096;
const MAX_LEVELS = 100;

/** Finds JWTs, also incomplete ones. */
const JWT = /eyJ[\w-]*(?:\.[\w-]+)+\.?|eyJ[\w-]{16,}/g;
/** Finds the tokens of links in any format. */
const TOKEN_PARAMETER = /([?&]token=)[\w.~%-]+/gi;
const API_KEY = /clk_[\w-]+/gi;
/** Finds `/verify/`, also in the path of a URL that is percent-encoded, and the access code behind it. */
const ACCESS_CODE = /(?:[/\\]|%2f)verify(?![\w-])[^/\\%?"]*(?:[/\\]|%2f)+[^?&\s"'<>]+/gi;
/** Finds the ids of photos in JSON. */
const PHOTO_ID = /("id"\s*:\s*")[0-9a-f]{64}(?=")/g;
const USER_INFO = /\/\/[^/?#@]*@/;
const SECRET_HEADER = /key|token|secret|auth|cookie|session|password|proof/i;

/** Query parameters whose values are shown. */
const SHOWN_PARAMETERS = new Set(['limit', 'status']);
/** Shorter than an access code. */
const PARAMETER_NAME = /^[a-z][\w.-]{0,19}$/i;

/**
 * Returns a request target for the log, without secrets and most query values, in printable ASCII. At most 300
 * characters.
 */
export function redactPath(url: string): string {
  return shorten(redactUrl(url.slice(0, MAX_INPUT_LENGTH)), MAX_PATH_LENGTH);
}

/**
 * Returns headers for the log, with lower-case names. Values of headers whose name looks like a credential are
 * replaced, unless they are empty. At most 50 headers of 200 characters.
 */
export function redactHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    sent.slice(0, MAX_HEADERS).map(([name, value]) => {
      const text = [value].flat().join(', ').slice(0, MAX_INPUT_LENGTH);
      return [name.toLowerCase(), redactHeader(name, text)].map((part) => shorten(part, MAX_VALUE_LENGTH));
    }),
  );
}

/** Returns a body for the log: its first 16 KiB, without secrets. */
export function redactBody(body: Uint8Array | string): LoggedBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const start = decodeUtf8(bytes.subarray(0, MAX_BODY_BYTES + BODY_MARGIN));
  const redacted = Buffer.from(redactSecrets(start));
  const text = decodeUtf8(redacted.subarray(0, MAX_BODY_BYTES));
  return {
    text,
    bytes: bytes.length,
    isTruncated: bytes.length > MAX_BODY_BYTES + BODY_MARGIN || redacted.length > MAX_BODY_BYTES,
    // Parsed when it is read, so that the log holds the text only.
    get json() {
      return parseJson(text);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // JSON.stringify throws for thousands of levels.
    return hasLevels(value, MAX_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Leaves out a character that is incomplete at the end. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

function redactHeader(name: string, value: string): string {
  // An empty key is a mistake that readers should see.
  if (value === '') return '';
  if (SECRET_HEADER.test(name)) return '[redacted]';
  return /^(?:https?:\/)?\//i.test(value) ? redactUrl(value) : redactText(value);
}

function redactUrl(url: string): string {
  const [target = ''] = url.replace(USER_INFO, '//').split('#', 1);
  const [path = '', ...query] = target.split('?');
  if (query.length === 0) return redactText(path);
  return `${redactText(path)}?${query.join('?').replaceAll(/[^&]+/g, redactParameter)}`;
}

function redactParameter(pair: string): string {
  const [name = '', value] = pair.split('=', 2);
  if (SHOWN_PARAMETERS.has(name)) return redactText(pair);
  const shownName = PARAMETER_NAME.test(name) ? redactSecrets(name) : '[…]';
  return value === undefined ? shownName : `${shownName}=[…]`;
}

/** Makes a text printable. Also finds percent-encoded secrets: then the text is shown decoded. */
function redactText(text: string): string {
  const decoded = decode(text);
  const redacted = redactSecrets(decoded);
  return (redacted === decoded ? text : redacted)
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));
}

function redactSecrets(text: string): string {
  return text
    .replaceAll(ACCESS_CODE, '/verify/[access code]')
    .replaceAll(TOKEN_PARAMETER, '$1[token]')
    .replaceAll(JWT, '[token]')
    .replaceAll(COMPACT_TOKEN, '[token]')
    .replaceAll(API_KEY, '[api key]')
    .replaceAll(PHOTO_ID, '$1[photo]');
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

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
