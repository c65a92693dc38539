// Access codes: the unguessable path segment of a link.
import { hash, randomBytes } from 'node:crypto';

const CODE_BYTES = 16;
/** Codes that are made at once: each costs a fraction of what one made alone does. */
const SUPPLY_SIZE = 64;

/** A code, and the only form of it that a storage sees. */
export interface AccessCode {
  /** 128 random bits as 22 base64url characters. */
  accessCode: string;
  /** Its SHA-256, lower-case hex. */
  accessCodeHash: string;
}

/** Codes that nobody has yet. */
const supply: AccessCode[] = [];

/** A new access code, given once and not kept. */
export function drawAccessCode(): AccessCode {
  return supply.pop() ?? refill();
}

function refill(): AccessCode {
  const bytes = randomBytes(CODE_BYTES * SUPPLY_SIZE);
  for (let start = CODE_BYTES; start < bytes.length; start += CODE_BYTES) supply.push(codeAt(bytes, start));
  return codeAt(bytes, 0);
}

function codeAt(bytes: Buffer, start: number): AccessCode {
  const accessCode = bytes.toString('base64url', start, start + CODE_BYTES);
  return { accessCode, accessCodeHash: hashAccessCode(accessCode) };
}

/** SHA-256 of an access code, lower-case hex: the only form a storage sees. */
export function hashAccessCode(accessCode: string): string {
  return hash('sha256', accessCode, 'hex');
}
