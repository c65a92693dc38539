// The links of the storage in memory, with their life and what they keep of an Idempotency-Key.
import { decodeLinkCursor, encodeLinkCursor, type LinkPosition } from '../core/cursor.js';
import { invalidOption } from '../core/errors.js';
import type { DeletedRecord } from '../core/life-events.js';
import { isUsable, linkState, reduceConfig } from '../core/link-state.js';
import type {
  CheckStorage,
  IdempotencyStorage,
  IdempotentLink,
  LinkIdempotency,
  LinkRecord,
  LinkRef,
  LinkWithClient,
  RecordStorage,
  SearchStorage,
  Storage,
} from '../core/storage.js';
import type { Link, Session } from '../core/types.js';
import type { createMemoryClients } from './memory-clients.js';
import { createMemoryLife, type LinkLife } from './memory-life.js';
import type { createMemoryOutbox } from './memory-outbox.js';
import type { createMemorySessions, StoredSession } from './memory-sessions.js';
import { alreadyExists, compareText, compoundKey, linkKey, toFrozen } from './memory-values.js';

/** A link as a memory storage keeps it. */
export interface StoredLink {
  link: Link;
  /** The session that the submission created. Absent if the link is not submitted, or the session was deleted. */
  session?: Session;
  /** Attempts of the recipient to answer the question of the link. Default: 0. */
  attempts?: number;
  /** Present if the link was created with an Idempotency-Key. */
  idempotency?: LinkIdempotency;
  /** Present if the link has moments, or is due at a time. */
  life?: LinkLife;
}

type LinkMethods = Pick<
  Storage,
  'insertLink' | 'findLink' | 'markLinkOpened' | 'revokeLink' | 'deleteExpiredLinks'
> &
  Pick<RecordStorage, 'listLinks' | 'revokeLinks' | 'reduceExpiredLinks'> &
  Pick<SearchStorage, 'findLinks'> &
  CheckStorage &
  IdempotencyStorage;

/** With fewer links than this, insertions do not delete expired ones. */
const MIN_SWEEP_THRESHOLD = 1024;

/** Creates a memory without links. */
export function createMemoryLinks(
  clients: ReturnType<typeof createMemoryClients>,
  sessions: ReturnType<typeof createMemorySessions>,
  outbox: ReturnType<typeof createMemoryOutbox>,
) {
  const linksByKey = new Map<string, LinkRecord>();
  /** Attempts of recipients. A link without any is absent. */
  const attemptsByKey = new Map<string, number>();
  /** By the key of the link. */
  const idempotencyByLink = new Map<string, LinkIdempotency>();
  /** The link of each client and `keyMac`. */
  const linksByKeyMac = new Map<string, LinkRef>();
  const life = createMemoryLife(
    (id) => linksByKey.get(linkKey(id))?.link,
    (link, at) => set({ ...link, config: reduceConfig(link.config), revokedAt: at }),
    outbox.record,
  );
  let sweepThreshold = MIN_SWEEP_THRESHOLD;

  function set(link: Link, reference?: string): void {
    linksByKey.set(linkKey(link), { link: toFrozen(link), ...(reference !== undefined && { reference }) });
  }

  /** Returns the session of a link. A later session of another user may have the reference of a deleted one. */
  function sessionOf({ link, reference = '' }: LinkRecord): Session | undefined {
    const stored = sessions.find({ clientId: link.clientId, reference });
    return stored?.user.userId === link.userId ? stored.session : undefined;
  }

  function setIdempotency(link: LinkRef, idempotency: LinkIdempotency): void {
    const { clientId, accessCodeHash } = link;
    idempotencyByLink.set(linkKey(link), toFrozen(idempotency));
    linksByKeyMac.set(compoundKey(clientId, idempotency.keyMac), { clientId, accessCodeHash });
  }

  /** Deletes a link with what belongs to it. */
  function remove(link: LinkRef): void {
    const key = linkKey(link);
    const idempotency = idempotencyByLink.get(key);
    if (idempotency) linksByKeyMac.delete(compoundKey(link.clientId, idempotency.keyMac));
    idempotencyByLink.delete(key);
    attemptsByKey.delete(key);
    life.deleteLink(link);
    linksByKey.delete(key);
  }

  /** Returns the links of a client, or of one of its users, in the order of `listLinks`. */
  function linksOf({ clientId, userId }: { clientId: string; userId?: string }): LinkRecord[] {
    return [...linksByKey.values()]
      .filter(({ link }) => link.clientId === clientId && (userId === undefined || link.userId === userId))
      .sort((a, b) => compareLinks(a.link, b.link));
  }

  /** Returns what a deletion removed, after it: each session with its link, and each link whose session is not there. */
  function deletedRecords(links: readonly LinkRecord[], deleted: readonly StoredSession[]): DeletedRecord[] {
    const removed: DeletedRecord[] = deleted.map(({ user: { clientId }, session: { reference, link } }) => ({
      clientId,
      reference,
      ...(link && { linkId: link.linkId }),
    }));
    const named = new Set(removed.map(({ linkId }) => linkId));
    for (const entry of links) {
      const { clientId, accessCodeHash: linkId } = entry.link;
      if (sessionOf(entry) === undefined && !named.has(linkId)) removed.push({ clientId, linkId });
    }
    return removed;
  }

  function deleteExpiredLinks(before: Date, at?: Date): number {
    const expired = [...linksByKey.values()].filter(({ link }) => link.expiresAt < before);
    for (const { link } of expired) remove(link);
    life.recordDeletion(deletedRecords(expired, []), 'retention', at);
    return expired.length;
  }

  function insertLink(link: Link): boolean {
    if (linksByKey.has(linkKey(link))) return false;
    if (linksByKey.size >= sweepThreshold) {
      life.storage.addDueMoments({ at: link.createdAt, limit: linksByKey.size });
      deleteExpiredLinks(link.createdAt, link.createdAt);
      sweepThreshold = Math.max(MIN_SWEEP_THRESHOLD, linksByKey.size * 2);
    }
    set(link);
    life.begin(link);
    return true;
  }

  function findLink(id: LinkRef): LinkWithClient | undefined {
    const entry = linksByKey.get(linkKey(id));
    const client = clients.find(id.clientId);
    if (entry === undefined || client === undefined) return undefined;
    const session = sessionOf(entry);
    const checkAttempts = attemptsByKey.get(linkKey(id));
    return {
      link: entry.link,
      client,
      ...(session && { session }),
      ...(checkAttempts && { checkAttempts }),
    };
  }

  function revokeLink({ at, ...id }: LinkRef & { at: Date }): boolean {
    const link = linksByKey.get(linkKey(id))?.link;
    if (link === undefined || !isUsable(linkState(link, at))) return false;
    set({ ...link, config: reduceConfig(link.config), revokedAt: at });
    life.addMoment(link, { type: 'link.revoked', at });
    return true;
  }

  function findIdempotentLink(clientId: string, keyMac: string): IdempotentLink | undefined {
    const id = linksByKeyMac.get(compoundKey(clientId, keyMac));
    const link = id && linksByKey.get(linkKey(id))?.link;
    const idempotency = id && idempotencyByLink.get(linkKey(id));
    if (link === undefined || idempotency === undefined) return undefined;
    return { ...idempotency, accessCodeHash: link.accessCodeHash, expiresAt: link.expiresAt };
  }

  const storage: LinkMethods = {
    insertLink,
    findLink,
    revokeLink,
    deleteExpiredLinks,

    markLinkOpened({ at, ...id }) {
      const { link, reference } = linksByKey.get(linkKey(id)) ?? {};
      if (link && link.openedAt === undefined) set({ ...link, openedAt: at }, reference);
    },

    listLinks({ state, at, limit, cursor, ...owner }) {
      const position = cursor === undefined ? undefined : decodeLinkCursor(cursor);
      const following = linksOf(owner).filter(
        ({ link }) =>
          (state === undefined || linkState(link, at) === state) &&
          (position === undefined || compareLinks(link, position) > 0),
      );
      const links = following.slice(0, limit);
      const last = links.at(-1)?.link;
      return { links, ...(following.length > limit && last && { nextCursor: encodeLinkCursor(last) }) };
    },

    revokeLinks: ({ at, ...owner }) =>
      linksOf(owner).filter(({ link }) => revokeLink({ ...link, at })).length,

    reduceExpiredLinks(before) {
      let changed = 0;
      for (const { link, reference } of linksByKey.values()) {
        const isReduced = Object.keys(link.config).length === Object.keys(reduceConfig(link.config)).length;
        if (link.expiresAt >= before || isReduced) continue;
        set({ ...link, config: reduceConfig(link.config) }, reference);
        changed++;
      }
      return changed;
    },

    findLinks: ({ accessCodeHash }) =>
      clients
        .list()
        .map(({ clientId }) => findLink({ clientId, accessCodeHash }))
        .filter((stored) => stored !== undefined),

    takeAttempt({ limit, ...id }) {
      const key = linkKey(id);
      const attempts = (attemptsByKey.get(key) ?? 0) + 1;
      if (!linksByKey.has(key) || attempts > limit) return undefined;
      attemptsByKey.set(key, attempts);
      return attempts;
    },

    returnAttempt(id) {
      const key = linkKey(id);
      const attempts = attemptsByKey.get(key) ?? 0;
      if (attempts > 1) attemptsByKey.set(key, attempts - 1);
      else attemptsByKey.delete(key);
    },

    unlockLink(id) {
      const key = linkKey(id);
      attemptsByKey.delete(key);
      return linksByKey.has(key);
    },

    insertLinkOnce(link, idempotency) {
      const isTaken = linksByKeyMac.has(compoundKey(link.clientId, idempotency.keyMac));
      if (isTaken || !insertLink(link)) return false;
      setIdempotency(link, idempotency);
      return true;
    },

    findIdempotentLink({ clientId, keyMacs }) {
      for (const keyMac of keyMacs) {
        const stored = findIdempotentLink(clientId, keyMac);
        if (stored !== undefined) return stored;
      }
      return undefined;
    },
  };

  return {
    storage,
    life,
    find: (id: LinkRef): LinkRecord | undefined => linksByKey.get(linkKey(id)),
    sessionOf,
    set,
    remove,
    linksOf,
    deletedRecords,

    snapshot: (): StoredLink[] =>
      [...linksByKey.values()].map((entry) => {
        const session = sessionOf(entry);
        const attempts = attemptsByKey.get(linkKey(entry.link));
        const idempotency = idempotencyByLink.get(linkKey(entry.link));
        const lived = life.lifeOf(entry.link);
        return {
          link: entry.link,
          ...(session && { session }),
          ...(attempts && { attempts }),
          ...(idempotency && { idempotency }),
          ...((lived.moments.length > 0 || lived.noticeAt) && { life: lived }),
        };
      }),

    /** Inserts a link of a seed, and the session of a submitted link unless the seed lists it. */
    restore(
      { link, session, attempts = 0, idempotency, life: lived }: StoredLink,
      index: number,
      insertSession: (session: Session) => void,
    ): void {
      if (linksByKey.has(linkKey(link))) throw alreadyExists('A link with this access code hash');
      if (idempotency && linksByKeyMac.has(compoundKey(link.clientId, idempotency.keyMac)))
        throw alreadyExists('A link with this keyMac');
      if (session !== undefined && link.submittedAt === undefined) {
        const detail = 'must be absent unless the link has submittedAt';
        throw invalidOption(`/links/${index}/session`, 'value', detail);
      }
      const listed = session && sessionOf({ link, reference: session.reference });
      if (session && listed?.createdAt.getTime() !== session.createdAt.getTime()) insertSession(session);
      set(link, session?.reference);
      if (attempts > 0) attemptsByKey.set(linkKey(link), attempts);
      if (idempotency) setIdempotency(link, idempotency);
      if (lived) life.setLife(link, lived);
    },

    /** Sets from how many links on an insertion deletes expired ones, after a seed. */
    resetSweep(): void {
      sweepThreshold = Math.max(MIN_SWEEP_THRESHOLD, linksByKey.size * 2);
    },

    content: [...life.content, linksByKey, attemptsByKey, idempotencyByLink, linksByKeyMac] as readonly Map<
      string,
      unknown
    >[],
  };
}

/** The order of `listLinks`. */
function compareLinks(a: LinkPosition, b: LinkPosition): number {
  return (
    compareText(a.userId, b.userId) ||
    b.createdAt.getTime() - a.createdAt.getTime() ||
    compareText(a.accessCodeHash, b.accessCodeHash)
  );
}
