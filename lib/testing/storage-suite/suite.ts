// The storage suite: every rule of the storage port (lib/core/storage.ts) as a case.

import {
  assertOptions,
  missingMethods,
  mustBeFunction,
  type OptionCheck,
} from '../../core/assert-options.js';
import { type Interfaces, STORAGE_METHODS } from '../../core/guarded-storage.js';
import type { AdminStorage, Storage } from '../../core/storage.js';
import type { Awaitable } from '../../core/types.js';
import { adminRules } from './administration.js';
import { checkRules, type ProvisionedCheck } from './check.js';
import { clientRules, type ProvisionedClients } from './client-change.js';
import type { ConformanceCase } from './conformance-case.js';
import { credentialRules } from './credentials.js';
import type { ProvisionedLife, ProvisionedOutbox } from './event-sources.js';
import { idempotencyRules, type ProvisionedIdempotency } from './idempotency.js';
import { keyUseRules, type ProvisionedKeyUse } from './key-use.js';
import { lifeAdminRules, lifeRecordRules, lifeRules, type ProvisionedLifeRecords } from './life.js';
import { linkRules } from './links.js';
import { listingRules } from './listing.js';
import {
  type LockableOutbox,
  type LockEvent,
  lifeLockRules,
  lifeOutboxRules,
  outboxLockRules,
  outboxRules,
} from './outbox.js';
import { pagingRules } from './paging.js';
import { type Provision, type ProvisionedStorage, withProvisioning } from './provisioning.js';
import { raceRules } from './races.js';
import { type ProvisionedRecords, recordRules } from './records.js';
import { CLIENT_ID, concurrently, POOL_SIZE, type StorageRule } from './samples.js';
import { type ProvisionedSearch, searchRules } from './search.js';
import {
  sizeRulesOfAdmin,
  sizeRulesOfLife,
  sizeRulesOfOutbox,
  sizeRulesOfRecords,
  sizeRulesOfStorage,
} from './sizes.js';
import { stringRules } from './strings.js';
import { submissionRules } from './submissions.js';

/** One rule of the storage port and its check. */
export interface StorageCase extends ConformanceCase {
  /**
   * The interface that the rule is about. A plain `Storage` gets no cases that need `AdminStorage`. A storage that has
   * no method of another interface passes the cases about it.
   */
  needs: keyof Interfaces;
}

/** Options of `storageSuite`. */
export interface StorageSuiteOptions<S extends Storage = AdminStorage> {
  /** Creates clients, API keys and sessions in the tables of a plain `Storage`. An `AdminStorage` needs none. */
  provision?: Provision<S>;
  /**
   * Returns two storages on one empty database, with a pool each, as two processes have them. The rules about cursors,
   * concurrent calls, leases and records then have a second case, whose calls go to the two in turn.
   */
  createPair?: () => Awaitable<readonly [S, S]>;
  /**
   * Locks the row of an event, for a database with row locks. The suite then has a case more for each kind of events:
   * `leaseEvents` does not wait for a lock of another transaction.
   */
  lockEvent?: LockEvent<S>;
}

const CHECKS: Readonly<Record<keyof StorageSuiteOptions, OptionCheck>> = {
  provision: mustBeFunction,
  createPair: mustBeFunction,
  lockEvent: mustBeFunction,
};

const STORAGE_RULES = [
  ...credentialRules,
  ...listingRules,
  ...pagingRules,
  ...linkRules,
  ...submissionRules,
  ...raceRules,
  ...stringRules,
  ...sizeRulesOfStorage,
];

/** The rules with a second case for two storages on one database. */
const PAIR_RULES: ReadonlySet<object> = new Set([
  ...pagingRules,
  ...raceRules,
  ...outboxRules,
  ...lifeOutboxRules,
  ...recordRules,
  ...searchRules,
  ...checkRules,
  ...idempotencyRules,
  ...lifeRules,
  ...lifeRecordRules,
  ...keyUseRules,
  ...clientRules,
]);

/**
 * Returns the cases that every storage must pass. Each case creates its own storage, which must be empty, and closes
 * it if it has `close`. Cases may run in any order, and concurrently if their storages share nothing.
 *
 * Give each storage a pool of at least ten connections: with one connection, its calls run one after another, and the
 * rules about concurrent calls find nothing.
 *
 * An `AdminStorage` runs all cases:
 *
 * ```ts
 * for (const { name, run } of storageSuite(() => createMyStorage())) test(name, run);
 * ```
 *
 * A plain `Storage` cannot create clients, API keys and sessions. Pass a function that creates them in your tables;
 * the suite then returns no cases that need `AdminStorage`:
 *
 * ```ts
 * const cases = storageSuite(() => createMyStorage(database), {
 *   async provision(storage, { clients, apiKeys, sessions }) {
 *     for (const client of clients) await database.insert('clients', client);
 *     for (const apiKey of apiKeys) await database.insert('api_keys', apiKey);
 *     for (const session of sessions) await database.insert('sessions', session);
 *   },
 * });
 * for (const { name, run } of cases) test(name, run);
 * ```
 *
 * A database that several processes share has more cases, with `createPair`.
 * @throws `options_invalid` for an unknown or invalid option.
 */
export function storageSuite<S extends AdminStorage>(
  createStorage: () => Awaitable<S>,
  options?: Omit<StorageSuiteOptions<S>, 'provision'>,
): StorageCase[];
export function storageSuite<S extends Storage>(
  createStorage: () => Awaitable<S>,
  options: StorageSuiteOptions<S> & { provision: Provision<S> },
): StorageCase[];
export function storageSuite(
  createStorage: () => Awaitable<Storage>,
  options: StorageSuiteOptions<Storage> = {},
): StorageCase[] {
  assertOptions(options, CHECKS);
  const { provision, createPair, lockEvent } = options;
  const provisioned = (storage: Storage) =>
    provision ? withProvisioning(storage, provision) : asAdminStorage(storage);

  /** Returns the cases of each rule. `prepare` returns the storage to check, or undefined if the rules do not apply. */
  function toCases<S extends object>(
    needs: StorageCase['needs'],
    rules: readonly StorageRule<S>[],
    prepare: (storage: Storage) => S | undefined,
  ): StorageCase[] {
    const toCase = (
      name: string,
      { isRace, check }: StorageRule<S>,
      open: () => Promise<readonly Storage[]>,
    ) => ({
      name,
      needs,
      async run() {
        const storages = await open();
        try {
          // A pool opens a connection when it needs one: the first calls would run one after another.
          if (isRace)
            for (const storage of storages)
              await concurrently(POOL_SIZE, () => storage.findClient(CLIENT_ID));
          const [first, second] = storages.map(prepare);
          if (first !== undefined) await check(second === undefined ? first : alternate(first, second));
        } finally {
          for (const storage of storages) await storage.close?.();
        }
      },
    });
    return rules.flatMap((rule) => [
      toCase(rule.name, rule, async () => [await createStorage()]),
      ...(createPair && PAIR_RULES.has(rule)
        ? [toCase(`two storages: ${rule.name}`, rule, async () => createPair())]
        : []),
    ]);
  }

  const asOutbox = (storage: Storage) =>
    withAll<ProvisionedOutbox>(provisioned(storage), 'OutboxStorage', STORAGE_METHODS.OutboxStorage);
  const asLife = (storage: Storage) => {
    const life = withAll<ProvisionedLife>(provisioned(storage), 'LifeStorage', STORAGE_METHODS.LifeStorage);
    if (life && !asOutbox(storage))
      throw new TypeError('A storage with LifeStorage must implement OutboxStorage, which keeps its events.');
    return life;
  };
  /** Returns the cases of the rules about locks. */
  const toLockCases = <S extends ProvisionedOutbox>(
    needs: StorageCase['needs'],
    rules: readonly StorageRule<LockableOutbox<S>>[],
    prepare: (storage: Storage) => S | undefined,
  ) =>
    lockEvent
      ? toCases(needs, rules, (storage) => {
          const outbox = prepare(storage);
          return outbox && { outbox, lockEvent: (event) => lockEvent(storage, event) };
        })
      : [];

  return [
    ...(provision ? [] : toCases('AdminStorage', [...adminRules, ...sizeRulesOfAdmin], asAdminStorage)),
    ...toCases('Storage', STORAGE_RULES, provisioned),
    ...toCases('OutboxStorage', [...outboxRules, ...sizeRulesOfOutbox], asOutbox),
    ...toLockCases('OutboxStorage', outboxLockRules, asOutbox),
    ...toCases('RecordStorage', [...recordRules, ...sizeRulesOfRecords], (storage) =>
      withAll<ProvisionedRecords>(provisioned(storage), 'RecordStorage', STORAGE_METHODS.RecordStorage),
    ),
    ...toCases('SearchStorage', searchRules, (storage) =>
      withAll<ProvisionedSearch>(provisioned(storage), 'SearchStorage', STORAGE_METHODS.SearchStorage),
    ),
    ...toCases('CheckStorage', checkRules, (storage) =>
      withAll<ProvisionedCheck>(provisioned(storage), 'CheckStorage', STORAGE_METHODS.CheckStorage),
    ),
    ...toCases('IdempotencyStorage', idempotencyRules, (storage) =>
      withAll<ProvisionedIdempotency>(
        provisioned(storage),
        'IdempotencyStorage',
        STORAGE_METHODS.IdempotencyStorage,
      ),
    ),
    ...toCases('LifeStorage', [...lifeRules, ...lifeOutboxRules, ...sizeRulesOfLife], asLife),
    ...toLockCases('LifeStorage', lifeLockRules, asLife),
    ...toCases('LifeStorage', lifeRecordRules, (storage) => {
      const life = asLife(storage);
      return life && withAll<ProvisionedLifeRecords>(life, 'RecordStorage', STORAGE_METHODS.RecordStorage);
    }),
    ...(provision
      ? []
      : toCases('AdminStorage', lifeAdminRules, (storage) =>
          asLife(storage) ? (storage as AdminStorage & ProvisionedLife) : undefined,
        )),
    ...toCases('KeyUseStorage', keyUseRules, (storage) =>
      withAll<ProvisionedKeyUse>(provisioned(storage), 'KeyUseStorage', STORAGE_METHODS.KeyUseStorage),
    ),
    ...toCases('ClientStorage', clientRules, (storage) =>
      withAll<ProvisionedClients>(provisioned(storage), 'ClientStorage', STORAGE_METHODS.ClientStorage),
    ),
  ];
}

/**
 * Returns the storage if it has the methods of an interface, undefined if it has none of them.
 * @throws if it has some of them only.
 */
function withAll<S extends ProvisionedStorage>(
  storage: ProvisionedStorage,
  name: string,
  methods: readonly (keyof S & string)[],
): S | undefined {
  const missing = missingMethods(storage, methods);
  if (missing.length === 0) return storage as S;
  if (missing.length === methods.length) return undefined;
  throw new TypeError(`The storage lacks ${missing.join(', ')} of ${name}.`);
}

/** Returns a storage whose calls go to two storages in turn. */
function alternate<S extends object>(first: S, second: S): S {
  let calls = 0;
  const names = Object.values(STORAGE_METHODS).flat();
  const methods = names
    .filter((name) => missingMethods(first, [name]).length === 0)
    .map((name) => [
      name,
      (...args: unknown[]) => {
        const storage = (calls++ % 2 === 0 ? first : second) as Record<
          string,
          (...args: unknown[]) => unknown
        >;
        return storage[name]?.(...args);
      },
    ]);
  return Object.fromEntries(methods);
}

function asAdminStorage(storage: Storage): AdminStorage {
  if ('insertClient' in storage) return storage as AdminStorage;
  throw new TypeError(
    'The storage has no insertClient. Pass a function that creates records as the option provision of storageSuite.',
  );
}
