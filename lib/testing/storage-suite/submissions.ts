// Storage cases: submitting a link, once, at the right time, with a free reference.
import assert from 'node:assert/strict';
import type { Link } from '../../core/types.js';
import {
  assertSession,
  CLIENT_ID,
  later,
  linkId,
  NOON,
  referencesOf,
  type StorageCase,
  sampleLink,
  sampleRecord,
  sampleSession,
  USER_ID,
  withLink,
} from './samples.js';

const END = sampleLink().expiresAt;

const MOMENTS: readonly [what: string, at: Date, outcome: 'submitted' | 'expired'][] = [
  ['a millisecond before the expiry', new Date(END.getTime() - 1), 'submitted'],
  ['at the moment of expiry', END, 'expired'],
  ['a millisecond after the expiry', new Date(END.getTime() + 1), 'expired'],
];

const momentCases = MOMENTS.map(
  ([what, at, outcome]): StorageCase => ({
    name: `a submission ${what} is ${outcome}`,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const result = await storage.submitLink({ ...linkId(accessCodeHash), at, session: sampleSession() });
      assert.equal(result.outcome, outcome);
      assert.deepEqual(await referencesOf(storage), outcome === 'submitted' ? ['S-1'] : []);
      const { link, session } = (await storage.findLink(linkId(accessCodeHash))) ?? {};
      assert.deepEqual(link?.submittedAt, outcome === 'submitted' ? at : undefined);
      assert.equal(session?.reference, outcome === 'submitted' ? 'S-1' : undefined);
    },
  }),
);

export const submissionCases: readonly StorageCase[] = [
  {
    name: "a submission is submitted, with its session, which stands in the listing of the link's client and user",
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const session = sampleSession();
      const result = await storage.submitLink({ ...linkId(accessCodeHash), at: later(1), session });
      assert.ok(result.outcome === 'submitted');
      assertSession(result.session, session);
      const { sessions } = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 10 });
      assert.equal(sessions.length, 1);
      assertSession(sessions[0], session);
    },
  },
  {
    name: 'a submitted link is found with its submittedAt, its openedAt and its session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      await storage.submitLink({ ...linkId(accessCodeHash), at: later(2), session: sampleSession() });
      const found = await storage.findLink(linkId(accessCodeHash));
      const { openedAt, submittedAt, revokedAt } = found?.link ?? ({} as Partial<Link>);
      assert.deepEqual([openedAt, submittedAt, revokedAt], [later(1), later(2), undefined]);
      assertSession(found?.session, sampleSession());
    },
  },
  {
    name: "a repeat is already_submitted with the first one's session, whatever it carries, and creates nothing",
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      for (const reference of ['S-1', 'S-2']) {
        const repeat = sampleSession({ reference, camsReference: 'C-2' });
        const result = await storage.submitLink({ ...linkId(accessCodeHash), at: later(1), session: repeat });
        assert.ok(result.outcome === 'already_submitted', reference);
        assertSession(result.session, sampleSession());
      }
      assert.deepEqual(await referencesOf(storage), ['S-1']);
      assert.deepEqual((await storage.findLink(linkId(accessCodeHash)))?.link.submittedAt, NOON);
    },
  },
  {
    name: 'a submitted link stays already_submitted when it is past its expiry',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      const session = sampleSession({ reference: 'S-2' });
      const result = await storage.submitLink({ ...linkId(accessCodeHash), at: later(120_000), session });
      assert.ok(result.outcome === 'already_submitted');
      assert.equal(result.session.reference, 'S-1');
    },
  },
  ...momentCases,
  {
    name: 'a submission of an unknown link is not_found and creates nothing',
    async check(storage) {
      await withLink(storage);
      const accessCodeHash = 'b'.repeat(64);
      const result = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(result.outcome, 'not_found');
      assert.deepEqual(await referencesOf(storage), []);
    },
  },
  {
    name: 'a submission of a revoked link is revoked and creates nothing',
    async check(storage) {
      const { accessCodeHash, clientId } = await withLink(storage);
      await storage.revokeLink({ clientId, accessCodeHash, at: NOON });
      const result = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: later(1),
        session: sampleSession(),
      });
      assert.equal(result.outcome, 'revoked');
      assert.deepEqual(await referencesOf(storage), []);
      assert.equal((await storage.findLink(linkId(accessCodeHash)))?.link.submittedAt, undefined);
    },
  },
  {
    name: 'reference_taken leaves the link usable, and the session that has the reference as it was',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertSession(sampleRecord({ userId: 'user-2', camsReference: 'first' }));
      const refused = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(refused.outcome, 'reference_taken');
      assert.deepEqual(await referencesOf(storage), []);
      const { link, session } = (await storage.findLink(linkId(accessCodeHash))) ?? {};
      assert.deepEqual([link?.submittedAt, session], [undefined, undefined]);
      const retry = { ...linkId(accessCodeHash), at: NOON, session: sampleSession({ reference: 'S-2' }) };
      assert.equal((await storage.submitLink(retry)).outcome, 'submitted');
      const theirs = await storage.listSessions({ clientId: CLIENT_ID, userId: 'user-2', limit: 10 });
      assert.deepEqual(
        theirs.sessions.map(({ camsReference }) => camsReference),
        ['first'],
      );
    },
  },
  {
    name: 'a reference that another client has is free',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      const result = await storage.submitLink({
        ...linkId(accessCodeHash),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(result.outcome, 'submitted');
      assert.deepEqual(await referencesOf(storage), ['S-1']);
    },
  },
  {
    name: 'a reference that a submission took is taken for insertSession, and the reverse',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      const accessCodeHashOf2 = 'b'.repeat(64);
      await storage.insertLink(sampleLink({ accessCodeHash: accessCodeHashOf2 }));
      const second = await storage.submitLink({
        ...linkId(accessCodeHashOf2),
        at: NOON,
        session: sampleSession(),
      });
      assert.equal(second.outcome, 'reference_taken');
      await assert.rejects(async () => storage.insertSession(sampleRecord()), { code: 'already_exists' });
    },
  },
  {
    name: 'two links of one user are submitted independently',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: 'b'.repeat(64) }));
      await storage.submitLink({ ...linkId(accessCodeHash), at: NOON, session: sampleSession() });
      const session = sampleSession({ reference: 'S-2', createdAt: later(1) });
      const result = await storage.submitLink({ ...linkId('b'.repeat(64)), at: later(1), session });
      assert.equal(result.outcome, 'submitted');
      assert.deepEqual(await referencesOf(storage), ['S-2', 'S-1']);
    },
  },
];
