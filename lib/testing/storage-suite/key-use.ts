// Rules of KeyUseStorage: when each API key was last used.

import type { KeyUseStorage } from '../../core/storage.js';
import type { ApiKey } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import { concurrently, later, NOON, presentedKey, type StorageRule, sampleKey, withKey } from './samples.js';

/** A storage that keeps when each API key was last used. */
export type ProvisionedKeyUse = ProvisionedStorage & KeyUseStorage;

const MANY = 50;
const HOUR_MS = 3_600_000;
const OTHER = sampleKey({ id: 'key-2', hash: '2'.repeat(64), createdAt: later(1) });

export const keyUseRules: readonly StorageRule<ProvisionedKeyUse>[] = [
  {
    name: 'recordKeyUse sets lastUsedAt of the key with that hash to the millisecond, and changes nothing else',
    async check(storage) {
      const key = await withTwoKeys(storage, { hint: 'clk_…abcd', expiresAt: later(1) });
      await assertKeys(storage, [key, OTHER]);
      const presented = await presentedKey(storage, key.hash);
      await storage.recordKeyUse({ apiKeyHash: key.hash, at: NOON });
      await assertKeys(storage, [{ ...key, lastUsedAt: NOON }, OTHER]);
      const { clientId, expiresAt, revokedAt } = (await presentedKey(storage, key.hash)) ?? {};
      assert.deepEqual(
        { clientId, expiresAt, revokedAt },
        { clientId: presented?.clientId, expiresAt: presented?.expiresAt, revokedAt: presented?.revokedAt },
        'findCredentials finds the key as before',
      );
    },
  },
  {
    name: 'recordKeyUse moves lastUsedAt forward only',
    async check(storage) {
      const key = await withTwoKeys(storage);
      for (const [at, lastUsedAt] of [
        [later(0), later(0)],
        [later(0), later(0)],
        [later(-1), later(0)],
        [later(1), later(1)],
        [later(-HOUR_MS), later(1)],
        [later(HOUR_MS), later(HOUR_MS)],
      ] as const) {
        await storage.recordKeyUse({ apiKeyHash: key.hash, at });
        await assertKeys(storage, [{ ...key, lastUsedAt }, OTHER]);
      }
    },
  },
  {
    name: 'recordKeyUse ignores an unknown key, and compares hashes by each code unit',
    async check(storage) {
      const key = await withTwoKeys(storage);
      for (const apiKeyHash of ['0'.repeat(64), key.hash.toUpperCase(), `${key.hash} `, key.id])
        await storage.recordKeyUse({ apiKeyHash, at: NOON });
      await assertKeys(storage, [key, OTHER]);
    },
  },
  {
    name: 'lastUsedAt stays when the key is changed and revoked, and is set for a key that has ended',
    async check(storage) {
      const key = await withTwoKeys(storage);
      const { hash: apiKeyHash } = key;
      await storage.recordKeyUse({ apiKeyHash, at: NOON });
      await storage.recordKeyUse({ apiKeyHash: OTHER.hash, at: NOON });
      if (!storage.updateApiKey || !storage.revokeApiKey) return;
      await storage.updateApiKey(key.id, { expiresAt: later(1) });
      await storage.updateApiKey(OTHER.id, {});
      const others = { ...OTHER, lastUsedAt: NOON };
      await assertKeys(storage, [{ ...key, expiresAt: later(1), lastUsedAt: NOON }, others]);
      await storage.recordKeyUse({ apiKeyHash, at: later(2) });
      await storage.revokeApiKey(key.id, later(3));
      const revoked = { ...key, expiresAt: later(1), revokedAt: later(3) };
      await assertKeys(storage, [{ ...revoked, lastUsedAt: later(2) }, others]);
      await storage.recordKeyUse({ apiKeyHash, at: later(4) });
      await assertKeys(storage, [{ ...revoked, lastUsedAt: later(4) }, others]);
    },
  },
  {
    name: `of ${MANY} concurrent calls of recordKeyUse the latest time stays`,
    isRace: true,
    async check(storage) {
      const key = await withTwoKeys(storage);
      // Neither the first nor the last call has the latest time.
      await concurrently(MANY, (index) =>
        storage.recordKeyUse({ apiKeyHash: key.hash, at: later((index * 7 + 3) % MANY) }),
      );
      await assertKeys(storage, [{ ...key, lastUsedAt: later(MANY - 1) }, OTHER]);
    },
  },
];

/** Inserts two keys of a client, and returns the first one. */
async function withTwoKeys(storage: ProvisionedStorage, changes: Partial<ApiKey> = {}): Promise<ApiKey> {
  const key = await withKey(storage, changes);
  await storage.insertApiKey(OTHER);
  return key;
}

/** Asserts the keys of the client. A plain `Storage` has no method that returns them. */
async function assertKeys(storage: ProvisionedStorage, keys: readonly ApiKey[]): Promise<void> {
  const [{ clientId }] = keys as [ApiKey];
  if (storage.listApiKeys) assert.deepEqual(await storage.listApiKeys(clientId), keys);
  if (!storage.findApiKey) return;
  for (const key of keys) assert.deepEqual(await storage.findApiKey(key.id), key);
}
