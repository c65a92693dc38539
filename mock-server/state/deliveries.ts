// Begins to handle the events of the services: at intervals, and when a clock moves.
import { clearInterval, setInterval } from 'node:timers';
import type { ClientSelection } from '../control/types.js';
import type { Clients } from './clients.js';

/** How often the mock looks for events that are due. */
const DELIVERY_INTERVAL_MS = 1000;

/** @param hasPending Whether events wait for the clock of a client: those of a webhook, and those of links that expire. */
export function createDeliveries(
  hasPending: boolean,
  { select }: Pick<Clients, 'select'>,
  closing: AbortSignal,
  onError: (error: unknown) => void,
) {
  /** Begins to handle the events that are due. */
  function deliverPending(selection: ClientSelection = {}): void {
    if (!hasPending || closing.aborted) return;
    for (const client of select(selection)) client.deliverPending().catch(onError);
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    deliverPending,
    start(): void {
      if (hasPending) timer = setInterval(deliverPending, DELIVERY_INTERVAL_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
