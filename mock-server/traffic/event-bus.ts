// Tells whoever listens what happens in a mock, in order, and remembers the last of it for those who come back.
import type { MockEvent } from '../control.js';

/** An event with its place in the order. */
export interface NumberedEvent {
  /** Grows by one. */
  id: number;
  event: MockEvent;
}

/** The events of one mock. */
export interface EventBus {
  emit(event: MockEvent): void;
  /** Returns what ends it. `onClose` is called when the mock closes. */
  subscribe(listener: (numbered: NumberedEvent) => void, onClose?: () => void): () => void;
  /** Events after the given one that are still remembered; undefined when some of them no longer are. */
  after(id: number): readonly NumberedEvent[] | undefined;
  /** No more events. */
  close(): void;
}

/** How many events are remembered. */
const REMEMBERED = 1000;

/** Makes a bus. A listener that throws is told to `onError` and goes on listening. */
export function createEventBus(onError: (error: unknown) => void): EventBus {
  const listeners = new Map<(numbered: NumberedEvent) => void, () => void>();
  const remembered: NumberedEvent[] = [];
  const untold: NumberedEvent[] = [];
  let lastId = 0;
  let isTelling = false;
  let isClosed = false;

  function tell(numbered: NumberedEvent): void {
    for (const listener of [...listeners.keys()]) {
      // Another listener may have ended it.
      if (!listeners.has(listener)) continue;
      try {
        listener(numbered);
      } catch (error) {
        onError(error);
      }
    }
  }

  return {
    emit(event) {
      const numbered = { id: ++lastId, event };
      remembered.push(numbered);
      if (remembered.length >= 2 * REMEMBERED) remembered.splice(0, remembered.length - REMEMBERED);
      untold.push(numbered);
      // What a listener does may be an event in turn: it is told when everyone knows of the one before.
      if (isTelling) return;
      isTelling = true;
      for (let next = untold.shift(); next !== undefined; next = untold.shift()) tell(next);
      isTelling = false;
    },
    subscribe(listener, onClose = () => {}) {
      if (isClosed) {
        onClose();
        return () => {};
      }
      const own = (numbered: NumberedEvent) => listener(numbered);
      listeners.set(own, onClose);
      return () => void listeners.delete(own);
    },
    after(id) {
      const first = remembered[0]?.id ?? lastId + 1;
      if (id > lastId || id < first - 1) return undefined;
      return remembered.filter((numbered) => numbered.id > id);
    },
    close() {
      isClosed = true;
      const closing = [...listeners.values()];
      listeners.clear();
      for (const onClose of closing) onClose();
    },
  };
}
