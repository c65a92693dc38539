// Parses URLs without throwing, and recognises schemes that are never allowed and hosts that only this machine can reach.

/**
 * Returns the parsed form of an absolute URL, or undefined if the value is not one.
 *
 * `URL.canParse` is no alternative: in Node 20 and 22 it starts to reject URLs with non-ASCII characters once V8 has
 * optimised the calling code. Node 20 does not have `URL.parse`.
 */
export function parseUrl(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

/** Schemes of callback URLs that no client may use, even if the client lists them. No page goes there. */
export const FORBIDDEN_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'view-source:',
]);

/** Returns what is wrong with a base URL: `publicUrl`, or the target of the contract suite. */
export function baseUrlProblem(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : '';
  const url = parseUrl(text);
  const isBase =
    url !== undefined &&
    /^https?:\/\/[!-~]+$/.test(text) &&
    !/[?#\\<>"]/.test(text) &&
    url.username === '' &&
    url.password === '';
  return isBase
    ? undefined
    : 'must be an absolute http or https URL in ASCII, without user name, query and fragment';
}

/** Returns the URL of a link. Contract: POST /:clientId/link. */
export function linkUrl(publicUrl: string, accessCode: string, token: string): string {
  return `${publicUrl}/verify/${accessCode}?token=${token}`;
}

/** Returns whether a host, as an address or as part of a URL, is a loopback host. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}

/** Maximum number of characters that are cut off the end of a token. */
const MAX_ADDED_LENGTH = 8;

/** Returns a token without what mail programs add to the end of a URL, such as `.`, `>` and a quote. */
export function withoutAddedEnd(token: string): string {
  const shortest = Math.max(0, token.length - MAX_ADDED_LENGTH);
  let end = token.length;
  while (end > shortest && !/[\w-]/.test(token.charAt(end - 1))) end--;
  return token.slice(0, end);
}
