// Storage cases: clients, API keys and credentials.
import assert from 'node:assert/strict';
import { assertFails, assertHas, CLIENT_ID, later, NOON, type StorageCase, sampleKey } from './samples.js';

const IMPOSSIBLE_IDS: readonly [what: string, clientId: string][] = [
  ['the reserved name verify', 'verify'],
  ['a name that starts with __', '__admin'],
  ['__proto__', '__proto__'],
  ['an empty id', ''],
  ['an id of 101 characters', 'a'.repeat(101)],
  ['an id with a NUL', 'a\0b'],
  ['an id with a line feed', 'a\nb'],
  ['an id with a lone surrogate', 'a\ud800'],
];

const IMPOSSIBLE_ORIGINS: readonly [what: string, origin: string][] = [
  ['an origin with a trailing slash', 'https://app.example.com/'],
  ['an origin with a path', 'https://app.example.com/done'],
  ['an origin in upper case', 'https://APP.example.com'],
  ['an origin with its default port', 'https://app.example.com:443'],
  ['a host without a scheme', 'app.example.com'],
  ['the scheme javascript', 'javascript:'],
  ['the scheme data', 'data:'],
  ['the bare scheme https', 'https:'],
  ['a wildcard', '*'],
];

const idCases = IMPOSSIBLE_IDS.map(
  ([what, clientId]): StorageCase => ({
    name: `insertClient refuses ${what} with request_invalid`,
    async check(storage) {
      await assertFails('request_invalid', () => storage.insertClient({ clientId }));
    },
  }),
);

const originCases = IMPOSSIBLE_ORIGINS.map(
  ([what, origin]): StorageCase => ({
    name: `insertClient refuses ${what} as a callback origin with request_invalid`,
    async check(storage) {
      const callbackOrigins = ['https://app.example.com', origin];
      await assertFails('request_invalid', () =>
        storage.insertClient({ clientId: CLIENT_ID, callbackOrigins }),
      );
      assert.equal(await storage.findClient(CLIENT_ID), undefined);
    },
  }),
);

export const clientCases: readonly StorageCase[] = [
  {
    name: 'a client is found with its name and callback origins',
    async check(storage) {
      const client = {
        clientId: CLIENT_ID,
        name: 'Acme "Ltd"',
        callbackOrigins: ['https://a.example', 'myapp:'],
      };
      await storage.insertClient(client);
      assertHas(await storage.findClient(CLIENT_ID), client, []);
    },
  },
  {
    name: 'a client without callback origins is told from one with an empty list',
    async check(storage) {
      await storage.insertClient({ clientId: 'any' });
      await storage.insertClient({ clientId: 'none', callbackOrigins: [] });
      const any = await storage.findClient('any');
      assert.equal(any?.callbackOrigins, undefined);
      assert.equal(any?.name, undefined);
      assert.deepEqual((await storage.findClient('none'))?.callbackOrigins, []);
    },
  },
  {
    name: 'an unknown client is undefined',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      assert.equal(await storage.findClient('acm'), undefined);
    },
  },
  {
    name: 'insertClient throws already_exists for a taken id, and the first client stays',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: 'first' });
      await assertFails('already_exists', () =>
        storage.insertClient({ clientId: CLIENT_ID, name: 'second' }),
      );
      assert.equal((await storage.findClient(CLIENT_ID))?.name, 'first');
    },
  },
  ...idCases,
  ...originCases,
  {
    name: 'findCredentials finds key and client in one go',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: 'Acme' });
      const expiresAt = later(1);
      const key = sampleKey({ expiresAt });
      await storage.insertApiKey(key);
      const found = await storage.findCredentials({ apiKeyHash: key.hash, clientId: CLIENT_ID });
      assertHas(found.apiKey, { clientId: CLIENT_ID, expiresAt }, ['revokedAt']);
      assertHas(found.client, { clientId: CLIENT_ID, name: 'Acme' }, ['callbackOrigins']);
    },
  },
  {
    name: 'findCredentials leaves out what is unknown: the key, the client, or both',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const key = sampleKey();
      await storage.insertApiKey(key);
      const noClient = await storage.findCredentials({ apiKeyHash: key.hash, clientId: 'nobody' });
      assert.deepEqual([noClient.apiKey?.clientId, noClient.client], [key.clientId, undefined]);
      const noKey = await storage.findCredentials({ apiKeyHash: '0'.repeat(64), clientId: CLIENT_ID });
      assert.deepEqual([noKey.apiKey, noKey.client?.clientId], [undefined, CLIENT_ID]);
      const neither = await storage.findCredentials({ apiKeyHash: '0'.repeat(64), clientId: 'nobody' });
      assert.deepEqual([neither.apiKey, neither.client], [undefined, undefined]);
    },
  },
  {
    name: "findCredentials returns another client's key with its own clientId",
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(sampleKey({ clientId: 'other' }));
      const found = await storage.findCredentials({ apiKeyHash: sampleKey().hash, clientId: CLIENT_ID });
      assert.deepEqual([found.apiKey?.clientId, found.client?.clientId], ['other', CLIENT_ID]);
    },
  },
  {
    name: 'findCredentials returns expired and revoked keys with their moments',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const expired = sampleKey({ id: 'expired', hash: '1'.repeat(64), expiresAt: new Date(1) });
      const revoked = sampleKey({ id: 'revoked', hash: '2'.repeat(64) });
      await storage.insertApiKey(expired);
      await storage.insertApiKey(revoked);
      await storage.revokeApiKey('revoked', later(5));
      const first = await storage.findCredentials({ apiKeyHash: expired.hash, clientId: CLIENT_ID });
      assertHas(first.apiKey, { clientId: CLIENT_ID, expiresAt: new Date(1) }, ['revokedAt']);
      const second = await storage.findCredentials({ apiKeyHash: revoked.hash, clientId: CLIENT_ID });
      assertHas(second.apiKey, { clientId: CLIENT_ID, revokedAt: later(5) }, ['expiresAt']);
    },
  },
  {
    name: 'insertApiKey throws already_exists for a taken id, and adds nothing',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertApiKey(sampleKey());
      const hash = '1'.repeat(64);
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ hash })));
      assert.equal(
        (await storage.findCredentials({ apiKeyHash: hash, clientId: CLIENT_ID })).apiKey,
        undefined,
      );
    },
  },
  {
    name: 'insertApiKey throws already_exists for a taken hash, of another client too, and the first key stays',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(sampleKey());
      const twin = sampleKey({ id: 'key-2', clientId: 'other' });
      await assertFails('already_exists', () => storage.insertApiKey(twin));
      const { apiKey } = await storage.findCredentials({ apiKeyHash: twin.hash, clientId: CLIENT_ID });
      assert.equal(apiKey?.clientId, CLIENT_ID);
      assert.equal((await storage.listApiKeys(CLIENT_ID))[0]?.id, 'key-1');
      assert.equal((await storage.listApiKeys('other')).length, 0);
    },
  },
  {
    name: 'insertApiKey throws client_not_found without its client, and adds nothing',
    async check(storage) {
      await assertFails('client_not_found', () => storage.insertApiKey(sampleKey()));
      const found = await storage.findCredentials({ apiKeyHash: sampleKey().hash, clientId: CLIENT_ID });
      assert.equal(found.apiKey, undefined);
    },
  },
  {
    name: "listApiKeys lists the client's keys, oldest first, and never another client's",
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(sampleKey({ id: 'young', hash: '1'.repeat(64), createdAt: later(1) }));
      await storage.insertApiKey(sampleKey({ id: 'foreign', hash: '2'.repeat(64), clientId: 'other' }));
      await storage.insertApiKey(sampleKey({ id: 'old', hash: '3'.repeat(64), createdAt: NOON }));
      const keys = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(
        keys.map(({ id }) => id),
        ['old', 'young'],
      );
      assert.deepEqual(await storage.listApiKeys('nobody'), []);
    },
  },
  {
    name: 'revokeApiKey is true once; the first moment stays, and unknown keys are false',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertApiKey(sampleKey());
      assert.equal(await storage.revokeApiKey('unknown', NOON), false);
      assert.equal(await storage.revokeApiKey('key-1', later(1)), true);
      assert.equal(await storage.revokeApiKey('key-1', later(2)), false);
      assert.deepEqual((await storage.listApiKeys(CLIENT_ID))[0]?.revokedAt, later(1));
    },
  },
  {
    name: 'a key that was revoked takes its id and its hash with it',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertApiKey(sampleKey());
      await storage.revokeApiKey('key-1', NOON);
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ id: 'key-2' })));
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ hash: '1'.repeat(64) })));
    },
  },
];
