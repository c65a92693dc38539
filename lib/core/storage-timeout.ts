// Limits the time of storage calls, so that no request waits forever.
import type { OutboxStorage, RecordStorage, Storage } from './storage.js';
import type { Awaitable } from './types.js';

/** The methods of a plain storage. */
export const STORAGE_METHODS = [
  'findCredentials',
  'findClient',
  'listSessions',
  'insertLink',
  'findLink',
  'markLinkOpened',
  'submitLink',
  'revokeLink',
  'deleteExpiredLinks',
] as const satisfies readonly (keyof Storage)[];

/** The methods of a storage that keeps the events of submissions. */
export const OUTBOX_METHODS = [
  'leaseEvents',
  'settleEvent',
  'postponeEvent',
  'countEvents',
  'listEvents',
  'retryEvents',
] as const satisfies readonly (keyof OutboxStorage)[];

/** The methods of a storage whose records can be searched, changed and deleted. */
export const RECORD_METHODS = [
  'updateSession',
  'listLinks',
  'revokeLinks',
  'listClientSessions',
  'deleteUser',
  'deleteSessions',
  'dropLinkData',
] as const satisfies readonly (keyof RecordStorage)[];

/** A storage of a host: it may lack the methods that its options do not need. */
export type HostStorage = Storage & Partial<OutboxStorage & RecordStorage>;

/** Returns the methods that a storage lacks. */
export function missingMethods(storage: unknown, names: readonly string[]): string[] {
  return names.filter((name) => typeof (storage as Record<string, unknown> | null)?.[name] !== 'function');
}

/**
 * Wraps a storage so that every call rejects if the storage does not answer in time.
 * A call that timed out may still take effect in the storage.
 */
export function withTimeout(storage: HostStorage, seconds: number): HostStorage {
  async function within<T>(method: string, result: Awaitable<T>): Promise<T> {
    // A storage in memory returns values. There is nothing to wait for.
    if (!isPromiseLike(result)) return result;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const message = `The storage did not answer ${method} within ${seconds} s (storageTimeoutSeconds).`;
      timer = setTimeout(() => reject(new Error(message)), seconds * 1000);
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  // Every method of these interfaces has at most one parameter.
  const calls = storage as unknown as Record<string, (query: unknown) => Awaitable<unknown>>;
  const names = [...STORAGE_METHODS, ...OUTBOX_METHODS, ...RECORD_METHODS];
  const limited = names
    .filter((name) => missingMethods(storage, [name]).length === 0)
    .map((name) => [name, async (query: unknown) => within(name, calls[name]?.(query))]);
  return Object.fromEntries(limited);
}

function isPromiseLike<T>(result: Awaitable<T>): result is PromiseLike<T> {
  return typeof (result as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
