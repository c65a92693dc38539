// The moments of links of the storage in memory: its `LifeStorage`.
import {
  type DeletedRecord,
  dueMoment,
  noticeTime,
  toDeletedEvents,
  toLinkEvent,
} from '../core/life-events.js';
import { isUsable, linkState } from '../core/link-state.js';
import { deepFreeze } from '../core/plain-data.js';
import type {
  DeliveryState,
  EventChoice,
  LifeEvent,
  LifeStorage,
  LinkRef,
  StoredLifeEvent,
} from '../core/storage.js';
import type { DataDeletedEvent, Link, LinkMoment } from '../core/types.js';
import { linkKey } from './memory-values.js';

/** What a link has of its life. */
export interface LinkLife {
  moments: readonly LinkMoment[];
  /** When `link.expiring` or `link.expired` is due. */
  noticeAt?: Date;
}

/** Which events are recorded. */
export interface RecordedLife {
  choice: EventChoice;
  /** Events as version 0.2 wrote them. Newer seeds have them among their `events`. */
  events?: readonly (DeliveryState & { event: LifeEvent })[];
}

const NOTHING: EventChoice = Object.freeze({ types: Object.freeze([]), expiryNoticeSeconds: 0 });

/**
 * Creates the life of the links in memory.
 * @param findLink Finds a link in any state.
 * @param revokeLink Revokes a usable link, without a moment.
 * @param recordEvent Adds an event to the outbox.
 */
export function createMemoryLife(
  findLink: (link: LinkRef) => Link | undefined,
  revokeLink: (link: Link, at: Date) => void,
  recordEvent: (event: StoredLifeEvent) => void,
) {
  let choice = NOTHING;
  /** By the key of the link. */
  const lives = new Map<string, LinkLife>();
  const noticeKeys = new Map<string, LinkRef>();

  function setLife(link: LinkRef, life: LinkLife): void {
    const key = linkKey(link);
    lives.set(key, deepFreeze(life));
    const { clientId, accessCodeHash } = link;
    if (life.noticeAt) noticeKeys.set(key, { clientId, accessCodeHash });
    else noticeKeys.delete(key);
  }

  function lifeOf(link: LinkRef): LinkLife {
    return lives.get(linkKey(link)) ?? { moments: [] };
  }

  function record(event: LifeEvent | undefined): void {
    if (event) recordEvent({ ...event, attempts: 0, nextAttemptAt: event.at });
  }

  function addMoment(link: Link, moment: LinkMoment, noticeAt?: Date): void {
    const moments = [...lifeOf(link).moments, moment];
    setLife(link, { moments, ...(noticeAt && { noticeAt }) });
    record(toLinkEvent(link, moment, moments.length, choice));
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
      lives.delete(linkKey(link));
      noticeKeys.delete(linkKey(link));
    },

    recordDeletion(
      records: readonly DeletedRecord[],
      why: DataDeletedEvent['why'],
      at: Date | undefined,
    ): void {
      if (at) for (const event of toDeletedEvents(records, why, at, choice)) record(event);
    },

    lifeOf,
    setLife,

    snapshot: (): RecordedLife => ({ choice }),

    restore(life: RecordedLife | undefined): void {
      choice = life?.choice ?? NOTHING;
      for (const { event, ...state } of life?.events ?? []) recordEvent({ ...event, ...state });
    },

    /** The maps, to empty and to restore them. */
    content: [lives, noticeKeys] as readonly Map<string, unknown>[],
  };
}
