// Subscribes to the tracing channels.
import type { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { assertOptions, mustBeFunction } from './core/assert-options.js';
import { type DeliveryTrace, type StorageTrace, TRACING_CHANNELS } from './core/tracing.js';
import type { RequestTrace } from './http/request-trace.js';

/** The context of each channel, by the name of the channel in `TRACING_CHANNELS`. */
export interface Traces {
  request: RequestTrace;
  storage: StorageTrace;
  delivery: DeliveryTrace;
}

/** A context with the members that are set at the end. */
export type SettledTrace<C> = C & Required<Pick<C, Extract<keyof C, 'status' | 'durationMs'>>>;

/** Argument of `subscribeTraces`: a function for each event that you need. */
export interface TraceListeners<C> {
  /** A call begins. */
  start?(context: C): void;
  /** The synchronous part of a call has ended. */
  end?(context: C): void;
  /** A call has failed. Comes before `asyncStart`. */
  error?(context: SettledTrace<C>): void;
  /** A call is settled. */
  asyncStart?(context: SettledTrace<C>): void;
  /** A call is settled. Comes after `asyncStart`. */
  asyncEnd?(context: SettledTrace<C>): void;
}

const LISTENER_CHECKS = {
  start: mustBeFunction,
  end: mustBeFunction,
  error: mustBeFunction,
  asyncStart: mustBeFunction,
  asyncEnd: mustBeFunction,
};

/**
 * Subscribes to a tracing channel. Returns a function that ends the subscription. An error that a listener throws does not
 * reach the caller of claimlink: Node reports it as an uncaught exception.
 * @throws `options_invalid` for a listener of an event that does not exist.
 */
export function subscribeTraces<N extends keyof Traces>(
  name: N,
  listeners: TraceListeners<Traces[N]>,
): () => void {
  assertOptions(listeners, LISTENER_CHECKS);
  const channel = tracingChannel(TRACING_CHANNELS[name]);
  // The types of Node ask for a listener of every event, and Node does not.
  const subscribers = listeners as TracingChannelSubscribers<object>;
  channel.subscribe(subscribers);
  return () => void channel.unsubscribe(subscribers);
}

/**
 * Makes a value active in a store during each call, such as a span. Returns a function that ends this. Use it instead of
 * `bindStore` of Node, whose type parameters have changed their order between versions of `@types/node`.
 */
export function bindTraceStore<N extends keyof Traces, Value>(
  name: N,
  store: AsyncLocalStorage<Value>,
  toValue: (context: Traces[N]) => Value,
): () => void {
  const { start } = tracingChannel<Value, Traces[N]>(TRACING_CHANNELS[name]);
  start.bindStore(store, toValue);
  return () => void start.unbindStore(store);
}
