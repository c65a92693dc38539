// Rules of OutboxStorage: the events of submissions, from their recording to their delivery.

import type {
  AdminStorage,
  EventKey,
  EventRecord,
  NewEvent,
  OutboxStorage,
  RecordStorage,
  StoredEvent,
} from '../../core/storage.js';
import { withinTime } from '../../core/time-limit.js';
import type { Awaitable } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  assertSession,
  CLIENT_ID,
  concurrently,
  hashOf,
  later,
  NOON,
  POOL_SIZE,
  type StorageRule,
  sampleLink,
  sampleSession,
  sampleSubmission,
  USER_ID,
  withLink,
} from './samples.js';

/** A storage that keeps events. The rules about deletion apply if it has the methods that delete. */
export type ProvisionedOutbox = ProvisionedStorage &
  OutboxStorage &
  Partial<Pick<AdminStorage, 'deleteClient'> & Pick<RecordStorage, 'deleteSessions'>>;

/**
 * Locks the row of a stored event in a transaction, on a connection that the storage does not use. Returns a function
 * that ends the transaction.
 */
export type LockEvent<S> = (storage: S, event: EventKey) => Awaitable<() => Awaitable<void>>;

/** A storage whose events can be locked. */
export interface LockableOutbox {
  outbox: ProvisionedOutbox;
  lockEvent(event: EventKey): Awaitable<() => Awaitable<void>>;
}

const EVENT: NewEvent = { id: 'event-1', attempts: 0, nextAttemptAt: NOON };
/** The end of a lease, after every other time of a rule. */
const LEASE_END = later(60_000);
/** A reason of the greatest length. */
const REASON = `TypeError, cause: Error ${'E'.repeat(176)}`;

/** How long a call may take beside a lock that it must not wait for. */
const UNLOCKED_SECONDS = 2;

export const lockRules: readonly StorageRule<LockableOutbox>[] = [
  {
    name: 'leaseEvents leases the other events while another transaction has locked one, and does not wait for it',
    async check({ outbox, lockEvent }) {
      for (const index of [1, 2, 3]) await submit(outbox, index);
      const unlock = await lockEvent(key(1));
      const lease = leaseAll(outbox);
      try {
        const createError = () => new assert.AssertionError({ message: 'leaseEvents waits for the lock' });
        assert.deepEqual(ids(await withinTime(lease, UNLOCKED_SECONDS, createError)).sort(), [
          'event-2',
          'event-3',
        ]);
      } finally {
        await unlock();
        await lease;
      }
      assert.deepEqual(ids(await leaseAll(outbox)), ['event-1']);
    },
  },
];

export const outboxRules: readonly StorageRule<ProvisionedOutbox>[] = [
  {
    name: 'submitLink records the event with its session, client and user',
    async check(storage) {
      await submit(storage, 1, { event: { id: 'event-1', attempts: 1, nextAttemptAt: later(5) } });
      const [event, ...others] = await storage.listEvents({ state: 'pending', limit: 10 });
      assert.equal(others.length, 0, 'one event');
      assertEvent(event, { ...key(1), attempts: 1, nextAttemptAt: later(5) });
      assert.equal(event?.userId, USER_ID);
      assertSession(event?.session, sampleSession({ reference: 'S-1' }));
    },
  },
  {
    name: 'submitLink without an event records none',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      assert.deepEqual(await counts(storage), [0, 0]);
    },
  },
  {
    name: 'a rejected or repeated submission records no event',
    async check(storage) {
      const { expiresAt } = await withLink(storage, { accessCodeHash: hashOf(1) });
      const submitFirst = (changes: object) =>
        storage.submitLink(sampleSubmission(hashOf(1), { event: EVENT, ...changes }));
      assert.equal((await submitFirst({ accessCodeHash: hashOf(9) })).outcome, 'not_found');
      assert.equal((await submitFirst({ at: expiresAt })).outcome, 'expired');
      await storage.insertSession({ clientId: CLIENT_ID, userId: USER_ID, ...sampleSession() });
      assert.equal((await submitFirst({})).outcome, 'reference_taken');
      assert.deepEqual(await counts(storage), [0, 0], 'a rejected submission');
      const session = sampleSession({ reference: 'S-2' });
      assert.equal((await submitFirst({ session })).outcome, 'submitted');
      const again = { session: sampleSession({ reference: 'S-3' }), event: { ...EVENT, id: 'event-2' } };
      assert.equal((await submitFirst(again)).outcome, 'already_submitted');
      assert.deepEqual(await pendingIds(storage), ['event-1'], 'a repeated submission');
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(2) }));
      await storage.revokeLink({ clientId: CLIENT_ID, accessCodeHash: hashOf(2), at: NOON });
      assert.equal((await submitFirst({ ...again, accessCodeHash: hashOf(2) })).outcome, 'revoked');
      assert.deepEqual(await pendingIds(storage), ['event-1'], 'a submission of a revoked link');
    },
  },
  {
    name: 'concurrent submissions of one link record the event of the one that succeeds',
    isRace: true,
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      const results = await concurrently(20, (index) =>
        storage.submitLink(
          sampleSubmission(accessCodeHash, {
            session: sampleSession({ reference: `S-${index}` }),
            event: { ...EVENT, id: `event-${index}` },
          }),
        ),
      );
      assertCount(1, results, ({ outcome }) => outcome === 'submitted');
      const first = results.findIndex(({ outcome }) => outcome === 'submitted');
      assert.deepEqual(await pendingIds(storage), [`event-${first}`]);
    },
  },
  {
    name: 'leaseEvents returns events that are due at the time or before it, and no others',
    async check(storage) {
      for (const index of [1, 2, 3])
        await submit(storage, index, {
          event: { ...EVENT, id: `event-${index}`, nextAttemptAt: later(index) },
        });
      const leased = await storage.leaseEvents({ at: later(2), leaseUntil: LEASE_END, limit: 10 });
      assert.deepEqual(ids(leased), ['event-1', 'event-2']);
      assertSession(leased[1]?.session, sampleSession({ reference: 'S-2' }));
      assert.equal(leased[1]?.userId, USER_ID);
    },
  },
  {
    name: 'leaseEvents returns up to limit events, those that were due first',
    async check(storage) {
      for (const [index, due] of [5, 1, 4, 2, 3].entries())
        await submit(storage, index, { event: { ...EVENT, id: `due-${due}`, nextAttemptAt: later(due) } });
      const lease = () => storage.leaseEvents({ at: later(9), leaseUntil: LEASE_END, limit: 2 });
      assert.deepEqual(ids(await lease()), ['due-1', 'due-2']);
      assert.deepEqual(ids(await lease()), ['due-3', 'due-4']);
      assert.deepEqual(ids(await lease()), ['due-5']);
      assert.deepEqual(ids(await lease()), []);
    },
  },
  {
    name: 'leaseEvents counts the attempt, and leases the event again at leaseUntil',
    async check(storage) {
      await submit(storage, 1);
      const lease = (at: Date) => storage.leaseEvents({ at, leaseUntil: later(1000), limit: 10 });
      const [first] = await lease(NOON);
      assertEvent(first, { ...key(1), attempts: 1, nextAttemptAt: later(1000) });
      assert.deepEqual(await lease(later(999)), []);
      const [second] = await lease(later(1000));
      assert.deepEqual([second?.id, second?.attempts], ['event-1', 2]);
    },
  },
  {
    name: 'concurrent calls of leaseEvents lease each event once',
    isRace: true,
    async check(storage) {
      const total = 24;
      for (let index = 0; index < total; index++) await submit(storage, index);
      for (let round = 1; round <= 5; round++) {
        const [at, leaseUntil] = [later(round * 100), later(round * 100 + 100)];
        const lease = () => storage.leaseEvents({ at, leaseUntil, limit: 2 });
        const leased = (await concurrently(POOL_SIZE, lease)).flat();
        for (let more = await lease(); more.length > 0; more = await lease()) leased.push(...more);
        assert.equal(leased.length, total, `round ${round}`);
        assert.equal(new Set(leased.map(({ reference }) => reference)).size, total, `round ${round}`);
        assert.ok(
          leased.every(({ attempts }) => attempts === round),
          `round ${round}`,
        );
      }
    },
  },
  {
    name: 'settleEvent and postponeEvent do not change the event of a later session with the same reference',
    async check(storage) {
      await submit(storage, 1);
      const earlier = { ...key(1), id: 'event-of-a-deleted-session' };
      await storage.settleEvent(earlier);
      await storage.postponeEvent({
        ...earlier,
        attempts: 0,
        nextAttemptAt: later(1),
        failedAt: later(1),
        reason: 'Error',
      });
      const [event] = await storage.listEvents({ state: 'pending', limit: 10 });
      assertEvent(event, { ...key(1), attempts: 0, nextAttemptAt: NOON });
    },
  },
  {
    name: 'settleEvent deletes the event of one client, and ignores an unknown one',
    async check(storage) {
      await submit(storage, 1);
      await submit(storage, 1, { clientId: 'other', event: { ...EVENT, id: 'event-other' } });
      await storage.settleEvent(key(9));
      await storage.settleEvent(key(1));
      await storage.settleEvent(key(1));
      assert.deepEqual(await pendingIds(storage), ['event-other']);
    },
  },
  {
    name: 'postponeEvent stores the reason of the last failure, which retryEvents keeps',
    async check(storage) {
      await fail(storage, 1, later(3));
      const reasonIn = async (state: 'pending' | 'failed') =>
        (await storage.listEvents({ state, limit: 10 })).map(({ reason }) => reason);
      assert.deepEqual(await reasonIn('failed'), [REASON]);
      await storage.retryEvents({ at: NOON });
      assert.deepEqual(await reasonIn('pending'), [REASON]);
      const [event] = await leaseAll(storage);
      assert.equal(event?.reason, REASON);
      const next = { ...key(1), attempts: 1, nextAttemptAt: later(9), reason: 'Error' };
      await storage.postponeEvent(next);
      assert.deepEqual(await reasonIn('pending'), ['Error']);
    },
  },
  {
    name: 'postponeEvent sets the time of the next attempt',
    async check(storage) {
      await submit(storage, 1);
      await leaseAll(storage);
      await storage.postponeEvent({ ...key(1), attempts: 1, nextAttemptAt: later(70_000), reason: REASON });
      assert.deepEqual(await leaseAll(storage, later(69_999)), []);
      assert.deepEqual(
        (await leaseAll(storage, later(70_000))).map(({ attempts }) => attempts),
        [2],
      );
    },
  },
  {
    name: 'postponeEvent changes nothing if the event has another number of attempts',
    async check(storage) {
      await submit(storage, 1);
      await leaseAll(storage);
      await leaseAll(storage, LEASE_END);
      const failure = { attempts: 1, nextAttemptAt: NOON, failedAt: NOON, reason: REASON };
      await storage.postponeEvent({ ...key(1), ...failure });
      const [event] = await storage.listEvents({ state: 'pending', limit: 10 });
      assertEvent(event, { ...key(1), attempts: 2, nextAttemptAt: LEASE_END });
    },
  },
  {
    name: 'postponeEvent ignores an event that was settled',
    async check(storage) {
      await submit(storage, 1);
      await leaseAll(storage);
      await storage.settleEvent(key(1));
      await storage.postponeEvent({ ...key(1), attempts: 1, nextAttemptAt: NOON, reason: REASON });
      assert.deepEqual(await counts(storage), [0, 0]);
    },
  },
  {
    name: 'an event with failedAt is not leased, and is listed and counted as failed',
    async check(storage) {
      await fail(storage, 1, later(3));
      await submit(storage, 2);
      assert.deepEqual(ids(await leaseAll(storage, LEASE_END)), ['event-2']);
      assert.deepEqual(await counts(storage), [1, 1]);
      assert.deepEqual(await pendingIds(storage), ['event-2']);
      const [event, ...others] = await storage.listEvents({ state: 'failed', limit: 10 });
      assert.equal(others.length, 0);
      assertEvent(event, {
        ...key(1),
        attempts: 1,
        nextAttemptAt: later(3),
        failedAt: later(3),
        reason: REASON,
      });
      assertSession(event?.session, sampleSession({ reference: 'S-1' }));
    },
  },
  {
    name: 'listEvents returns the events in their order, of one client or of all, up to limit',
    async check(storage) {
      for (const [index, failedAt] of [later(3), later(1), later(2)].entries())
        await fail(storage, index, failedAt);
      await fail(storage, 9, later(2), 'other');
      for (const [index, due] of [6, 4, 5].entries())
        await submit(storage, 20 + index, {
          event: { ...EVENT, id: `due-${due}`, nextAttemptAt: later(due) },
        });
      const listed = async (query: Partial<Parameters<OutboxStorage['listEvents']>[0]>) =>
        ids(await storage.listEvents({ state: 'failed', limit: 10, ...query }));
      assert.deepEqual(await listed({ clientId: CLIENT_ID }), ['event-1', 'event-2', 'event-0']);
      assert.deepEqual(await listed({ clientId: CLIENT_ID, limit: 2 }), ['event-1', 'event-2']);
      assert.deepEqual(await listed({ clientId: 'other' }), ['event-other-9']);
      assert.equal((await listed({})).length, 4);
      assert.deepEqual(await listed({ state: 'pending' }), ['due-4', 'due-5', 'due-6']);
    },
  },
  {
    name: 'retryEvents makes failed events pending again: of one session, of one client, or all',
    async check(storage) {
      for (const index of [1, 2, 3]) await fail(storage, index, later(3));
      await fail(storage, 1, later(3), 'other');
      await submit(storage, 8, { event: { ...EVENT, id: 'pending', attempts: 1, nextAttemptAt: LEASE_END } });
      const retry = (selection: object) => storage.retryEvents({ ...selection, at: later(7) });
      assert.equal(await retry({ clientId: CLIENT_ID, reference: 'S-8' }), 0, 'a pending event');
      assert.equal(await retry({ clientId: CLIENT_ID, reference: 'S-9' }), 0, 'an unknown event');
      assert.equal(await retry({ clientId: CLIENT_ID, reference: 'S-1' }), 1, 'one event');
      const [event] = await storage.listEvents({ state: 'pending', limit: 1 });
      assertEvent(event, { ...key(1), attempts: 0, nextAttemptAt: later(7), reason: REASON });
      assert.equal(await retry({ clientId: CLIENT_ID }), 2, 'those of a client');
      assert.deepEqual(await counts(storage), [4, 1]);
      assert.deepEqual(await counts(storage, 3), [3, 1], 'up to limit');
      assert.equal(await retry({}), 1, 'all');
      assert.deepEqual(
        (await leaseAll(storage, later(7))).map(({ attempts }) => attempts),
        [1, 1, 1, 1],
        'they are due, and their attempts count from 1',
      );
    },
  },
  {
    name: 'deleting sessions or a client deletes their events',
    async check(storage) {
      await submit(storage, 1, { session: sampleSession({ date: NOON }) });
      await submit(storage, 2, { session: sampleSession({ reference: 'S-2', date: later(10) }) });
      await submit(storage, 1, { clientId: 'other', event: { ...EVENT, id: 'event-other' } });
      if (storage.deleteSessions) {
        assert.equal(await storage.deleteSessions(later(6)), 1);
        assert.deepEqual((await pendingIds(storage)).sort(), ['event-2', 'event-other']);
      }
      if (storage.deleteClient) {
        await storage.deleteClient(CLIENT_ID);
        assert.deepEqual(await pendingIds(storage), ['event-other']);
      }
    },
  },
];

function key(index: number): EventKey {
  return { clientId: CLIENT_ID, reference: `S-${index}`, id: `event-${index}` };
}

/** Inserts the numbered link of a client and submits it with the event of that number. */
async function submit(
  storage: ProvisionedOutbox,
  index: number,
  changes: Partial<Parameters<ProvisionedStorage['submitLink']>[0]> = {},
): Promise<void> {
  const { clientId = CLIENT_ID } = changes;
  if ((await storage.findClient(clientId)) === undefined) await storage.insertClient({ clientId });
  await storage.insertLink(sampleLink({ clientId, accessCodeHash: hashOf(index) }));
  const { outcome } = await storage.submitLink(
    sampleSubmission(hashOf(index), {
      session: sampleSession({ reference: `S-${index}` }),
      event: { ...EVENT, id: `event-${index}` },
      ...changes,
    }),
  );
  assert.equal(outcome, 'submitted');
}

/** Submits the numbered link, and lets its first attempt be the last one. */
async function fail(
  storage: ProvisionedOutbox,
  index: number,
  failedAt: Date,
  clientId = CLIENT_ID,
): Promise<void> {
  // Ids are unique among the events of all clients.
  const id = clientId === CLIENT_ID ? key(index).id : `event-${clientId}-${index}`;
  await submit(storage, index, { clientId, event: { ...EVENT, id, attempts: 1 } });
  const failure = { attempts: 1, nextAttemptAt: failedAt, failedAt, reason: REASON };
  await storage.postponeEvent({ ...key(index), clientId, id, ...failure });
}

async function leaseAll(storage: OutboxStorage, at = NOON): Promise<readonly StoredEvent[]> {
  return storage.leaseEvents({ at, leaseUntil: LEASE_END, limit: 100 });
}

async function pendingIds(storage: OutboxStorage): Promise<string[]> {
  return ids(await storage.listEvents({ state: 'pending', limit: 100 }));
}

function ids(events: readonly StoredEvent[]): string[] {
  return events.map(({ id }) => id);
}

/** Returns the numbers of pending and of failed events. */
async function counts(storage: OutboxStorage, limit = 100): Promise<[pending: number, failed: number]> {
  const { pending, failed } = await storage.countEvents({ limit });
  return [pending, failed];
}

/** Asserts every member of an event but its session. */
function assertEvent(actual: StoredEvent | undefined, expected: EventRecord): void {
  assert.ok(actual !== undefined, 'the event exists');
  const { clientId, reference, id, attempts, nextAttemptAt, failedAt, reason } = actual;
  assert.deepEqual(
    { clientId, reference, id, attempts, nextAttemptAt, failedAt, reason },
    { failedAt: undefined, reason: undefined, ...expected },
  );
}
