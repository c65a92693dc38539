// Events of submissions: recorded with the submission, delivered at once, and again until onSubmit succeeds.
import { createHash } from 'node:crypto';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { type Claimlink, createClaimlink } from '../../lib/claimlink.js';
import { hashAccessCode } from '../../lib/core/credentials.js';
import {
  DELIVERY_ATTEMPTS,
  delayAfter,
  LEASE_SECONDS,
  MAX_DELAY_SECONDS,
} from '../../lib/core/delivery-attempt.js';
import { deliveryError } from '../../lib/core/delivery-error.js';
import { isSubmission } from '../../lib/core/event-kind.js';
import type { ClaimlinkOptions } from '../../lib/core/options.js';
import type { EventKey, FailedAttempt, OutboxStorage, Storage } from '../../lib/core/storage.js';
import type { SubmissionEvent } from '../../lib/core/types.js';
import { createWorld, linkRequest, PUBLIC_URL, type World, type WorldOptions } from './world.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const CAUSE = new Error('The claims system does not answer.');

/** Creates a world without onSubmit that has recorded so many events, all due. */
async function recorded(count: number, options: WorldOptions = {}): Promise<World> {
  const world = await createWorld({ withoutOnSubmit: true, recordSubmissions: true, ...options });
  for (let index = 0; index < count; index++) await world.submitJson(await world.mint());
  return world;
}

/** Creates another service over the storage and the clock of a world, as another process has. */
function deliverer(
  { storage, signer, now, errors }: World,
  onSubmit: NonNullable<ClaimlinkOptions['onSubmit']>,
  wrapped: Storage = storage,
): Claimlink {
  return createClaimlink({
    storage: wrapped,
    signer,
    publicUrl: PUBLIC_URL,
    widget: false,
    now,
    onSubmit,
    onError: (error, request, submission) =>
      void errors.push({ error, request, ...(submission && { submission }) }),
  });
}

/** Lets an onSubmit that never settles reach its time limit. */
function useTimers(test: Pick<typeof t, 'teardown'>): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  test.teardown(() => mock.timers.reset());
}

t.test('a submission is delivered at once, and its event is settled', async (t) => {
  const world = await createWorld();
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  t.match(world.events, [{ attempt: 1, clientId: 'acme', userId: 'user-1' }]);
  t.same(await world.storage.countEvents({ limit: 100 }), { pending: 0, failed: 0 });
});

t.test('a failed onSubmit is repeated after 5 to 10 seconds, with the same id', async (t) => {
  const calls: unknown[] = [];
  const world = await createWorld({
    onSubmit: ({ id, attempt }) => {
      calls.push({ id, attempt });
      if (attempt === 1) throw CAUSE;
    },
  });
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  const [event] = (await world.storage.listEvents({ state: 'pending', limit: 10 })).filter(isSubmission);
  t.same(world.errors, [
    {
      error: CAUSE,
      request: undefined,
      submission: {
        clientId: 'acme',
        userId: 'user-1',
        reference: event?.reference,
        attempt: 1,
        isFinal: false,
      },
    },
  ]);
  world.advance(4.9 * SECOND);
  t.same(await world.claimlink.deliverPending(), { delivered: 0, failedAttempts: 0, pending: 1, failed: 0 });
  world.advance(5.1 * SECOND);
  t.same(await world.claimlink.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 0, failed: 0 });
  t.same(
    calls,
    [1, 2].map((attempt) => ({ id: event?.id, attempt })),
  );
});

t.test('a submission whose process ended is delivered by another one after its lease', async (t) => {
  useTimers(t);
  const world = await createWorld({ onSubmit: () => new Promise(() => undefined) });
  await world.submitJson(await world.mint());
  const attempts: number[] = [];
  const other = deliverer(world, ({ attempt }) => void attempts.push(attempt));
  world.advance(LEASE_SECONDS * SECOND - 1);
  t.same(await other.deliverPending(), { delivered: 0, failedAttempts: 0, pending: 1, failed: 0 });
  world.advance(1);
  t.same(await other.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 0, failed: 0 });
  t.same(attempts, [2]);
});

t.test('recordSubmissions without onSubmit: another process delivers, as attempt 1', async (t) => {
  const world = await recorded(1);
  const attempts: number[] = [];
  const other = deliverer(world, ({ attempt }) => void attempts.push(attempt));
  t.same(await other.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 0, failed: 0 });
  t.same(attempts, [1]);
  await t.rejects(world.claimlink.deliverPending(), {
    code: 'options_invalid',
    problems: [{ pointer: '/onEvent', rule: 'required' }],
  });
});

t.test('an event is leased as long as an attempt of deliverPending may last', async (t) => {
  const world = await recorded(1);
  const never = deliverer(world, () => new Promise(() => {}));
  useTimers(t);
  void never.deliverPending();
  await setImmediate();
  let attempts = 0;
  const other = deliverer(world, () => void attempts++);
  world.advance(LEASE_SECONDS * SECOND - 1);
  await other.deliverPending();
  t.equal(attempts, 0, 'before the end of the lease');
  world.advance(1);
  await other.deliverPending();
  t.equal(attempts, 1, 'at its end');
});

t.test('onSubmit gets the linkId and the extra of the link, in every attempt', async (t) => {
  const events: SubmissionEvent[] = [];
  const world = await createWorld({
    onSubmit: (event) => {
      events.push(event);
      if (event.attempt === 1) throw CAUSE;
    },
  });
  const extra = { case: 'K-7' };
  const { config } = linkRequest();
  const link = await world.mint({ config: { ...config, extra } });
  const linkId = hashAccessCode(link.accessCode);
  await world.submitJson(link);
  await world.claimlink.idle();
  world.advance(10 * SECOND);
  await world.claimlink.deliverPending();
  t.strictSame(
    events.map((event) => [event.attempt, event.linkId, event.session.link]),
    [1, 2].map((attempt) => [attempt, linkId, { linkId, extra }]),
  );
  const { sessions } = await world.claimlink.listClientSessions('acme');
  t.strictSame(sessions[0]?.link, { linkId, extra }, 'the record of the session has them');
  t.notMatch((await world.list()).body, /K-7|linkId/, 'the listing does not');
  const exported = await world.claimlink.exportUser('acme', 'user-1');
  t.strictSame(exported.sessions[0]?.link, { linkId, extra });
});

t.test('an event of a session without a link has no linkId', async (t) => {
  const world = await recorded(1);
  const { leaseEvents } = world.storage;
  const storage = {
    ...world.storage,
    leaseEvents: async (query: Parameters<typeof leaseEvents>[0]) =>
      (await leaseEvents(query)).filter(isSubmission).map((event) => {
        const { link: _, ...session } = event.session;
        return { ...event, session };
      }),
  };
  const events: SubmissionEvent[] = [];
  await deliverer(world, (event) => void events.push(event), storage).deliverPending();
  t.notOk('linkId' in (events[0] ?? { linkId: '' }));
});

t.test('the event of a session stays if the delivery of a deleted one with its reference ends', async (t) => {
  // The second onSubmit never settles.
  useTimers(t);
  for (const succeeds of [true, false]) {
    let end: () => void = () => undefined;
    const world = await createWorld({
      newReference: () => 'S-1',
      onSubmit: ({ userId }) =>
        new Promise((resolve, reject) => {
          if (userId === 'user-1') end = () => (succeeds ? resolve() : reject(CAUSE));
        }),
    });
    await world.submitJson(await world.mint());
    await world.claimlink.deleteUser('acme', 'user-1');
    const { config } = linkRequest();
    await world.submitJson(await world.mint({ config: { ...config, currentUserId: 'user-2' } }));
    const before = await world.storage.listEvents({ state: 'pending', limit: 10 });
    end();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    t.strictSame(await world.storage.listEvents({ state: 'pending', limit: 10 }), before);
    t.match(before, [{ userId: 'user-2', reference: 'S-1' }]);
  }
});

t.test('a failed event stores names and codes of the error and its causes, and no message', async (t) => {
  const cause = Object.assign(new Error('connect to ada@example.com'), { code: 'ECONNREFUSED' });
  const error = new TypeError('fetch failed for Ada', { cause });
  const world = await createWorld({ onSubmit: () => Promise.reject(error) });
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  t.match(await world.storage.listEvents({ state: 'pending', limit: 10 }), [
    { reason: 'TypeError, cause: Error ECONNREFUSED' },
  ]);
});

t.test('without onSubmit and recordSubmissions no event is recorded', async (t) => {
  const world = await recorded(1, { recordSubmissions: false });
  t.same(await world.storage.countEvents({ limit: 100 }), { pending: 0, failed: 0 });
});

t.test('recordSubmissions: false calls onSubmit once, over a storage without events', async (t) => {
  const submissions: object[] = [];
  const world = await createWorld({
    recordSubmissions: false,
    wrapStorage: ({ leaseEvents: _, ...storage }) => ({
      ...storage,
      submitLink: (submission) => {
        submissions.push(submission);
        return storage.submitLink(submission);
      },
    }),
    onSubmit: () => {
      throw CAUSE;
    },
  });
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  t.notOk('event' in (submissions[0] ?? {}), 'the storage gets no event');
  t.match(world.errors, [{ error: CAUSE, submission: { attempt: 1, isFinal: true } }]);
  await t.rejects(world.claimlink.deliverPending(), {
    code: 'options_invalid',
    problems: [{ pointer: '/storage', rule: 'combination' }],
  });
});

t.test('onSubmit fails for an hour: then all are delivered, bounded and spread over time', async (t) => {
  const count = 300;
  const start = { time: 0 };
  const deliveredAt: number[] = [];
  const schedule = new Map<number, number[]>();
  const world = await createWorld({
    onSubmit: ({ attempt }) => {
      const time = world.now().getTime() - start.time;
      schedule.set(attempt, [...(schedule.get(attempt) ?? []), time / SECOND]);
      if (time < HOUR) throw CAUSE;
      deliveredAt.push(time);
    },
  });
  start.time = world.now().getTime();
  for (let index = 0; index < count; index++) await world.submitJson(await world.mint());
  await world.claimlink.idle();
  const perCall: number[] = [];
  while (deliveredAt.length < count && world.now().getTime() < start.time + 4 * HOUR) {
    world.advance(10 * SECOND);
    const { delivered, failedAttempts } = await world.claimlink.deliverPending();
    perCall.push(delivered + failedAttempts);
  }
  for (const [attempt, seconds] of schedule) {
    const range = `${Math.min(...seconds)} to ${Math.max(...seconds)} s`;
    t.comment(`attempt ${attempt}: ${seconds.length} events, ${range} after the submission`);
  }
  const sinceHour = perCall.slice(HOUR / (10 * SECOND) - 1);
  t.comment(`most attempts in one call: ${Math.max(...perCall)}, after the hour ${Math.max(...sinceHour)}`);
  t.equal(deliveredAt.length, count, 'all are delivered');
  const lastAttempt = Math.max(...schedule.keys());
  t.ok(lastAttempt <= 11, `at most 11 attempts: ${lastAttempt}`);
  t.ok(Math.max(...deliveredAt) <= HOUR + 5120 * SECOND, 'within one delay after the hour');
  t.ok(Math.max(...sinceHour) < count / 10, 'after the hour the events are not due together');
  t.same(await world.storage.countEvents({ limit: 100 }), { pending: 0, failed: 0 });
});

t.test('the delay doubles up to 6 hours and is reduced by up to half, by the id of the event', async (t) => {
  const longest = '00000000-0000-4000-8000-000000000000';
  const shortest = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
  t.same(
    [1, 2, 3, 11, 12, 13, 20].map((attempt) => delayAfter(attempt, longest)),
    [10, 20, 40, 10_240, 20_480, MAX_DELAY_SECONDS, MAX_DELAY_SECONDS],
  );
  t.equal(Math.round(delayAfter(1, shortest)), 5);
  t.equal(delayAfter(1, 'xyz'), 10, 'an id without hex digits');
  const tenths = new Set<number>();
  for (let index = 0; index < 200; index++) {
    const id = createHash('sha256').update(String(index)).digest('hex');
    tenths.add(Math.floor((delayAfter(1, id) - 5) * 2));
  }
  t.equal(tenths.size, 10, 'every tenth of the range has events');
});

t.test('deliveryError without a retry fails the event at once; a command can repeat it', async (t) => {
  const world = await recorded(1);
  let calls = 0;
  const service = deliverer(world, () => {
    if (calls++ === 0) throw deliveryError('The receiver has ended.', { cause: CAUSE, retry: false });
  });
  t.match(await service.deliverPending(), { failedAttempts: 1, pending: 0, failed: 1 });
  t.match(world.errors, [{ submission: { attempt: 1, isFinal: true } }]);
  const [event] = await world.storage.listEvents({ state: 'failed', limit: 10 });
  t.match(event, { attempts: 1, reason: 'DeliveryError, cause: Error' });
  await service.retryEvents();
  t.match(await service.deliverPending(), { delivered: 1, pending: 0, failed: 0 });
});

t.test('the Date of deliveryError is the time of the next attempt, 1 second to 6 hours later', async (t) => {
  for (const [seconds, expected] of [
    [0.5, 1],
    [-100, 1],
    [120, 120],
    [MAX_DELAY_SECONDS, MAX_DELAY_SECONDS],
    [MAX_DELAY_SECONDS + 1, MAX_DELAY_SECONDS],
    [1e9, MAX_DELAY_SECONDS],
  ] as const) {
    const world = await recorded(1);
    const retry = new Date(world.now().getTime() + seconds * SECOND);
    const service = deliverer(world, () => {
      throw deliveryError('Later.', { retry });
    });
    t.match(await service.deliverPending(), { failedAttempts: 1, pending: 1 });
    const [event] = await world.storage.listEvents({ state: 'pending', limit: 10 });
    t.strictSame(event?.nextAttemptAt, new Date(world.now().getTime() + expected * SECOND), String(seconds));
  }
});

t.test('20 attempts are the maximum also with deliveryError', async (t) => {
  const world = await recorded(1);
  const service = deliverer(world, () => {
    throw deliveryError('Later.', { retry: new Date(world.now().getTime() + SECOND) });
  });
  for (let attempt = 0; attempt < DELIVERY_ATTEMPTS; attempt++) {
    await service.deliverPending();
    world.advance(SECOND);
  }
  t.match(await service.deliverPending(), { failedAttempts: 0, pending: 0, failed: 1 });
});

t.test('the service knows the error of another copy of the package', async (t) => {
  const copy = Object.assign(new Error('Ended.'), { [Symbol.for('claimlink.delivery.retry')]: false });
  const world = await recorded(1);
  const service = deliverer(world, () => Promise.reject(copy));
  t.match(await service.deliverPending(), { pending: 0, failed: 1 });
});

t.test('deliveryError rejects another retry', (t) => {
  for (const retry of [true, undefined, 5, '2026-01-01', new Date(Number.NaN)])
    t.throws(() => deliveryError('Later.', { retry: retry as Date }), { code: 'options_invalid' });
  t.end();
});

t.test('after 20 attempts an event stays as failed, until it is retried', async (t) => {
  let isBroken = true;
  const attempts: number[] = [];
  const world = await createWorld({
    onSubmit: ({ attempt }) => {
      attempts.push(attempt);
      if (isBroken) throw CAUSE;
    },
  });
  await world.submitJson(await world.mint());
  await world.claimlink.idle();
  const start = world.now().getTime();
  let end = start;
  for (let hours = 0; hours < 24 * 7; hours++) {
    world.advance(HOUR);
    const { failedAttempts } = await world.claimlink.deliverPending();
    if (failedAttempts > 0) end = world.now().getTime();
  }
  t.same(
    attempts,
    Array.from({ length: DELIVERY_ATTEMPTS }, (_, index) => index + 1),
  );
  t.ok(end - start > 24 * HOUR && end - start < 72 * HOUR, 'in 1 to 3 days');
  const none = { delivered: 0, failedAttempts: 0, pending: 0 };
  t.same(await world.claimlink.deliverPending(), { ...none, failed: 1 }, 'it is counted as failed');
  t.match(await world.storage.listEvents({ state: 'failed', limit: 10 }), [
    { attempts: 20, failedAt: new Date(end).toISOString() },
  ]);
  t.same(
    world.errors.map(({ submission }) => [submission?.attempt, submission?.isFinal]),
    attempts.map((attempt) => [attempt, attempt === DELIVERY_ATTEMPTS]),
    'onError gets the attempt, and whether it is the last one',
  );
  isBroken = false;
  t.equal(await world.storage.retryEvents({ at: world.now() }), 1);
  t.same(await world.claimlink.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 0, failed: 0 });
  t.equal(attempts.at(-1), 1, 'attempts count from 1 again');
});

t.test('an event whose 20th attempt did not end becomes failed without a further call', async (t) => {
  const { storage, ...world } = await recorded(1);
  for (let attempt = 1; attempt <= DELIVERY_ATTEMPTS; attempt++)
    await storage.leaseEvents({ at: world.now(), leaseUntil: world.now(), limit: 1 });
  const other = deliverer({ storage, ...world }, () => void t.fail('onSubmit is called'));
  t.same(await other.deliverPending(), { delivered: 0, failedAttempts: 1, pending: 0, failed: 1 });
  t.match(world.errors, [
    { error: { message: /^The last of 20 attempts/ }, submission: { attempt: 20, isFinal: true } },
  ]);
});

t.test('an onSubmit that does not end within its lease is a failed attempt', async (t) => {
  const world = await recorded(1);
  useTimers(t);
  let calls = 0;
  const other = deliverer(world, () => {
    calls++;
    return new Promise(() => undefined);
  });
  const result = other.deliverPending();
  while (calls === 0) await setImmediate();
  mock.timers.tick(LEASE_SECONDS * SECOND);
  t.same(await result, { delivered: 0, failedAttempts: 1, pending: 1, failed: 0 });
  t.match(world.errors, [{ error: { message: 'onSubmit or onEvent did not end within 60 s.' } }]);
});

t.test('two processes share the work: each event is delivered once, at most 10 at a time', async (t) => {
  const world = await recorded(60);
  const ids: string[] = [];
  const parallel = [0, 0];
  const highest = [0, 0];
  const results = await Promise.all(
    [0, 1].map((process) =>
      deliverer(world, async ({ id }) => {
        ids.push(id);
        parallel[process] = Number(parallel[process]) + 1;
        highest[process] = Math.max(Number(highest[process]), Number(parallel[process]));
        await setImmediate();
        parallel[process] = Number(parallel[process]) - 1;
      }).deliverPending(),
    ),
  );
  t.equal(new Set(ids).size, 60);
  t.equal(ids.length, 60);
  t.same(highest, [10, 10]);
  t.equal(
    results.reduce((sum, { delivered }) => sum + delivered, 0),
    60,
  );
  t.ok(
    results.every(({ delivered }) => delivered > 0),
    'both delivered some',
  );
});

t.test('one call makes one attempt for each event, however long it takes', async (t) => {
  const world = await recorded(15);
  const other = deliverer(world, () => {
    world.advance(HOUR);
    throw CAUSE;
  });
  t.same(await other.deliverPending(), { delivered: 0, failedAttempts: 15, pending: 15, failed: 0 });
});

t.test('a storage that fails rejects the call, after the attempts that have begun', async (t) => {
  const world = await recorded(12);
  let leases = 0;
  let ended = 0;
  const storage: Storage = {
    ...world.storage,
    leaseEvents: (query: Parameters<typeof world.storage.leaseEvents>[0]) => {
      if (leases++ > 0) throw CAUSE;
      return world.storage.leaseEvents(query);
    },
  } as Storage;
  const onSubmit = async () => {
    for (let turn = 0; turn < ended; turn++) await setImmediate();
    ended++;
  };
  await t.rejects(deliverer(world, onSubmit, storage).deliverPending(), CAUSE);
  t.equal(ended, 10, 'the first 10 attempts have ended');
  t.same(await world.storage.countEvents({ limit: 100 }), { pending: 2, failed: 0 });
});

t.test('an event that cannot be settled is reported, counts as delivered, and is repeated', async (t) => {
  const world = await recorded(1);
  const ids: string[] = [];
  const storage = { ...world.storage, settleEvent: () => Promise.reject(CAUSE) };
  const onSubmit = ({ id }: { id: string }) => void ids.push(id);
  const broken = deliverer(world, onSubmit, storage);
  t.same(await broken.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 1, failed: 0 });
  t.match(world.errors, [{ error: CAUSE }]);
  world.advance(LEASE_SECONDS * SECOND);
  t.same(await deliverer(world, onSubmit).deliverPending(), {
    delivered: 1,
    failedAttempts: 0,
    pending: 0,
    failed: 0,
  });
  t.equal(ids[0], ids[1]);
});

for (const recordSubmissions of [true, false])
  t.test(`idle waits for onSubmit and its event, recordSubmissions: ${recordSubmissions}`, async (t) => {
    let end: () => void = () => undefined;
    const world = await createWorld({
      recordSubmissions,
      onSubmit: () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    });
    await world.claimlink.idle();
    await world.submitJson(await world.mint());
    let isIdle = false;
    const idle = world.claimlink.idle().then(() => {
      isIdle = true;
    });
    await setImmediate();
    t.notOk(isIdle);
    end();
    await idle;
    t.same(await world.storage.countEvents({ limit: 100 }), { pending: 0, failed: 0 });
  });

t.test('idle waits for a delivery that begins while it waits', async (t) => {
  const ends: (() => void)[] = [];
  const world = await createWorld({ onSubmit: () => new Promise((resolve) => void ends.push(resolve)) });
  await world.submitJson(await world.mint());
  let isIdle = false;
  const idle = world.claimlink.idle().then(() => {
    isIdle = true;
  });
  await world.submitJson(await world.mint());
  t.equal(ends.length, 2);
  ends[0]?.();
  await setImmediate();
  t.notOk(isIdle);
  ends[1]?.();
  await idle;
  t.same(await world.storage.countEvents({ limit: 100 }), { pending: 0, failed: 0 });
});

t.test('while idle waits, deliverPending begins no further attempts', async (t) => {
  const world = await recorded(30);
  let calls = 0;
  const other = deliverer(world, async () => {
    calls++;
    await setImmediate();
  });
  const result = other.deliverPending();
  while (calls === 0) await Promise.resolve();
  await other.idle();
  t.same(await result, { delivered: 10, failedAttempts: 0, pending: 20, failed: 0 });
  t.same(
    await other.deliverPending(),
    { delivered: 20, failedAttempts: 0, pending: 0, failed: 0 },
    'afterwards it works again',
  );
});

t.test(
  'an outbox of 0.2 for submissions alone works: no types, no kinds, keys with the reference',
  async (t) => {
    const keys: unknown[] = [];
    const plain = ({ storage }: World): Storage & OutboxStorage => {
      const { chooseEvents: _, addMoment: __, listMoments: ___, addDueMoments: ____, ...others } = storage;
      return {
        ...others,
        leaseEvents: async (query) => {
          const { kind: _, ...withoutKind } = query;
          return (await storage.leaseEvents(withoutKind))
            .filter(isSubmission)
            .map(({ type: _, ...event }) => event);
        },
        settleEvent(key: EventKey & { reference: string }) {
          keys.push(key);
          return storage.settleEvent(key);
        },
        postponeEvent(failure: FailedAttempt & { reference: string }) {
          const { clientId, reference, id, attempts, reason } = failure;
          keys.push({ clientId, reference, id, attempts, reason });
          return storage.postponeEvent(failure);
        },
      };
    };
    const world = await recorded(1);
    const [event] = (await world.storage.listEvents({ state: 'pending', limit: 10 })).filter(isSubmission);
    const key = { clientId: 'acme', reference: event?.reference, id: event?.id };
    const told: string[] = [];
    const failsOnce = ({ type, attempt }: SubmissionEvent) => {
      told.push(`${type} ${attempt}`);
      if (attempt === 1) throw CAUSE;
    };
    const claimlink = deliverer(world, failsOnce, plain(world));
    t.match(await claimlink.deliverPending(), { failedAttempts: 1, pending: 1 });
    t.match(await claimlink.listEvents({ state: 'pending' }), [{ type: 'claim.submitted', ...key }]);
    world.advance(10 * SECOND);
    t.match(await claimlink.deliverPending(), { delivered: 1, pending: 0 });
    t.same(told, ['claim.submitted 1', 'claim.submitted 2']);
    t.same(keys, [{ ...key, attempts: 1, reason: 'Error' }, key]);
  },
);
