// How values read on the page.
import type { LoggedRequest } from '../control/types.js';
import type { CurlRequest } from '../curl.js';

/** Digits of the id of a link that tell it from others. */
export const SHORT_ID = 8;

/** A moment to the second, UTC: `2026-01-31 14:05:09`. */
export function toSecond(moment: Date): string {
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

/** Milliseconds: `250 ms`, `1.25 s`. */
export function toDuration(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Headers that curl sets itself, or that a browser adds. */
const OMITTED_HEADERS =
  /^(?:accept-encoding|connection|content-length|host|sec-.*|transfer-encoding|user-agent)$/;

/**
 * Returns a request that repeats a logged one, with the API key of its client. A key that was rejected stays replaced.
 * undefined: the mock sent the request itself, or the log does not have the whole of it.
 */
export function toCurl(logged: LoggedRequest, url: string, apiKey?: string): CurlRequest | undefined {
  const { method, path, route, requestBody: body, upload } = logged;
  if (route === 'claimSubmitted' || /[[…]/.test(path) || body?.isTruncated || upload) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(logged.headers)) {
    const isKey = name === 'x-api-key';
    if (isKey || !(OMITTED_HEADERS.test(name) || /^\[redacted\]$|…$/.test(value)))
      headers[name] = (isKey && apiKey) || value;
  }
  return { method, url: url + path, headers, ...(body && { body: body.text }) };
}

/** Returns a number of bytes for people: `420 B`, `1.5 MB`. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Joins the parts that are set. */
export function join(parts: readonly (string | number | false | undefined)[], separator = ' · '): string {
  return parts.filter(Boolean).join(separator);
}

/** Choices of a field: none of the values, or one of them. */
export function toChoices(none: string, values: readonly string[]) {
  return [['', none], ...values.map((value) => [value, value] as const)] as const;
}
