// Access codes and API keys: unguessable, URL-safe, stored as hashes.
import { createHash } from 'node:crypto';
import t from 'tap';
import { createAccessCode, hashAccessCode, hashApiKey, issueApiKey } from '../../lib/core/credentials.js';

t.test('an access code is 22 base64url characters: 128 bits, at least 120 of them random', async (t) => {
  const codes = Array.from({ length: 2000 }, () => createAccessCode());
  t.ok(codes.every((code) => /^[\w-]{22}$/.test(code)));
  t.ok(codes.every((code) => Buffer.from(code, 'base64url').length === 16));
  t.equal(new Set(codes).size, codes.length, 'no two are the same');
  // Each bit is set in about half of the codes: 2000 codes stay within 10 standard deviations.
  const bits = Array.from(
    { length: 128 },
    (_, bit) =>
      codes.filter((code) => ((Buffer.from(code, 'base64url')[bit >> 3] ?? 0) >> (bit & 7)) & 1).length,
  );
  const alive = bits.filter((set) => Math.abs(set - 1000) < 224).length;
  t.ok(alive >= 120, `${alive} bits vary`);
});

t.test('the hash of an access code is SHA-256 in lower-case hex', async (t) => {
  t.equal(hashAccessCode('abc'), createHash('sha256').update('abc').digest('hex'));
});

t.test('an API key is clk_ and 256 random bits, safe in a header', async (t) => {
  t.match(issueApiKey().key, /^clk_[\w-]{43}$/);
  t.equal(new Set(Array.from({ length: 1000 }, () => issueApiKey().key)).size, 1000);
});

t.test('the hash of a key is SHA-256 in lower-case hex', async (t) => {
  const { key, hash } = issueApiKey();
  t.equal(hash, createHash('sha256').update(key).digest('hex'));
  t.equal(hashApiKey(key), hash);
});
