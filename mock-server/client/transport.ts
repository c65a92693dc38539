// What carries the calls of a control client: fetch, or the inject method of an app in this process.
import type { MockEvent, Scope } from '../control.js';

/** One call of the control API. */
export interface ControlCall {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below `/__mock`. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
}

/** Callbacks of a subscription. */
export interface Subscriber {
  onEvent(event: MockEvent): void;
  /** Called once when the server ends the subscription. */
  onClose(): void;
}

/** Carries calls and events. */
export interface ControlTransport {
  /** Resolves for every status. Rejects if there is no response. */
  request(call: ControlCall): Promise<{ status: number; body: string }>;
  /** Resolves to a function that ends the subscription. */
  subscribe(scope: Scope, subscriber: Subscriber): Promise<() => void>;
}
