// The storage suite is not vacuous: each kind of broken storage fails at least the case that is about it.
import { AssertionError } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import type { AdminStorage } from '../../lib/core/storage.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';
import { BROKEN } from './broken-storages.js';

for (const [what, { break: breakage, caughtBy }] of Object.entries(BROKEN)) {
  t.test(`a storage that ${what} fails the case that is about it`, async (t) => {
    const failed = await failures(() => {
      const working = createMemoryStorage();
      return { ...working, ...breakage(working) };
    });
    t.ok(
      failed.some((name) => caughtBy.test(name)),
      'the case about it fails',
      { failed },
    );
  });
}

t.test('a storage whose every method is asynchronous passes', async (t) => {
  t.same(await failures(() => inTurns(createMemoryStorage())), []);
});

t.test('names are unique', async (t) => {
  const names = storageSuite(() => createMemoryStorage()).map(({ name }) => name);
  t.equal(new Set(names).size, names.length);
});

t.test('each case makes its own storage and closes it, when it fails too', async (t) => {
  let made = 0;
  let closed = 0;
  const suite = storageSuite(async () => {
    made++;
    return { ...createMemoryStorage(), insertLink: () => false, close: () => void closed++ };
  });
  t.equal(made, 0, 'none before a run');
  for (const { run } of suite) await run().catch(() => undefined);
  t.equal(made, suite.length);
  t.equal(closed, suite.length);
});

t.test('a failing case rejects with an AssertionError', async (t) => {
  const suite = storageSuite(() => ({ ...createMemoryStorage(), insertLink: () => false }));
  const failing = suite.find(({ name }) => name.startsWith('a link comes back with every member'));
  await t.rejects(failing?.run() ?? Promise.resolve(), AssertionError);
});

/** The names of the cases that fail. */
async function failures(createStorage: () => AdminStorage): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of storageSuite(createStorage)) await run().catch(() => failed.push(name));
  return failed;
}

/** The same storage, but every answer comes a turn of the event loop later, as from a database. */
function inTurns(working: AdminStorage): AdminStorage {
  const later =
    <A extends unknown[], R>(method: (...args: A) => R) =>
    async (...args: A): Promise<Awaited<R>> => {
      await setImmediate();
      const result = await method(...args);
      await setImmediate();
      return result;
    };
  return {
    findCredentials: later(working.findCredentials),
    findClient: later(working.findClient),
    listSessions: later(working.listSessions),
    insertLink: later(working.insertLink),
    findLink: later(working.findLink),
    markLinkOpened: later(working.markLinkOpened),
    submitLink: later(working.submitLink),
    revokeLink: later(working.revokeLink),
    deleteExpiredLinks: later(working.deleteExpiredLinks),
    insertClient: later(working.insertClient),
    insertApiKey: later(working.insertApiKey),
    listApiKeys: later(working.listApiKeys),
    revokeApiKey: later(working.revokeApiKey),
    insertSession: later(working.insertSession),
  };
}
