// Which URLs may be shown to a user or followed: callback URLs against a client's list, and plain web links.
import { invalidParameter } from './errors.js';
import { parseUrl } from './url.js';

/** Never a place to send a user to, whatever a client lists. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'view-source:',
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const UNSAFE_CHARACTERS = /[\u0000-\u0020\u007f\\]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:$/;
const LOOPBACK_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * What nearly every URL here looks like, so that it need not be parsed: https, a host of lower-case labels, the last
 * one of letters, so that it is no IPv4 address, none in Punycode, which may be wrong; no user name, no port; no space,
 * control character or backslash, and nothing beyond ASCII. The group is the origin.
 */
const PLAIN_URL = /^(https:\/\/(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+)(?:[/?#][!-[\]-~]*)?$/;

/** What decides whether a callback URL is allowed. */
export interface CallbackPolicy {
  /** The client's list; `undefined` allows every https origin. */
  callbackOrigins: readonly string[] | undefined;
  /** Lets `http:` to a loopback host through. */
  allowLoopbackCallbacks: boolean;
}

/** Why a callback URL is not allowed, or undefined when it is. */
export function callbackProblem(callbackUrl: string, policy: CallbackPolicy): string | undefined {
  const listed = policy.callbackOrigins;
  const plainOrigin = PLAIN_URL.exec(callbackUrl)?.[1];
  if (plainOrigin !== undefined && (listed === undefined || listed.includes(plainOrigin))) return undefined;
  if (UNSAFE_CHARACTERS.test(callbackUrl))
    return 'must not contain spaces, control characters or backslashes';
  if (!callbackUrl.isWellFormed()) return 'must not contain lone surrogates';
  const url = parseUrl(callbackUrl);
  if (url === undefined) return 'must be an absolute URL';
  if (/[{}]|%7b|%7d/i.test(url.host)) return 'must not have a placeholder in its host';
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return 'has a scheme that is never allowed';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!/^https?:\/\//i.test(callbackUrl)) return 'must be an absolute URL';
    if (url.protocol === 'http:' && !(policy.allowLoopbackCallbacks && LOOPBACK_HOST.test(url.hostname))) {
      return 'must be an https URL';
    }
    return listed === undefined || listed.includes(url.origin)
      ? undefined
      : 'has an origin that is not allowed';
  }
  return listed?.includes(url.protocol) ? undefined : 'must be an https URL, or have a scheme that is listed';
}

/** The URL to redirect to: placeholders filled in; as given, but for non-ASCII, which a header cannot carry. */
export function redirectTarget(callbackUrl: string, values: { reference: string; status: string }): string {
  const filled = callbackUrl
    .replaceAll('{SESSION_REFERENCE}', encodeURIComponent(values.reference))
    .replaceAll('{STATUS}', encodeURIComponent(values.status));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: asks for ASCII only
  return /^[\u0000-\u007f]*$/.test(filled) ? filled : new URL(filled).href;
}

/** The source expression that lets a form go on to this callback under CSP `form-action`. */
export function cspSource(callbackUrl: string): string {
  const url = parseUrl(callbackUrl);
  if (url === undefined) return '';
  // A custom scheme has no origin, and CSP's grammar knows neither IPv6 hosts nor the ";" and "," that a URL's host
  // may hold and that would end the directive: there the scheme is the narrowest source.
  return url.origin !== 'null' && /^[a-z0-9.-]+$/.test(url.hostname) ? url.origin : url.protocol;
}

/** Whether a value is an absolute http(s) URL without user name and password, fit to be shown as a link. */
export function isWebUrl(value: string): boolean {
  if (PLAIN_URL.test(value)) return true;
  const url = UNSAFE_CHARACTERS.test(value) ? undefined : parseUrl(value);
  return url !== undefined && /^https?:\/\//i.test(value) && url.username === '' && url.password === '';
}

/**
 * For storages: throws `request_invalid` unless every entry is an origin (`https://app.example.com`, no path, no
 * trailing slash, lower case) or a custom scheme (`myapp:`).
 */
export function assertCallbackOrigins(callbackOrigins: readonly string[] | undefined): void {
  for (const entry of callbackOrigins ?? []) {
    const isOrigin = /^https?:\/\//.test(entry) && parseUrl(entry)?.origin === entry;
    const isScheme = SCHEME.test(entry) && !/^https?:$/.test(entry) && !FORBIDDEN_SCHEMES.has(entry);
    if (!isOrigin && !isScheme) {
      throw invalidParameter(
        'callbackOrigins',
        'has an entry that is neither an origin, such as https://app.example.com, nor a custom scheme, such as myapp:',
      );
    }
  }
}
