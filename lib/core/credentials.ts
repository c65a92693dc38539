// Access codes and API keys: random values of which storages have only the hash.
import { hash, randomBytes } from 'node:crypto';

/** Creates an access code, the unguessable path segment of a link: 128 random bits as 22 base64url characters. */
export function createAccessCode(): string {
  return randomBytes(16).toString('base64url');
}

/** Returns the SHA-256 of an access code in lower-case hex. Storages see access codes in this form only. */
export function hashAccessCode(accessCode: string): string {
  return hash('sha256', accessCode, 'hex');
}

/**
 * Creates an API key. Show `key` to its owner once and store `hash`.
 * The key has 256 random bits, which an attacker cannot guess from a plain SHA-256.
 */
export function issueApiKey(): { key: string; hash: string } {
  const key = `clk_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashApiKey(key) };
}

/** Returns the SHA-256 of an API key in lower-case hex. Storages find keys by this value. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}
