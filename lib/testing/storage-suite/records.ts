// Rules of RecordStorage: find, change and delete links and sessions.

import type { ClientSessionQuery, LinkQuery, LinkRecord, RecordStorage } from '../../core/storage.js';
import type { Link, LinkState, SessionRecord } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  assertFails,
  assertSession,
  CLIENT_ID,
  concurrently,
  END,
  followPages,
  hashOf,
  JUST_BEFORE_END,
  later,
  linkId,
  linkOf,
  NOON,
  POOL_SIZE,
  PREFILLED,
  REDUCED,
  referencesOf,
  type StorageRule,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  sessionsOf,
  USER_ID,
  withLink,
  withSessions,
} from './samples.js';

/** A storage whose records can be searched, changed and deleted. */
export type ProvisionedRecords = ProvisionedStorage & RecordStorage;

const OTHER_USER = 'user-2';
const ROUNDS = 5;
/** Number of submissions that a rule about concurrent calls starts. */
const MANY = 40;
/** Number of links of a user in a race. */
const FEW = POOL_SIZE;

const findRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'findSession returns a session with its client and user, and with what updateSession changed',
    async check(storage) {
      await withSessions(storage, { userId: OTHER_USER }, { reference: 'S-2' });
      const expected = sampleRecord({ userId: OTHER_USER });
      assertRecord(await storage.findSession(SESSION_KEY), expected);
      await storage.updateSession({ ...SESSION_KEY, status: 'accepted' });
      assertRecord(await storage.findSession(SESSION_KEY), { ...expected, status: 'accepted' });
    },
  },
  {
    name: 'findSession returns the session of a submission, and no other after it is deleted',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      assert.equal(await storage.findSession(SESSION_KEY), undefined);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assertRecord(await storage.findSession(SESSION_KEY), sampleRecord());
      await storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID });
      assert.equal(await storage.findSession(SESSION_KEY), undefined);
    },
  },
  {
    name: 'findSession distinguishes the clients of equal references, and references by each code unit',
    async check(storage) {
      await withSessions(storage, {});
      await storage.insertClient({ clientId: 'other' });
      await storage.insertClient({ clientId: 'third' });
      await storage.insertSession(sampleRecord({ clientId: 'other', userId: OTHER_USER }));
      const ofOther = await storage.findSession({ ...SESSION_KEY, clientId: 'other' });
      assertRecord(ofOther, sampleRecord({ clientId: 'other', userId: OTHER_USER }));
      for (const key of [
        { ...SESSION_KEY, reference: 's-1' },
        { ...SESSION_KEY, reference: 'S-1 ' },
        { ...SESSION_KEY, clientId: 'third' },
      ])
        assert.equal(await storage.findSession(key), undefined);
    },
  },
];

const updateRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'updateSession changes status and camsReference, and returns the session',
    async check(storage) {
      await withSessions(storage, {}, { reference: 'S-2', createdAt: later(1) });
      const changes = { status: 'accepted', camsReference: 'CAMS 7' };
      // A storage may keep the list that it returned.
      await sessionsOf(storage);
      const changed = await storage.updateSession({ ...SESSION_KEY, ...changes });
      assertSession(changed, sampleSession(changes));
      const sessions = await sessionsOf(storage);
      assert.deepEqual(
        sessions.map(({ reference, status, camsReference }) => [reference, status, camsReference]),
        [
          ['S-2', 'submitted', 'C-1'],
          ['S-1', 'accepted', 'CAMS 7'],
        ],
      );
      assertSession(sessions[1], sampleSession(changes));
      assert.deepEqual(await referencesOf(storage, { status: 'accepted' }), ['S-1']);
      assert.deepEqual(await referencesOf(storage, { status: 'submitted' }), ['S-2']);
    },
  },
  {
    name: 'updateSession does not change members that it does not get',
    async check(storage) {
      await withSessions(storage, {});
      assertSession(await storage.updateSession(SESSION_KEY), sampleSession());
      await storage.updateSession({ ...SESSION_KEY, status: 'accepted' });
      const changed = await storage.updateSession({ ...SESSION_KEY, camsReference: 'C-2' });
      assertSession(changed, sampleSession({ status: 'accepted', camsReference: 'C-2' }));
    },
  },
  {
    name: 'updateSession returns undefined for an unknown session and for one of another client',
    async check(storage) {
      await withSessions(storage, {});
      await storage.insertClient({ clientId: 'other' });
      for (const key of [
        { ...SESSION_KEY, reference: 's-1' },
        { ...SESSION_KEY, clientId: 'other' },
      ])
        assert.equal(await storage.updateSession({ ...key, status: 'accepted' }), undefined);
      assert.deepEqual(await referencesOf(storage, { status: 'submitted' }), ['S-1']);
    },
  },
  {
    name: 'findLink, a repeated submission and listClientSessions return what updateSession changed',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const before = await storage.findLink(linkId(accessCodeHash));
      await storage.updateSession({ ...SESSION_KEY, status: 'accepted' });
      const expected = sampleSession({ status: 'accepted' });
      assertSession((await storage.findLink(linkId(accessCodeHash)))?.session, expected);
      const repeated = await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.ok(repeated.outcome === 'already_submitted');
      assertSession(repeated.session, expected);
      assertSession((await readFeed(storage))[0], expected);
      assertSession(before?.session, sampleSession());
    },
  },
];

const listLinksRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'listLinks returns links by user id, then the newest first, then by access code hash',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertLink(sampleLink({ clientId: 'other' }));
      const sorted: Partial<Link>[] = [
        { accessCodeHash: hashOf(5), userId: 'B' },
        { accessCodeHash: hashOf(1), userId: 'a', createdAt: later(1) },
        { accessCodeHash: hashOf(0), userId: 'a' },
        { accessCodeHash: hashOf(3), userId: 'a' },
        { accessCodeHash: hashOf(2), userId: 'a', createdAt: later(-1) },
        { accessCodeHash: hashOf(4), userId: 'ab' },
      ];
      for (const index of [3, 0, 5, 2, 4, 1]) await storage.insertLink(sampleLink(sorted[index]));
      const expected = sorted.map(({ accessCodeHash }) => accessCodeHash);
      assert.deepEqual(await hashesOf(storage), expected);
      assert.deepEqual(await hashesOf(storage, { userId: 'a' }), expected.slice(1, 5));
      for (let limit = 1; limit <= sorted.length + 1; limit++)
        assert.deepEqual((await followLinks(storage, { limit })).flat(), expected, `limit ${limit}`);
    },
  },
  {
    name: 'listLinks returns every member of a link, and the reference of its session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage, { config: PREFILLED });
      assert.deepEqual(await listLinks(storage), [{ link: sampleLink({ config: PREFILLED }) }]);
      await storage.markLinkOpened({ ...linkId(accessCodeHash), at: later(1) });
      await storage.submitLink(sampleSubmission(accessCodeHash, { at: later(2) }));
      const link = sampleLink({ config: REDUCED, openedAt: later(1), submittedAt: later(2) });
      assert.deepEqual(await listLinks(storage), [{ link, reference: 'S-1' }]);
    },
  },
  {
    name: 'listLinks selects links by their state at the given time',
    async check(storage) {
      await withStates(storage);
      const before: Record<LinkState, number[]> = {
        created: [0],
        opened: [1],
        submitted: [2],
        revoked: [3],
        expired: [],
      };
      const expected: [at: Date, numbers: typeof before][] = [
        [JUST_BEFORE_END, before],
        [END, { ...before, created: [], opened: [], expired: [0, 1] }],
      ];
      for (const [at, numbers] of expected) {
        for (const state of Object.keys(numbers) as LinkState[]) {
          const hashes = numbers[state].map(hashOf);
          assert.deepEqual(await hashesOf(storage, { at, state }), hashes, state);
          const pages = await followLinks(storage, { at, state, limit: 1 });
          assert.deepEqual(pages.flat(), hashes, `${state}, page by page`);
        }
      }
    },
  },
  {
    name: 'listLinks returns nextCursor if and only if more links follow',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let index = 0; index < 4; index++)
        await storage.insertLink(sampleLink({ accessCodeHash: hashOf(index) }));
      for (const [limit, pages] of [
        [1, 4],
        [2, 2],
        [3, 2],
        [4, 1],
        [5, 1],
      ] as const)
        assert.equal((await followLinks(storage, { limit })).length, pages, `limit ${limit}`);
    },
  },
  {
    name: 'while links are created, following the listLinks cursors returns each earlier link exactly once',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const earlier = Array.from({ length: 8 }, (_, index) => hashOf(index));
      for (const [index, accessCodeHash] of earlier.entries())
        await storage.insertLink(sampleLink({ accessCodeHash, userId: index < 4 ? 'a' : 'b' }));
      let created = earlier.length;
      const pages = await followLinks(storage, { limit: 3 }, async (pageCount) => {
        // Each page adds more links than it returns, so a reader would never reach the end.
        if (pageCount > 3) return;
        // Before, among and after the links of the next page.
        for (const userId of ['A', 'a', 'b', 'c'])
          for (const milliseconds of [-1, 0, 1]) {
            const accessCodeHash = hashOf(created++);
            await storage.insertLink(sampleLink({ accessCodeHash, userId, createdAt: later(milliseconds) }));
          }
      });
      const linkIds = pages.flat();
      assert.equal(new Set(linkIds).size, linkIds.length, 'no link is repeated');
      assertCount(earlier.length, linkIds, (hash) => earlier.includes(hash));
    },
  },
];

const revokeRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'revokeLinks revokes and counts the usable links of one user, and removes their prefilled data',
    async check(storage) {
      await withStates(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4), userId: OTHER_USER }));
      await storage.insertClient({ clientId: 'other' });
      await storage.insertLink(sampleLink({ clientId: 'other' }));
      const query = { clientId: CLIENT_ID, userId: USER_ID };
      assert.equal(await storage.revokeLinks({ ...query, at: END }), 0, 'at expiresAt');
      assert.equal(await storage.revokeLinks({ ...query, at: JUST_BEFORE_END }), 2);
      assert.equal(await storage.revokeLinks({ ...query, at: JUST_BEFORE_END }), 0, 'again');
      for (const index of [0, 1]) {
        const link = await linkOf(storage, hashOf(index));
        assert.deepEqual([link?.revokedAt, link?.config], [JUST_BEFORE_END, REDUCED]);
      }
      const submitted = await storage.findLink(linkId(hashOf(2)));
      assert.deepEqual([submitted?.link.revokedAt, submitted?.session?.reference], [undefined, 'S-1']);
      assert.deepEqual((await linkOf(storage, hashOf(3)))?.revokedAt, later(3));
      assert.equal((await linkOf(storage, hashOf(4)))?.revokedAt, undefined);
      const { accessCodeHash } = sampleLink();
      const others = await storage.findLink({ clientId: 'other', accessCodeHash });
      assert.equal(others?.link.revokedAt, undefined);
    },
  },
  {
    name: 'revokeLinks without a user revokes the links of all users of the client only',
    async check(storage) {
      for (const clientId of [CLIENT_ID, 'other']) {
        await storage.insertClient({ clientId });
        for (const [index, userId] of [USER_ID, OTHER_USER].entries())
          await storage.insertLink(sampleLink({ clientId, userId, accessCodeHash: hashOf(index) }));
      }
      assert.equal(await storage.revokeLinks({ clientId: CLIENT_ID, at: NOON }), 2);
      assert.deepEqual(await hashesOf(storage, { state: 'created' }), []);
      assert.equal((await hashesOf(storage, { clientId: 'other', state: 'created' })).length, 2);
    },
  },
  {
    name: 'of concurrent revokeLinks and submissions exactly one succeeds for each link',
    isRace: true,
    async check(storage) {
      for (let round = 0; round < ROUNDS; round++) {
        const query = { clientId: CLIENT_ID, userId: USER_ID, at: NOON };
        const [outcomes, revoked] = await submitAround(storage, round, () => storage.revokeLinks(query));
        assertCount(FEW - revoked, outcomes, (outcome) => outcome === 'submitted');
        assertCount(revoked, outcomes, (outcome) => outcome === 'revoked');
        await storage.deleteUser(query);
      }
    },
  },
];

const feedRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'listClientSessions returns the sessions of all users of a client in the order of submission',
    async check(storage) {
      await storage.insertClient({ clientId: 'other' });
      await storage.insertLink(sampleLink({ clientId: 'other' }));
      await storage.submitLink(sampleSubmission(sampleLink().accessCodeHash, { clientId: 'other' }));
      await storage.insertClient({ clientId: CLIENT_ID });
      // The order of submission differs from the order of dates, of references and of users.
      const submissions = [
        { reference: 'S-3', userId: 'b', date: later(3) },
        { reference: 'S-1', userId: 'a', date: later(9) },
        { reference: 'S-2', userId: 'b', date: later(1) },
      ];
      for (const [index, { userId, ...changes }] of submissions.entries()) {
        await storage.insertLink(sampleLink({ accessCodeHash: hashOf(index), userId }));
        const session = sampleSession(changes);
        await storage.submitLink(sampleSubmission(hashOf(index), { session }));
      }
      const feed = await readFeed(storage);
      assert.deepEqual(feed.map(toReference), ['S-3', 'S-1', 'S-2']);
      assert.deepEqual(
        feed.map(({ clientId, userId }) => `${clientId} ${userId}`),
        ['acme b', 'acme a', 'acme b'],
      );
      assertSession(feed[0], sampleSession({ reference: 'S-3', date: later(3) }));
      assert.deepEqual((await readFeed(storage, { since: later(3) })).map(toReference), ['S-3', 'S-1']);
    },
  },
  {
    name: 'the cursor of listClientSessions continues after its page, also later; hasMore says whether at once',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const query = { clientId: CLIENT_ID, limit: 2 };
      const empty = await storage.listClientSessions(query);
      assert.deepEqual([empty.sessions, empty.nextCursor, empty.hasMore], [[], undefined, false]);
      await submitNumbered(storage, 0, 3);
      const first = await storage.listClientSessions(query);
      assert.deepEqual([first.sessions.map(toReference), first.hasMore], [['S-0', 'S-1'], true]);
      const second = await storage.listClientSessions({ ...query, cursor: first.nextCursor ?? '' });
      assert.deepEqual([second.sessions.map(toReference), second.hasMore], [['S-2'], false]);
      const third = await storage.listClientSessions({ ...query, cursor: second.nextCursor ?? '' });
      assert.deepEqual([third.sessions, third.hasMore], [[], false]);
      await submitNumbered(storage, 3, 5);
      const fourth = await storage.listClientSessions({ ...query, cursor: third.nextCursor ?? '' });
      assert.deepEqual([fourth.sessions.map(toReference), fourth.hasMore], [['S-3', 'S-4'], false]);
    },
  },
  {
    name: 'a deleted session does not move the cursor of listClientSessions',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await submitNumbered(storage, 0, 3);
      const query = { clientId: CLIENT_ID, limit: 2 };
      const { nextCursor: cursor = '' } = await storage.listClientSessions(query);
      await storage.deleteSessions(later(1_000_000));
      await submitNumbered(storage, 3, 4);
      const { sessions } = await storage.listClientSessions({ ...query, cursor });
      assert.deepEqual(sessions.map(toReference), ['S-3']);
    },
  },
  {
    name: 'listClientSessions returns each session of insertSession once',
    async check(storage) {
      const references = Array.from({ length: 7 }, (_, index) => `S-${index}`);
      await withSessions(
        storage,
        ...references.map((reference, index) => ({ reference, date: later(index >> 1) })),
      );
      for (const limit of [1, 2, 3, 7, 8])
        assert.deepEqual((await readFeed(storage, { limit })).map(toReference).sort(), references);
    },
  },
  {
    name: `readers that follow the cursors of listClientSessions during ${MANY} concurrent submissions get each once`,
    isRace: true,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await concurrently(MANY, (index) =>
        storage.insertLink(sampleLink({ accessCodeHash: hashOf(index), userId: `user-${index % 3}` })),
      );
      let isDone = false;
      async function read(limit: number): Promise<string[]> {
        const references: string[] = [];
        let cursor: string | undefined;
        for (;;) {
          const isLastPage = isDone;
          const page = await storage.listClientSessions({
            clientId: CLIENT_ID,
            limit,
            ...(cursor !== undefined && { cursor }),
          });
          references.push(...page.sessions.map(toReference));
          cursor = page.nextCursor;
          assert.ok(references.length <= MANY, 'no session is repeated');
          if (isLastPage && page.sessions.length === 0) return references;
          // A storage in memory answers without a turn of the event loop, in which others submit.
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
      }
      const submissions = concurrently(MANY, (index) => submitNumber(storage, index)).finally(() => {
        isDone = true;
      });
      const [results, ...feeds] = await Promise.all([submissions, ...[1, 3, 100].map(read)]);
      assertCount(MANY, results, ({ outcome }) => outcome === 'submitted');
      const order = (await readFeed(storage)).map(toReference);
      assert.equal(new Set(order).size, MANY);
      for (const references of feeds) assert.deepEqual(references, order);
    },
  },
];

const deletionRules: readonly StorageRule<ProvisionedRecords>[] = [
  {
    name: 'deleteUser deletes and counts the links and sessions of one user of one client',
    async check(storage) {
      await withStates(storage);
      await storage.insertSession(sampleRecord({ reference: 'S-2' }));
      await storage.insertSession(sampleRecord({ reference: 'S-3', userId: OTHER_USER }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4), userId: OTHER_USER }));
      await storage.insertClient({ clientId: 'other' });
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      const user = { clientId: CLIENT_ID, userId: USER_ID };
      const { sessions, links, events } = await storage.deleteUser(user);
      assert.deepEqual([sessions, links, events], [2, 4, 0]);
      assert.deepEqual(await referencesOf(storage), []);
      assert.deepEqual((await readFeed(storage)).map(toReference), ['S-3']);
      assert.deepEqual(await hashesOf(storage), [hashOf(4)]);
      assert.deepEqual(await referencesOf(storage, { clientId: 'other' }), ['S-1']);
      for (let index = 0; index < 4; index++) {
        assert.equal(await storage.findLink(linkId(hashOf(index))), undefined);
        const session = sampleSession({ reference: `S-9${index}` });
        const { outcome } = await storage.submitLink(sampleSubmission(hashOf(index), { session }));
        assert.equal(outcome, 'not_found');
      }
      assert.equal(await storage.updateSession({ ...SESSION_KEY, status: 'accepted' }), undefined);
      assert.deepEqual(await storage.deleteUser(user), { sessions: 0, links: 0, events: 0 });
    },
  },
  {
    name: 'deleteUser and deleteSessions delete the pending events of the sessions',
    async check(storage) {
      if (!storage.countEvents || !storage.listEvents) return;
      const submit = async (clientId: string, index: number, userId: string, date: Date) => {
        const accessCodeHash = hashOf(index);
        await storage.insertLink(sampleLink({ clientId, accessCodeHash, userId }));
        const event = { id: `event-${clientId}-${index}`, attempts: 0 as const, nextAttemptAt: NOON };
        const session = sampleSession({ reference: `S-${index}`, date });
        await storage.submitLink(sampleSubmission(accessCodeHash, { clientId, session, event }));
      };
      await storage.insertClient({ clientId: CLIENT_ID });
      for (const index of [0, 1, 2])
        await submit(CLIENT_ID, index, index === 2 ? OTHER_USER : USER_ID, later(index));
      // Another client has the same users and references.
      await storage.insertClient({ clientId: 'other' });
      for (const index of [0, 1]) await submit('other', index, USER_ID, later(9));
      assert.equal(await storage.deleteSessions(later(1)), 1);
      assert.deepEqual(await storage.countEvents({ limit: 100 }), { pending: 4, failed: 0 });
      assert.deepEqual(await storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID }), {
        sessions: 1,
        links: 2,
        events: 1,
      });
      const events = await storage.listEvents({ state: 'pending', limit: 10 });
      assert.deepEqual(events.map(({ id }) => id).sort(), [
        `event-${CLIENT_ID}-2`,
        'event-other-0',
        'event-other-1',
      ]);
    },
  },
  {
    name: 'after deleteUser during concurrent submissions of the links of the user, nothing of the user is left',
    isRace: true,
    async check(storage) {
      for (let round = 0; round < ROUNDS; round++) {
        const user = { clientId: CLIENT_ID, userId: USER_ID };
        const [outcomes, deleted] = await submitAround(storage, round, () => storage.deleteUser(user));
        assert.deepEqual(await referencesOf(storage), []);
        assert.deepEqual(await hashesOf(storage), []);
        assert.deepEqual(await readFeed(storage), []);
        assert.equal(deleted.links, FEW);
        assertCount(deleted.sessions, outcomes, (outcome) => outcome === 'submitted');
        assertCount(FEW - deleted.sessions, outcomes, (outcome) => outcome === 'not_found');
      }
    },
  },
  {
    name: 'deleteSessions deletes and counts sessions of all clients with a date before the time, not at it',
    async check(storage) {
      for (const clientId of [CLIENT_ID, 'other']) {
        await storage.insertClient({ clientId });
        for (const [index, milliseconds] of [-1, 0, 1].entries())
          await storage.insertSession(
            sampleRecord({ clientId, reference: `S-${index}`, date: later(milliseconds) }),
          );
      }
      assert.equal(await storage.deleteSessions(NOON), 2);
      assert.equal(await storage.deleteSessions(NOON), 0);
      for (const clientId of [CLIENT_ID, 'other'])
        assert.deepEqual(await referencesOf(storage, { clientId }), ['S-1', 'S-2']);
    },
  },
  {
    name: 'the link of a deleted session stays submitted, and another submission creates no session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.equal(await storage.deleteSessions(later(1000)), 1);
      const stored = await storage.findLink(linkId(accessCodeHash));
      assert.deepEqual(
        [stored?.link.submittedAt, stored?.session],
        [NOON, undefined],
        'the link of a deleted session stays submitted and has no session',
      );
      const session = sampleSession({ reference: 'S-2' });
      const { outcome } = await storage.submitLink(sampleSubmission(accessCodeHash, { session }));
      assert.equal(outcome, 'not_found');
      assert.deepEqual(await referencesOf(storage), []);
      await storage.insertSession(sampleRecord({ userId: OTHER_USER }));
      const reread = await storage.findLink(linkId(accessCodeHash));
      assert.equal(
        reread?.session,
        undefined,
        'a later session of another user with the same reference is not the session of the link',
      );
    },
  },
  {
    name: 'reduceExpiredLinks reduces and counts the config of links with expiresAt before the time, not at it',
    async check(storage) {
      await withStates(storage, JUST_BEFORE_END);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4), config: PREFILLED }));
      assert.equal(await storage.reduceExpiredLinks(END), 2);
      assert.equal(await storage.reduceExpiredLinks(END), 0);
      const configs = (await listLinks(storage)).map(({ link }) => link.config);
      assert.deepEqual(configs, [REDUCED, REDUCED, REDUCED, REDUCED, PREFILLED]);
      assert.deepEqual(await hashesOf(storage, { state: 'opened', at: NOON }), [hashOf(1)]);
    },
  },
];

const invalidCursorRules = ['', 'x', '!', 'W10', 'WyJhIl0', 'null', 'e30'].map(
  (cursor): StorageRule<ProvisionedRecords> => ({
    name: `listLinks and listClientSessions throw request_invalid for the cursor ${JSON.stringify(cursor)}`,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const query = { clientId: CLIENT_ID, limit: 1, cursor };
      await assertFails('request_invalid', () => storage.listLinks({ ...query, at: NOON }));
      await assertFails('request_invalid', () => storage.listClientSessions(query));
    },
  }),
);

export const recordRules: readonly StorageRule<ProvisionedRecords>[] = [
  ...findRules,
  ...updateRules,
  ...listLinksRules,
  ...revokeRules,
  ...feedRules,
  ...deletionRules,
  ...invalidCursorRules,
];

const SESSION_KEY = { clientId: CLIENT_ID, reference: 'S-1' };

function assertRecord(actual: SessionRecord | undefined, expected: SessionRecord): void {
  assertSession(actual, expected);
  assert.deepEqual([actual?.clientId, actual?.userId], [expected.clientId, expected.userId]);
}

function toReference({ reference }: SessionRecord): string {
  return reference;
}

/** Inserts links of one user: created, opened, submitted, revoked. */
async function withStates(storage: ProvisionedRecords, expiresAt = END): Promise<void> {
  await storage.insertClient({ clientId: CLIENT_ID });
  for (let index = 0; index < 4; index++)
    await storage.insertLink(sampleLink({ accessCodeHash: hashOf(index), config: PREFILLED, expiresAt }));
  await storage.markLinkOpened({ ...linkId(hashOf(1)), at: later(1) });
  await storage.submitLink(sampleSubmission(hashOf(2), { at: later(2) }));
  await storage.revokeLink({ ...linkId(hashOf(3)), at: later(3) });
}

async function listLinks(storage: ProvisionedRecords): Promise<readonly LinkRecord[]> {
  return (await storage.listLinks({ clientId: CLIENT_ID, at: NOON, limit: 1000 })).links;
}

async function hashesOf(storage: ProvisionedRecords, query: Partial<LinkQuery> = {}): Promise<string[]> {
  return (await followLinks(storage, { limit: 1000, ...query })).flat();
}

/** Returns the hashes of every page. */
async function followLinks(
  storage: ProvisionedRecords,
  query: Partial<LinkQuery> & { limit: number },
  afterPage?: (pageCount: number) => Promise<void>,
): Promise<string[][]> {
  const pages = await followPages(
    (cursor) => storage.listLinks({ clientId: CLIENT_ID, at: NOON, ...query, ...cursor }),
    afterPage,
  );
  return pages.map(({ links }) => links.map(({ link }) => link.accessCodeHash));
}

/** Returns all sessions of `listClientSessions`. */
async function readFeed(
  storage: ProvisionedRecords,
  query: Partial<ClientSessionQuery> = {},
): Promise<readonly SessionRecord[]> {
  const sessions: SessionRecord[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await storage.listClientSessions({
      clientId: CLIENT_ID,
      limit: 1000,
      ...query,
      ...(cursor !== undefined && { cursor }),
    });
    sessions.push(...page.sessions);
    if (!page.hasMore) return sessions;
    cursor = page.nextCursor;
    assert.ok(page.sessions.length > 0, 'a page before more sessions is not empty');
    assert.ok(sessions.length < 1000, 'the last page says that no more sessions follow');
  }
}

function submitNumber(storage: ProvisionedRecords, index: number) {
  const session = sampleSession({ reference: `S-${index}`, date: later(index) });
  return storage.submitLink(sampleSubmission(hashOf(index), { session }));
}

/** Inserts and submits links one after the other. Their sessions have the references S-<index>. */
async function submitNumbered(storage: ProvisionedRecords, start: number, end: number): Promise<void> {
  for (let index = start; index < end; index++) {
    await storage.insertLink(sampleLink({ accessCodeHash: hashOf(index) }));
    assert.equal((await submitNumber(storage, index)).outcome, 'submitted');
  }
}

/**
 * Inserts the links of one round of a race and starts to submit them. Starts another call after the first half of them.
 * Waits for all results.
 */
async function submitAround<T>(
  storage: ProvisionedRecords,
  round: number,
  call: () => T,
): Promise<[outcomes: string[], result: Awaited<T>]> {
  if (round === 0) await storage.insertClient({ clientId: CLIENT_ID });
  const numbers = Array.from({ length: FEW }, (_, index) => round * FEW + index);
  for (const number of numbers) await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
  const submit = async (number: number) => (await submitNumber(storage, number)).outcome;
  const firstHalf = numbers.slice(0, FEW / 2).map(submit);
  const result = (async () => await call())();
  const secondHalf = numbers.slice(FEW / 2).map(submit);
  return [await Promise.all([...firstHalf, ...secondHalf]), await result];
}
