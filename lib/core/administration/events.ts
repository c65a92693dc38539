// The use cases of events: list, count and repeat their deliveries.
import { assertOptions } from '../assert-options.js';
import { MAX_EVENT_COUNT } from '../delivery.js';
import { invalidParameter } from '../errors.js';
import { EVENT_KINDS, isSubmission } from '../event-kind.js';
import type { EventCounts, EventQuery, StoredLifeEvent, StoredSubmission } from '../storage.js';
import { parseId, parsePaging } from '../validators.js';
import { type AdministrationContext, storageWith } from './context.js';

/** Maximum number of events that `listEvents` of a storage returns. */
const MAX_EVENTS = 1000;

const EVENT_STATES: readonly EventQuery['state'][] = ['pending', 'failed'];

/** Selects events. */
export interface EventFilter extends Pick<EventQuery, 'state' | 'clientId' | 'kind'> {
  /** 1 .. 1000, and at most `maxPageSize`. Default: this maximum. */
  limit?: number;
}

/** Selects failed events. */
export interface RetryFilter {
  /** Default: the events of all clients. */
  clientId?: string;
  /** The event of the session with this reference. Default: all events. */
  reference?: string;
}

/** An event that is not delivered yet. `type` tells a submission from the others. */
export type ListedEvent = StoredLifeEvent | (StoredSubmission & Required<Pick<StoredSubmission, 'type'>>);

/**
 * Lists, counts and repeats the events that are not delivered. Every method needs an `OutboxStorage`, throws
 * `options_invalid` without one, and `request_invalid` or `uri_too_long` for invalid arguments.
 */
export interface EventAdministration {
  /** Returns pending events by `nextAttemptAt`, or failed ones by `failedAt`, the earliest first. */
  listEvents(filter: EventFilter): Promise<readonly ListedEvent[]>;
  /** Counts the events of all clients: of each state up to 10,000. */
  countEvents(): Promise<EventCounts>;
  /**
   * Makes failed events due again: all, or those that the filter selects. Returns their number. `deliverPending` delivers
   * them.
   */
  retryEvents(filter?: RetryFilter): Promise<number>;
}

/** Creates the use cases of events. */
export function createEventAdministration(context: AdministrationContext): EventAdministration {
  const { now, maxPageSize } = context;
  const outbox = () => storageWith(context, 'OutboxStorage');
  return {
    async listEvents(filter) {
      const events = await outbox().listEvents(queryOf(filter));
      return events.map((event) => (isSubmission(event) ? { ...event, type: 'claim.submitted' } : event));
    },

    countEvents: async () => outbox().countEvents({ limit: MAX_EVENT_COUNT }),

    async retryEvents(filter = {}) {
      assertOptions(filter, ['clientId', 'reference']);
      return outbox().retryEvents({ ...selectionOf(filter), at: now() });
    },
  };

  /** Checks a filter. @throws `request_invalid` */
  function queryOf(filter: EventFilter): EventQuery {
    assertOptions(filter, ['state', 'clientId', 'kind', 'limit'], { required: ['state'] });
    const { state, kind } = filter;
    if (!EVENT_STATES.includes(state))
      throw invalidParameter('state', 'value', `must be one of: ${EVENT_STATES.join(', ')}`);
    if (kind !== undefined && !EVENT_KINDS.includes(kind))
      throw invalidParameter('kind', 'value', `must be one of: ${EVENT_KINDS.join(', ')}`);
    const { limit } = parsePaging(filter, Math.min(maxPageSize, MAX_EVENTS));
    return { state, limit, ...(kind && { kind }), ...selectionOf({ clientId: filter.clientId }) };
  }
}

/** Checks the ids of a filter, and leaves out those that are not set. */
function selectionOf({
  clientId,
  reference,
}: {
  clientId?: string | undefined;
  reference?: string;
}): RetryFilter {
  return {
    ...(clientId !== undefined && { clientId: parseId(clientId, 'clientId') }),
    ...(reference !== undefined && { reference: parseId(reference, 'reference') }),
  };
}
