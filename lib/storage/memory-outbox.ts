// The events of the storage in memory: its `OutboxStorage`.
import { invalidOption } from '../core/errors.js';
import { isSubmission } from '../core/event-kind.js';
import type {
  EventKey,
  EventKind,
  EventRecord,
  OutboxStorage,
  SessionKey,
  StoredEvent,
  StoredLifeEvent,
} from '../core/storage.js';
import type { StoredSession } from './memory-sessions.js';
import { compoundKey, toFrozen } from './memory-values.js';

/** An event as the storage keeps it: that of a submission without its session. */
export type RecordedEvent = EventRecord | StoredLifeEvent;

/** Creates an empty outbox. */
export function createMemoryOutbox(findSession: (key: SessionKey) => StoredSession | undefined) {
  /** By client and id. */
  const eventsById = new Map<string, RecordedEvent>();
  /** The id of the event of each session. */
  const idsBySession = new Map<string, string>();

  const keyOf = ({ clientId, id }: EventKey) => compoundKey(clientId, id);

  function set<E extends RecordedEvent>(event: E): E {
    const frozen = toFrozen(event);
    eventsById.set(keyOf(event), frozen);
    if (isSubmission(event)) idsBySession.set(compoundKey(event.clientId, event.reference), event.id);
    return frozen;
  }

  function remove(key: EventKey): boolean {
    const event = eventsById.get(keyOf(key));
    if (event && isSubmission(event)) idsBySession.delete(compoundKey(event.clientId, event.reference));
    return eventsById.delete(keyOf(key));
  }

  /** Returns the events in this state, the first one due or failed first. */
  function eventsIn(state: 'pending' | 'failed', kind?: EventKind): RecordedEvent[] {
    const time = ({ failedAt, nextAttemptAt }: RecordedEvent) => (failedAt ?? nextAttemptAt).getTime();
    return [...eventsById.values()]
      .filter(
        (event) =>
          (event.failedAt === undefined) === (state === 'pending') &&
          (kind === undefined || isSubmission(event) === (kind === 'submission')),
      )
      .sort((a, b) => time(a) - time(b));
  }

  function toStored(event: RecordedEvent): StoredEvent {
    if (!isSubmission(event)) return event;
    const { user, session } = findSession(event) as StoredSession;
    return { type: 'claim.submitted', ...event, userId: user.userId, session };
  }

  const storage: OutboxStorage = {
    leaseEvents: ({ at, leaseUntil, limit, kind }) =>
      eventsIn('pending', kind)
        .filter(({ nextAttemptAt }) => nextAttemptAt <= at)
        .slice(0, limit)
        .map((event) => toStored(set({ ...event, attempts: event.attempts + 1, nextAttemptAt: leaseUntil }))),

    settleEvent(key) {
      remove(key);
    },

    postponeEvent({ clientId, id, reference: _, ...failure }) {
      const event = eventsById.get(keyOf({ clientId, id }));
      if (event?.attempts === failure.attempts) set({ ...event, ...failure });
    },

    countEvents({ limit, kind }) {
      const count = (state: 'pending' | 'failed') => Math.min(eventsIn(state, kind).length, limit);
      return { pending: count('pending'), failed: count('failed') };
    },

    listEvents: ({ state, clientId, kind, limit }) =>
      eventsIn(state, kind)
        .filter((event) => clientId === undefined || event.clientId === clientId)
        .slice(0, limit)
        .map(toStored),

    retryEvents({ clientId, reference, at }) {
      const selected = eventsIn('failed').filter(
        (event) =>
          (clientId === undefined || event.clientId === clientId) &&
          (reference === undefined || (isSubmission(event) && event.reference === reference)),
      );
      for (const { failedAt: _, ...event } of selected) set({ ...event, attempts: 0, nextAttemptAt: at });
      return selected.length;
    },
  };

  return {
    storage,

    /** Records an event. That of a session replaces an earlier one of the session. */
    record: (event: RecordedEvent): void => void set(event),

    /** Deletes the event of a session. Returns whether there was one. */
    deleteOfSession({ clientId, reference }: SessionKey): boolean {
      const id = idsBySession.get(compoundKey(clientId, reference));
      return id !== undefined && remove({ clientId, id });
    },

    /** Deletes the events of the links of a client or a user. Returns their number. */
    deleteOfLinks({ clientId, userId }: { clientId: string; userId?: string }): number {
      const selected = [...eventsById.values()].filter(
        (event) =>
          event.clientId === clientId &&
          !isSubmission(event) &&
          event.type !== 'data.deleted' &&
          (userId === undefined || event.userId === userId),
      );
      return selected.filter(remove).length;
    },

    snapshot: (): readonly RecordedEvent[] => [...eventsById.values()],

    /** Adds an event of a seed. */
    restore(event: RecordedEvent, index: number): void {
      if (isSubmission(event) && findSession(event) === undefined)
        throw invalidOption(`/events/${index}`, 'value', 'must have the clientId and reference of a session');
      set(event);
    },

    content: [eventsById, idsBySession] as readonly Map<string, unknown>[],
  };
}
