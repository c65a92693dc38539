// Rules of SearchStorage: find sessions and links whose client is not known.

import { isClaimlinkError } from '../../core/errors.js';
import type { SearchStorage } from '../../core/storage.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertSession,
  CLIENT_ID,
  hashOf,
  later,
  linkId,
  NOON,
  PREFILLED,
  type StorageRule,
  sampleLink,
  sampleRecord,
  sampleSession,
  sampleSubmission,
  withLink,
  withSessions,
} from './samples.js';

/** A storage that finds records of all clients. */
export type ProvisionedSearch = ProvisionedStorage & SearchStorage;

const OTHER = 'other';

export const searchRules: readonly StorageRule<ProvisionedSearch>[] = [
  {
    name: 'findSessions returns the sessions of all clients with a reference, each with its client and user',
    async check(storage) {
      await withSessions(storage, {}, { reference: 'S-2' });
      await storage.insertClient({ clientId: OTHER });
      await storage.insertClient({ clientId: 'third' });
      const twin = sampleRecord({ clientId: OTHER, userId: 'user-2', status: 'accepted' });
      await storage.insertSession(twin);
      const sessions = byClient(await storage.findSessions({ reference: 'S-1' }));
      assert.deepEqual(
        sessions.map(({ clientId, userId }) => [clientId, userId]),
        [
          [CLIENT_ID, sampleRecord().userId],
          [OTHER, 'user-2'],
        ],
      );
      assertSession(sessions[0], sampleSession());
      assertSession(sessions[1], sampleSession({ status: 'accepted' }));
    },
  },
  {
    name: 'findSessions compares references by each code unit, and returns an empty list for an unknown one',
    async check(storage) {
      await withSessions(storage, {});
      for (const reference of ['s-1', 'S-1 ', 'S-', 'S-10', 'S-%'])
        assert.deepEqual(await storage.findSessions({ reference }), [], reference);
    },
  },
  {
    name: 'findSessions returns the session of a submission, and none after its client was deleted',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      assert.deepEqual(await storage.findSessions({ reference: 'S-1' }), []);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const [session, ...others] = await storage.findSessions({ reference: 'S-1' });
      assert.deepEqual(others, []);
      assertSession(session, sampleSession());
      if (!storage.deleteClient) return;
      await storage.deleteClient(CLIENT_ID);
      assert.deepEqual(await storage.findSessions({ reference: 'S-1' }), []);
    },
  },
  {
    name: 'findLinks returns the links of all clients with a hash, in any state, as findLink does',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage, { config: PREFILLED });
      await storage.insertLink(sampleLink({ accessCodeHash: hashOf(1) }));
      const other = { clientId: OTHER, name: 'Other' };
      await storage.insertClient(other);
      const twin = sampleLink({ clientId: OTHER, userId: 'user-2', openedAt: later(1) });
      await storage.insertLink(twin);
      await storage.submitLink(sampleSubmission(accessCodeHash));
      const expected = await storage.findLink(linkId(accessCodeHash));
      const links = (await storage.findLinks({ accessCodeHash })).toSorted((a, b) =>
        a.client.clientId < b.client.clientId ? -1 : 1,
      );
      assert.deepEqual(links, [expected, { link: twin, client: other }]);
      assert.deepEqual(
        [expected?.link.submittedAt, expected?.session?.reference],
        [NOON, 'S-1'],
        'the first link is submitted',
      );
    },
  },
  {
    name: 'findLinks compares hashes by each code unit, and returns an empty list for an unknown one',
    async check(storage) {
      const { accessCodeHash } = await withLink(storage);
      for (const hash of [hashOf(1), accessCodeHash.toUpperCase(), accessCodeHash.slice(1)])
        assert.deepEqual(await storage.findLinks({ accessCodeHash: hash }), [], hash);
    },
  },
  {
    name: 'findLinks returns no link whose client does not exist',
    async check(storage) {
      await storage.insertClient({ clientId: CLIENT_ID });
      const orphan = sampleLink({ clientId: OTHER });
      try {
        await storage.insertLink(orphan);
      } catch (error) {
        if (!isClaimlinkError(error) || error.code !== 'client_not_found') throw error;
      }
      assert.deepEqual(await storage.findLinks({ accessCodeHash: orphan.accessCodeHash }), []);
    },
  },
];

function byClient<T extends { clientId: string }>(records: readonly T[]): T[] {
  return records.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1));
}
