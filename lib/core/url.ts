// Parses URLs without throwing.

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
