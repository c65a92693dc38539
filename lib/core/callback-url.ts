// Decides which callback URLs a client may use, and which web links a page may show.
import { type ErrorRule, invalidParameter, type RuleProblem } from './errors.js';
import { FORBIDDEN_SCHEMES, isLoopback, parseUrl } from './url.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const UNSAFE_CHARACTERS = /[\u0000-\u0020\u007f\\]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:$/;

// The parser repairs `https:host`, `https:///host` and `https://@host`; other software may read them differently.
// These two expressions therefore look at the URL as the client wrote it.
const WRITTEN_HOST = /^https?:\/\/[^/?#]/i;
const WRITTEN_USER_INFO = /^https?:\/\/[^/?#]*@/i;

const MAX_URL_LENGTH = 2048;

/** Origins that a message names. */
const MAX_NAMED = 5;

/** The settings that decide whether a callback URL is allowed. */
export interface CallbackPolicy {
  /** The origins, also of `http:`, and schemes that the client lists; `undefined` allows every https origin. */
  callbackOrigins: readonly string[] | undefined;
  /** Allows `http:` to a loopback host, if the client has no list. */
  allowLoopbackCallbacks: boolean;
}

/** Returns the policy of a client under the options of the service. */
export function callbackPolicy(
  { callbackOrigins }: { callbackOrigins?: readonly string[] },
  { allowLoopbackCallbacks }: Pick<CallbackPolicy, 'allowLoopbackCallbacks'>,
): CallbackPolicy {
  return { callbackOrigins, allowLoopbackCallbacks };
}

/** Returns the rule that a callback URL breaks, or undefined if it is allowed. */
export function callbackProblem(callbackUrl: string, policy: CallbackPolicy): RuleProblem | undefined {
  if (UNSAFE_CHARACTERS.test(callbackUrl))
    return problem('url', 'must not contain spaces, control characters or backslashes');
  if (!callbackUrl.isWellFormed()) return problem('text', 'must not contain lone surrogates');
  const url = parseUrl(callbackUrl);
  if (url === undefined) return problem('url', 'must be an absolute URL');
  if (/[{}]|%7b|%7d/i.test(url.host))
    return problem('callback_placeholder', 'must not have a placeholder in its host');
  if (FORBIDDEN_SCHEMES.has(url.protocol))
    return problem('callback_scheme', 'has a scheme that is never allowed');
  if (hasUserInfo(callbackUrl, url))
    return problem('url_credentials', 'must not contain a user name or password');
  if (isHttp(url)) return httpProblem(callbackUrl, url, policy);
  if (policy.callbackOrigins?.includes(url.protocol)) return undefined;
  return problem(
    'callback_scheme',
    'must be an https URL, or have a scheme in the callbackOrigins of the client',
  );
}

function httpProblem(callbackUrl: string, url: URL, policy: CallbackPolicy): RuleProblem | undefined {
  if (!WRITTEN_HOST.test(callbackUrl)) return problem('url', 'must be an absolute URL');
  const { callbackOrigins, allowLoopbackCallbacks } = policy;
  if (callbackOrigins?.includes(url.origin)) return undefined;
  if (url.protocol === 'http:' && !(allowLoopbackCallbacks && isLoopback(url.hostname))) {
    const loopback = allowLoopbackCallbacks && callbackOrigins === undefined ? 'a loopback host or ' : '';
    const detail = `must be an https URL, or http to ${loopback}an origin in ${describeList(callbackOrigins)}`;
    return problem('callback_scheme', detail);
  }
  if (callbackOrigins === undefined) return undefined;
  return problem('callback_origin', `has an origin that is not in ${describeList(callbackOrigins)}`);
}

/** Names the list with its first entries, which the client has set itself. */
function describeList(callbackOrigins: readonly string[] = []): string {
  const first = callbackOrigins.slice(0, MAX_NAMED).join(', ');
  const more = callbackOrigins.length > MAX_NAMED ? ', …' : '';
  return `the callbackOrigins of the client${first && ` (${first}${more})`}`;
}

function hasUserInfo(written: string, { username, password }: URL): boolean {
  return username !== '' || password !== '' || WRITTEN_USER_INFO.test(written);
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function problem(rule: ErrorRule, detail: string): RuleProblem {
  return { rule, detail };
}

/**
 * Returns the rule that the callback URL of a new link breaks if a placeholder is percent-encoded: it would not be replaced.
 * Links that exist keep redirecting.
 */
export function placeholderProblem(callbackUrl: string): RuleProblem | undefined {
  const name = /%7[Bb](SESSION_REFERENCE|STATUS)%7[Dd]/.exec(callbackUrl)?.[1];
  if (name === undefined) return undefined;
  return problem('callback_placeholder', `must have the braces of {${name}} unencoded`);
}

/**
 * Returns the URL to redirect to, with the placeholders filled in. The rest stays as the client wrote it.
 * Only a URL with non-ASCII characters is rewritten, because a header cannot carry them.
 */
export function redirectTarget(callbackUrl: string, values: { reference: string; status: string }): string {
  const filled = callbackUrl
    .replaceAll('{SESSION_REFERENCE}', encodeURIComponent(values.reference))
    .replaceAll('{STATUS}', encodeURIComponent(values.status));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression accepts all of ASCII
  return /^[\u0000-\u007f]*$/.test(filled) ? filled : new URL(filled).href;
}

/** Returns whether a value is a text that may be a URL: at most 2048 UTF-16 code units without lone surrogates. */
export function isUrlText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_URL_LENGTH && value.isWellFormed();
}

/** Returns whether a value is an absolute http(s) URL without user info, which a page may show as a link. */
export function isWebUrl(value: string): boolean {
  if (UNSAFE_CHARACTERS.test(value) || !WRITTEN_HOST.test(value)) return false;
  const url = parseUrl(value);
  return url !== undefined && !hasUserInfo(value, url);
}

/**
 * Checks the list of a client.
 * @throws `request_invalid` unless every entry is an origin (`https://app.example.com`: no path, no trailing slash, lower
 * case, no wildcard) or a custom scheme (`myapp:`). Another entry would never match.
 */
export function assertCallbackOrigins(callbackOrigins: readonly string[] | undefined): void {
  for (const origin of callbackOrigins ?? []) {
    const entry = isUrlText(origin) ? origin : '';
    const isOrigin = /^https?:\/\/[^{}*]+$/.test(entry) && parseUrl(entry)?.origin === entry;
    const isScheme = SCHEME.test(entry) && !/^https?:$/.test(entry) && !FORBIDDEN_SCHEMES.has(entry);
    if (!isOrigin && !isScheme) {
      throw invalidParameter(
        'callbackOrigins',
        'callback_origins',
        'has an entry that is neither an origin, such as https://app.example.com (without wildcards, and without a slash at the end), nor a custom scheme, such as myapp:',
      );
    }
  }
}
