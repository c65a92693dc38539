// Bodies that are not what they say they are.

const SPACE = 0x20;

/** What comes of a body before the connection ends. */
export function firstHalf(body: Uint8Array): Uint8Array {
  return body.subarray(0, Math.floor(body.byteLength / 2));
}

/**
 * A body of the same length that is broken: JSON does not parse any more, anything else ends in the middle and is
 * filled up with spaces.
 */
export function breakBody(body: Uint8Array, contentType: string | null | undefined): Uint8Array {
  const broken = Uint8Array.from(body);
  // The last byte of JSON ends a value, or comes after it; this one can do neither.
  if (/\bjson\b/i.test(contentType ?? '')) broken.set(Buffer.from('<'), body.byteLength - 1);
  else broken.fill(SPACE, Math.floor(body.byteLength / 2));
  return broken;
}

/** Whether an answer with this status has something to break; where a redirect leads is in its head. */
export function isBreakable(status: number): boolean {
  return status < 300 || status >= 400;
}
