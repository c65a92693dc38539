// What is encoded comes back: ids in paths and cursors. A redirect goes to the place that creation allowed.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { callbackProblem, redirectTarget } from '../../lib/core/callback-url.js';
import {
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
} from '../../lib/core/cursor.js';
import { isClaimlinkError } from '../../lib/core/errors.js';
import { idProblem } from '../../lib/core/validators.js';
import { createWorld, storedSession } from '../core/world.js';
import { applyEdits, edits, storableText, text } from './arbitraries.js';
import { check, inputs } from './check.js';

const IDS = inputs(2_000, 100);
const CURSORS = inputs(10_000, 500);
const REDIRECTS = inputs(50_000, 2_000);

const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });

t.test(`${IDS} user ids: the sessions of each valid one are listed at its path`, async () => {
  const world = await createWorld();
  let count = 0;
  await check(
    IDS,
    fc.asyncProperty(text, async (userId) => {
      fc.pre(userId !== '' && idProblem(userId) === undefined);
      const session = storedSession({ reference: `S-${count++}` });
      await world.storage.insertSession({ clientId: 'acme', userId, ...session });
      const { status, body } = await world.list('', encodeURIComponent(userId));
      if (status !== 200 || !body.includes(`"${session.reference}"`)) throw new Error(`${status}: ${body}`);
    }),
  );
});

t.test(`${CURSORS} positions of each kind: decoding returns what was encoded`, async () => {
  await check(
    CURSORS,
    fc.property(storableText, storableText, date, fc.maxSafeNat(), (one, two, time, sequence) => {
      const position = { createdAt: time, reference: one };
      const link = { userId: one, createdAt: time, accessCodeHash: two };
      const submission = { sequence, date: time, reference: one };
      const decoded = [
        decodeCursor(encodeCursor(position)),
        decodeLinkCursor(encodeLinkCursor(link)),
        decodeSubmissionCursor(encodeSubmissionCursor(submission)),
      ];
      return isDeepStrictEqual(decoded, [position, link, submission]);
    }),
  );
});

t.test(`${CURSORS}texts as cursors: each is an invalid request, or encodes to itself`, async () => {
  const written = encodeCursor({ createdAt: new Date('2026-01-01'), reference: 'S-1' });
  await check(
    CURSORS,
    fc.property(
      fc.oneof(
        text,
        edits.map((changes) => applyEdits(written, changes)),
      ),
      (cursor) => {
        try {
          return encodeCursor(decodeCursor(cursor)) === cursor;
        } catch (error) {
          return isClaimlinkError(error) && error.code === 'request_invalid';
        }
      },
    ),
  );
});

const WRITTEN = [
  'https://app.example.com/done?a={SESSION_REFERENCE}&b={STATUS}#{STATUS}',
  'https://app.example.com:8443',
  'https://app.example.com{SESSION_REFERENCE}',
  'http://localhost:3000/{STATUS}',
  'http://portal:3000?{STATUS}',
  'myapp:{SESSION_REFERENCE}',
  'myapp://{STATUS}/done',
];
const delimitersOf = (url: string) => url.replaceAll(/[^/?#&=;]/g, '');

const origins = fc.subarray([
  'https://app.example.com',
  'https://app.example.com:8443',
  'http://localhost:3000',
  'http://portal:3000',
  'myapp:',
]);

t.test(`${REDIRECTS}callback URLs: a redirect goes where creation allowed`, async (t) => {
  let allowed = 0;
  await check(
    REDIRECTS,
    fc.property(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc.tuple(fc.constantFrom(...WRITTEN), edits).map((pair) => applyEdits(...pair)),
        },
        { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
        { weight: 1, arbitrary: text },
      ),
      fc.record({
        callbackOrigins: fc.option(origins, { nil: undefined }),
        allowLoopbackCallbacks: fc.boolean(),
      }),
      fc.record({ reference: storableText, status: storableText }),
      (callbackUrl, policy, values) => {
        if (callbackProblem(callbackUrl, policy) !== undefined) return true;
        allowed++;
        const { callbackOrigins, allowLoopbackCallbacks } = policy;
        const written = new URL(callbackUrl);
        const location = redirectTarget(callbackUrl, values);
        const { protocol, host, origin, username, password } = new URL(location);
        const isListed = callbackOrigins?.includes(origin) || callbackOrigins?.includes(protocol);
        const isOpen =
          callbackOrigins === undefined &&
          (protocol === 'https:' || (allowLoopbackCallbacks && protocol === 'http:'));
        // A value adds no segment, no parameter and no fragment. The parser rewrites a URL with other characters.
        const isSameShape =
          /[^!-~]/.test(callbackUrl) || delimitersOf(location) === delimitersOf(callbackUrl);
        return (
          /^[!-~]*$/.test(location) &&
          host === written.host &&
          protocol === written.protocol &&
          username + password === '' &&
          (isListed || isOpen) === true &&
          isSameShape
        );
      },
    ),
  );
  t.ok(allowed > REDIRECTS / 20, `${allowed} were allowed`);
});
