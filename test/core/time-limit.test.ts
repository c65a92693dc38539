// A storage with patience: answers in time go through, everything else rejects.
import t from 'tap';
import { withTimeout } from '../../lib/core/time-limit.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

t.test('a bounded storage still keeps the whole contract', async (t) => {
  for (const { name, run } of storageSuite(() => {
    const storage = createMemoryStorage();
    return { ...storage, ...withTimeout(storage, 5) };
  })) {
    await t.resolves(run(), name);
  }
});

t.test('a plain value is returned', async (t) => {
  const client = { clientId: 'acme' };
  const storage = withTimeout({ ...createMemoryStorage(), findClient: () => client }, 5);
  t.equal(await storage.findClient('acme'), client);
});

t.test('what the storage rejects with is what the caller gets', async (t) => {
  const cause = new Error('broken');
  const storage = withTimeout({ ...createMemoryStorage(), findClient: () => Promise.reject(cause) }, 5);
  await t.rejects(Promise.resolve(storage.findClient('acme')), cause);
});

t.test('any thenable is waited for', async (t) => {
  const client = { clientId: 'acme' };
  // biome-ignore lint/suspicious/noThenProperty: query builders are thenables
  const thenable = { then: (resolve: (value: unknown) => void) => resolve(client) } as PromiseLike<
    typeof client
  >;
  const storage = withTimeout({ ...createMemoryStorage(), findClient: () => thenable }, 5);
  t.equal(await storage.findClient('acme'), client);
});

t.test('no timer runs after an answer or a failure', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const answers = [Promise.resolve(undefined), Promise.reject(new Error('broken'))];
  const storage = withTimeout(
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
  const storage = withTimeout({ ...createMemoryStorage(), findClient: () => late }, 0.05);
  await t.rejects(Promise.resolve(storage.findClient('acme')), {
    message: /did not answer findClient within 0.05 s/,
  });
  fail(new Error('too late'));
});
