// Delivers the events of a mock to its subscribers, in order.
import type { MockEvent } from '../control.js';

export type EventBus = ReturnType<typeof createEventBus>;

export function createEventBus() {
  const listeners = new Map<(event: MockEvent) => void, () => void>();
  const queue: MockEvent[] = [];
  let isDelivering = false;
  let isClosed = false;

  function deliver(event: MockEvent): void {
    for (const listener of [...listeners.keys()]) {
      // A listener may have ended the subscription of another one.
      if (!listeners.has(listener)) continue;
      try {
        listener(event);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }

  return {
    emit(event: MockEvent): void {
      if (listeners.size === 0) return;
      queue.push(event);
      // A listener may cause an event itself: it is delivered after the current one.
      if (isDelivering) return;
      isDelivering = true;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) deliver(next);
      isDelivering = false;
    },
    /** Returns a function that ends the subscription. `onClose` is called when the mock closes. */
    subscribe(listener: (event: MockEvent) => void, onClose: () => void = () => {}): () => void {
      if (isClosed) {
        onClose();
        return () => {};
      }
      // The same function may be subscribed twice.
      const own = (event: MockEvent) => listener(event);
      listeners.set(own, onClose);
      return () => void listeners.delete(own);
    },
    /** Ends all subscriptions. */
    close(): void {
      isClosed = true;
      const closing = [...listeners.values()];
      listeners.clear();
      for (const onClose of closing) onClose();
    },
  };
}
