// The guarded storage: answers in time are returned, everything else rejects.
import t from 'tap';
import { guardStorage } from '../../lib/core/guarded-storage.js';
import type { Storage } from '../../lib/core/storage.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

t.test('a guarded storage follows every rule of the storage suite', async (t) => {
  for (const { name, run } of storageSuite(() => guardStorage(createMemoryStorage(), 5)))
    await t.resolves(run(), name);
});

t.test('a plain value is returned', async (t) => {
  const client = { clientId: 'acme' };
  const storage = guardStorage<Storage>({ ...createMemoryStorage(), findClient: () => client }, 5);
  t.equal(await storage.findClient('acme'), client);
});

t.test('what the storage rejects with is what the caller gets', async (t) => {
  const cause = new Error('broken');
  const storage = guardStorage<Storage>(
    { ...createMemoryStorage(), findClient: () => Promise.reject(cause) },
    5,
  );
  await t.rejects(Promise.resolve(storage.findClient('acme')), cause);
});

t.test('any thenable is waited for', async (t) => {
  const client = { clientId: 'acme' };
  // biome-ignore lint/suspicious/noThenProperty: query builders are thenables
  const thenable = { then: (resolve: (value: unknown) => void) => resolve(client) } as PromiseLike<
    typeof client
  >;
  const storage = guardStorage<Storage>({ ...createMemoryStorage(), findClient: () => thenable }, 5);
  t.equal(await storage.findClient('acme'), client);
});

t.test('no timer runs after an answer or a failure', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const answers = [Promise.resolve(undefined), Promise.reject(new Error('broken'))];
  const storage = guardStorage<Storage>(
    { ...createMemoryStorage(), findClient: () => answers.shift() ?? undefined },
    5,
  );
  const before = timers();
  await storage.findClient('acme');
  await Promise.resolve(storage.findClient('acme')).catch(() => undefined);
  t.equal(timers(), before);
});

t.test('an answer that comes too late is dropped, and so is a late failure', async (t) => {
  let fail: (error: Error) => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const storage = guardStorage<Storage>({ ...createMemoryStorage(), findClient: () => late }, 0.05);
  await t.rejects(Promise.resolve(storage.findClient('acme')), {
    code: 'storage_unavailable',
    message: /did not answer findClient within 0.05 s/,
  });
  fail(new Error('too late'));
});

t.test('without a time limit, a slow answer is awaited', async (t) => {
  const client = { clientId: 'acme' };
  const slow = new Promise<typeof client>((resolve) => setImmediate(() => resolve(client)));
  const storage = guardStorage<Storage>({ ...createMemoryStorage(), findClient: () => slow }, false);
  t.equal(await storage.findClient('acme'), client);
});

t.test('a guarded storage has the methods of the storage, and calls them on the storage', async (t) => {
  const { snapshot, insertClient, ...plain } = createMemoryStorage({ clients: [{ clientId: 'acme' }] });
  class HostStorage {
    readonly #clients = plain;
    findClient(clientId: string) {
      return this.#clients.findClient(clientId);
    }
  }
  const host = Object.assign(new HostStorage(), { ...plain, findClient: HostStorage.prototype.findClient });
  const storage = guardStorage<Storage>(host, 5);
  t.match(await storage.findClient('acme'), { clientId: 'acme' });
  t.notOk('insertClient' in storage);
});
