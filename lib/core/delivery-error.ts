// What an error of `onSubmit` or `onEvent` says about the next attempt.
import { invalidOption } from './errors.js';
import { isDate } from './plain-data.js';

/** Registered, so that the service knows the errors of another copy of the package. */
const RETRY = Symbol.for('claimlink.delivery.retry');

/** Options of `deliveryError`. */
export interface DeliveryErrorOptions {
  /** The error that the handler caught. `onError` gets it, and its names and codes are stored as the reason. */
  cause?: unknown;
  /**
   * false: no further attempt. The event stays as failed, and `claimlink deliveries retry` repeats it. A Date: the earliest time of
   * the next attempt, at most 6 hours later.
   */
  retry: false | Date;
}

/**
 * Creates an error for `onSubmit` or `onEvent` to throw, which says when the event is delivered again. 20 attempts are the
 * maximum, as without it.
 * @throws `options_invalid` unless `retry` is false or a valid Date.
 */
export function deliveryError(message: string, { cause, retry }: DeliveryErrorOptions): Error {
  if (retry !== false && !isValidDate(retry))
    throw invalidOption('/retry', 'value', 'must be false or a Date');
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = 'DeliveryError';
  return withRetry(error, retry);
}

/** Lets an error say when its event is delivered again. Returns the same error. */
export function withRetry<E extends Error>(error: E, retry: false | Date | undefined): E {
  return retry === undefined ? error : Object.defineProperty(error, RETRY, { value: retry });
}

/** Returns what a thrown value says about the next attempt, or undefined if it says nothing. */
export function retryOf(error: unknown): false | Date | undefined {
  const retry: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, RETRY) : undefined;
  return retry === false || isValidDate(retry) ? retry : undefined;
}

function isValidDate(value: unknown): value is Date {
  return isDate(value) && !Number.isNaN(value.getTime());
}
