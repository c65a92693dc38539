// The storage suite detects each kind of broken storage, and passes on an AdminStorage and on a plain Storage.
import { AssertionError } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type { AdminStorage, OutboxStorage, RecordStorage, Storage } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { type StorageRecords, type StorageSuiteOptions, storageSuite } from '../../lib/testing/index.js';
import { BROKEN_STORAGES, breakStorage } from './broken-storages.js';
import { pooled } from './pool.js';
import { failedCases } from './run-cases.js';

for (const [defect, [, detectedBy]] of Object.entries(BROKEN_STORAGES)) {
  t.test(`a storage that ${defect} fails the case about it`, async (t) => {
    const cases = storageSuite(() => breakStorage(defect)(createMemoryStorage()));
    const failed = await failedCases(cases.filter(({ name }) => detectedBy.test(name)));
    t.not(failed.length, 0, 'the case about it fails');
  });
}

const CONCURRENT = /\b(?:concurrent|during)\b|is revoked while/;

for (const defect of [
  'reads the link before it revokes it, so that two revocations succeed',
  'reads the due events before it leases them',
])
  t.test(`a pool of one connection hides a storage that ${defect}; a pool of ten does not`, async (t) => {
    const [, detectedBy] = BROKEN_STORAGES[defect] ?? [];
    const failedWith = (connections: number) => {
      const cases = storageSuite(() =>
        pooled(breakStorage(defect)(asynchronous(createMemoryStorage())), connections),
      );
      return failedCases(cases.filter(({ name }) => detectedBy?.test(name)));
    };
    t.same(await failedWith(1), []);
    t.not((await failedWith(10)).length, 0);
  });

t.test('each case about concurrent calls has at least ten calls at once', async (t) => {
  let running = 0;
  let most = 0;
  let isAboutInsertions = false;
  const cases = storageSuite(() => {
    const { findClient, ...methods } = asynchronous(createMemoryStorage());
    const counted = Object.entries<(...args: never[]) => unknown>(methods as never).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        // Most cases insert their links at the same time as well.
        if (name === 'insertLink' && !isAboutInsertions) return method(...args);
        most = Math.max(most, ++running);
        return Promise.resolve(method(...args)).finally(() => running--);
      },
    ]);
    return { ...Object.fromEntries(counted), findClient };
  }).filter(({ name }) => CONCURRENT.test(name));
  t.ok(cases.length >= 19, String(cases.length));
  for (const { name, run } of cases) {
    most = 0;
    isAboutInsertions = name.includes('insertions');
    await run();
    t.ok(most >= 10, `${name}: ${most}`);
  }
});

t.test('a storage with asynchronous methods only passes', async (t) => {
  t.same(await failedCases(storageSuite(() => asynchronous(createMemoryStorage()))), []);
});

t.test(
  'a storage that returns objects of another realm passes, as with structuredClone in Jest',
  async (t) => {
    t.same(await failedCases(storageSuite(() => asynchronous(createMemoryStorage(), COPY))), []);
  },
);

/** A storage without the methods of AdminStorage. Its methods need `this`, as in most classes. */
class PlainTables {
  /** Stands for the tables of a host. */
  readonly tables = createMemoryStorage();

  /** Creates records past the interface of the storage, as a host does with SQL. */
  async writeTables({ clients, apiKeys, sessions }: StorageRecords) {
    for (const client of clients) await this.tables.insertClient(client);
    for (const apiKey of apiKeys) await this.tables.insertApiKey(apiKey);
    for (const session of sessions) await this.tables.insertSession(session);
  }
}
for (const name of STORAGE_METHODS.Storage)
  Object.defineProperty(PlainTables.prototype, name, {
    value(this: PlainTables, input: never) {
      return this.tables[name](input);
    },
  });
const createPlain = () => new PlainTables() as PlainTables & Storage;

t.test('a plain Storage runs no cases that need AdminStorage, and passes', async (t) => {
  const cases = storageSuite(createPlain, {
    provision: (storage, records) => storage.writeTables(records),
  });
  const all = storageSuite(() => createMemoryStorage());
  t.same(
    cases.map(({ name }) => name),
    all.filter(({ needs }) => needs !== 'AdminStorage').map(({ name }) => name),
  );
  t.ok(all.length >= 242 && cases.length >= 210, `${all.length}, ${cases.length}`);
  t.same(await failedCases(cases), []);
});

t.test('a storage with some methods of RecordStorage fails its cases, which name the others', async (t) => {
  const { deleteUser: _, reduceExpiredLinks: __, ...partial } = createMemoryStorage();
  const cases = storageSuite(() => partial).filter(({ needs }) => needs === 'RecordStorage');
  t.ok(cases.length > 20);
  for (const { name, run } of cases)
    await t.rejects(
      run(),
      { message: 'The storage lacks deleteUser, reduceExpiredLinks of RecordStorage.' },
      name,
    );
});

t.test('with a function that creates records, the cases of RecordStorage run as well', async (t) => {
  const cases = storageSuite(() => ({ ...createMemoryStorage(), revokeLinks: () => -1 }), {
    async provision(storage, { clients, apiKeys, sessions }) {
      for (const client of clients) await storage.insertClient(client);
      for (const apiKey of apiKeys) await storage.insertApiKey(apiKey);
      for (const session of sessions) await storage.insertSession(session);
    },
  });
  const failed = await failedCases(cases);
  t.equal(failed.length, 4);
  t.ok(
    failed.every((name) => name.includes('revokeLinks')),
    'the cases about the broken method',
    { failed },
  );
});

t.test('a storage with some methods of OutboxStorage only fails each case about it', async (t) => {
  const suite = storageSuite(() => {
    const { settleEvent: _, ...partial } = createMemoryStorage();
    return partial;
  });
  const cases = suite.filter(({ needs }) => needs === 'OutboxStorage');
  t.ok(cases.length >= 22, String(cases.length));
  for (const { name, run } of cases)
    await t.rejects(run(), { message: 'The storage lacks settleEvent of OutboxStorage.' }, name);
});

t.test('a memory AdminStorage passes every case', async (t) => {
  t.same(await failedCases(storageSuite(() => createMemoryStorage())), []);
});

t.test('a plain Storage without a function that creates records fails with its name', async (t) => {
  for (const { name, run } of storageSuite(createPlain as unknown as () => AdminStorage)) {
    const message = /^The storage has no insertClient\. Pass a function/;
    await t.rejects(run(), { name: 'TypeError', message }, name);
  }
});

t.test('two storages on one database pass; two that share nothing fail', async (t) => {
  const pairCases = (createPair: () => readonly [AdminStorage, AdminStorage]) =>
    storageSuite(() => createMemoryStorage(), { createPair }).filter(({ name }) =>
      name.startsWith('two storages: '),
    );
  const passing = pairCases(() => {
    const storage = createMemoryStorage();
    return [storage, { ...storage }];
  });
  t.ok(passing.length > 50);
  t.same(await failedCases(passing), []);
  const apart = pairCases(() => [createMemoryStorage(), createMemoryStorage()]);
  for (const rule of [
    /of 100 concurrent submissions of one link/,
    /lease each event once/,
    /pages contain every session/,
  ])
    t.not((await failedCases(apart.filter(({ name }) => rule.test(name)))).length, 0, String(rule));
});

t.test('a storage whose leaseEvents waits for the lock of another transaction fails', async (t) => {
  let unlocked = Promise.resolve();
  const createStorage = () => {
    const working = createMemoryStorage();
    const leaseEvents: OutboxStorage['leaseEvents'] = async (query) => {
      await unlocked;
      return working.leaseEvents(query);
    };
    return { ...working, leaseEvents };
  };
  const lockEvent = () => {
    const { promise, resolve } = withResolvers();
    unlocked = promise;
    return resolve;
  };
  const cases = storageSuite(createStorage, { lockEvent }).filter(({ name }) => name.includes('locked one'));
  t.same(
    cases.map(({ needs }) => needs),
    ['OutboxStorage', 'LifeStorage'],
  );
  for (const { run } of cases) await t.rejects(run(), { message: 'leaseEvents waits for the lock' });
});

t.test('an unknown option is rejected', async (t) => {
  const options = { createPairs: () => [] } as StorageSuiteOptions;
  t.throws(() => storageSuite(() => createMemoryStorage(), options), { code: 'options_invalid' });
});

t.test('names are unique', async (t) => {
  const createPair = () => [createMemoryStorage(), createMemoryStorage()] as const;
  const names = storageSuite(() => createMemoryStorage(), { createPair }).map(({ name }) => name);
  t.equal(new Set(names).size, names.length);
});

t.test('each case creates its own storage, and closes it also if the case fails', async (t) => {
  let created = 0;
  let closed = 0;
  const suite = storageSuite(async () => {
    created++;
    return { ...createMemoryStorage(), insertLink: () => false, close: () => void closed++ };
  });
  t.equal(created, 0, 'no storage before a run');
  for (const { run } of suite) await run().catch(() => undefined);
  t.equal(created, suite.length);
  t.equal(closed, suite.length);
});

t.test('a failing case rejects with an AssertionError', async (t) => {
  const suite = storageSuite(() => ({ ...createMemoryStorage(), insertLink: () => false }));
  const failing = suite.find(({ name }) => name.startsWith('findLink returns every member'));
  await t.rejects(failing?.run() ?? Promise.resolve(), AssertionError);
});

/** `Promise.withResolvers` of Node 22. */
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Copies plain data to objects of another realm. */
const COPY: (value: unknown) => unknown = runInNewContext(`(function copy(value) {
  if (Object.prototype.toString.call(value) === '[object Date]') return new Date(Number(value));
  if (Array.isArray(value)) return Array.from(value, copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]));
})`);

/** Returns the storage with promises that resolve after a turn of the event loop, as from a database. */
function asynchronous(
  working: MemoryStorage,
  copy = (result: unknown) => result,
): AdminStorage & OutboxStorage & RecordStorage {
  const { snapshot: _, ...methods } = working;
  const delayed = Object.entries<(...args: never[]) => unknown>(methods).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      await setImmediate();
      const result = await method(...args);
      await setImmediate();
      return copy(result);
    },
  ]);
  return Object.fromEntries(delayed);
}
