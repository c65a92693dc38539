// The rules of OutboxStorage and LifeStorage: each has a storage that breaks it, for each kind of events.
import t from 'tap';
import type { EventKey, OutboxStorage, StoredEvent } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { type StorageCase, storageSuite } from '../../lib/testing/index.js';
import { BROKEN_EVENTS } from './broken-events.js';
import { breakStorage } from './broken-storages.js';

const LIFE_METHODS = ['chooseEvents', 'addMoment', 'listMoments', 'addDueMoments'] as const;

/** Whether a case is about events. */
const isAboutEvents = ({ name, needs }: StorageCase) =>
  needs === 'OutboxStorage' || needs === 'LifeStorage' || name.startsWith('deleteClient deletes the events');

const rules = storageSuite(() => createMemoryStorage()).filter(isAboutEvents);

t.test('each rule has a storage that breaks it', async (t) => {
  const patterns = Object.values(BROKEN_EVENTS).map(([, detectedBy]) => detectedBy);
  t.same(
    rules.map(({ name }) => name).filter((name) => !patterns.some((pattern) => pattern.test(name))),
    [],
  );
});

for (const [defect, [, detectedBy]] of Object.entries(BROKEN_EVENTS))
  t.test(`a storage that ${defect} fails each case about it`, async (t) => {
    const cases = storageSuite(() => breakStorage(defect)(createMemoryStorage())).filter(
      (rule) => isAboutEvents(rule) && detectedBy.test(rule.name),
    );
    t.not(cases.length, 0);
    for (const { name, run } of cases) await t.rejects(run(), { name: 'AssertionError' }, name);
  });

t.test('the rules of leases, failures, lists and retries are checked for both kinds', async (t) => {
  const names = rules.map(({ name }) => name);
  const ofLinks = names.filter((name) => name.startsWith('events of links: '));
  t.equal(ofLinks.length, 12);
  for (const name of ofLinks) t.ok(names.includes(name.replace('events of links: ', '')), name);
});

/** An outbox as version 0.2 had it: of submissions alone, without types and kinds, found by the references of sessions. */
function outboxOfVersion02(): Omit<MemoryStorage, (typeof LIFE_METHODS)[number]> {
  const working = createMemoryStorage();
  const withoutType = (events: readonly StoredEvent[]) =>
    events.map(({ type: _, ...event }) => event as StoredEvent);
  const isKnown = async ({ clientId, reference, id }: EventKey) => {
    const query = { clientId, limit: 1000 };
    const pending = await working.listEvents({ state: 'pending', ...query });
    const events = [...pending, ...(await working.listEvents({ state: 'failed', ...query }))];
    return events.some((event) => 'session' in event && event.reference === reference && event.id === id);
  };
  const outbox = {
    ...working,
    leaseEvents: async ({ at, leaseUntil, limit }) =>
      withoutType(await working.leaseEvents({ at, leaseUntil, limit })),
    listEvents: async ({ kind: _, ...query }) => withoutType(await working.listEvents(query)),
    countEvents: ({ limit }) => working.countEvents({ limit }),
    async settleEvent(key) {
      if (await isKnown(key)) await working.settleEvent(key);
    },
    async postponeEvent(failure) {
      if (await isKnown(failure)) await working.postponeEvent(failure);
    },
  } satisfies OutboxStorage & MemoryStorage;
  return Object.fromEntries(
    Object.entries(outbox).filter(([name]) => !LIFE_METHODS.some((method) => method === name)),
  ) as typeof outbox;
}

t.test('an OutboxStorage of version 0.2 without LifeStorage passes every case', async (t) => {
  for (const { name, run } of storageSuite(outboxOfVersion02)) await t.resolves(run(), name);
});

t.test('a LifeStorage without OutboxStorage fails each case about its events', async (t) => {
  const cases = storageSuite(() => {
    const { leaseEvents, settleEvent, postponeEvent, countEvents, listEvents, retryEvents, ...storage } =
      createMemoryStorage();
    return storage;
  }).filter(({ needs }) => needs === 'LifeStorage');
  t.ok(cases.length > 30);
  const message = 'A storage with LifeStorage must implement OutboxStorage, which keeps its events.';
  for (const { name, run } of cases) await t.rejects(run(), { message }, name);
});
