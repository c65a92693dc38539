// The use cases of events: list, count and repeat their deliveries.
import { assertOptions } from '../assert-options.js';
import { MAX_EVENT_COUNT, sumCounts } from '../delivery.js';
import { invalidParameter } from '../errors.js';
import type { EventCounts, EventQuery, StoredEvent, StoredLifeEvent } from '../storage.js';
import { parseId, parsePaging } from '../validators.js';
import { type AdministrationContext, storageWith } from './context.js';

/** Maximum number of events that `listEvents` of a storage returns. */
const MAX_EVENTS = 1000;

const EVENT_STATES: readonly EventQuery['state'][] = ['pending', 'failed'];

/** Selects events. */
export interface EventFilter extends Pick<EventQuery, 'state' | 'clientId'> {
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

/**
 * Lists, counts and repeats the events that are not delivered. Every method needs an `OutboxStorage`, or `listLifeEvents` a
 * `LifeStorage`, and throws `options_invalid` without one, and `request_invalid` or `uri_too_long` for invalid arguments.
 */
export interface EventAdministration {
  /** Returns pending submissions by `nextAttemptAt`, or failed ones by `failedAt`, the earliest first. */
  listEvents(filter: EventFilter): Promise<readonly StoredEvent[]>;
  /** Returns the events of links and of deletions in the same way. */
  listLifeEvents(filter: EventFilter): Promise<readonly StoredLifeEvent[]>;
  /** Counts the events of all clients and kinds: of each state up to 10,000. */
  countEvents(): Promise<EventCounts>;
  /**
   * Makes failed events of all kinds due again: all, or those that the filter selects. Returns their number. `deliverPending`
   * delivers them.
   */
  retryEvents(filter?: RetryFilter): Promise<number>;
}

/** Creates the use cases of events. */
export function createEventAdministration(context: AdministrationContext): EventAdministration {
  const { storage, now, maxPageSize } = context;
  const outbox = () => storageWith(context, 'OutboxStorage');
  return {
    listEvents: async (filter) => outbox().listEvents(queryOf(filter)),

    listLifeEvents: async (filter) => storageWith(context, 'LifeStorage').listLifeEvents(queryOf(filter)),

    async countEvents() {
      const query = { limit: MAX_EVENT_COUNT };
      const submissions = await outbox().countEvents(query);
      const others = await storage.countLifeEvents?.(query);
      return others ? sumCounts(submissions, others) : submissions;
    },

    async retryEvents(filter = {}) {
      assertOptions(filter, ['clientId', 'reference']);
      const query = { ...selectionOf(filter), at: now() };
      const submissions = await outbox().retryEvents(query);
      const others = filter.reference === undefined ? await storage.retryLifeEvents?.(query) : undefined;
      return submissions + (others ?? 0);
    },
  };

  /** Checks a filter. @throws `request_invalid` */
  function queryOf(filter: EventFilter): EventQuery {
    assertOptions(filter, ['state', 'clientId', 'limit'], { required: ['state'] });
    const { state } = filter;
    if (!EVENT_STATES.includes(state))
      throw invalidParameter('state', 'value', `must be one of: ${EVENT_STATES.join(', ')}`);
    const { limit } = parsePaging(filter, Math.min(maxPageSize, MAX_EVENTS));
    return { state, limit, ...selectionOf({ clientId: filter.clientId }) };
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
