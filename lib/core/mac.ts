// Message authentication codes of claimlink: what the service gives to a browser and accepts from it later.
//
// For the security review. The code is HMAC-SHA-256 (RFC 2104) with its full length of 256 bits; compact tokens have the
// first half of it (compact-token.ts says why). Its key comes from `derive` of the signer and has one purpose, so that a code
// for one purpose is none for another. Each part is preceded by its length, so that no two lists of parts give the same
// bytes. Codes are compared in constant time.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the code of these parts. */
export function createMac(key: Uint8Array, parts: readonly string[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hmac.update(length).update(bytes);
  }
  return hmac.digest();
}

/** Returns whether a text is the code of these parts in base64url, under one of the keys. Its only spelling is accepted. */
export function isMac(text: string, keys: readonly Uint8Array[], parts: readonly string[]): boolean {
  const presented = Buffer.from(text);
  return keys.some((key) => {
    const expected = Buffer.from(createMac(key, parts).toString('base64url'));
    return isEqualMac(expected, presented);
  });
}

/** Returns whether two codes are equal, in a time that depends on their lengths only. */
export function isEqualMac(expected: Uint8Array, presented: Uint8Array): boolean {
  return expected.length === presented.length && timingSafeEqual(expected, presented);
}
