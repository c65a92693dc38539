// Limits the time of a promise, so that no request waits forever.
import type { Awaitable } from './types.js';

/** Returns the result of a promise. Rejects with the error of `createError` if the promise takes longer. */
export function withinTime<T>(promise: Awaitable<T>, seconds: number, createError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), seconds * 1000);
    const settle =
      <V>(next: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        next(value);
      };
    Promise.resolve(promise).then(settle(resolve), settle(reject));
  });
}
