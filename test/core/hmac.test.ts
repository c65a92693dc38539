// HMAC is written with one-shot hashes: what it gives is what node:crypto's own Hmac gives, for every length.
import { createHmac, createSecretKey } from 'node:crypto';
import t from 'tap';
import { createHmacSigner, type HmacHash } from '../../lib/core/hmac.js';

const HASHES: readonly HmacHash[] = ['sha256', 'sha384', 'sha512'];
/** Around the lengths of blocks and digests, and beyond what there is room for at first. */
const KEY_BYTES = [32, 63, 64, 65, 127, 128, 129, 300];
const TEXT_LENGTHS = [0, 1, 55, 56, 63, 64, 65, 111, 112, 200, 201, 200, 1024, 1025, 5000, 200];

for (const algorithm of HASHES) {
  t.test(
    `${algorithm} gives what node:crypto gives, for keys and texts of every length, in turn`,
    async (t) => {
      for (const keyBytes of KEY_BYTES) {
        const secret = Buffer.from(Array.from({ length: keyBytes }, (_, index) => (index * 7 + 200) % 256));
        const sign = createHmacSigner(algorithm, createSecretKey(secret));
        for (const length of TEXT_LENGTHS) {
          const text = Array.from({ length }, (_, index) => String.fromCharCode(33 + (index % 94))).join('');
          const expected = createHmac(algorithm, secret).update(text).digest('base64url');
          t.equal(sign(text), expected, `a key of ${keyBytes} bytes, a text of ${length}`);
        }
      }
    },
  );
}

t.test('the test cases of RFC 4231 with ASCII data hold', async (t) => {
  const key = createSecretKey(Buffer.from('Jefe'));
  const digest = createHmacSigner('sha256', key)('what do ya want for nothing?');
  t.equal(
    Buffer.from(digest, 'base64url').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
