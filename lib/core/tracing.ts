// The tracing channels of requests and of storage calls (node:diagnostics_channel).
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { asClaimlinkError, type ErrorCode } from './errors.js';
import { type CoreResponse, publicCode } from './http.js';
import type { HostStorage } from './storage-methods.js';
import type { Awaitable } from './types.js';

/**
 * Names of the tracing channels, for `tracingChannel(name)` of `node:diagnostics_channel`. The context of `request` is
 * a `RequestTrace`, that of `storage` a `StorageTrace`. `start` and `end` enclose the synchronous part of a call,
 * `asyncStart` and `asyncEnd` follow when it is settled, and `error` comes before these two if it failed. A store that
 * is bound to `start` is active during the call, so it is also active in the storage calls of a request.
 */
export const TRACING_CHANNELS = Object.freeze({
  request: 'claimlink:request',
  storage: 'claimlink:storage',
});

/**
 * Context of `claimlink:request`: one call of `handle`. It has no parameters, body, result, error or user id.
 * A status from 500 on counts as failed.
 */
export interface RequestTrace {
  /** `operationId` of the route, such as `listSessions`. Absent for a request without an operation: a 404 or 405. */
  operation?: string;
  /** Set once the API key or the token has proved the client. So every value is the id of an existing client. */
  clientId?: string;
  /** HTTP status. Set at the end. */
  status?: number;
  /** Code of the error that the caller got. Set at the end of a failed request. */
  code?: ErrorCode;
  /** Milliseconds until the response was ready to be sent. Set at the end. */
  durationMs?: number;
}

/** Context of `claimlink:storage`: one call of the storage. It has no arguments, result or error. */
export interface StorageTrace {
  /** Name of the method, such as `findLink`. */
  method: string;
  /** Client of the call. Absent if the call finds out whether the client exists, or is for all clients. */
  clientId?: string;
  /** Set at the end of a failed call: the code that the caller of claimlink gets, `internal` for unknown errors. */
  code?: ErrorCode;
  /** Milliseconds until the call was settled. Set at the end. */
  durationMs?: number;
}

const requests = tracingChannel<unknown, RequestTrace>(TRACING_CHANNELS.request);
const storageCalls = tracingChannel<unknown, StorageTrace>(TRACING_CHANNELS.storage);

/** Calls a function that responds to a request. If there are subscribers, it gets a context, which is published. */
export function traceRequest(
  operation: string | undefined,
  respond: (context?: RequestTrace) => Promise<CoreResponse>,
): Promise<CoreResponse> {
  if (!hasSubscribers(requests)) return respond();
  const context: RequestTrace = { ...(operation !== undefined && { operation }) };
  return trace(requests, context, async () => {
    const response = await respond(context);
    context.status = response.status;
    return response;
  });
}

/** Returns a storage whose calls are published. Its methods have at most one parameter. */
export function withTracing(storage: HostStorage): HostStorage {
  const calls = Object.entries(storage) as [string, (argument: unknown) => Awaitable<unknown>][];
  const methods = calls.map(([method, call]) => {
    const traced = (argument: unknown) =>
      hasSubscribers(storageCalls)
        ? trace(storageCalls, storageTrace(method, argument), async () => call(argument))
        : call(argument);
    return [method, traced];
  });
  return Object.fromEntries(methods);
}

function storageTrace(method: string, argument: unknown): StorageTrace {
  // The client id of findCredentials is any text from the path. As a label of metrics it would have no bound.
  if (method === 'findCredentials') return { method };
  const clientId = (argument as { clientId?: unknown } | undefined)?.clientId;
  return typeof clientId === 'string' ? { method, clientId } : { method };
}

/** Some runtimes lack `hasSubscribers` of a tracing channel. All have that of its channels. */
function hasSubscribers<C extends object>(channel: TracingChannel<unknown, C>): boolean {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  return [start, end, asyncStart, asyncEnd, error].some(({ hasSubscribers }) => hasSubscribers);
}

/** Publishes the events of `tracePromise`, which would add the result and the error to the context. */
async function trace<C extends RequestTrace | StorageTrace, T>(
  channel: TracingChannel<unknown, C>,
  context: C,
  run: () => Promise<T>,
): Promise<T> {
  const { start, end, asyncStart, asyncEnd, error } = channel;
  const startedAt = performance.now();
  const promise = start.runStores(context, run);
  end.publish(context);
  let hasFailed = false;
  try {
    const result = await promise;
    hasFailed = 'status' in context && context.status >= 500;
    return result;
  } catch (cause) {
    hasFailed = true;
    context.code = publicCode(asClaimlinkError(cause));
    throw cause;
  } finally {
    context.durationMs = performance.now() - startedAt;
    if (hasFailed) error.publish(context);
    asyncStart.publish(context);
    asyncEnd.publish(context);
  }
}
