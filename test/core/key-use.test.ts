// The last use of an API key: which requests are recorded, how often, and that no request depends on it.
import { channel } from 'node:diagnostics_channel';
import t from 'tap';
import { hashApiKey } from '../../lib/core/credentials.js';
import type { KeyUseStorage } from '../../lib/core/storage.js';
import type { Awaitable } from '../../lib/core/types.js';
import type { MemoryStorage } from '../../lib/storage/memory.js';
import {
  CLIENT_ID,
  createWorld,
  linkRequest,
  outcomeOf,
  START,
  type World,
  type WorldOptions,
} from './world.js';

type Use = Parameters<KeyUseStorage['recordKeyUse']>[0];

const HOUR_MS = 3_600_000;
/** Within the hour of START. */
const IN_HOUR_MS = HOUR_MS - 1;

/** Returns a world, and the uses that its service has recorded. */
async function setUp({
  record = (storage, use) => storage.recordKeyUse(use),
  ...options
}: WorldOptions & { record?: (storage: MemoryStorage, use: Use) => Awaitable<void> } = {}) {
  const uses: Use[] = [];
  const world = await createWorld({
    ...options,
    wrapStorage: (storage) => ({
      ...storage,
      recordKeyUse(use: Use) {
        uses.push(use);
        return record(storage, use);
      },
    }),
  });
  return { world, uses, use: (at: Date) => ({ apiKeyHash: hashApiKey(world.apiKey), at }) };
}

const lastUse = async ({ claimlink }: World) => (await claimlink.findApiKey('key-1'))?.lastUsedAt;

for (const [cache, options] of Object.entries({
  '': {},
  ', with the credential cache as well': { credentialCache: {} },
}))
  t.test(`a key is recorded once an hour, with the start of the hour${cache}`, async (t) => {
    const { world, uses, use } = await setUp(options);
    t.equal(await lastUse(world), undefined);
    await world.list();
    await world.mint();
    world.advance(IN_HOUR_MS);
    await world.list();
    t.same(uses, [use(START)]);
    world.advance(1);
    await world.mint();
    await world.list();
    t.same(uses, [use(START), use(new Date(START.getTime() + HOUR_MS))]);
    t.same(await lastUse(world), new Date(START.getTime() + HOUR_MS));
    t.same((await world.claimlink.listApiKeys(CLIENT_ID))[0]?.lastUsedAt, await lastUse(world));
  });

t.test('each key is recorded, with its hash', async (t) => {
  const { world, uses, use } = await setUp();
  const { key, apiKey } = await world.claimlink.addApiKey(CLIENT_ID);
  world.advance(90_000);
  for (const header of [world.apiKey, key, world.apiKey, key])
    t.equal(
      (await world.call('GET', `/${CLIENT_ID}/sessions/u`, { headers: { 'x-api-key': header } })).status,
      200,
    );
  t.same(uses, [use(START), { apiKeyHash: apiKey.hash, at: START }]);
});

t.test('a key that authentication rejects is not recorded', async (t) => {
  const { world, uses } = await setUp();
  await world.storage.insertClient({ clientId: 'other' });
  const send = async (clientId: string, key = world.apiKey) =>
    outcomeOf(await world.call('GET', `/${clientId}/sessions/u`, { headers: { 'x-api-key': key } }));
  t.equal(await send(CLIENT_ID, 'clk_unknown'), '401 api_key_invalid');
  t.equal(await send('other'), '401 api_key_invalid', 'of another client');
  t.equal(await send('nobody'), '404 client_not_found');
  t.equal(await send('%00'), '400 request_invalid');
  const { key } = await world.claimlink.addApiKey(CLIENT_ID, {
    expiresAt: new Date(world.now().getTime() + 1000),
  });
  world.advance(1000);
  t.equal(await send(CLIENT_ID, key), '401 api_key_invalid', 'expired');
  await world.storage.revokeApiKey('key-1', world.now());
  t.equal(await send(CLIENT_ID), '401 api_key_invalid', 'revoked');
  t.same(uses, []);
});

t.test('a request of another kind, and a call of the host, use no key', async (t) => {
  const { world, uses } = await setUp();
  const { url } = await world.claimlink.createLink(CLIENT_ID, linkRequest());
  t.equal((await world.send('GET', new URL(url).pathname.slice('/base'.length))).status, 404);
  await world.claimlink.listSessions(CLIENT_ID, 'user-1');
  t.same(uses, []);
});

for (const [what, record] of Object.entries({
  'rejects the call': () => Promise.reject(new Error('cannot execute UPDATE in a read-only transaction')),
  throws: () => {
    throw new Error('attempt to write a readonly database');
  },
}))
  t.test(`a storage that ${what} changes no request, and gets no second call in the hour`, async (t) => {
    const { world, uses, use } = await setUp({ record });
    t.equal((await world.list()).status, 200);
    world.advance(IN_HOUR_MS);
    await world.mint();
    await world.claimlink.idle();
    t.same(uses, [use(START)]);
    t.same(world.errors, [], 'onError gets nothing');
    world.advance(1);
    t.equal((await world.list()).status, 200);
    t.equal(uses.length, 2);
  });

t.test('no request waits for the storage, and idle does', async (t) => {
  let settle = () => {};
  const { world } = await setUp({
    record: () =>
      new Promise<void>((resolve) => {
        settle = resolve;
      }),
  });
  t.equal((await world.list()).status, 200);
  let isIdle = false;
  const idle = world.claimlink.idle().then(() => {
    isIdle = true;
  });
  // As long as other calls take.
  await world.mint();
  t.equal(isIdle, false);
  settle();
  await idle;
});

t.test('uses are stored one at a time, so that they take one connection of a pool', async (t) => {
  const settles: { resolve(): void; reject(error: Error): void }[] = [];
  const { world, uses } = await setUp({
    record: () => new Promise<void>((resolve, reject) => settles.push({ resolve, reject })),
  });
  const keys = [world.apiKey];
  while (keys.length < 4) keys.push((await world.claimlink.addApiKey(CLIENT_ID)).key);
  const hashes = keys.map((key) => hashApiKey(key));
  const list = (key: string | undefined) =>
    world.call('GET', `/${CLIENT_ID}/sessions/u`, { headers: { 'x-api-key': key ?? '' } });
  const stored = () => uses.map(({ apiKeyHash }) => hashes.indexOf(apiKeyHash));
  for (const key of keys) t.equal((await list(key)).status, 200);
  t.same(stored(), [0]);
  settles[0]?.resolve();
  await list(keys[0]);
  t.same(stored(), [0, 1]);

  settles[1]?.reject(new Error('The database does not answer.'));
  await world.claimlink.idle();
  t.same(stored(), [0, 1], 'the other calls would fail as well');
  for (const key of keys.slice(0, 3)) await list(key);
  t.same(
    stored(),
    [0, 1, 2],
    'the next request of a key that waited tries again, that of the failed one does not',
  );
  settles[2]?.resolve();
  await world.claimlink.idle();
});

t.test('a call that the storage does not answer ends with its time limit', async (t) => {
  const { world } = await setUp({
    storageTimeoutSeconds: 0.05,
    record: () => new Promise(() => {}),
  });
  t.equal((await world.list()).status, 200);
  await world.claimlink.idle();
  t.same(world.errors, []);
});

t.test('the tracing channel of the storage has a failure', async (t) => {
  const failed: unknown[] = [];
  const subscriber = (context: unknown) => failed.push(context);
  const errors = channel('tracing:claimlink:storage:error');
  errors.subscribe(subscriber);
  t.teardown(() => errors.unsubscribe(subscriber));
  const { world } = await setUp({ record: () => Promise.reject(new Error('read-only')) });
  await world.list();
  await world.claimlink.idle();
  t.match(failed, [{ method: 'recordKeyUse', code: 'internal' }]);
});

t.test('a storage without recordKeyUse serves as before, and its keys have no last use', async (t) => {
  const world = await createWorld({ wrapStorage: ({ recordKeyUse: _, ...storage }) => storage });
  t.equal((await world.list()).status, 200);
  await world.claimlink.idle();
  t.equal(await lastUse(world), undefined);
});
