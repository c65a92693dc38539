// Keeps the page up to date: one subscription to the events of the mock, shared by all cards.
import type { MockControl, MockEvent } from '../control.js';

/**
 * - `refused`: the mock responds, but gives no events; it has enough readers.
 * - `gone`: the mock does not respond.
 */
export type Connection = 'connecting' | 'live' | 'refused' | 'gone';

type EventListener = (events: readonly MockEvent[]) => void;

/** The events of a mock, in batches. */
export interface Live {
  /** Calls back with every batch until the returned function is called. */
  listen(listener: EventListener): () => void;
}

/** A burst of requests causes one reload per batch. */
const BATCH_MS = 150;

const RETRY_MS = 1000;

/** Subscribes to the events, and again whenever the connection is lost. Afterwards everything counts as changed. */
export function createLive(
  control: Pick<MockControl, 'subscribe'>,
  onConnection: (connection: Connection) => void,
): Live {
  const listeners = new Set<EventListener>();
  let batch: MockEvent[] = [];

  function add(event: MockEvent): void {
    if (batch.length === 0) setTimeout(flush, BATCH_MS);
    batch.push(event);
  }

  function flush(): void {
    const events = batch;
    batch = [];
    for (const listener of listeners) listener(events);
  }

  async function connect(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        control.subscribe(add, { onClose: resolve }).then(() => {
          onConnection('live');
          add({ type: 'changed', clientId: null, part: 'everything' });
        }, reject);
      });
      onConnection('gone');
    } catch (error) {
      onConnection(statusOf(error) === undefined ? 'gone' : 'refused');
    }
    setTimeout(connect, RETRY_MS);
  }

  void connect();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Status of the response that an error describes. undefined: there was no response. */
export function statusOf(error: unknown): number | undefined {
  return (error as { status?: number }).status || undefined;
}
