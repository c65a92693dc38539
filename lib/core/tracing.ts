// The tracing channels of storage calls and deliveries (node:diagnostics_channel).
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { asClaimlinkError, type ErrorCode, publicCode } from './errors.js';
import { failureReason } from './failure-reason.js';

/**
 * Names of the tracing channels, for `tracingChannel(name)` of `node:diagnostics_channel`. The context of `request` is
 * a `RequestTrace`, that of `storage` a `StorageTrace`, that of `delivery` a `DeliveryTrace`. `start` and `end` enclose the synchronous part of a call,
 * `asyncStart` and `asyncEnd` follow when it is settled, and `error` comes before these two if it failed. A store that
 * is bound to `start` is active during the call, so it is also active in the storage calls of a request.
 */
export const TRACING_CHANNELS = Object.freeze({
  request: 'claimlink:request',
  storage: 'claimlink:storage',
  delivery: 'claimlink:delivery',
});

/** Context of `claimlink:storage`: one call of the storage. It has no arguments, result or error. */
export interface StorageTrace {
  /** Name of the method, such as `findLink`. */
  method: string;
  /** Client of the call. Absent if the call finds out whether the client exists, is for all clients, or names a key only. */
  clientId?: string;
  /** Set at the end of a failed call: the code that the caller of claimlink gets, `internal` for unknown errors. */
  code?: ErrorCode;
  /** Milliseconds until the call was settled. Set at the end. */
  durationMs?: number;
}

/** Context of `claimlink:delivery`: one attempt to deliver a submission to `onSubmit`. It has no session, error or user id. */
export interface DeliveryTrace {
  /** `id` of the event: a random UUID. */
  eventId: string;
  clientId: string;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** true if no further attempt follows a failure of this one. */
  isFinal: boolean;
  /** Set at the end of a failed attempt: names and codes of the error and its causes, never a message. */
  reason?: string;
  /** Milliseconds until the attempt was settled. Set at the end. */
  durationMs?: number;
}

// Both type parameters are the context: their order differs between versions of @types/node.
const storageCalls = tracingChannel<StorageTrace, StorageTrace>(TRACING_CHANNELS.storage);
const deliveries = tracingChannel<DeliveryTrace, DeliveryTrace>(TRACING_CHANNELS.delivery);

/** Returns whether a subscriber waits for calls of the storage. */
export function isStorageTraced(): boolean {
  return hasSubscribers(storageCalls);
}

/** Calls a method of the storage, and publishes the call. */
export function traceStorage<T>(method: string, argument: unknown, call: () => Promise<T>): Promise<T> {
  return trace(storageCalls, storageTrace(method, argument), call);
}

/** Calls a function that makes an attempt to deliver a submission. Publishes the context if there are subscribers. */
export function traceDelivery(context: DeliveryTrace, deliver: () => Promise<void>): Promise<void> {
  return hasSubscribers(deliveries) ? trace(deliveries, context, deliver) : deliver();
}

function storageTrace(method: string, argument: unknown): StorageTrace {
  // The client id of findCredentials is any text from the path. As a label of metrics it would have no bound.
  if (method === 'findCredentials') return { method };
  const clientId = (argument as { clientId?: unknown } | undefined)?.clientId;
  return typeof clientId === 'string' ? { method, clientId } : { method };
}

/** Some runtimes lack `hasSubscribers` of a tracing channel. All have that of its channels. */
export function hasSubscribers<C extends object>(channel: TracingChannel<C, C>): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

/**
 * Publishes the events of `tracePromise`, which would add the result and the error to the context.
 * `isFailure` decides which results count as failed.
 */
export async function trace<C extends Pick<StorageTrace, 'code' | 'durationMs'> | DeliveryTrace, T>(
  channel: TracingChannel<C, C>,
  context: C,
  run: () => Promise<T>,
  isFailure: (result: T) => boolean = () => false,
): Promise<T> {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  const startedAt = performance.now();
  const promise = start.runStores(context, run);
  end.publish(context);
  let hasFailed = false;
  try {
    const result = await promise;
    hasFailed = isFailure(result);
    return result;
  } catch (cause) {
    hasFailed = true;
    if ('eventId' in context) context.reason = failureReason(cause);
    else context.code = publicCode(asClaimlinkError(cause));
    throw cause;
  } finally {
    context.durationMs = performance.now() - startedAt;
    if (hasFailed) error.publish(context);
    asyncStart.publish(context);
    asyncEnd.publish(context);
  }
}
