// Rules of AdminStorage: clients, API keys and sessions that are created by hand.

import { isClaimlinkError } from '../../core/errors.js';
import type { AdminStorage } from '../../core/storage.js';
import type { Client, ClientSettings } from '../../core/types.js';
import assert from './assert.js';
import {
  assertCount,
  assertFails,
  CLIENT_ID,
  concurrently,
  hashOf,
  later,
  linkId,
  NOON,
  POOL_SIZE,
  presentedKey,
  referencesOf,
  type StorageRule,
  sampleKey,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  sessionsOf,
  withKey,
  withLink,
  withSessions,
} from './samples.js';

/** How many calls a rule about concurrent calls starts. */
const MANY = 20;
/** How many calls of each kind run beside a deletion. */
const FEW = POOL_SIZE / 2;
/** How often a rule about a race is repeated. */
const ROUNDS = 20;

/** A member that a later version may add. */
const LATER = { later: { texts: ['Überall', ''], none: null, count: 0 } };

/** Settings of a client that only its pages show. */
const SETTINGS: Partial<Client> = {
  locale: 'de',
  branding: {
    displayName: 'Überall & Söhne',
    logoUrl: 'https://img.example.com/logo.svg',
    primaryColor: '#7a1f5c',
    supportUrl: 'https://example.com/help',
    imprintUrl: 'https://example.com/imprint',
  },
  frameAncestors: ['https://portal.example.com'],
  settings: { redirectAfterSeconds: 'never', ...LATER } as ClientSettings,
};

export const adminRules: readonly StorageRule<AdminStorage>[] = [
  {
    name: 'insertClient throws already_exists if the id exists, and does not change the first client',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: 'first' });
      await assertFails('already_exists', () =>
        storage.insertClient({ clientId: CLIENT_ID, name: 'second' }),
      );
      assert.equal((await storage.findClient(CLIENT_ID))?.name, 'first');
    },
  },
  {
    name: 'listClients returns all clients with all their settings',
    async check(storage) {
      assert.deepEqual(await storage.listClients(), []);
      const clients: Client[] = [
        { clientId: CLIENT_ID },
        {
          clientId: 'other',
          name: 'Other "Insurance"',
          callbackOrigins: ['https://app.example.com', 'app:'],
          ...SETTINGS,
        },
        { clientId: 'third', callbackOrigins: [], frameAncestors: [], branding: {}, settings: {} },
      ];
      for (const client of clients) await storage.insertClient(client);
      const listed = [...(await storage.listClients())];
      assert.deepEqual(
        listed.sort((a, b) => (a.clientId < b.clientId ? -1 : 1)),
        clients,
      );
    },
  },
  {
    name: 'updateClient replaces all settings of one client, also those of findLink; absent members are removed',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID, name: 'first', ...SETTINGS });
      await storage.insertClient({ clientId: 'other', name: 'other' });
      await storage.insertLink(sampleLink());
      const changed: Client = { clientId: CLIENT_ID, callbackOrigins: ['https://app.example.com'] };
      const clients: Client[] = [
        changed,
        { ...changed, ...SETTINGS },
        { ...changed, ...SETTINGS, settings: { redirectAfterSeconds: 5 } },
        { clientId: CLIENT_ID, name: 'second' },
      ];
      for (const client of clients) {
        assert.equal(await storage.updateClient(client), true);
        assert.deepEqual(await storage.findClient(CLIENT_ID), client);
        assert.deepEqual((await storage.findLink(linkId(sampleLink().accessCodeHash)))?.client, client);
      }
      assert.deepEqual(await storage.findClient('other'), { clientId: 'other', name: 'other' });
    },
  },
  {
    name: 'updateClient returns false for an unknown client, and adds none',
    async check(storage) {
      assert.equal(await storage.updateClient({ clientId: CLIENT_ID, name: 'first' }), false);
      assert.equal(await storage.findClient(CLIENT_ID), undefined);
    },
  },
  {
    name: 'deleteClient deletes a client with its keys, links and sessions, also if the id is added again',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.insertApiKey(sampleKey());
      await storage.insertSession(sampleRecord());
      assert.equal(await storage.deleteClient(CLIENT_ID), true);
      assert.equal(await storage.deleteClient(CLIENT_ID), false);
      const query = { apiKeyHash: sampleKey().hash, clientId: CLIENT_ID };
      assert.deepEqual(await storage.findCredentials(query), {});
      await storage.insertClient({ clientId: CLIENT_ID });
      assert.equal(await storage.findLink({ clientId: CLIENT_ID, accessCodeHash }), undefined);
      assert.deepEqual(await storage.listApiKeys(CLIENT_ID), []);
      assert.deepEqual(await referencesOf(storage), []);
      await storage.insertSession(sampleRecord());
      await storage.insertApiKey(sampleKey());
      assert.equal(await storage.insertLink(sampleLink({ accessCodeHash })), true);
    },
  },
  {
    name: 'deleteClient deletes nothing of another client',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const { accessCodeHash } = sampleLink();
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(sampleKey({ clientId: 'other' }));
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      await storage.insertLink(sampleLink({ clientId: 'other' }));
      assert.equal(await storage.deleteClient(CLIENT_ID), true);
      assert.equal((await storage.listApiKeys('other')).length, 1);
      assert.ok(await storage.findLink({ clientId: 'other', accessCodeHash }));
      assert.deepEqual(await referencesOf(storage, { clientId: 'other' }), ['S-1']);
    },
  },
  {
    name: 'insertApiKey throws already_exists if the id exists, and adds nothing',
    async check(storage) {
      await withKey(storage);
      const hash = '1'.repeat(64);
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ hash })));
      assert.equal(await presentedKey(storage, hash), undefined);
    },
  },
  {
    name: 'insertApiKey throws already_exists if any client has the hash, and does not change the first key',
    async check(storage) {
      await withKey(storage);
      await storage.insertClient({ clientId: 'other' });
      const twin = sampleKey({ id: 'key-2', clientId: 'other' });
      await assertFails('already_exists', () => storage.insertApiKey(twin));
      assert.equal((await presentedKey(storage, twin.hash))?.clientId, CLIENT_ID);
      assert.equal((await storage.listApiKeys(CLIENT_ID))[0]?.id, 'key-1');
      assert.equal((await storage.listApiKeys('other')).length, 0);
    },
  },
  {
    name: 'insertApiKey throws client_not_found for an unknown client, and adds nothing',
    async check(storage) {
      await assertFails('client_not_found', () => storage.insertApiKey(sampleKey()));
      assert.equal(await presentedKey(storage, sampleKey().hash), undefined);
    },
  },
  {
    name: 'listApiKeys returns the keys of one client only, oldest first',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(sampleKey({ id: 'newer', hash: '1'.repeat(64), createdAt: later(1) }));
      await storage.insertApiKey(
        sampleKey({ id: 'of-other-client', hash: '2'.repeat(64), clientId: 'other' }),
      );
      await storage.insertApiKey(sampleKey({ id: 'older', hash: '3'.repeat(64), createdAt: NOON }));
      const keys = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(
        keys.map(({ id }) => id),
        ['older', 'newer'],
      );
      assert.deepEqual(await storage.listApiKeys('unknown'), []);
    },
  },
  {
    name: 'revokeApiKey returns true once and keeps the first date; it returns false for unknown keys',
    async check(storage) {
      const { hash } = await withKey(storage);
      assert.equal(await storage.revokeApiKey('unknown', NOON), false);
      assert.equal(await storage.revokeApiKey('key-1', later(1)), true);
      assert.equal(await storage.revokeApiKey('key-1', later(2)), false);
      assert.deepEqual((await storage.listApiKeys(CLIENT_ID))[0]?.revokedAt, later(1));
      assert.deepEqual((await presentedKey(storage, hash))?.revokedAt, later(1));
    },
  },
  {
    name: 'findApiKey returns a key of any client in any state, and undefined for an unknown id',
    async check(storage) {
      const key = await withKey(storage, { hint: 'clk_…abcd', expiresAt: NOON, revokedAt: later(1) });
      assert.deepEqual(await storage.findApiKey('key-1'), key);
      assert.equal(await storage.findApiKey('KEY-1'), undefined);
    },
  },
  {
    name: 'updateApiKey sets, changes and removes the expiry of one key, and nothing else',
    async check(storage) {
      const { hash } = await withKey(storage);
      const other = sampleKey({ id: 'key-2', hash: '2'.repeat(64), expiresAt: later(9) });
      await storage.insertApiKey(other);
      for (const expiresAt of [later(1), later(-1), later(2)]) {
        assert.equal(await storage.updateApiKey('key-1', { expiresAt }), true);
        assert.deepEqual(await storage.findApiKey('key-1'), sampleKey({ expiresAt }));
        assert.deepEqual((await presentedKey(storage, hash))?.expiresAt, expiresAt);
      }
      assert.equal(await storage.updateApiKey('key-1', {}), true);
      assert.deepEqual(await storage.findApiKey('key-1'), sampleKey());
      assert.deepEqual(await storage.findApiKey('key-2'), other);
    },
  },
  {
    name: 'updateApiKey returns false for an unknown or revoked key, and changes nothing',
    async check(storage) {
      const revoked = await withKey(storage, { expiresAt: NOON, revokedAt: later(1) });
      assert.equal(await storage.updateApiKey('key-1', { expiresAt: later(2) }), false);
      assert.equal(await storage.updateApiKey('key-1', {}), false);
      assert.equal(await storage.updateApiKey('unknown', { expiresAt: later(2) }), false);
      assert.deepEqual(await storage.listApiKeys(CLIENT_ID), [revoked]);
    },
  },
  {
    name: 'a key that is revoked while its expiry is changed stays revoked, and later changes fail',
    isRace: true,
    async check(storage) {
      await withKey(storage);
      const results = await concurrently(MANY, (index) =>
        index === MANY / 2
          ? storage.revokeApiKey('key-1', NOON)
          : storage.updateApiKey('key-1', { expiresAt: later(index) }),
      );
      assert.equal(results[MANY / 2], true, 'the revocation succeeds');
      const expiries = results.flatMap((isDone, index) =>
        isDone && index !== MANY / 2 ? [later(index).getTime()] : [],
      );
      const key = await storage.findApiKey('key-1');
      assert.deepEqual(key?.revokedAt, NOON);
      assert.ok(
        key?.expiresAt ? expiries.includes(key.expiresAt.getTime()) : expiries.length === 0,
        'the expiry is that of a call that returned true',
      );
      assert.equal(await storage.updateApiKey('key-1', {}), false);
    },
  },
  {
    name: 'the id and the hash of a revoked key cannot be used again',
    async check(storage) {
      await withKey(storage);
      await storage.revokeApiKey('key-1', NOON);
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ id: 'key-2' })));
      await assertFails('already_exists', () => storage.insertApiKey(sampleKey({ hash: '1'.repeat(64) })));
    },
  },
  {
    name: 'insertSession throws already_exists if any user of the client has the reference',
    async check(storage) {
      await withSessions(storage, {});
      await assertFails('already_exists', () =>
        storage.insertSession(sampleRecord({ camsReference: 'C-2' })),
      );
      await assertFails('already_exists', () => storage.insertSession(sampleRecord({ userId: 'user-2' })));
      assert.equal((await sessionsOf(storage))[0]?.camsReference, 'C-1');
      assert.deepEqual(await referencesOf(storage, { userId: 'user-2' }), []);
    },
  },
  {
    name: 'insertSession throws client_not_found for an unknown client, and adds nothing',
    async check(storage) {
      await assertFails('client_not_found', () => storage.insertSession(sampleRecord()));
      await storage.insertClient({ clientId: CLIENT_ID });
      assert.deepEqual(await referencesOf(storage), []);
    },
  },
  {
    name: 'of concurrent insertions of one session reference exactly one succeeds',
    isRace: true,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const isStored = await concurrently(MANY, (index) =>
        succeeds(() => storage.insertSession(sampleRecord({ camsReference: `C-${index}` }))),
      );
      assertCount(1, isStored, Boolean);
      assert.deepEqual(
        (await sessionsOf(storage)).map(({ camsReference }) => camsReference),
        [`C-${isStored.indexOf(true)}`],
      );
    },
  },
  {
    name: 'of concurrent insertions of one client id exactly one succeeds',
    isRace: true,
    async check(storage) {
      const isStored = await concurrently(MANY, (index) =>
        succeeds(() => storage.insertClient({ clientId: CLIENT_ID, name: `name-${index}` })),
      );
      assertCount(1, isStored, Boolean);
      assert.equal((await storage.findClient(CLIENT_ID))?.name, `name-${isStored.indexOf(true)}`);
    },
  },
  {
    name: 'of concurrent insertions of one API key hash exactly one succeeds',
    isRace: true,
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const isStored = await concurrently(MANY, (index) =>
        succeeds(() => storage.insertApiKey(sampleKey({ id: `key-${index}` }))),
      );
      assertCount(1, isStored, Boolean);
      const keys = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(
        keys.map(({ id }) => id),
        [`key-${isStored.indexOf(true)}`],
      );
    },
  },
  {
    name: 'after deleteClient during concurrent submissions and insertions of API keys, nothing of the client is left',
    isRace: true,
    async check(storage) {
      for (let round = 0; round < ROUNDS; round++) {
        await storage.insertClient({ clientId: CLIENT_ID });
        const numbers = Array.from({ length: FEW }, (_, index) => round * FEW + index);
        for (const number of numbers)
          await storage.insertLink(sampleLink({ accessCodeHash: hashOf(number) }));
        const submit = async (number: number) => {
          const session = sampleSession({ reference: `S-${number}` });
          await storage.submitLink(sampleSubmission(hashOf(number), { session }));
        };
        const insertKey = (number: number) => {
          const key = sampleKey({ id: `key-${number}`, hash: hashOf(number) });
          return succeeds(() => storage.insertApiKey(key), 'client_not_found');
        };
        const firstCalls = [...numbers.map(submit), ...numbers.map(insertKey)];
        await Promise.all([...firstCalls, (async () => storage.deleteClient(CLIENT_ID))()]);
        await storage.insertClient({ clientId: CLIENT_ID });
        assert.deepEqual(await referencesOf(storage), []);
        assert.deepEqual(await storage.listApiKeys(CLIENT_ID), []);
        await storage.deleteClient(CLIENT_ID);
      }
    },
  },
  {
    name: 'of concurrent revocations of one API key exactly one returns true, and its date is stored',
    isRace: true,
    async check(storage) {
      await withKey(storage);
      const results = await concurrently(MANY, (index) => storage.revokeApiKey('key-1', later(index)));
      assertCount(1, results, (isRevoked) => isRevoked);
      const [key] = await storage.listApiKeys(CLIENT_ID);
      assert.deepEqual(key?.revokedAt, later(results.indexOf(true)));
    },
  },
  {
    name: 'insertSession and submitLink reject the reference of a submitted session',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const secondHash = hashOf(2);
      await storage.insertLink(sampleLink({ accessCodeHash: secondHash }));
      const second = await storage.submitLink(sampleSubmission(secondHash));
      assert.equal(second.outcome, 'reference_taken');
      await assertFails('already_exists', () => storage.insertSession(sampleRecord()));
    },
  },
];

/** Returns whether a call succeeds. Any error with another code fails the case. */
async function succeeds(call: () => unknown, code = 'already_exists'): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isClaimlinkError(error) && error.code === code) return false;
    throw error;
  }
}
