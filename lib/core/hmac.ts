// HMAC (RFC 2104) out of two one-shot hashes: the same bytes as node:crypto's Hmac, without an object for each text.
import { hash, type KeyObject } from 'node:crypto';

/** The hash functions of RFC 7518, 3.2. */
export type HmacHash = 'sha256' | 'sha384' | 'sha512';

/** Lengths of the blocks that a hash function works on and of what it gives, in bytes (FIPS 180-4, figure 1). */
const BYTES: Record<HmacHash, { block: number; digest: number }> = {
  sha256: { block: 64, digest: 32 },
  sha384: { block: 128, digest: 48 },
  sha512: { block: 128, digest: 64 },
};
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Room for a text; a longer one makes more. */
const TEXT_BYTES = 1024;

/**
 * A function from an ASCII text to its HMAC under this secret key, base64url.
 * The text must be ASCII, as the signing input of a JWS is (RFC 7515, 5.1): other characters would lose bits.
 */
export function createHmacSigner(algorithm: HmacHash, key: KeyObject): (text: string) => string {
  const { block: blockBytes, digest: digestBytes } = BYTES[algorithm];
  const secret = key.export();
  const block = Buffer.alloc(blockBytes);
  // A key that is longer than a block is replaced by its hash.
  (secret.length > blockBytes ? hash(algorithm, secret, 'buffer') : secret).copy(block);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (const [index, byte] of block.entries()) outer[index] = byte ^ OUTER_PAD;
  let inner = innerWith(TEXT_BYTES);
  // Texts of one service have much the same length: a view of the last one's is mostly the right one.
  let message = inner;

  function innerWith(textBytes: number): Buffer {
    const pad = Buffer.alloc(blockBytes + textBytes);
    for (const [index, byte] of block.entries()) pad[index] = byte ^ INNER_PAD;
    return pad;
  }

  return (text) => {
    const length = blockBytes + text.length;
    if (length > inner.length) inner = innerWith(text.length);
    if (message.length !== length || message.buffer !== inner.buffer) message = inner.subarray(0, length);
    message.write(text, blockBytes, 'latin1');
    outer.write(hash(algorithm, message, 'binary'), blockBytes, 'latin1');
    return hash(algorithm, outer, 'base64url');
  };
}
