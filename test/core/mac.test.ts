// Message authentication codes: the parts have borders, and codes are compared in constant time.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import t from 'tap';
import { createMac, isEqualMac, isMac } from '../../lib/core/mac.js';

const KEY = Buffer.alloc(32, 1);
const PARTS = ['purpose', 'a', 'bc'];
const TEXT = createMac(KEY, PARTS).toString('base64url');

/** Returns how often `timingSafeEqual` was called by a function. */
function countComparisons(run: () => unknown): number {
  const { timingSafeEqual } = crypto;
  let count = 0;
  crypto.timingSafeEqual = (...args) => {
    count++;
    return timingSafeEqual(...args);
  };
  syncBuiltinESMExports();
  try {
    run();
  } finally {
    crypto.timingSafeEqual = timingSafeEqual;
    syncBuiltinESMExports();
  }
  return count;
}

t.test('a code has 256 bits and depends on the key, each part and each border', async (t) => {
  t.equal(createMac(KEY, PARTS).length, 32);
  const others = [
    ['purpose', 'ab', 'c'],
    ['purpose', 'a', 'bc', ''],
    ['purpose', 'abc'],
    ['other', 'a', 'bc'],
  ];
  const codes = others.map((parts) => createMac(KEY, parts).toString('base64url'));
  t.equal(new Set([TEXT, ...codes, createMac(Buffer.alloc(32), PARTS).toString('base64url')]).size, 6);
});

t.test('a code is accepted under each of the keys, in one spelling', async (t) => {
  t.ok(isMac(TEXT, [Buffer.alloc(32), KEY], PARTS));
  for (const text of ['', `${TEXT}=`, TEXT.slice(0, -1), `${TEXT} `])
    t.notOk(isMac(text, [KEY], PARTS), text);
  t.notOk(isMac(TEXT, [], PARTS));
});

t.test('codes of one length are compared in constant time, whichever byte differs', async (t) => {
  const expected = Buffer.alloc(16);
  for (let index = 0; index < 16; index++) {
    const presented = Buffer.alloc(16);
    presented[index] = 1;
    t.equal(
      countComparisons(() => t.notOk(isEqualMac(expected, presented))),
      1,
    );
  }
  t.equal(
    countComparisons(() => t.ok(isEqualMac(expected, Buffer.alloc(16)))),
    1,
  );
  t.notOk(isEqualMac(expected, Buffer.alloc(15)));
  t.equal(
    countComparisons(() => t.ok(isMac(TEXT, [KEY], PARTS))),
    1,
  );
});
