// Access codes: the unguessable path segment of a link.
import { hash, randomBytes } from 'node:crypto';

/** Creates an access code: 128 random bits as 22 base64url characters. */
export function createAccessCode(): string {
  return randomBytes(16).toString('base64url');
}

/** Returns the SHA-256 of an access code in lower-case hex. Storages see access codes in this form only. */
export function hashAccessCode(accessCode: string): string {
  return hash('sha256', accessCode, 'hex');
}
