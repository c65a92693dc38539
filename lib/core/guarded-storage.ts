// The guarded storage: the service and the commands call a storage of the host in this form only. Its calls are traced, and
// those of the service have a time limit. The mock also calls its own storage in memory directly.
import { missingMethods } from './assert-options.js';
import { createChangeClient } from './client-change.js';
import { ClaimlinkError, invalidOption } from './errors.js';
import type {
  AdminStorage,
  CheckStorage,
  ClientStorage,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
  Storage,
} from './storage.js';
import { withinTime } from './time-limit.js';
import { isStorageTraced, traceStorage } from './tracing.js';
import type { Awaitable } from './types.js';

/** The methods of each interface of a storage. */
export const STORAGE_METHODS = {
  Storage: [
    'findCredentials',
    'findClient',
    'listSessions',
    'insertLink',
    'findLink',
    'markLinkOpened',
    'submitLink',
    'revokeLink',
    'deleteExpiredLinks',
  ],
  OutboxStorage: ['leaseEvents', 'settleEvent', 'postponeEvent', 'countEvents', 'listEvents', 'retryEvents'],
  RecordStorage: [
    'findSession',
    'updateSession',
    'listLinks',
    'revokeLinks',
    'listClientSessions',
    'deleteUser',
    'deleteSessions',
    'reduceExpiredLinks',
  ],
  SearchStorage: ['findSessions', 'findLinks'],
  CheckStorage: ['takeAttempt', 'returnAttempt', 'unlockLink'],
  IdempotencyStorage: ['insertLinkOnce', 'findIdempotentLink'],
  LifeStorage: ['chooseEvents', 'addMoment', 'listMoments', 'addDueMoments'],
  KeyUseStorage: ['recordKeyUse'],
  ClientStorage: ['changeClient'],
  AdminStorage: [
    'insertClient',
    'listClients',
    'updateClient',
    'deleteClient',
    'insertApiKey',
    'listApiKeys',
    'revokeApiKey',
    'findApiKey',
    'updateApiKey',
    'insertSession',
  ],
} as const satisfies {
  Storage: readonly (keyof Storage)[];
  OutboxStorage: readonly (keyof OutboxStorage)[];
  RecordStorage: readonly (keyof RecordStorage)[];
  SearchStorage: readonly (keyof SearchStorage)[];
  CheckStorage: readonly (keyof CheckStorage)[];
  IdempotencyStorage: readonly (keyof IdempotencyStorage)[];
  LifeStorage: readonly (keyof LifeStorage)[];
  KeyUseStorage: readonly (keyof KeyUseStorage)[];
  ClientStorage: readonly (keyof ClientStorage)[];
  AdminStorage: readonly (keyof AdminStorage)[];
};

/** The interfaces of a storage. */
export interface Interfaces {
  Storage: Storage;
  OutboxStorage: OutboxStorage;
  RecordStorage: RecordStorage;
  SearchStorage: SearchStorage;
  CheckStorage: CheckStorage;
  IdempotencyStorage: IdempotencyStorage;
  LifeStorage: LifeStorage;
  KeyUseStorage: KeyUseStorage;
  ClientStorage: ClientStorage;
  AdminStorage: AdminStorage;
}

/** The name of a method of a storage. */
export type StorageMethod = (typeof STORAGE_METHODS)[keyof typeof STORAGE_METHODS][number];

/** A storage of a host: it may lack the methods that its options do not need. */
export type HostStorage = Storage &
  Partial<
    OutboxStorage &
      RecordStorage &
      SearchStorage &
      CheckStorage &
      IdempotencyStorage &
      LifeStorage &
      KeyUseStorage &
      ClientStorage &
      AdminStorage
  >;

declare const guarded: unique symbol;

/** The methods of a storage, traced and with a time limit. `guardStorage` creates it, `cacheCredentials` extends it. */
export type Guarded<S> = Pick<S, Extract<keyof S, StorageMethod>> & { readonly [guarded]: true };

/** A guarded storage of a host. */
export type GuardedStorage = Guarded<HostStorage>;

/**
 * Guards a storage: a call rejects with `storage_unavailable` if the storage does not answer in time, and is published
 * to the tracing channel. A call that timed out may still take effect in the storage. A repetition is safe. A storage with
 * `updateClient` alone gets a `changeClient`.
 * @param timeoutSeconds false: no time limit.
 * @throws `options_invalid` for a storage that keeps events of links in an outbox of their own, as those of version 0.2 do:
 * nothing would deliver them.
 */
export function guardStorage<S extends Storage>(storage: S, timeoutSeconds: number | false): Guarded<S> {
  if (missingMethods(storage, ['leaseLifeEvents']).length === 0) {
    const detail =
      'has the method leaseLifeEvents of version 0.2: leaseEvents returns every event now; read docs/upgrading.md, "One outbox"';
    throw invalidOption('/storage', 'combination', detail);
  }
  const calls = storage as unknown as Record<string, (...args: unknown[]) => Awaitable<unknown>>;
  const names = Object.values(STORAGE_METHODS).flat();
  const methods = names
    .filter((name) => missingMethods(storage, [name]).length === 0)
    .map((name) => {
      const createError = () =>
        new ClaimlinkError(
          'storage_unavailable',
          `The storage did not answer ${name} within ${timeoutSeconds} s (storageTimeoutSeconds).`,
        );
      const call = async (args: readonly unknown[]) => {
        const result = calls[name]?.(...args);
        // A storage in memory returns values. There is nothing to wait for.
        if (timeoutSeconds === false || !isPromiseLike(result)) return result;
        return withinTime(result, timeoutSeconds, createError);
      };
      return [
        name,
        (...args: unknown[]) =>
          isStorageTraced() ? traceStorage(name, args[0], () => call(args)) : call(args),
      ];
    });
  const guarded = Object.fromEntries(methods);
  if (guarded.updateClient && !guarded.changeClient)
    guarded.changeClient = createChangeClient(storage, guarded);
  return guarded;
}

/**
 * Returns the storage as one that implements an interface.
 * @param cause what needs the interface, for the message
 * @throws `options_invalid` if the storage lacks methods of the interface.
 */
export function implementing<N extends keyof Interfaces>(
  storage: GuardedStorage,
  name: N,
  cause = 'this call',
): GuardedStorage & Interfaces[N] {
  const missing = missingMethods(storage, STORAGE_METHODS[name]);
  if (missing.length > 0) {
    const detail = `must implement ${name}, which ${cause} needs; it lacks ${missing.join(', ')}`;
    throw invalidOption('/storage', 'combination', detail);
  }
  return storage as GuardedStorage & Interfaces[N];
}

function isPromiseLike<T>(result: Awaitable<T>): result is PromiseLike<T> {
  return typeof (result as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
