// URLs, parsed where that can fail.

/**
 * The parsed form of an absolute URL, or undefined for what is none.
 *
 * Not by way of `URL.canParse`: in Node 20 and 22 it begins to refuse URLs with characters beyond ASCII once V8 has
 * optimised the code that calls it. Nor by `URL.parse`, which Node 20 does not have.
 */
export function parseUrl(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}
