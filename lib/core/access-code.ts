// Access codes: the unguessable path segment of a link.
import { hash, randomBytes } from 'node:crypto';

/** A new access code: 128 random bits as 22 base64url characters. */
export function generateAccessCode(): string {
  return randomBytes(16).toString('base64url');
}

/** SHA-256 of an access code, lower-case hex: the only form a storage sees. */
export function hashAccessCode(accessCode: string): string {
  return hash('sha256', accessCode, 'hex');
}
