// Limits the time of promises and of storage calls, so that no request waits forever.
import {
  type HostStorage,
  missingMethods,
  OUTBOX_METHODS,
  RECORD_METHODS,
  STORAGE_METHODS,
} from './storage-methods.js';
import type { Awaitable } from './types.js';

/** Returns the result of a promise. Rejects with the error of `createError` if the promise takes longer. */
export async function withinTime<T>(
  promise: Awaitable<T>,
  seconds: number,
  createError: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), seconds * 1000);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Wraps a storage so that every call rejects if the storage does not answer in time.
 * A call that timed out may still take effect in the storage.
 */
export function withTimeout(storage: HostStorage, seconds: number): HostStorage {
  // Every method of these interfaces has at most one parameter.
  const calls = storage as unknown as Record<string, (query: unknown) => Awaitable<unknown>>;
  const names = [...STORAGE_METHODS, ...OUTBOX_METHODS, ...RECORD_METHODS];
  const limited = names
    .filter((name) => missingMethods(storage, [name]).length === 0)
    .map((name) => {
      const createError = () =>
        new Error(`The storage did not answer ${name} within ${seconds} s (storageTimeoutSeconds).`);
      const call = async (query: unknown) => {
        const result = calls[name]?.(query);
        // A storage in memory returns values. There is nothing to wait for.
        return isPromiseLike(result) ? withinTime(result, seconds, createError) : result;
      };
      return [name, call];
    });
  return Object.fromEntries(limited);
}

function isPromiseLike<T>(result: Awaitable<T>): result is PromiseLike<T> {
  return typeof (result as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
