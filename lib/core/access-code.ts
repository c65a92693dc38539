// Access codes: the unguessable path segment of a link.
import { hash, randomFillSync } from 'node:crypto';

const CODE_BYTES = 16;

/** Random bytes in store: asking the system for 16 of them takes many times longer than all else about a code. */
const store = Buffer.alloc(256 * CODE_BYTES);
let used = store.length;

/** A new access code: 128 random bits as 22 base64url characters. */
export function generateAccessCode(): string {
  if (used === store.length) {
    randomFillSync(store);
    used = 0;
  }
  const code = store.toString('base64url', used, used + CODE_BYTES);
  // What has been given away is not kept.
  store.fill(0, used, used + CODE_BYTES);
  used += CODE_BYTES;
  return code;
}

/** SHA-256 of an access code, lower-case hex: the only form a storage sees. */
export function hashAccessCode(accessCode: string): string {
  return hash('sha256', accessCode, 'hex');
}
