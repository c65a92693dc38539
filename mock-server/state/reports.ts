// What a mock reports: changes and events to its subscribers, requests and events of the services in its logs.
import type { ClientSelection, MockEvent } from '../control/types.js';
import { createEventBus, type OnChange } from './event-bus.js';
import { createEventLog } from './events.js';
import { createRequestLog } from './requests.js';

export type Reports = ReturnType<typeof createReports>;

/** @param changed Marks the persist file as out of date. */
export function createReports(changed: () => void) {
  const bus = createEventBus();
  function emit(event: MockEvent): void {
    changed();
    bus.emit(event);
  }
  const onChange: OnChange = (clientId, part) => emit({ type: 'changed', clientId, part });
  const requests = createRequestLog({
    onAdd: (request) => bus.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => onChange(clientId, 'requests'),
  });
  const events = createEventLog((event) => bus.emit({ type: 'event', clientId: event.clientId, event }));
  return {
    bus,
    emit,
    onChange,
    requests,
    events,
    /** Empties the logs of a client, or all. */
    clear(selection: ClientSelection = {}): void {
      requests.methods.clearRequests(selection);
      events.clear(selection);
    },
  };
}
