// API keys: what is issued and what is stored.
import { createHash } from 'node:crypto';
import t from 'tap';
import { hashApiKey, issueApiKey } from '../../lib/core/api-keys.js';

t.test('a key is clk_ and 256 random bits, safe in a header', async (t) => {
  t.match(issueApiKey().key, /^clk_[\w-]{43}$/);
  t.equal(new Set(Array.from({ length: 1000 }, () => issueApiKey().key)).size, 1000);
});

t.test('what is stored is the SHA-256 of the key, lower-case hex', async (t) => {
  const { key, hash } = issueApiKey();
  t.equal(hash, createHash('sha256').update(key).digest('hex'));
  t.equal(hashApiKey(key), hash);
});
