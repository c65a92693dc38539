// Keeps the page up to date: one subscription to the events of the mock, shared by all cards.
import type { MockControl } from '../control/methods.js';

/**
 * - `rejected`: the mock responds, but gives no events; it has enough readers.
 * - `gone`: the mock does not respond.
 */
export type Connection = 'connecting' | 'live' | 'rejected' | 'gone';

/** Calls the listener after each batch of events, until the returned function is called. */
export type Live = (listener: () => void) => () => void;

/** A burst of requests causes one reload per batch. */
const BATCH_MS = 150;

const RETRY_MS = 1000;

/** Subscribes to the events, and again whenever the connection is lost. A connection counts as an event. */
export function createLive(
  control: Pick<MockControl, 'subscribe'>,
  onConnection: (connection: Connection) => void,
): Live {
  const listeners = new Set<() => void>();
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      for (const listener of listeners) listener();
    }, BATCH_MS);
  }

  async function connect(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        control.subscribe(schedule, { onClose: resolve }).then(() => {
          onConnection('live');
          schedule();
        }, reject);
      });
      onConnection('gone');
    } catch (error) {
      onConnection(statusOf(error) === undefined ? 'gone' : 'rejected');
    }
    setTimeout(connect, RETRY_MS);
  }

  void connect();
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

/** Status of the response that an error describes. undefined: there was no response. */
export function statusOf(error: unknown): number | undefined {
  return (error as { status?: number }).status || undefined;
}
