// The credential cache: what it caches, for how long, and what drops it.
import t from 'tap';
import { cacheCredentials } from '../../lib/core/credential-cache.js';
import { guardStorage } from '../../lib/core/guarded-storage.js';
import { createKeyUse } from '../../lib/core/key-use.js';
import type { AdminStorage, ClientStorage, Credentials } from '../../lib/core/storage.js';
import { verifyApiKey } from '../../lib/http/authenticate.js';
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from '../../lib/index.js';
import { storageSuite } from '../../lib/testing/index.js';

const START = new Date('2026-03-02T10:00:00Z').getTime();
const CLIENT_ID = 'acme';
const KEY = 'clk_acme';
const HASH = hashApiKey(KEY);
const QUERY = { apiKeyHash: HASH, clientId: CLIENT_ID };

/** Returns a storage as the service calls it. */
function toCached<S extends AdminStorage>(storage: S, options = {}, milliseconds?: () => number) {
  const guarded = guardStorage(storage, 5);
  return cacheCredentials(guarded, options, milliseconds) as typeof guarded;
}

for (const { name, run } of storageSuite(() => toCached(createMemoryStorage())))
  t.test(`conformance: ${name}`, run);

/** A cache with the default maximum age of 30 s, over a storage that other processes change as well, as `storage`. */
async function setUp(options: { maxEntries?: number } = {}) {
  let time = START;
  const now = () => new Date(time);
  const storage = createMemoryStorage();
  await storage.insertClient({ clientId: CLIENT_ID, name: 'Acme' });
  await storage.insertApiKey({ id: 'key-1', clientId: CLIENT_ID, hash: HASH, createdAt: now() });
  let lookUps = 0;
  /** Runs in each lookup, after the storage was read. */
  let answer = async (credentials: Credentials) => credentials;
  const counted: AdminStorage = {
    ...storage,
    async findCredentials(query) {
      lookUps++;
      return answer(await storage.findCredentials(query));
    },
  };
  const cache = toCached(counted, options, () => time);
  const find = async (query = QUERY) => cache.findCredentials(query);
  return {
    storage,
    cache,
    find,
    now,
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Returns whether a call reads the storage. */
    reads: async (query = QUERY) => {
      const before = lookUps;
      await find(query);
      return lookUps > before;
    },
    answerWith: (replacement: typeof answer) => {
      answer = replacement;
    },
    /** Starts a lookup that has read the storage and waits. Returns its end. */
    async startLookUp() {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let running: Promise<Credentials> | undefined;
      await new Promise<void>((resolve) => {
        answer = async (credentials) => {
          resolve();
          await released;
          return credentials;
        };
        running = find();
      });
      answer = async (credentials) => credentials;
      return async () => {
        release();
        return running;
      };
    },
  };
}

t.test('a fresh entry is returned without a call of the storage, with the same content', async (t) => {
  const { find, reads, advance } = await setUp();
  const first = await find();
  advance(29_999);
  t.notOk(await reads());
  t.same(await find(), first);
  t.match(first, { apiKey: { clientId: CLIENT_ID }, client: { clientId: CLIENT_ID, name: 'Acme' } });
});

t.test('an entry ends at its maximum age, and hits do not extend it', async (t) => {
  const { find, reads, advance } = await setUp();
  await find();
  advance(20_000);
  t.notOk(await reads());
  advance(10_000);
  t.ok(await reads());
  t.notOk(await reads(), 'the new entry is fresh');
});

t.test('the age counts from the start of the lookup', async (t) => {
  const { reads, advance, startLookUp } = await setUp();
  const end = await startLookUp();
  advance(29_999);
  await end();
  t.notOk(await reads());
  advance(1);
  t.ok(await reads());
});

t.test('an entry from before the clock was set back is not used', async (t) => {
  const { find, reads, advance } = await setUp();
  await find();
  advance(-3_600_000);
  t.ok(await reads());
});

t.test('without a clock of the caller, an entry is fresh at first', async (t) => {
  const { storage } = await setUp();
  const cache = toCached(storage);
  const first = await cache.findCredentials(QUERY);
  t.equal(await cache.findCredentials(QUERY), first);
});

t.test('a key that another process revokes stops working within the maximum age', async (t) => {
  const { storage, cache, find, now, advance } = await setUp();
  const isAccepted = () =>
    verifyApiKey({ storage: cache, now, keyUse: createKeyUse(cache, now) }, KEY, CLIENT_ID).then(
      () => true,
      () => false,
    );
  await find();
  await storage.revokeApiKey('key-1', now());
  advance(30_000);
  t.notOk(await isAccepted());
});

t.test('the storage is not asked for a page, which the cache would show to other users', async (t) => {
  const { storage } = await setUp();
  const queries: object[] = [];
  const cache = toCached({
    ...storage,
    findCredentials(query) {
      queries.push(query);
      const page = { sessions: [] };
      return { ...(storage.findCredentials(query) as Credentials), page };
    },
  });
  const listing = { userId: 'user-1', limit: 1, at: new Date(START) };
  await cache.findCredentials({ ...QUERY, listing });
  t.same(queries, [QUERY]);
  const { page } = await cache.findCredentials({ ...QUERY, listing });
  t.equal(page, undefined);
});

t.test('a cached key ends exactly at its expiry', async (t) => {
  const { storage, cache, find, reads, now, advance } = await setUp();
  await storage.updateApiKey('key-1', { expiresAt: new Date(START + 1000) });
  await find();
  advance(999);
  t.match(await verifyApiKey({ storage: cache, now, keyUse: createKeyUse(cache, now) }, KEY, CLIENT_ID), {
    client: { clientId: CLIENT_ID },
  });
  advance(1);
  await t.rejects(verifyApiKey({ storage: cache, now, keyUse: createKeyUse(cache, now) }, KEY, CLIENT_ID), {
    code: 'api_key_invalid',
  });
  t.notOk(await reads(), 'the entry was used');
});

t.test('an unknown key is not cached: it works as soon as it exists', async (t) => {
  const { storage, find, reads, now } = await setUp();
  const query = { apiKeyHash: 'new', clientId: CLIENT_ID };
  t.equal((await find(query)).apiKey, undefined);
  await storage.insertApiKey({ id: 'new', clientId: CLIENT_ID, hash: 'new', createdAt: now() });
  t.match((await find(query)).apiKey, { clientId: CLIENT_ID });
  t.notOk(await reads(query));
});

t.test('an unknown client is not cached: it is found as soon as it exists', async (t) => {
  const { storage, find } = await setUp();
  const query = { apiKeyHash: HASH, clientId: 'new' };
  t.equal((await find(query)).client, undefined);
  await storage.insertClient({ clientId: 'new' });
  t.match((await find(query)).client, { clientId: 'new' });
});

t.test('a key with another client is neither cached nor answered from the entry of the key', async (t) => {
  const { storage, find, reads } = await setUp();
  await storage.insertClient({ clientId: 'other' });
  const query = { apiKeyHash: HASH, clientId: 'other' };
  await find();
  t.match(await find(query), { apiKey: { clientId: CLIENT_ID }, client: { clientId: 'other' } });
  t.ok(await reads(query));
  t.notOk(await reads(), 'the entry of the key stays');
});

t.test('only valid keys use entries, and the least recently used one is dropped', async (t) => {
  const { storage, find, reads, now } = await setUp({ maxEntries: 2 });
  for (const id of ['second', 'third'])
    await storage.insertApiKey({ id, clientId: CLIENT_ID, hash: id, createdAt: now() });
  await find();
  await find({ apiKeyHash: 'second', clientId: CLIENT_ID });
  for (let index = 0; index < 10; index++) await find({ apiKeyHash: `guess-${index}`, clientId: CLIENT_ID });
  t.notOk(await reads(), 'guesses displace no entry');
  await find({ apiKeyHash: 'third', clientId: CLIENT_ID });
  t.notOk(await reads());
  t.ok(await reads({ apiKeyHash: 'second', clientId: CLIENT_ID }));
});

t.test('a failed lookup rejects with the error of the storage and is not cached', async (t) => {
  const { find, reads, answerWith } = await setUp();
  const cause = new Error('broken');
  answerWith(() => Promise.reject(cause));
  await t.rejects(find(), cause);
  answerWith(async (credentials) => credentials);
  t.ok(await reads());
  t.notOk(await reads());
});

const CHANGES: Record<
  string,
  [change: (storage: AdminStorage & Partial<ClientStorage>) => unknown, expected: object]
> = {
  updateClient: [
    (storage) => storage.updateClient({ clientId: CLIENT_ID, callbackOrigins: [] }),
    { apiKey: { clientId: CLIENT_ID }, client: { clientId: CLIENT_ID, callbackOrigins: [] } },
  ],
  changeClient: [
    (storage) => storage.changeClient?.({ clientId: CLIENT_ID, set: { callbackOrigins: [] }, remove: [] }),
    { apiKey: { clientId: CLIENT_ID }, client: { clientId: CLIENT_ID, callbackOrigins: [] } },
  ],
  deleteClient: [(storage) => storage.deleteClient(CLIENT_ID), {}],
  revokeApiKey: [
    (storage) => storage.revokeApiKey('key-1', new Date(START)),
    { apiKey: { clientId: CLIENT_ID, revokedAt: new Date(START).toISOString() } },
  ],
  updateApiKey: [
    (storage) => storage.updateApiKey('key-1', { expiresAt: new Date(START) }),
    { apiKey: { clientId: CLIENT_ID, expiresAt: new Date(START).toISOString() } },
  ],
};

for (const [method, [change, expected]] of Object.entries(CHANGES)) {
  t.test(`${method} through the cache takes effect at once, also for a lookup under way`, async (t) => {
    const { cache, find, startLookUp, advance } = await setUp();
    await find();
    advance(30_000);
    const end = await startLookUp();
    await change(cache);
    await end();
    t.match(await find(), expected);
    t.equal((await find()).client === undefined, method === 'deleteClient');
  });
}

t.test('a change that fails drops the entries: it may have taken effect', async (t) => {
  const { storage, now } = await setUp();
  const cache = toCached({
    ...storage,
    async revokeApiKey(id: string, at: Date) {
      await storage.revokeApiKey(id, at);
      throw new Error('the connection was lost after the commit');
    },
  });
  await cache.findCredentials(QUERY);
  await t.rejects(Promise.resolve(cache.revokeApiKey('key-1', now())));
  t.same((await cache.findCredentials(QUERY)).apiKey?.revokedAt, now());
});

t.test('a storage without provisioning gets no further method', async (t) => {
  const { updateClient, ...storage } = createMemoryStorage();
  t.notOk('updateClient' in cacheCredentials(guardStorage(storage, 5), {}));
});

t.test('createClaimlink caches with the option, and its own changes take effect at once', async (t) => {
  const storage = createMemoryStorage();
  let lookUps = 0;
  const counted: AdminStorage = {
    ...storage,
    findCredentials(query) {
      lookUps++;
      return storage.findCredentials(query);
    },
  };
  const claimlink = createClaimlink({
    storage: counted,
    signer: createLinkSigner({
      keys: [{ kid: 'a', algorithm: 'HS256', secret: 'x'.repeat(32) }],
      issuer: 'https://claims.example.com',
    }),
    publicUrl: 'https://claims.example.com',
    credentialCache: { maxAgeSeconds: 3600 },
  });
  await claimlink.addClient({ clientId: CLIENT_ID });
  const { key, apiKey } = await claimlink.addApiKey(CLIENT_ID);
  const list = async () => {
    const headers = { 'x-api-key': key };
    return (await claimlink.handle({ method: 'GET', url: `/${CLIENT_ID}/sessions/u`, headers })).status;
  };
  t.same([await list(), await list(), lookUps], [200, 200, 1]);
  await claimlink.revokeApiKey(apiKey.id);
  t.equal(await list(), 401);
});
