// Rules of OutboxStorage: the events, from their recording to their delivery. Those of each kind follow the same rules.

import type { DeliveryState, EventKey, NewEvent, OutboxStorage, StoredEvent } from '../../core/storage.js';
import { withinTime } from '../../core/time-limit.js';
import type { Awaitable } from '../../core/types.js';
import assert from './assert.js';
import {
  type EventSource,
  linkEvents,
  type NumberedEvent,
  type ProvisionedLife,
  type ProvisionedOutbox,
  submissionEvents,
  submitEvent,
} from './event-sources.js';
import {
  assertCount,
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

/**
 * Locks the row of a stored event in a transaction, on a connection that the storage does not use. Returns a function
 * that ends the transaction.
 */
export type LockEvent<S> = (storage: S, event: EventKey) => Awaitable<() => Awaitable<void>>;

/** A storage whose events can be locked. */
export interface LockableOutbox<S extends ProvisionedOutbox> {
  outbox: S;
  lockEvent(event: EventKey): Awaitable<() => Awaitable<void>>;
}

const EVENT: NewEvent = { id: 'event-1', attempts: 0, nextAttemptAt: NOON };
const OTHER = 'other';
/** The end of a lease, after every other time of a rule. */
const LEASE_END = later(60_000);
/** A reason of the greatest length. */
const REASON = `TypeError, cause: Error ${'E'.repeat(176)}`;

/** How long a call may take beside a lock that it must not wait for. */
const UNLOCKED_SECONDS = 2;

/** Returns the rule about locks for one kind of events. */
function lockRulesOf<S extends ProvisionedOutbox>({
  prefix,
  record,
}: EventSource<S>): StorageRule<LockableOutbox<S>>[] {
  return [
    {
      name: `${prefix}leaseEvents leases the other events while another transaction has locked one, and does not wait for it`,
      async check({ outbox, lockEvent }) {
        const [first, ...others] = await recordAll(outbox, record, [1, 2, 3]);
        const unlock = await lockEvent(first);
        const lease = leaseAll(outbox);
        try {
          const createError = () => new assert.AssertionError({ message: 'leaseEvents waits for the lock' });
          const leased = await withinTime(lease, UNLOCKED_SECONDS, createError);
          assert.deepEqual(ids(leased).sort(), ids(others).sort());
        } finally {
          await unlock();
          await lease;
        }
        assert.deepEqual(ids(await leaseAll(outbox)), [first.id]);
      },
    },
  ];
}

/** Returns the rules of one kind of events. */
function rulesOf<S extends ProvisionedOutbox>(source: EventSource<S>): StorageRule<S>[] {
  const { prefix, record, unknown, assertContent } = source;

  /** Records an event whose first attempt was the last one. */
  async function recordFailed(storage: S, failedAt: Date, event: NumberedEvent): Promise<EventKey> {
    const key = await record(storage, event);
    const failure = { attempts: 0, nextAttemptAt: failedAt, failedAt, reason: REASON };
    await storage.postponeEvent({ ...key, ...failure });
    return key;
  }

  const rules: StorageRule<S>[] = [
    {
      name: 'leaseEvents returns events that are due at the time or before it, and no others',
      async check(storage) {
        const keys = await recordAll(storage, record, [1, 2, 3], later);
        const leased = await storage.leaseEvents({ at: later(2), leaseUntil: LEASE_END, limit: 10 });
        assert.deepEqual(ids(leased), ids(keys.slice(0, 2)));
        assertContent(leased[1], { index: 2, due: later(2) });
      },
    },
    {
      name: 'leaseEvents returns up to limit events, those that were due first',
      async check(storage) {
        const keys = ids(await recordAll(storage, record, [5, 1, 4, 2, 3], later));
        const lease = async () =>
          ids(await storage.leaseEvents({ at: later(9), leaseUntil: LEASE_END, limit: 2 }));
        assert.deepEqual(await lease(), [keys[1], keys[3]]);
        assert.deepEqual(await lease(), [keys[4], keys[2]]);
        assert.deepEqual(await lease(), [keys[0]]);
        assert.deepEqual(await lease(), []);
      },
    },
    {
      name: 'leaseEvents counts the attempt, and leases the event again at leaseUntil',
      async check(storage) {
        const key = await record(storage, { index: 1 });
        const lease = (at: Date) => storage.leaseEvents({ at, leaseUntil: later(1000), limit: 10 });
        const [first] = await lease(NOON);
        assertState(first, { ...key, attempts: 1, nextAttemptAt: later(1000) });
        assert.deepEqual(await lease(later(999)), []);
        const [second] = await lease(later(1000));
        assert.deepEqual([second?.id, second?.attempts], [key.id, 2]);
      },
    },
    {
      name: 'concurrent calls of leaseEvents lease each event once',
      isRace: true,
      async check(storage) {
        const total = 24;
        for (let index = 0; index < total; index++) await record(storage, { index });
        for (let round = 1; round <= 5; round++) {
          const [at, leaseUntil] = [later(round * 100), later(round * 100 + 100)];
          const lease = () => storage.leaseEvents({ at, leaseUntil, limit: 2 });
          const leased = (await concurrently(POOL_SIZE, lease)).flat();
          for (let more = await lease(); more.length > 0; more = await lease()) leased.push(...more);
          assert.equal(leased.length, total, `round ${round}`);
          assert.equal(new Set(ids(leased)).size, total, `round ${round}`);
          assertCount(total, leased, ({ attempts }) => attempts === round);
        }
      },
    },
    {
      name: 'settleEvent deletes the event of one client, and ignores an unknown one',
      async check(storage) {
        const key = await record(storage, { index: 1 });
        const other = await record(storage, { index: 1, clientId: OTHER });
        await storage.settleEvent(unknown);
        for (let count = 0; count < 2; count++) await storage.settleEvent(key);
        assert.deepEqual(await pendingIds(storage), [other.id]);
      },
    },
    {
      name: 'postponeEvent stores the reason of the last failure, which retryEvents keeps',
      async check(storage) {
        const key = await recordFailed(storage, later(3), { index: 1 });
        const reasonIn = async (state: 'pending' | 'failed') =>
          (await storage.listEvents({ state, limit: 10 })).map(({ reason }) => reason);
        assert.deepEqual(await reasonIn('failed'), [REASON]);
        await storage.retryEvents({ at: NOON });
        assert.deepEqual(await reasonIn('pending'), [REASON]);
        const [event] = await leaseAll(storage);
        assert.equal(event?.reason, REASON);
        await storage.postponeEvent({ ...key, attempts: 1, nextAttemptAt: later(9), reason: 'Error' });
        assert.deepEqual(await reasonIn('pending'), ['Error']);
      },
    },
    {
      name: 'postponeEvent sets the time of the next attempt',
      async check(storage) {
        const key = await record(storage, { index: 1 });
        await leaseAll(storage);
        await storage.postponeEvent({ ...key, attempts: 1, nextAttemptAt: later(70_000), reason: REASON });
        assert.deepEqual(await leaseAll(storage, later(69_999)), []);
        const [event, ...others] = await leaseAll(storage, later(70_000));
        assert.deepEqual([event?.attempts, others], [2, []]);
      },
    },
    {
      name: 'postponeEvent changes nothing if the event has another number of attempts',
      async check(storage) {
        const key = await record(storage, { index: 1 });
        await leaseAll(storage);
        await leaseAll(storage, LEASE_END);
        const failure = { attempts: 1, nextAttemptAt: NOON, failedAt: NOON, reason: REASON };
        await storage.postponeEvent({ ...key, ...failure });
        const [event] = await storage.listEvents({ state: 'pending', limit: 10 });
        assertState(event, { ...key, attempts: 2, nextAttemptAt: LEASE_END });
      },
    },
    {
      name: 'postponeEvent ignores an event that was settled',
      async check(storage) {
        const key = await record(storage, { index: 1 });
        await leaseAll(storage);
        await storage.settleEvent(key);
        await storage.postponeEvent({ ...key, attempts: 1, nextAttemptAt: NOON, reason: REASON });
        assert.deepEqual(await counts(storage), [0, 0]);
      },
    },
    {
      name: 'an event with failedAt is not leased, and is listed and counted as failed',
      async check(storage) {
        const failedAt = later(3);
        const key = await recordFailed(storage, failedAt, { index: 1 });
        const pending = await record(storage, { index: 2 });
        assert.deepEqual(ids(await leaseAll(storage, LEASE_END)), [pending.id]);
        assert.deepEqual(await counts(storage), [1, 1]);
        assert.deepEqual(await pendingIds(storage), [pending.id]);
        const [event, ...others] = await storage.listEvents({ state: 'failed', limit: 10 });
        assert.equal(others.length, 0);
        assertState(event, { ...key, attempts: 0, nextAttemptAt: failedAt, failedAt, reason: REASON });
        assertContent(event, { index: 1 });
      },
    },
    {
      name: 'listEvents returns the events in their order, of one client or of all, up to limit',
      async check(storage) {
        const failed: string[] = [];
        for (const [index, failedAt] of [later(3), later(1), later(2)].entries())
          failed.push((await recordFailed(storage, failedAt, { index })).id);
        const other = await recordFailed(storage, later(2), { index: 9, clientId: OTHER });
        const pending = ids(await recordAll(storage, record, [26, 24, 25], later));
        const listed = async (query: Partial<Parameters<OutboxStorage['listEvents']>[0]>) =>
          ids(await storage.listEvents({ state: 'failed', limit: 10, ...query }));
        assert.deepEqual(await listed({ clientId: CLIENT_ID }), [failed[1], failed[2], failed[0]]);
        assert.deepEqual(await listed({ clientId: CLIENT_ID, limit: 2 }), [failed[1], failed[2]]);
        assert.deepEqual(await listed({ clientId: OTHER }), [other.id]);
        assert.equal((await listed({})).length, 4);
        assert.deepEqual(await listed({ state: 'pending' }), [pending[1], pending[2], pending[0]]);
      },
    },
    {
      name: 'retryEvents makes failed events pending again: of one client, or all',
      async check(storage) {
        const key = await recordFailed(storage, later(3), { index: 1 });
        for (const index of [2, 3]) await recordFailed(storage, later(4), { index });
        await recordFailed(storage, later(3), { index: 1, clientId: OTHER });
        await record(storage, { index: 8, due: LEASE_END });
        const retry = (selection: object) => storage.retryEvents({ ...selection, at: later(7) });
        assert.equal(await retry({ clientId: 'unknown' }), 0, 'those of another client');
        assert.equal(await retry({ clientId: CLIENT_ID }), 3, 'those of a client');
        const event = (await storage.listEvents({ state: 'pending', limit: 10 })).find(
          ({ id }) => id === key.id,
        );
        assertState(event, { ...key, attempts: 0, nextAttemptAt: later(7), reason: REASON });
        assert.deepEqual(await counts(storage), [4, 1]);
        assert.deepEqual(await counts(storage, 3), [3, 1], 'up to limit');
        assert.equal(await retry({}), 1, 'all');
        assert.equal(await retry({}), 0, 'none has failed');
        assert.deepEqual(
          (await leaseAll(storage, later(7))).map(({ attempts }) => attempts),
          [1, 1, 1, 1],
          'they are due, and their attempts count from 1',
        );
      },
    },
  ];
  return rules.map((rule) => ({ ...rule, name: `${prefix}${rule.name}` }));
}

export const outboxLockRules = lockRulesOf(submissionEvents);
export const lifeLockRules = lockRulesOf(linkEvents);

export const outboxRules: readonly StorageRule<ProvisionedOutbox>[] = [
  ...rulesOf(submissionEvents),
  {
    name: 'submitLink records the event with its session, client and user',
    async check(storage) {
      const event: NewEvent = { id: 'event-1', attempts: 1, nextAttemptAt: later(5) };
      await submitEvent(storage, 1, { event });
      const [stored, ...others] = await storage.listEvents({ state: 'pending', limit: 10 });
      assert.equal(others.length, 0, 'one event');
      assertState(stored, { clientId: CLIENT_ID, reference: 'S-1', ...event });
      submissionEvents.assertContent(stored, { index: 1 });
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
    name: 'settleEvent and postponeEvent do not change the event of a later session with the same reference',
    async check(storage) {
      const key = await submissionEvents.record(storage, { index: 1 });
      const earlier = { ...key, id: 'event-of-a-deleted-session' };
      await storage.settleEvent(earlier);
      const failure = { attempts: 0, nextAttemptAt: later(1), failedAt: later(1), reason: 'Error' };
      await storage.postponeEvent({ ...earlier, ...failure });
      const [event] = await storage.listEvents({ state: 'pending', limit: 10 });
      assertState(event, { ...key, attempts: 0, nextAttemptAt: NOON });
    },
  },
  {
    name: 'retryEvents makes the failed event of one session pending again',
    async check(storage) {
      const keys = await recordAll(storage, submissionEvents.record, [1, 2, 3]);
      const other = await submissionEvents.record(storage, { index: 1, clientId: OTHER });
      const failure = { attempts: 0, nextAttemptAt: later(3), failedAt: later(3), reason: REASON };
      for (const key of [...keys.slice(0, 2), other]) await storage.postponeEvent({ ...key, ...failure });
      const retry = (reference: string) =>
        storage.retryEvents({ clientId: CLIENT_ID, reference, at: later(7) });
      assert.equal(await retry('S-3'), 0, 'a pending event');
      assert.equal(await retry('S-9'), 0, 'an unknown event');
      assert.equal(await retry('S-1'), 1);
      assert.deepEqual(await pendingIds(storage), [keys[2]?.id, keys[0]?.id]);
      assert.deepEqual(await counts(storage), [2, 2]);
    },
  },
  {
    name: 'deleting sessions or a client deletes their events',
    async check(storage) {
      const submit = (index: number, date: Date, changes: { clientId?: string; id?: string } = {}) => {
        const { clientId = CLIENT_ID, id = `event-${index}` } = changes;
        const session = sampleSession({ reference: `S-${index}`, date });
        return submitEvent(storage, index, { clientId, session, event: { ...EVENT, id } });
      };
      await submit(1, NOON);
      await submit(2, later(10));
      await submit(1, later(10), { clientId: OTHER, id: 'event-other' });
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

/** The rules of a storage with events of both kinds. */
export const lifeOutboxRules: readonly StorageRule<ProvisionedLife>[] = [
  ...rulesOf(linkEvents),
  {
    name: 'leaseEvents, listEvents and countEvents select the events of a kind',
    async check(storage) {
      const submissions = await recordAll(storage, submissionEvents.record, [1, 2, 3], later);
      const events = await recordAll(storage, linkEvents.record, [11, 12], (index) => later(index - 11));
      const failure = { attempts: 0, nextAttemptAt: NOON, failedAt: NOON, reason: REASON };
      for (const [key] of [submissions, events]) await storage.postponeEvent({ ...key, ...failure });
      for (const [kind, [failed, ...pending]] of [
        ['submission', ids(submissions)],
        ['life', ids(events)],
      ] as const) {
        const list = async (state: 'pending' | 'failed', limit = 10) =>
          ids(await storage.listEvents({ state, kind, limit }));
        assert.deepEqual(await list('pending'), pending, kind);
        assert.deepEqual(await list('pending', 1), pending.slice(0, 1), kind);
        assert.deepEqual(await list('failed'), [failed], kind);
        assert.deepEqual(
          ids(await storage.listEvents({ state: 'pending', kind, clientId: OTHER, limit: 9 })),
          [],
        );
        assert.deepEqual(await storage.countEvents({ kind, limit: 10 }), {
          pending: pending.length,
          failed: 1,
        });
        assert.deepEqual(await storage.countEvents({ kind, limit: 1 }), { pending: 1, failed: 1 });
        const lease = (limit: number) =>
          storage.leaseEvents({ at: later(9), leaseUntil: LEASE_END, kind, limit });
        assert.deepEqual(ids(await lease(1)), pending.slice(0, 1), kind);
        assert.deepEqual(ids(await lease(10)), pending.slice(1), kind);
      }
    },
  },
  {
    name: 'without a kind, events of both kinds come in one order, and a limit counts both',
    async check(storage) {
      const keys: string[] = [];
      for (let index = 1; index <= 6; index++) {
        const { record } = index % 2 === 0 ? submissionEvents : linkEvents;
        keys.push((await record(storage, { index, due: later(index) })).id);
      }
      const list = async (limit: number) => ids(await storage.listEvents({ state: 'pending', limit }));
      assert.deepEqual(await list(10), keys);
      assert.deepEqual(await list(3), keys.slice(0, 3));
      assert.deepEqual(
        [await counts(storage), await counts(storage, 4)],
        [
          [6, 0],
          [4, 0],
        ],
      );
      const lease = async (limit: number) =>
        ids(await storage.leaseEvents({ at: later(5), leaseUntil: LEASE_END, limit }));
      assert.deepEqual(await lease(3), keys.slice(0, 3));
      assert.deepEqual(await lease(10), keys.slice(3, 5));
    },
  },
  {
    name: 'retryEvents makes failed events of both kinds pending again, and with a reference only that of its session',
    async check(storage) {
      const submission = await submissionEvents.record(storage, { index: 1 });
      const event = await linkEvents.record(storage, { index: 2 });
      const failure = { attempts: 0, nextAttemptAt: NOON, failedAt: NOON, reason: REASON };
      for (const key of [submission, event]) await storage.postponeEvent({ ...key, ...failure });
      const retry = (selection: object) =>
        storage.retryEvents({ clientId: CLIENT_ID, ...selection, at: later(7) });
      assert.equal(await retry({ reference: 'S-1' }), 1);
      assert.deepEqual(await pendingIds(storage), [submission.id]);
      await storage.postponeEvent({ ...submission, ...failure });
      assert.equal(await retry({}), 2);
      assert.deepEqual(await counts(storage), [2, 0]);
    },
  },
];

/** Records the numbered events, due at the time of their number. */
async function recordAll<S extends ProvisionedOutbox>(
  storage: S,
  record: EventSource<S>['record'],
  numbers: readonly [number, ...number[]],
  toDue: (index: number) => Date = () => NOON,
): Promise<[EventKey, ...EventKey[]]> {
  const [first, ...others] = numbers;
  const keys: [EventKey, ...EventKey[]] = [await record(storage, { index: first, due: toDue(first) })];
  for (const index of others) keys.push(await record(storage, { index, due: toDue(index) }));
  return keys;
}

async function leaseAll(storage: OutboxStorage, at = NOON): Promise<readonly StoredEvent[]> {
  return storage.leaseEvents({ at, leaseUntil: LEASE_END, limit: 100 });
}

async function pendingIds(storage: OutboxStorage): Promise<string[]> {
  return ids(await storage.listEvents({ state: 'pending', limit: 100 }));
}

function ids(events: readonly Pick<EventKey, 'id'>[]): string[] {
  return events.map(({ id }) => id);
}

/** Returns the numbers of pending and of failed events. */
async function counts(storage: OutboxStorage, limit = 100): Promise<[pending: number, failed: number]> {
  const { pending, failed } = await storage.countEvents({ limit });
  return [pending, failed];
}

/** Asserts the key and the state of an event. That of a submission has its type or none. */
function assertState(actual: StoredEvent | undefined, expected: EventKey & DeliveryState): void {
  assert.ok(actual !== undefined, 'the event exists');
  const { clientId, id, type = 'claim.submitted', attempts, nextAttemptAt, failedAt, reason } = actual;
  const reference = 'session' in actual ? actual.reference : undefined;
  assert.equal(
    type === 'claim.submitted',
    expected.reference !== undefined,
    'only a submission has a reference',
  );
  assert.deepEqual(
    { clientId, reference, id, attempts, nextAttemptAt, failedAt, reason },
    { reference: undefined, failedAt: undefined, reason: undefined, ...expected },
  );
}
