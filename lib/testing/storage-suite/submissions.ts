// Rules about submissions: once, in time, with an unused reference.

import type { Link } from '../../core/types.js';
import assert from './assert.js';
import {
  assertSession,
  CLIENT_ID,
  END,
  hashOf,
  JUST_BEFORE_END,
  later,
  linkId,
  linkOf,
  NOON,
  PREFILLED,
  REDUCED,
  referencesOf,
  type StorageRule,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  sessionsOf,
  withLink,
} from './samples.js';

const MOMENTS: readonly [what: string, at: Date, outcome: 'submitted' | 'expired'][] = [
  ['a millisecond before expiresAt', JUST_BEFORE_END, 'submitted'],
  ['at expiresAt', END, 'expired'],
  ['a millisecond after expiresAt', later(60_001), 'expired'],
];

const momentRules = MOMENTS.map(
  ([what, at, outcome]): StorageRule => ({
    name: `submitLink returns ${outcome} ${what}`,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const result = await storage.submitLink(sampleSubmission(accessCodeHash, { at }));
      assert.equal(result.outcome, outcome);
      assert.deepEqual(await referencesOf(storage), outcome === 'submitted' ? ['S-1'] : []);
      const { link, session } = (await storage.findLink(linkId(accessCodeHash))) ?? {};
      assert.deepEqual(link?.submittedAt, outcome === 'submitted' ? at : undefined);
      assert.equal(session?.reference, outcome === 'submitted' ? 'S-1' : undefined);
    },
  }),
);

export const submissionRules: readonly StorageRule[] = [
  {
    name: 'submitLink removes all members of config except contact and currentUserId',
    async check(storage) {
      const { accessCodeHash, config } = await withLink(storage, { config: PREFILLED });
      await storage.submitLink(sampleSubmission(accessCodeHash, { at: END }));
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.config, config);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.config, REDUCED);
    },
  },
  {
    name: 'submitLink returns submitted and the session, which is in the listing of the user',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const session = sampleSession();
      const result = await storage.submitLink(sampleSubmission(accessCodeHash, { at: later(1), session }));
      assert.ok(result.outcome === 'submitted');
      assertSession(result.session, session);
      const sessions = await sessionsOf(storage);
      assert.equal(sessions.length, 1);
      assertSession(sessions[0], session);
    },
  },
  {
    name: 'findLink returns a submitted link with submittedAt, openedAt and session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      await storage.submitLink(sampleSubmission(accessCodeHash, { at: later(2) }));
      const stored = await storage.findLink(linkId(accessCodeHash));
      const { openedAt, submittedAt, revokedAt } = stored?.link ?? ({} as Partial<Link>);
      assert.deepEqual([openedAt, submittedAt, revokedAt], [later(1), later(2), undefined]);
      assertSession(stored?.session, sampleSession());
    },
  },
  {
    name: 'a second submission returns already_submitted with the first session, and creates no session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      for (const reference of ['S-1', 'S-2']) {
        const repeat = sampleSession({ reference, camsReference: 'C-2' });
        const result = await storage.submitLink(
          sampleSubmission(accessCodeHash, { at: later(1), session: repeat }),
        );
        assert.ok(result.outcome === 'already_submitted', reference);
        assertSession(result.session, sampleSession());
      }
      assert.deepEqual(await referencesOf(storage), ['S-1']);
      assert.deepEqual((await linkOf(storage, accessCodeHash))?.submittedAt, NOON);
    },
  },
  {
    name: 'submitLink returns already_submitted for a submitted link also after expiresAt',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const session = sampleSession({ reference: 'S-2' });
      const result = await storage.submitLink(
        sampleSubmission(accessCodeHash, { at: later(120_000), session }),
      );
      assert.ok(result.outcome === 'already_submitted');
      assert.equal(result.session.reference, 'S-1');
    },
  },
  ...momentRules,
  {
    name: 'submitLink returns not_found for an unknown link, and creates no session',
    async check(storage) {
      await withLink(storage);
      const accessCodeHash = hashOf(2);
      const result = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(result.outcome, 'not_found');
      assert.deepEqual(await referencesOf(storage), []);
    },
  },
  {
    name: 'submitLink returns revoked for a revoked link, and creates no session',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      await storage.revokeLink({ clientId, accessCodeHash, at: NOON });
      const result = await storage.submitLink(sampleSubmission(accessCodeHash, { at: later(1) }));
      assert.equal(result.outcome, 'revoked');
      assert.deepEqual(await referencesOf(storage), []);
      assert.equal((await linkOf(storage, accessCodeHash))?.submittedAt, undefined);
    },
  },
  {
    name: 'reference_taken changes neither the link nor the session that has the reference',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertSession(sampleRecord({ userId: 'user-2', camsReference: 'first' }));
      const rejected = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(rejected.outcome, 'reference_taken');
      assert.deepEqual(await referencesOf(storage), []);
      const { link, session } = (await storage.findLink(linkId(accessCodeHash))) ?? {};
      assert.deepEqual([link?.submittedAt, session], [undefined, undefined]);
      const retry = sampleSubmission(accessCodeHash, { session: sampleSession({ reference: 'S-2' }) });
      assert.equal((await storage.submitLink(retry)).outcome, 'submitted');
      const otherSessions = await sessionsOf(storage, { userId: 'user-2' });
      assert.deepEqual(
        otherSessions.map(({ camsReference }) => camsReference),
        ['first'],
      );
    },
  },
  {
    name: 'a submission may use a reference that another client has',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      const result = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(result.outcome, 'submitted');
      assert.deepEqual(await referencesOf(storage), ['S-1']);
    },
  },
  {
    name: 'two clients submit the same reference: findLink and the listing return the session of each client',
    async check(storage) {
      const clientIds = [CLIENT_ID, 'other'];
      for (const [index, clientId] of clientIds.entries()) {
        const link = await withLink(storage, { clientId, accessCodeHash: String(index).repeat(64) });
        const session = sampleSession({ camsReference: `C-${clientId}` });
        const submission = sampleSubmission(link.accessCodeHash, { clientId, session });
        assert.equal((await storage.submitLink(submission)).outcome, 'submitted');
      }
      for (const [index, clientId] of clientIds.entries()) {
        const expected = sampleSession({ camsReference: `C-${clientId}` });
        const sessions = await sessionsOf(storage, { clientId });
        assert.equal(sessions.length, 1);
        assertSession(sessions[0], expected);
        const stored = await storage.findLink({ clientId, accessCodeHash: String(index).repeat(64) });
        assertSession(stored?.session, expected);
      }
    },
  },
  {
    name: 'two links of one user can both be submitted',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const session = sampleSession({ reference: 'S-2', createdAt: later(1) });
      const result = await storage.submitLink(sampleSubmission(hashOf(2), { at: later(1), session }));
      assert.equal(result.outcome, 'submitted');
      assert.deepEqual(await referencesOf(storage), ['S-2', 'S-1']);
    },
  },
];
