// Parses URLs without throwing, and recognises schemes and ports that are never allowed, and hosts that only this machine can reach.

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

/** Ports that browsers and `fetch` block: the bad ports of the Fetch Standard (2.10, port blocking). */
const BLOCKED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Returns what is wrong with a port that `fetch` blocks. `verb` begins the sentence: must not `be`, must not `have port`. */
export function portProblem(port: unknown, verb = 'have port'): string | undefined {
  return BLOCKED_PORTS.has(Number(port))
    ? `must not ${verb} ${port}: browsers and fetch block this port`
    : undefined;
}

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
    ? portProblem(url.port)
    : 'must be an absolute http or https URL in ASCII, without user name, query and fragment';
}

/** Returns the URL of a link. Contract: POST /:clientId/link. */
export function linkUrl(publicUrl: string, accessCode: string, token: string): string {
  return `${publicUrl}/verify/${accessCode}?token=${token}`;
}

/** Returns whether a host, as an address or as part of a URL, is a loopback host. `localhost.` is the absolute form of its name. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)\.?$/.test(name);
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
