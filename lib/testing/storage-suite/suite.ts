// The storage suite: every rule of the storage port (lib/core/storage.ts) as a case.
import assert from 'node:assert/strict';
import type { AdminStorage, RecordStorage, Storage } from '../../core/storage.js';
import { missingMethods, RECORD_METHODS } from '../../core/storage-timeout.js';
import type { Awaitable } from '../../core/types.js';
import type { ConformanceCase } from '../conformance-case.js';
import { adminRules } from './administration.js';
import { credentialRules } from './credentials.js';
import { linkRules } from './links.js';
import { listingRules } from './listing.js';
import { pagingRules } from './paging.js';
import { type Provision, type ProvisionedStorage, withProvisioning } from './provisioning.js';
import { raceRules } from './races.js';
import { recordRules } from './records.js';
import { stringRules } from './strings.js';
import { submissionRules } from './submissions.js';

/** One rule of the storage port and its check. */
export interface StorageCase extends ConformanceCase {
  /**
   * The interface that the rule is about. A plain `Storage` gets no case that needs `AdminStorage`. A case that needs
   * `RecordStorage` checks nothing if the storage has none of its methods.
   */
  needs: 'Storage' | 'AdminStorage' | 'RecordStorage';
}

const STORAGE_RULES = [
  ...credentialRules,
  ...listingRules,
  ...pagingRules,
  ...linkRules,
  ...submissionRules,
  ...raceRules,
  ...stringRules,
];

/**
 * Returns the cases that every storage must pass. Each case creates its own storage, which must be empty, and closes
 * it if it has `close`. Cases may run in any order, and concurrently if their storages share nothing.
 *
 * An `AdminStorage` runs all cases:
 *
 * ```ts
 * for (const { name, run } of storageSuite(() => createMyStorage())) test(name, run);
 * ```
 *
 * A plain `Storage` cannot create clients, API keys and sessions. Pass a function that creates them in your tables;
 * the suite then leaves out the cases that need `AdminStorage`:
 *
 * ```ts
 * const cases = storageSuite(
 *   () => createMyStorage(database),
 *   async (storage, { clients, apiKeys, sessions }) => {
 *     for (const client of clients) await database.insert('clients', client);
 *     for (const apiKey of apiKeys) await database.insert('api_keys', apiKey);
 *     for (const session of sessions) await database.insert('sessions', session);
 *   },
 * );
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function storageSuite(createStorage: () => Awaitable<AdminStorage>): StorageCase[];
export function storageSuite<S extends Storage>(
  createStorage: () => Awaitable<S>,
  provision: Provision<S>,
): StorageCase[];
export function storageSuite(
  createStorage: () => Awaitable<Storage>,
  provision?: Provision<Storage>,
): StorageCase[] {
  const withStorage = (check: (storage: Storage) => Promise<void>) => async () => {
    const storage = await createStorage();
    try {
      await check(storage);
    } finally {
      await storage.close?.();
    }
  };
  const storageCases = STORAGE_RULES.map(
    ({ name, check }): StorageCase => ({
      name,
      needs: 'Storage',
      run: withStorage((storage) =>
        check(provision ? withProvisioning(storage, provision) : asAdminStorage(storage)),
      ),
    }),
  );
  const recordCases = recordRules.map(
    ({ name, check }): StorageCase => ({
      name,
      needs: 'RecordStorage',
      run: withStorage(async (storage) => {
        const provisioned = provision ? withProvisioning(storage, provision) : asAdminStorage(storage);
        const missing = missingMethods(storage, RECORD_METHODS);
        if (missing.length === RECORD_METHODS.length) return;
        assert.deepEqual(missing, [], 'a RecordStorage has all of its methods');
        await check(provisioned as ProvisionedStorage & RecordStorage);
      }),
    }),
  );
  if (provision !== undefined) return [...storageCases, ...recordCases];
  const adminCases = adminRules.map(
    ({ name, check }): StorageCase => ({
      name,
      needs: 'AdminStorage',
      run: withStorage((storage) => check(asAdminStorage(storage))),
    }),
  );
  return [...adminCases, ...storageCases, ...recordCases];
}

function asAdminStorage(storage: Storage): AdminStorage {
  if ('insertClient' in storage) return storage as AdminStorage;
  throw new TypeError(
    'The storage has no insertClient. Pass a function that creates records as the second argument of storageSuite.',
  );
}
