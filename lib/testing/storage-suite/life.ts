// Rules of LifeStorage: the moments of links, and the events that the host chose.

import type {
  LifeStorage,
  OutboxStorage,
  RecordStorage,
  StoredEvent,
  StoredLifeEvent,
} from '../../core/storage.js';
import { EVENT_TYPES, type LifeEventType, type Link, type LinkMoment } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedLife } from './event-sources.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  CLIENT_ID,
  concurrently,
  END,
  hashOf,
  later,
  linkId,
  linkOf,
  NOON,
  PREFILLED,
  presentedKey,
  REDUCED,
  type StorageRule,
  sampleKey,
  sampleLink,
  sampleSession,
  sampleSubmission,
  USER_ID,
  withLink,
} from './samples.js';

/** A storage that keeps moments and events, and deletes users and sessions as well. */
export type ProvisionedLifeRecords = ProvisionedLife & RecordStorage;

const ALL = EVENT_TYPES.filter((type) => type !== 'claim.submitted');
const NOTICE_SECONDS = 20;
const NOTICE = later(40_000);
/** Time after which every event of a rule is due. */
const EVENING = later(100_000);
const MANY = 20;
const OTHER = 'other';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function choose(storage: LifeStorage, types: readonly LifeEventType[] = ALL) {
  return storage.chooseEvents({ types, expiryNoticeSeconds: NOTICE_SECONDS });
}

async function withChosenLink(storage: ProvisionedLife, changes: Partial<Link> = {}): Promise<Link> {
  await choose(storage);
  return withLink(storage, changes);
}

function add(storage: LifeStorage, moment: LinkMoment, sequence: number, accessCodeHash = 'a'.repeat(64)) {
  return storage.addMoment({ ...linkId(accessCodeHash), moment, sequence });
}

/** Returns the pending events without their ids, the first one due first. */
async function eventsOf(storage: OutboxStorage) {
  const stored = (await pending(storage)).filter(isLifeEvent);
  return stored.map(({ id, attempts, nextAttemptAt, failedAt, reason, ...event }) => event);
}

async function pending(storage: OutboxStorage): Promise<readonly StoredEvent[]> {
  return storage.listEvents({ state: 'pending', limit: 1000 });
}

function isLifeEvent(event: StoredEvent): event is StoredLifeEvent {
  return !('session' in event);
}

/** Returns the pending events as texts of type and link or session, in their order. */
async function told(storage: OutboxStorage): Promise<string[]> {
  return (await pending(storage)).map((event) => {
    if (!isLifeEvent(event)) return `claim.submitted ${event.reference}`;
    return 'linkId' in event ? `${event.type} ${event.linkId.slice(-1)}` : event.type;
  });
}

/** Returns what the deletions named, sorted. */
async function deleted(storage: OutboxStorage) {
  const deletions = (await eventsOf(storage)).filter((event) => event.type === 'data.deleted');
  return {
    whys: [...new Set(deletions.map(({ why }) => why))],
    linkIds: deletions.flatMap(({ linkIds }) => linkIds).sort(),
    references: deletions.flatMap(({ references }) => references).sort(),
  };
}

/** Submits a link, with a session that names it. With `due`, the submission is an event. */
async function submit(
  storage: ProvisionedStorage,
  accessCodeHash: string,
  reference: string,
  due?: Date,
): Promise<void> {
  const session = sampleSession({ reference, link: { linkId: accessCodeHash } });
  const event = due && { id: `event-${reference}`, attempts: 0 as const, nextAttemptAt: due };
  const submission = sampleSubmission(accessCodeHash, { session, ...(event && { event }) });
  const result = await storage.submitLink(submission);
  assert.equal(result.outcome, 'submitted');
}

export const lifeRules: readonly StorageRule<ProvisionedLife>[] = [
  {
    name: 'chooseEvents returns nothing, or the choice that it replaced',
    async check(storage) {
      const sets: readonly LifeEventType[][] = [[], ['link.expiring', 'link.locked'], [], ['link.started']];
      for (const [index, types] of sets.slice(1).entries()) {
        const replaced = await choose(storage, types);
        if (replaced === undefined) continue;
        const before = sets[index] ?? [];
        assert.deepEqual([...replaced.types].sort(), before);
        if (before.length > 0) assert.equal(replaced.expiryNoticeSeconds, NOTICE_SECONDS);
      }
    },
  },
  {
    name: 'listMoments returns the moments of one link in their order, unchanged',
    async check(storage) {
      await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(1) }));
      const moments: LinkMoment[] = [
        { type: 'link.started', at: later(1) },
        { type: 'link.declined', at: NOON, why: 'nothing_to_report' },
        { type: 'claim.repeated', at: later(2), unchanged: false },
        { type: 'link.unlocked', at: new Date('9999-12-31T23:59:59.999Z') },
      ];
      for (const [index, moment] of moments.entries())
        assert.equal(await add(storage, moment, index + 1), true);
      assert.deepEqual(await storage.listMoments(linkId('a'.repeat(64))), moments);
      assert.deepEqual(await storage.listMoments(linkId(hashOf(1))), []);
      assert.equal(await storage.listMoments(linkId(hashOf(2))), undefined);
      assert.equal(await storage.listMoments({ clientId: OTHER, accessCodeHash: hashOf(1) }), undefined);
    },
  },
  {
    name: 'findLink returns the id of the API key that created a link, and findCredentials that of the key',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage, { createdBy: 'key-1' });
      assert.equal((await linkOf(storage, accessCodeHash))?.createdBy, 'key-1');
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(1) }));
      assert.equal((await linkOf(storage, hashOf(1)))?.createdBy, undefined);
      await storage.insertApiKey(sampleKey());
      assert.equal((await presentedKey(storage, sampleKey().hash))?.id, sampleKey().id);
    },
  },
  {
    name: 'addMoment adds nothing at another position, and nothing to a link that does not exist',
    async check(storage) {
      await withChosenLink(storage);
      const moment: LinkMoment = { type: 'link.started', at: NOON };
      for (const sequence of [0, 2]) assert.equal(await add(storage, moment, sequence), false);
      assert.equal(await add(storage, moment, 1, hashOf(9)), false);
      assert.equal(await add(storage, moment, 1), true);
      assert.equal(await add(storage, moment, 1), false);
      assert.deepEqual(await storage.listMoments(linkId('a'.repeat(64))), [moment]);
      assert.equal((await eventsOf(storage)).length, 1);
    },
  },
  {
    name: `of ${MANY} concurrent calls of addMoment at one position exactly one adds its moment`,
    isRace: true,
    async check(storage) {
      await withChosenLink(storage);
      const results = await concurrently(MANY, () => add(storage, { type: 'link.started', at: NOON }, 1));
      assertCount(1, results, (isAdded) => isAdded);
      assert.equal((await storage.listMoments(linkId('a'.repeat(64))))?.length, 1);
      assert.equal((await eventsOf(storage)).length, 1);
    },
  },
  {
    name: 'a moment whose type is chosen is an event with every member, due at its time',
    async check(storage) {
      const { accessCodeHash, userId, expiresAt } = await withChosenLink(storage);
      await add(storage, { type: 'link.started', at: later(5) }, 1);
      await add(storage, { type: 'link.declined', at: later(6), why: 'other' }, 2);
      const link = { clientId: CLIENT_ID, userId, linkId: accessCodeHash, expiresAt };
      assert.deepEqual(await eventsOf(storage), [
        { type: 'link.started', at: later(5), ...link, sequence: 1 },
        { type: 'link.declined', at: later(6), ...link, sequence: 2, why: 'other' },
      ]);
      const stored = (await pending(storage)).filter(isLifeEvent);
      for (const { id, at, attempts, nextAttemptAt, failedAt, reason } of stored) {
        assert.match(id, UUID);
        assert.deepEqual(
          { attempts, nextAttemptAt, failedAt, reason },
          { attempts: 0, nextAttemptAt: at, failedAt: undefined, reason: undefined },
        );
      }
      assert.equal(new Set(stored.map(({ id }) => id)).size, 2);
    },
  },
  {
    name: 'a moment whose type is not chosen is no event, and moments that are no events never are',
    async check(storage) {
      await choose(storage, ['link.locked']);
      await withLink(storage);
      const types: LinkMoment['type'][] = ['link.started', 'link.unlocked', 'claim.repeated', 'link.locked'];
      for (const [index, type] of types.entries()) await add(storage, { type, at: NOON }, index + 1);
      assert.deepEqual(await told(storage), ['link.locked a']);
      await choose(storage, []);
      await add(storage, { type: 'link.locked', at: NOON }, types.length + 1);
      assert.equal((await eventsOf(storage)).length, 1, 'the choice was replaced');
    },
  },
  {
    name: 'addMoment with revoke revokes a usable link, and adds nothing to another one',
    async check(storage) {
      await withChosenLink(storage, { config: PREFILLED });
      const decline = (accessCodeHash: string, at: Date) =>
        storage.addMoment({
          ...linkId(accessCodeHash),
          moment: { type: 'link.declined', at, why: 'wrong_person' },
          sequence: 1,
          revoke: true,
        });
      for (const number of [1, 2, 3])
        await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
      await submit(storage, hashOf(1), 'S-9');
      assert.equal(await storage.revokeLink({ ...linkId(hashOf(2)), at: NOON }), true);
      assert.equal(await decline(hashOf(1), later(1)), false, 'submitted');
      assert.equal(await decline(hashOf(2), later(1)), false, 'revoked');
      assert.equal(await decline(hashOf(3), END), false, 'expired');
      assert.equal(await decline('a'.repeat(64), later(1)), true);
      const link = await linkOf(storage, 'a'.repeat(64));
      assert.deepEqual([link?.revokedAt, link?.config], [later(1), REDUCED]);
      assert.deepEqual(await told(storage), ['link.revoked 2', 'link.declined a']);
      assert.equal((await storage.submitLink(sampleSubmission('a'.repeat(64)))).outcome, 'revoked');
    },
  },
  {
    name: 'of concurrent submissions and declines of one link exactly one succeeds',
    isRace: true,
    async check(storage) {
      await choose(storage);
      await withLink(storage, { accessCodeHash: hashOf(0) });
      for (let round = 1; round <= 5; round++) {
        const accessCodeHash = hashOf(round);
        await storage.insertLink(sampleLink({ accessCodeHash }));
        const results = await concurrently(10, async (index) => {
          if (index % 2 === 0) {
            const session = sampleSession({ reference: `S-${round}-${index}` });
            return (
              (await storage.submitLink(sampleSubmission(accessCodeHash, { session }))).outcome ===
              'submitted'
            );
          }
          const moment: LinkMoment = { type: 'link.declined', at: NOON, why: 'other' };
          return storage.addMoment({ ...linkId(accessCodeHash), moment, sequence: 1, revoke: true });
        });
        assertCount(1, results, (hasSucceeded) => hasSucceeded);
        const isDeclined = (await storage.listMoments(linkId(accessCodeHash)))?.length === 1;
        assert.equal((await linkOf(storage, accessCodeHash))?.revokedAt !== undefined, isDeclined);
      }
    },
  },
  {
    name: 'revokeLink adds the moment link.revoked once, and none to a link that it does not revoke',
    async check(storage) {
      const { accessCodeHash } = await withChosenLink(storage);
      const id = linkId(accessCodeHash);
      await add(storage, { type: 'link.started', at: NOON }, 1);
      const results = await concurrently(MANY, () => storage.revokeLink({ ...id, at: later(3) }));
      assertCount(1, results, (isRevoked) => isRevoked);
      assert.deepEqual((await storage.listMoments(id))?.slice(1), [{ type: 'link.revoked', at: later(3) }]);
      assert.deepEqual(await told(storage), ['link.started a', 'link.revoked a']);
      assert.equal((await eventsOf(storage)).map((event) => 'sequence' in event && event.sequence)[1], 2);
    },
  },
  {
    name: 'a link expires with one link.expiring at the notice and one link.expired at its end',
    async check(storage) {
      const { accessCodeHash } = await withChosenLink(storage);
      const due = (at: Date) => storage.addDueMoments({ at, limit: 10 });
      assert.equal(await due(later(39_999)), 0);
      assert.deepEqual(await told(storage), []);
      for (const expected of [1, 0]) assert.equal(await due(NOTICE), expected);
      assert.deepEqual(await told(storage), ['link.expiring a']);
      assert.equal(await due(later(59_999)), 0);
      for (const expected of [1, 0]) assert.equal(await due(later(70_000)), expected);
      assert.deepEqual(await storage.listMoments(linkId(accessCodeHash)), [
        { type: 'link.expiring', at: NOTICE },
        { type: 'link.expired', at: END },
      ]);
      assert.deepEqual(await told(storage), ['link.expiring a', 'link.expired a']);
      for (const at of [NOON, NOTICE, END, EVENING]) assert.equal(await due(at), 0, 'at another time');
    },
  },
  {
    name: 'a link whose end is the first time that is looked at has link.expired only',
    async check(storage) {
      await withChosenLink(storage);
      assert.equal(await storage.addDueMoments({ at: END, limit: 10 }), 1);
      assert.deepEqual(await told(storage), ['link.expired a']);
    },
  },
  {
    name: 'only chosen ends of a link are events, and a link with a lifetime within the notice gets no link.expiring',
    async check(storage) {
      await choose(storage, ['link.expiring']);
      await withLink(storage, { accessCodeHash: hashOf(1) });
      await choose(storage, ['link.expired']);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await choose(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), expiresAt: later(20_000) }));
      await choose(storage, []);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4) }));
      await choose(storage);
      for (const at of [later(19_999), later(20_000), NOTICE, END])
        await storage.addDueMoments({ at, limit: 10 });
      // The end of the first link: the choice had changed when its notice was due.
      assert.deepEqual((await told(storage)).sort(), [
        'link.expired 1',
        'link.expired 2',
        'link.expired 3',
        'link.expiring 1',
      ]);
    },
  },
  {
    name: 'a link that is submitted, revoked or declined does not expire',
    async check(storage) {
      await withChosenLink(storage);
      for (const number of [1, 2]) await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
      await submit(storage, hashOf(1), 'S-9');
      await storage.revokeLink({ ...linkId(hashOf(2)), at: NOON });
      const moment: LinkMoment = { type: 'link.declined', at: NOON, why: 'other' };
      await storage.addMoment({ ...linkId('a'.repeat(64)), moment, sequence: 1, revoke: true });
      for (const at of [NOTICE, END]) assert.equal(await storage.addDueMoments({ at, limit: 10 }), 0);
      assert.deepEqual((await told(storage)).sort(), ['link.declined a', 'link.revoked 2']);
    },
  },
  {
    name: `concurrent calls of addDueMoments tell each of ${MANY} links once`,
    isRace: true,
    async check(storage) {
      await choose(storage);
      await withLink(storage, { accessCodeHash: hashOf(0) });
      await concurrently(MANY - 1, (index) =>
        storage.insertLink(sampleLink({ accessCodeHash: hashOf(index + 1) })),
      );
      const changed = await concurrently(MANY, () => storage.addDueMoments({ at: END, limit: 3 }));
      while ((await storage.addDueMoments({ at: END, limit: 3 })) > 0);
      assert.ok(Math.max(...changed) <= 3, 'the limit holds');
      const links = (await eventsOf(storage)).map((event) => 'linkId' in event && event.linkId);
      assert.deepEqual([links.length, new Set(links).size], [MANY, MANY]);
    },
  },
  {
    name: 'deleteExpiredLinks deletes the moments of a link, and leaves its events',
    async check(storage) {
      await choose(storage, ['link.expired']);
      const { accessCodeHash } = await withLink(storage);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(1) }));
      await submit(storage, hashOf(1), 'S-1', EVENING);
      await storage.addDueMoments({ at: END, limit: 10 });
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 2);
      assert.equal(await storage.listMoments(linkId(accessCodeHash)), undefined);
      assert.deepEqual(await told(storage), ['link.expired a', 'claim.submitted S-1']);
      await storage.insertLink(sampleLink());
      assert.deepEqual(await storage.listMoments(linkId(accessCodeHash)), []);
    },
  },
  {
    name: 'deleteExpiredLinks names a link without a claim, and none whose session remains',
    async check(storage) {
      await choose(storage, ['data.deleted']);
      await withLink(storage, { accessCodeHash: hashOf(1) });
      await storage.insertClient({ clientId: OTHER });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), clientId: OTHER }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4), expiresAt: later(80_000) }));
      await submit(storage, hashOf(2), 'S-2');
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 3);
      assert.deepEqual(await deleted(storage), {
        whys: ['retention'],
        linkIds: [hashOf(1), hashOf(3)],
        references: [],
      });
      for (const event of await eventsOf(storage)) {
        assert.ok(event.type === 'data.deleted');
        assert.deepEqual(event.linkIds, [event.clientId === OTHER ? hashOf(3) : hashOf(1)]);
        assert.deepEqual(Object.keys(event).sort(), [
          'at',
          'clientId',
          'linkIds',
          'references',
          'type',
          'why',
        ]);
        assert.deepEqual(event.at, EVENING);
      }
    },
  },
  {
    name: 'a deletion records nothing without data.deleted, without a time, and of nothing',
    async check(storage) {
      await choose(storage, ['link.expired']);
      await withLink(storage, { accessCodeHash: hashOf(1) });
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 1);
      await choose(storage, ['data.deleted']);
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 0);
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      assert.equal(await storage.deleteExpiredLinks(later(60_001)), 1);
      assert.deepEqual(await eventsOf(storage), []);
    },
  },
  {
    name: 'a deletion of more than 500 links has an event for each 500',
    async check(storage) {
      await choose(storage, ['data.deleted']);
      await withLink(storage, { accessCodeHash: hashOf(0) });
      await concurrently(1000, (index) =>
        storage.insertLink(sampleLink({ accessCodeHash: hashOf(index + 1) })),
      );
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 1001);
      const events = await eventsOf(storage);
      const sizes = events.map((event) => (event.type === 'data.deleted' ? event.linkIds.length : 0));
      assert.ok(Math.max(...sizes) <= 500, `sizes ${sizes}`);
      assert.equal(new Set((await deleted(storage)).linkIds).size, 1001);
      assert.equal((await deleted(storage)).linkIds.length, 1001);
    },
  },
];

export const lifeRecordRules: readonly StorageRule<ProvisionedLifeRecords>[] = [
  {
    name: 'revokeLinks adds the moment link.revoked to each link that it revokes',
    async check(storage) {
      await withChosenLink(storage, { accessCodeHash: hashOf(1) });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), userId: 'user-2' }));
      await add(storage, { type: 'link.started', at: NOON }, 1, hashOf(2));
      assert.equal(await storage.revokeLinks({ clientId: CLIENT_ID, userId: USER_ID, at: later(1) }), 2);
      assert.deepEqual((await told(storage)).sort(), ['link.revoked 1', 'link.revoked 2', 'link.started 2']);
      assert.equal((await storage.listMoments(linkId(hashOf(2))))?.length, 2);
      assert.deepEqual(await storage.listMoments(linkId(hashOf(3))), []);
    },
  },
  {
    name: 'deleteUser deletes the events of the user, and names links and sessions',
    async check(storage) {
      await withChosenLink(storage, { accessCodeHash: hashOf(1) });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), userId: 'user-2' }));
      await submit(storage, hashOf(2), 'S-2', later(1));
      for (const number of [1, 3]) await add(storage, { type: 'link.started', at: NOON }, 1, hashOf(number));
      const records = await storage.deleteUser({ clientId: CLIENT_ID, userId: USER_ID, at: EVENING });
      assert.deepEqual([records.links, records.sessions, records.events], [2, 1, 2]);
      assert.deepEqual(await told(storage), ['link.started 3', ...(await toldDeletions(storage))]);
      assert.deepEqual(await deleted(storage), {
        whys: ['user'],
        linkIds: [hashOf(1), hashOf(2)],
        references: ['S-2'],
      });
    },
  },
  {
    name: 'deleteSessions deletes the events of its submissions, and leaves those of links and of deletions',
    async check(storage) {
      await withChosenLink(storage, { accessCodeHash: hashOf(1) });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2), expiresAt: later(1) }));
      await add(storage, { type: 'link.started', at: NOON }, 1, hashOf(1));
      await submit(storage, hashOf(1), 'S-1', later(2));
      assert.equal(await storage.deleteExpiredLinks(later(2), later(3)), 1);
      assert.equal(await storage.deleteSessions(EVENING, EVENING), 1);
      assert.deepEqual(await told(storage), ['link.started 1', 'data.deleted', 'data.deleted']);
      assert.deepEqual((await deleted(storage)).references, ['S-1']);
    },
  },
  {
    name: 'deleteSessions names sessions and their links, and a link is named with its row if no event named it with its session',
    async check(storage) {
      await choose(storage, ['data.deleted']);
      await withLink(storage, { accessCodeHash: hashOf(1) });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2), expiresAt: later(80_000) }));
      await submit(storage, hashOf(1), 'S-1');
      await submit(storage, hashOf(2), 'S-2');
      assert.equal(await storage.deleteExpiredLinks(later(60_001), EVENING), 1);
      assert.deepEqual((await deleted(storage)).linkIds, [], 'the session remains');
      assert.equal(await storage.deleteSessions(EVENING, EVENING), 2);
      assert.deepEqual(await deleted(storage), {
        whys: ['retention'],
        linkIds: [hashOf(1), hashOf(2)],
        references: ['S-1', 'S-2'],
      });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(3), expiresAt: later(80_000) }));
      await submit(storage, hashOf(3), 'S-3');
      assert.equal(await storage.deleteSessions(EVENING), 1, 'without an event');
      assert.equal(await storage.deleteExpiredLinks(EVENING, EVENING), 2);
      const { linkIds } = await deleted(storage);
      // The second link may be named again.
      assert.deepEqual([...new Set(linkIds)], [hashOf(1), hashOf(2), hashOf(3)]);
      assertCount(1, linkIds, (hash) => hash === hashOf(1));
    },
  },
];

export const lifeAdminRules: readonly StorageRule<
  ProvisionedLife & { deleteClient(clientId: string, at?: Date): unknown }
>[] = [
  {
    name: 'deleteClient deletes the events of the client, names its links and sessions, and leaves earlier deletions',
    async check(storage) {
      await withChosenLink(storage, { accessCodeHash: hashOf(1), expiresAt: later(1) });
      assert.equal(await storage.deleteExpiredLinks(later(2), later(2)), 1);
      for (const number of [2, 3]) await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
      await submit(storage, hashOf(3), 'S-3', NOON);
      await add(storage, { type: 'link.started', at: NOON }, 1, hashOf(2));
      await storage.insertClient({ clientId: OTHER });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(4), clientId: OTHER }));
      assert.equal(await storage.deleteClient(CLIENT_ID, EVENING), true);
      assert.equal(await storage.deleteClient(CLIENT_ID, EVENING), false);
      assert.deepEqual(await deleted(storage), {
        whys: ['retention', 'client'],
        linkIds: [hashOf(1), hashOf(2), hashOf(3)],
        references: ['S-3'],
      });
      assert.deepEqual(new Set(await told(storage)), new Set(['data.deleted']));
    },
  },
];

async function toldDeletions(storage: OutboxStorage): Promise<string[]> {
  return (await told(storage)).filter((text) => text === 'data.deleted');
}
