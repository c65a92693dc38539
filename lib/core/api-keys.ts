// Creates API keys and hashes them.
import { hash, randomBytes } from 'node:crypto';

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
