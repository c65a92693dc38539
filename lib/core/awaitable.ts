// Goes on with a value that may be a promise; one that is none is gone on with at once, without a turn of the event loop.
import type { Awaitable } from './types.js';

/** Whether a value has to be waited for. */
export function isPromiseLike<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** `next` of the value, now or when it is there. What either throws comes as an exception or as a rejection. */
export function chain<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromiseLike(value) ? value.then(next) : next(value);
}
