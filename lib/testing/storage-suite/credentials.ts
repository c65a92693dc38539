// Rules about clients and credentials.

import type { ListedSession, Listing, Storage } from '../../core/storage.js';
import assert from './assert.js';
import {
  assertHas,
  CLIENT_ID,
  followPages,
  later,
  NOON,
  presentedKey,
  type StorageRule,
  sampleKey,
  sampleRecord,
  USER_ID,
  withKey,
} from './samples.js';

export const credentialRules: readonly StorageRule[] = [
  {
    name: 'findClient returns the name and the callback origins of a client',
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
    name: 'findClient and findCredentials distinguish a client without callback origins from one with an empty list',
    async check(storage) {
      await storage.insertClient({ clientId: 'any' });
      await storage.insertClient({ clientId: 'none', callbackOrigins: [] });
      const key = sampleKey({ clientId: 'any' });
      await storage.insertApiKey(key);
      for (const clientId of ['any', 'none']) {
        const { client } = await storage.findCredentials({ apiKeyHash: key.hash, clientId });
        assert.deepEqual(client?.callbackOrigins, clientId === 'any' ? undefined : [], clientId);
      }
      const any = await storage.findClient('any');
      assert.equal(any?.callbackOrigins, undefined);
      assert.equal(any?.name, undefined);
      assert.deepEqual((await storage.findClient('none'))?.callbackOrigins, []);
    },
  },
  {
    name: 'findClient returns undefined for an unknown client',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      assert.equal(await storage.findClient('acm'), undefined);
    },
  },
  {
    name: 'findCredentials returns the key and the client in one call',
    async check(storage) {
      const callbackOrigins = ['https://acme.example'];
      await storage.insertClient({ clientId: CLIENT_ID, name: 'Acme', callbackOrigins });
      const expiresAt = later(1);
      const key = sampleKey({ expiresAt });
      await storage.insertApiKey(key);
      const credentials = await storage.findCredentials({ apiKeyHash: key.hash, clientId: CLIENT_ID });
      assertHas(credentials.apiKey, { clientId: CLIENT_ID, expiresAt }, ['revokedAt']);
      assertHas(credentials.client, { clientId: CLIENT_ID, callbackOrigins }, []);
    },
  },
  {
    name: 'findCredentials omits an unknown key, an unknown client, or both',
    async check(storage) {
      const key = await withKey(storage);
      const noClient = await storage.findCredentials({ apiKeyHash: key.hash, clientId: 'unknown' });
      assert.deepEqual([noClient.apiKey?.clientId, noClient.client], [key.clientId, undefined]);
      assert.equal(await presentedKey(storage, '0'.repeat(64)), undefined);
      const neither = await storage.findCredentials({ apiKeyHash: '0'.repeat(64), clientId: 'unknown' });
      assert.deepEqual([neither.apiKey, neither.client], [undefined, undefined]);
    },
  },
  {
    name: "findCredentials returns another client's key with its own clientId",
    async check(storage) {
      await storage.insertClient({ clientId: 'other' });
      const { hash } = await withKey(storage, { clientId: 'other' });
      const credentials = await storage.findCredentials({ apiKeyHash: hash, clientId: CLIENT_ID });
      assert.deepEqual([credentials.apiKey?.clientId, credentials.client?.clientId], ['other', CLIENT_ID]);
    },
  },
  {
    name: 'findCredentials returns expired and revoked keys with their dates',
    async check(storage) {
      const expired = await withKey(storage, {
        id: 'expired',
        hash: '1'.repeat(64),
        expiresAt: new Date(1),
      });
      const revoked = sampleKey({ id: 'revoked', hash: '2'.repeat(64), revokedAt: later(5) });
      await storage.insertApiKey(revoked);
      assertHas(await presentedKey(storage, expired.hash), { clientId: CLIENT_ID, expiresAt: new Date(1) }, [
        'revokedAt',
      ]);
      assertHas(await presentedKey(storage, revoked.hash), { clientId: CLIENT_ID, revokedAt: later(5) }, [
        'expiresAt',
      ]);
    },
  },
  {
    name: 'findCredentials does not find a key by its hash in upper case',
    async check(storage) {
      await withKey(storage);
      assert.equal(await presentedKey(storage, 'F'.repeat(64)), undefined);
    },
  },
  {
    name: 'findCredentials with a listing returns the page of listSessions, or none',
    async check(storage) {
      const { hash } = await withKey(storage);
      for (const changes of [
        { reference: 'S-1', createdAt: later(1) },
        { reference: 'S-2', createdAt: later(2), status: 'closed' },
        { reference: 'S-3', createdAt: later(3) },
        { reference: 'S-4', createdAt: later(4), userId: 'user-2' },
      ])
        await storage.insertSession(sampleRecord(changes));
      for (const query of [{ limit: 4 }, { limit: 1, status: 'submitted' }, { limit: 4, userId: 'user-3' }])
        await followPages(async (cursor) => {
          const listing = { userId: USER_ID, ...query, ...cursor };
          const expected = await storage.listSessions({ clientId: CLIENT_ID, ...listing });
          const { page } = await findWithListing(storage, hash, listing);
          if (page === undefined) return expected;
          assert.equal(page.nextCursor, expected.nextCursor);
          assert.deepEqual(page.sessions.map(toListed), expected.sessions.map(toListed));
          return expected;
        });
    },
  },
  {
    name: 'findCredentials returns no page for the key of another client, and for an expired or revoked key',
    async check(storage) {
      const expired = await withKey(storage, { id: 'expired', hash: '1'.repeat(64), expiresAt: NOON });
      const revoked = sampleKey({ id: 'revoked', hash: '2'.repeat(64), revokedAt: NOON });
      const ofOther = sampleKey({ id: 'of-other', hash: '3'.repeat(64), clientId: 'other' });
      await storage.insertApiKey(revoked);
      await storage.insertClient({ clientId: 'other' });
      await storage.insertApiKey(ofOther);
      await storage.insertSession(sampleRecord());
      await storage.insertSession(sampleRecord({ clientId: 'other' }));
      for (const { id, hash } of [expired, revoked, ofOther]) {
        const { apiKey, page } = await findWithListing(storage, hash, { userId: USER_ID, limit: 1 });
        assert.ok(apiKey, id);
        assert.equal(page, undefined, id);
      }
    },
  },
  {
    name: 'findCredentials returns no page for a cursor that no storage returned, and does not fail',
    async check(storage) {
      const { hash } = await withKey(storage);
      const listing = { userId: USER_ID, limit: 1, status: 'submitted', cursor: 'not-a-cursor' };
      const { apiKey, page } = await findWithListing(storage, hash, listing);
      assert.deepEqual([apiKey?.clientId, page], [CLIENT_ID, undefined]);
    },
  },
];

async function findWithListing(storage: Storage, apiKeyHash: string, listing: Omit<Listing, 'at'>) {
  return storage.findCredentials({ apiKeyHash, clientId: CLIENT_ID, listing: { ...listing, at: NOON } });
}

/** Returns the members of a session that a page of `findCredentials` has. */
function toListed(session: ListedSession): ListedSession {
  const { reference, date, camsReference, status, createdAt, selectedPolicy } = session;
  return { reference, date, camsReference, status, createdAt, selectedPolicy };
}
