// Issues API keys, and hashes them for storing and finding.
import { hash, randomBytes } from 'node:crypto';

/** A new API key: show `key` once, store `hash`. 256 random bits, so a plain SHA-256 is enough to protect it. */
export function issueApiKey(): { key: string; hash: string } {
  const key = `clk_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashApiKey(key) };
}

/** SHA-256 of an API key, lower-case hex: what a storage keeps and finds it by. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}
