// The moments and events of the storage in memory: its `LifeStorage`.
import {
  type DeletedRecord,
  dueMoment,
  noticeTime,
  toDeletedEvents,
  toLinkEvent,
} from '../core/life-events.js';
import { isUsable, linkState } from '../core/link-state.js';
import { deepFreeze } from '../core/plain-data.js';
import type { EventChoice, LifeEvent, LifeStorage, LinkRef, StoredLifeEvent } from '../core/storage.js';
import type { DataDeletedEvent, Link, LinkMoment } from '../core/types.js';

/** What a link has of its life. */
export interface LinkLife {
  moments: readonly LinkMoment[];
  /** When `link.expiring` or `link.expired` is due. */
  noticeAt?: Date;
}

/** The events, and which ones are recorded. */
export interface RecordedLife {
  choice: EventChoice;
  events: readonly StoredLifeEvent[];
}

const NOTHING: EventChoice = Object.freeze({ types: Object.freeze([]), expiryNoticeSeconds: 0 });

/**
 * Creates the life of the links in memory.
 * @param keyOf Returns the key of a link.
 * @param findLink Finds a link in any state.
 * @param revokeLink Revokes a usable link, without a moment.
 */
export function createMemoryLife(
  keyOf: (link: LinkRef) => string,
  findLink: (link: LinkRef) => Link | undefined,
  revokeLink: (link: Link, at: Date) => void,
) {
  let choice = NOTHING;
  /** By the key of the link. */
  const lives = new Map<string, LinkLife>();
  const noticeKeys = new Map<string, LinkRef>();
  const eventsById = new Map<string, StoredLifeEvent>();

  function setLife(link: LinkRef, life: LinkLife): void {
    const key = keyOf(link);
    lives.set(key, deepFreeze(life));
    const { clientId, accessCodeHash } = link;
    if (life.noticeAt) noticeKeys.set(key, { clientId, accessCodeHash });
    else noticeKeys.delete(key);
  }

  function lifeOf(link: LinkRef): LinkLife {
    return lives.get(keyOf(link)) ?? { moments: [] };
  }

  function record(event: LifeEvent | undefined): void {
    if (event) setEvent({ event, attempts: 0, nextAttemptAt: event.at });
  }

  function setEvent(stored: StoredLifeEvent): StoredLifeEvent {
    const frozen = deepFreeze(stored);
    eventsById.set(stored.event.id, frozen);
    return frozen;
  }

  function addMoment(link: Link, moment: LinkMoment, noticeAt?: Date): void {
    const moments = [...lifeOf(link).moments, moment];
    setLife(link, { moments, ...(noticeAt && { noticeAt }) });
    record(toLinkEvent(link, moment, moments.length, choice));
  }

  /** Returns the events in this state, the first one due or failed first. */
  function eventsIn(state: 'pending' | 'failed'): StoredLifeEvent[] {
    const time = ({ failedAt, nextAttemptAt }: StoredLifeEvent) => (failedAt ?? nextAttemptAt).getTime();
    return [...eventsById.values()]
      .filter(({ failedAt }) => (failedAt === undefined) === (state === 'pending'))
      .sort((a, b) => time(a) - time(b));
  }

  function deleteEvents(isSelected: (event: LifeEvent) => boolean): number {
    const selected = [...eventsById.values()].filter(({ event }) => isSelected(event));
    for (const { event } of selected) eventsById.delete(event.id);
    return selected.length;
  }

  const storage: LifeStorage = {
    chooseEvents(next) {
      const replaced = choice;
      choice = deepFreeze(structuredClone(next));
      return replaced;
    },

    addMoment({ moment, sequence, revoke, ...id }) {
      const link = findLink(id);
      if (link === undefined || lifeOf(link).moments.length !== sequence - 1) return false;
      if (revoke && !isUsable(linkState(link, moment.at))) return false;
      if (revoke) revokeLink(link, moment.at);
      addMoment(link, moment, revoke ? undefined : lifeOf(link).noticeAt);
      return true;
    },

    listMoments: (id) => (findLink(id) ? lifeOf(id).moments : undefined),

    addDueMoments({ at, limit }) {
      const due = [...noticeKeys.values()]
        .map((id) => ({ link: findLink(id) as Link, noticeAt: lifeOf(id).noticeAt as Date }))
        .filter(({ noticeAt }) => noticeAt <= at)
        .sort((a, b) => a.noticeAt.getTime() - b.noticeAt.getTime())
        .slice(0, limit);
      for (const { link, noticeAt } of due) {
        const { moment, noticeAt: next } = dueMoment(link, noticeAt, at, choice);
        if (moment) addMoment(link, moment, next);
        else setLife(link, { moments: lifeOf(link).moments, ...(next && { noticeAt: next }) });
      }
      return due.length;
    },

    leaseLifeEvents: ({ at, leaseUntil, limit }) =>
      eventsIn('pending')
        .filter(({ nextAttemptAt }) => nextAttemptAt <= at)
        .slice(0, limit)
        .map((stored) => setEvent({ ...stored, attempts: stored.attempts + 1, nextAttemptAt: leaseUntil })),

    settleLifeEvent({ id }) {
      eventsById.delete(id);
    },

    postponeLifeEvent({ id, ...failure }) {
      const stored = eventsById.get(id);
      if (stored?.attempts === failure.attempts) setEvent({ ...stored, ...failure });
    },

    countLifeEvents({ limit }) {
      const count = (state: 'pending' | 'failed') => Math.min(eventsIn(state).length, limit);
      return { pending: count('pending'), failed: count('failed') };
    },

    listLifeEvents: ({ state, clientId, limit }) =>
      eventsIn(state)
        .filter(({ event }) => clientId === undefined || event.clientId === clientId)
        .slice(0, limit),

    retryLifeEvents({ clientId, at }) {
      const selected = eventsIn('failed').filter(
        ({ event }) => clientId === undefined || event.clientId === clientId,
      );
      for (const { failedAt: _, ...stored } of selected)
        setEvent({ ...stored, attempts: 0, nextAttemptAt: at });
      return selected.length;
    },
  };

  return {
    storage,

    /** Begins the life of a new link. */
    begin(link: Link): void {
      const noticeAt = noticeTime(link, choice);
      if (noticeAt) setLife(link, { moments: [], noticeAt });
    },

    /** Ends the times that are due, after a submission. */
    end(link: Link): void {
      const { moments, noticeAt } = lifeOf(link);
      if (noticeAt) setLife(link, { moments });
    },

    addMoment,

    deleteLink(link: LinkRef): void {
      lives.delete(keyOf(link));
      noticeKeys.delete(keyOf(link));
    },

    /** Deletes the events of a client or a user, but those that tell of deletions. Returns their number. */
    deleteEvents: ({ clientId, userId }: { clientId: string; userId?: string }) =>
      deleteEvents(
        (event) =>
          event.type !== 'data.deleted' &&
          event.clientId === clientId &&
          (userId === undefined || event.userId === userId),
      ),

    recordDeletion(
      records: readonly DeletedRecord[],
      why: DataDeletedEvent['why'],
      at: Date | undefined,
    ): void {
      if (at) for (const event of toDeletedEvents(records, why, at, choice)) record(event);
    },

    lifeOf,
    setLife,

    snapshot: (): RecordedLife => ({ choice, events: [...eventsById.values()] }),

    restore(life: RecordedLife | undefined): void {
      choice = life?.choice ?? NOTHING;
      for (const stored of life?.events ?? []) setEvent(stored);
    },

    /** The maps, to empty and to restore them. */
    content: [lives, noticeKeys, eventsById] as readonly Map<string, unknown>[],
  };
}
