// Limits the time of a promise, so that no request waits forever.
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
