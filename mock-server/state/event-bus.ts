// Delivers the events of a mock to its subscribers, in order.
import { isError } from '../../lib/core/plain-data.js';
import type { ClientSelection, MockEvent } from '../control/types.js';

/** Reports a change of a client, or (null) of all clients. */
export type OnChange = (
  clientId: string | null,
  part: Extract<MockEvent, { type: 'changed' }>['part'],
) => void;

export type EventBus = ReturnType<typeof createEventBus>;

export function createEventBus() {
  const subscriptions = new Set<{
    selection: ClientSelection;
    onEvent(event: MockEvent): void;
    onClose(): void;
  }>();
  const queue: MockEvent[] = [];
  let isDelivering = false;
  let isClosed = false;

  function deliver(event: MockEvent): void {
    for (const subscription of [...subscriptions]) {
      // A listener may have ended the subscription of another one.
      if (!subscriptions.has(subscription) || !isSelected(event, subscription.selection)) continue;
      try {
        subscription.onEvent(event);
      } catch (error) {
        process.emitWarning(isError(error) ? error : String(error));
      }
    }
  }

  return {
    emit(event: MockEvent): void {
      if (subscriptions.size === 0) return;
      queue.push(event);
      // A listener may cause an event itself: it is delivered after the current one.
      if (isDelivering) return;
      isDelivering = true;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) deliver(next);
      isDelivering = false;
    },
    /** Returns a function that ends the subscription. `onClose` is called when the mock closes. */
    subscribe(
      selection: ClientSelection,
      onEvent: (event: MockEvent) => void,
      onClose: () => void,
    ): () => void {
      if (isClosed) {
        onClose();
        return () => {};
      }
      const subscription = { selection, onEvent, onClose };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    close(): void {
      isClosed = true;
      const closing = [...subscriptions];
      subscriptions.clear();
      for (const { onClose } of closing) onClose();
    },
  };
}

/** Returns whether a subscriber gets an event. One who selects a client gets no requests without a client. */
function isSelected(event: MockEvent, { clientId }: ClientSelection): boolean {
  if (clientId === undefined || event.clientId === clientId) return true;
  return event.clientId === null && event.type === 'changed';
}
