// The in-memory storage: the reference implementation of the storage port. Its data is lost when the process ends.
import { anyValue, assertOptions, mustBeList, type OptionChecks } from '../core/assert-options.js';
import { changedClient } from '../core/client-change.js';
import {
  type CursorPosition,
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
  type LinkPosition,
  type SubmissionPosition,
} from '../core/cursor.js';
import { ClaimlinkError, invalidOption } from '../core/errors.js';
import type { DeletedRecord } from '../core/life-events.js';
import { isUsable, linkState, reduceConfig } from '../core/link-state.js';
import { deepFreeze, isDeepFrozen } from '../core/plain-data.js';
import type {
  AdminStorage,
  CheckStorage,
  ClientStorage,
  Credentials,
  EventKey,
  EventRecord,
  IdempotencyStorage,
  IdempotentLink,
  KeyUseStorage,
  LifeStorage,
  LinkIdempotency,
  LinkRecord,
  LinkRef,
  LinkWithClient,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
  SessionKey,
  StoredEvent,
} from '../core/storage.js';
import type { ApiKey, Client, Link, Session, SessionRecord } from '../core/types.js';
import { createMemoryLife, type LinkLife, type RecordedLife } from './memory-life.js';

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

/** The order in which the sessions of a client were submitted. */
export interface SubmissionOrder {
  clientId: string;
  /** Number of submissions of the client. */
  count: number;
  /** Number of each submission, from 1, by the reference of its session. Other sessions were inserted by hand. */
  numbers: Readonly<Record<string, number>>;
}

/** Initial content of a memory storage. Clients, keys and links are inserted in the given order. */
export interface MemoryStorageSeed {
  clients?: readonly Client[];
  apiKeys?: readonly ApiKey[];
  sessions?: readonly SessionRecord[];
  /**
   * Links in any state, including expired ones. The session of a submitted link is the one in `sessions` with the same
   * client, user, `createdAt` and `reference`. If there is none, the link's session is inserted.
   */
  links?: readonly StoredLink[];
  /** Events of sessions that are in the seed. */
  events?: readonly EventRecord[];
  /** The order of the submissions. Default: the sessions of `listClientSessions` come by `date`. */
  submissions?: readonly SubmissionOrder[];
  /** The events of links, and which ones are recorded. Default: none. */
  life?: RecordedLife;
}

/**
 * The complete content of a memory storage. A new storage with this seed is equal to the first one.
 * A snapshot is frozen. Later changes of the storage do not change it. Sessions are in the order of client id, user id
 * and listing.
 */
export type MemoryStorageSnapshot = Readonly<Required<MemoryStorageSeed>>;

/**
 * An in-memory storage, which can be copied. Inserting or changing a session or a link copies no other record; `snapshot`
 * and `restore` go through all of them.
 */
export interface MemoryStorage
  extends AdminStorage,
    OutboxStorage,
    RecordStorage,
    SearchStorage,
    CheckStorage,
    IdempotencyStorage,
    LifeStorage,
    KeyUseStorage,
    ClientStorage {
  /** Returns the complete content. The snapshot shares the stored objects; it does not clone them. */
  snapshot(): MemoryStorageSnapshot;
  /**
   * Replaces the complete content by that of a snapshot or another seed. Changes nothing if it throws.
   * @throws the errors of `createMemoryStorage`
   */
  restore(snapshot: MemoryStorageSeed): void;
  /**
   * Lets a link in any state expire at this moment. Changes nothing, and returns false, if the link is unknown or expires
   * at this moment or earlier.
   */
  expireLink(link: LinkRef & { at: Date }): boolean;
}

/** A session with its owner and its number. There is one per client and reference. */
interface StoredSession {
  readonly user: UserSessions;
  /** Number of the submission among those of its client, from 1. 0 for a session that was inserted by hand. */
  sequence: number;
  session: Session;
}

/** The sessions of one user. */
interface UserSessions {
  readonly clientId: string;
  readonly userId: string;
  readonly sessions: Set<StoredSession>;
  /** The sessions in listing order, frozen, so that their JSON is cached. Removed by each change. */
  listing?: readonly Session[] | undefined;
}

const SEED_CHECKS: OptionChecks<MemoryStorageSeed> = {
  clients: mustBeList,
  apiKeys: mustBeList,
  sessions: mustBeList,
  links: mustBeList,
  events: mustBeList,
  submissions: mustBeList,
  life: anyValue,
};

/** With fewer links than this, insertions do not delete expired ones. */
const MIN_SWEEP_THRESHOLD = 1024;

/**
 * Creates a storage in the memory of this process. Every method returns immediately, so it is atomic.
 * Inserting links deletes expired ones from time to time: the storage holds at most twice as many links as are usable.
 * @throws the errors of `AdminStorage` for an inconsistent seed, `already_exists` for a duplicate link,
 * `options_invalid` for an unknown member, a link with a session that is not submitted, and an event without a session.
 */
export function createMemoryStorage(seed: MemoryStorageSeed = {}): MemoryStorage {
  const clients = new Map<string, Client>();
  const apiKeysByHash = new Map<string, ApiKey>();
  const usersByKey = new Map<string, UserSessions>();
  const sessionsByClient = new Map<string, Map<string, StoredSession>>();
  /** Number of submissions of each client. */
  const sequences = new Map<string, number>();
  const linksByKey = new Map<string, LinkRecord>();
  /** Attempts of recipients. A link without any is absent. */
  const attemptsByKey = new Map<string, number>();
  const eventsByKey = new Map<string, EventRecord>();
  /** By the key of the link. */
  const idempotencyByLink = new Map<string, LinkIdempotency>();
  /** The link of each client and `keyMac`. */
  const linksByKeyMac = new Map<string, LinkRef>();
  const life = createMemoryLife(
    linkKey,
    (id) => linksByKey.get(linkKey(id))?.link,
    (link, at) => setLink({ ...link, config: reduceConfig(link.config), revokedAt: at }),
  );
  const content: readonly Map<string, unknown>[] = [
    ...life.content,
    clients,
    apiKeysByHash,
    usersByKey,
    sessionsByClient,
    sequences,
    linksByKey,
    attemptsByKey,
    eventsByKey,
    idempotencyByLink,
    linksByKeyMac,
  ];
  let sweepThreshold = MIN_SWEEP_THRESHOLD;

  /** Adds a session. Returns false if the client already has the reference. */
  function addSession(clientId: string, userId: string, session: Session, sequence = 0): boolean {
    const byReference = sessionsByClient.get(clientId) ?? new Map<string, StoredSession>();
    if (byReference.has(session.reference)) return false;
    const key = compoundKey(clientId, userId);
    const user: UserSessions = usersByKey.get(key) ?? { clientId, userId, sessions: new Set() };
    const stored: StoredSession = { user, sequence, session };
    user.sessions.add(stored);
    user.listing = undefined;
    usersByKey.set(key, user);
    sessionsByClient.set(clientId, byReference.set(session.reference, stored));
    return true;
  }

  function insertSession(clientId: string, userId: string, session: Session): void {
    if (!clients.has(clientId)) throw new ClaimlinkError('client_not_found');
    if (!addSession(clientId, userId, session)) throw alreadyExists('A session with this reference');
  }

  function findSession({ clientId, reference }: SessionKey): StoredSession | undefined {
    return sessionsByClient.get(clientId)?.get(reference);
  }

  /** Returns the session of a link. A later session of another user may have the reference of a deleted one. */
  function sessionOf({ link, reference = '' }: LinkRecord): Session | undefined {
    const stored = findSession({ clientId: link.clientId, reference });
    return stored?.user.userId === link.userId ? stored.session : undefined;
  }

  function toRecord({ user, session }: StoredSession): SessionRecord {
    return { clientId: user.clientId, userId: user.userId, ...session };
  }

  function findLink(id: LinkRef): LinkWithClient | undefined {
    const entry = linksByKey.get(linkKey(id));
    const client = clients.get(id.clientId);
    if (entry === undefined || client === undefined) return undefined;
    const session = sessionOf(entry);
    const checkAttempts = attemptsByKey.get(linkKey(id));
    return { link: entry.link, client, ...(session && { session }), ...(checkAttempts && { checkAttempts }) };
  }

  function listingOf(user: UserSessions): readonly Session[] {
    user.listing ??= Object.freeze(Array.from(user.sessions, ({ session }) => session).sort(compareSessions));
    return user.listing;
  }

  /** Deletes a session with its event. Returns whether there was an event. */
  function deleteSession(stored: StoredSession): boolean {
    const { user, session } = stored;
    user.sessions.delete(stored);
    user.listing = undefined;
    sessionsByClient.get(user.clientId)?.delete(session.reference);
    return eventsByKey.delete(compoundKey(user.clientId, session.reference));
  }

  function setLink(link: Link, reference?: string): void {
    linksByKey.set(linkKey(link), { link: toFrozen(link), ...(reference !== undefined && { reference }) });
  }

  function setIdempotency(link: LinkRef, idempotency: LinkIdempotency): void {
    const { clientId, accessCodeHash } = link;
    idempotencyByLink.set(linkKey(link), toFrozen(idempotency));
    linksByKeyMac.set(compoundKey(clientId, idempotency.keyMac), { clientId, accessCodeHash });
  }

  /** Deletes a link with what belongs to it. */
  function deleteLink(link: LinkRef): void {
    const key = linkKey(link);
    const idempotency = idempotencyByLink.get(key);
    if (idempotency) linksByKeyMac.delete(compoundKey(link.clientId, idempotency.keyMac));
    idempotencyByLink.delete(key);
    attemptsByKey.delete(key);
    life.deleteLink(link);
    linksByKey.delete(key);
  }

  /** Returns what a deletion removed, after it: each session with its link, and each link whose session is not there. */
  function deletedRecords(links: readonly LinkRecord[], sessions: readonly StoredSession[]): DeletedRecord[] {
    const removed: DeletedRecord[] = sessions.map(({ user: { clientId }, session: { reference, link } }) => ({
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

  function findIdempotentLink(clientId: string, keyMac: string): IdempotentLink | undefined {
    const id = linksByKeyMac.get(compoundKey(clientId, keyMac));
    const link = id && linksByKey.get(linkKey(id))?.link;
    const idempotency = id && idempotencyByLink.get(linkKey(id));
    if (link === undefined || idempotency === undefined) return undefined;
    return { ...idempotency, accessCodeHash: link.accessCodeHash, expiresAt: link.expiresAt };
  }

  /** Inserts a link of the seed, and the session of a submitted link unless the seed lists it. */
  function restoreLink(
    { link, session, attempts = 0, idempotency, life: lived }: StoredLink,
    index: number,
  ): void {
    if (linksByKey.has(linkKey(link))) throw alreadyExists('A link with this access code hash');
    if (idempotency && linksByKeyMac.has(compoundKey(link.clientId, idempotency.keyMac)))
      throw alreadyExists('A link with this keyMac');
    if (session !== undefined && link.submittedAt === undefined) {
      const detail = 'must be absent unless the link has submittedAt';
      throw invalidOption(`/links/${index}/session`, 'value', detail);
    }
    const listed = session && sessionOf({ link, reference: session.reference });
    if (session && listed?.createdAt.getTime() !== session.createdAt.getTime()) {
      insertSession(link.clientId, link.userId, toFrozen(session));
    }
    setLink(link, session?.reference);
    if (attempts > 0) attemptsByKey.set(linkKey(link), attempts);
    if (idempotency) setIdempotency(link, idempotency);
    if (lived) life.setLife(link, lived);
  }

  /** Gives the sessions of the seed the numbers of their submissions. */
  function restoreOrder({ clientId, count, numbers }: SubmissionOrder): void {
    sequences.set(clientId, count);
    for (const [reference, sequence] of Object.entries(numbers)) {
      const stored = findSession({ clientId, reference });
      if (stored) stored.sequence = sequence;
    }
  }

  /** Inserts an event of the seed. */
  function restoreEvent(event: EventRecord, index: number): void {
    if (findSession(event) === undefined)
      throw invalidOption(`/events/${index}`, 'value', 'must have the clientId and reference of a session');
    setEvent(event);
  }

  function setEvent(event: EventRecord): EventRecord {
    const frozen = toFrozen(event);
    eventsByKey.set(eventKey(event), frozen);
    return frozen;
  }

  /** Returns the event with this id, not the one of a later session with the same reference. */
  function findEvent(key: EventKey): EventRecord | undefined {
    const event = eventsByKey.get(eventKey(key));
    return event?.id === key.id ? event : undefined;
  }

  /** Returns the events in this state, the first one due or failed first. */
  function eventsIn(state: 'pending' | 'failed'): EventRecord[] {
    const time = ({ failedAt, nextAttemptAt }: EventRecord) => (failedAt ?? nextAttemptAt).getTime();
    return [...eventsByKey.values()]
      .filter(({ failedAt }) => (failedAt === undefined) === (state === 'pending'))
      .sort((a, b) => time(a) - time(b));
  }

  function withSession(event: EventRecord): StoredEvent {
    const { user, session } = findSession(event) as StoredSession;
    return { ...event, userId: user.userId, session };
  }

  /** Returns the links of a client, or of one of its users, in the order of `listLinks`. */
  function linksOf({ clientId, userId }: { clientId: string; userId?: string }) {
    return [...linksByKey.values()]
      .filter(({ link }) => link.clientId === clientId && (userId === undefined || link.userId === userId))
      .sort((a, b) => compareLinks(a.link, b.link));
  }

  function deleteExpiredLinks(before: Date, at?: Date): number {
    const expired = [...linksByKey.values()].filter(({ link }) => link.expiresAt < before);
    for (const { link } of expired) deleteLink(link);
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
    setLink(link);
    life.begin(link);
    return true;
  }

  function revokeLink({ at, ...id }: LinkRef & { at: Date }): boolean {
    const link = linksByKey.get(linkKey(id))?.link;
    if (link === undefined || !isUsable(linkState(link, at))) return false;
    setLink({ ...link, config: reduceConfig(link.config), revokedAt: at });
    life.addMoment(link, { type: 'link.revoked', at });
    return true;
  }

  function findApiKey(id: string): ApiKey | undefined {
    return [...apiKeysByHash.values()].find((apiKey) => apiKey.id === id);
  }

  /** Changes an API key. Returns false for one that is unknown or revoked. */
  function changeApiKey(id: string, change: (apiKey: ApiKey) => ApiKey): boolean {
    const apiKey = findApiKey(id);
    if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
    apiKeysByHash.set(apiKey.hash, toFrozen(change(apiKey)));
    return true;
  }

  /** Fills an empty storage. */
  function fill(seed: MemoryStorageSeed): void {
    for (const client of seed.clients ?? []) storage.insertClient(client);
    for (const apiKey of seed.apiKeys ?? []) storage.insertApiKey(apiKey);
    for (const session of seed.sessions ?? []) storage.insertSession(session);
    for (const [index, link] of (seed.links ?? []).entries()) restoreLink(link, index);
    for (const order of seed.submissions ?? []) restoreOrder(order);
    for (const [index, event] of (seed.events ?? []).entries()) restoreEvent(event, index);
    life.restore(seed.life);
    sweepThreshold = Math.max(MIN_SWEEP_THRESHOLD, linksByKey.size * 2);
  }

  const storage: MemoryStorage = {
    ...life.storage,

    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      const client = clients.get(clientId);
      const credentials: Credentials = {};
      if (apiKey) credentials.apiKey = apiKey;
      if (client) credentials.client = client;
      return credentials;
    },

    findClient: (clientId) => clients.get(clientId),

    listSessions({ clientId, userId, limit, cursor, status }) {
      const position = cursor === undefined ? undefined : decodeCursor(cursor);
      const user = usersByKey.get(compoundKey(clientId, userId));
      const listing = user ? listingOf(user) : [];
      if (position === undefined && status === undefined && listing.length <= limit) {
        return { sessions: listing };
      }
      const next = position ? listing.findIndex((session) => compareSessions(session, position) > 0) : 0;
      const start = next === -1 ? listing.length : next;
      const following = listing
        .slice(start, status === undefined ? start + limit + 1 : undefined)
        .filter((session) => status === undefined || session.status === status);
      const sessions = following.slice(0, limit);
      const last = sessions.at(-1);
      return { sessions, ...(following.length > limit && last && { nextCursor: encodeCursor(last) }) };
    },

    insertLink,

    findLink,

    markLinkOpened({ at, ...id }) {
      const { link, reference } = linksByKey.get(linkKey(id)) ?? {};
      if (link && link.openedAt === undefined) setLink({ ...link, openedAt: at }, reference);
    },

    submitLink({ at, session, event, ...id }) {
      const entry = linksByKey.get(linkKey(id));
      if (entry === undefined || !clients.has(id.clientId)) return { outcome: 'not_found' };
      const { link } = entry;
      const state = linkState(link, at);
      if (state === 'submitted') {
        const first = sessionOf(entry);
        return first ? { outcome: 'already_submitted', session: first } : { outcome: 'not_found' };
      }
      if (!isUsable(state)) return { outcome: state };
      const { clientId, userId } = link;
      const { reference } = session;
      const inserted = toFrozen(session);
      const sequence = (sequences.get(clientId) ?? 0) + 1;
      if (!addSession(clientId, userId, inserted, sequence)) return { outcome: 'reference_taken' };
      sequences.set(clientId, sequence);
      setLink({ ...link, config: reduceConfig(link.config), submittedAt: at }, reference);
      life.end(link);
      if (event) setEvent({ clientId, reference, ...event });
      return { outcome: 'submitted', session: inserted };
    },

    revokeLink,

    deleteExpiredLinks,

    leaseEvents({ at, leaseUntil, limit }) {
      const due = eventsIn('pending').filter(({ nextAttemptAt }) => nextAttemptAt <= at);
      return due
        .slice(0, limit)
        .map((event) =>
          withSession(setEvent({ ...event, attempts: event.attempts + 1, nextAttemptAt: leaseUntil })),
        );
    },

    settleEvent(key) {
      if (findEvent(key)) eventsByKey.delete(eventKey(key));
    },

    postponeEvent(failure) {
      const event = findEvent(failure);
      if (event?.attempts === failure.attempts) setEvent({ ...event, ...failure });
    },

    countEvents({ limit }) {
      const count = (state: 'pending' | 'failed') => Math.min(eventsIn(state).length, limit);
      return { pending: count('pending'), failed: count('failed') };
    },

    listEvents: ({ state, clientId, limit }) =>
      eventsIn(state)
        .filter((event) => clientId === undefined || event.clientId === clientId)
        .slice(0, limit)
        .map(withSession),

    retryEvents({ clientId, reference, at }) {
      const selected = eventsIn('failed').filter(
        (event) =>
          (clientId === undefined || event.clientId === clientId) &&
          (reference === undefined || event.reference === reference),
      );
      for (const { failedAt, ...event } of selected) setEvent({ ...event, attempts: 0, nextAttemptAt: at });
      return selected.length;
    },

    findSession(key) {
      const stored = findSession(key);
      return stored && toRecord(stored);
    },

    updateSession({ clientId, reference, ...changes }) {
      const stored = findSession({ clientId, reference });
      if (stored === undefined) return undefined;
      stored.session = toFrozen({ ...stored.session, ...changes });
      stored.user.listing = undefined;
      return stored.session;
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

    listClientSessions({ clientId, since, limit, cursor }) {
      const position = cursor === undefined ? undefined : decodeSubmissionCursor(cursor);
      const following = [...(sessionsByClient.get(clientId)?.values() ?? [])]
        .map(({ user, sequence, session }) => ({ clientId, userId: user.userId, ...session, sequence }))
        .filter(
          (session) =>
            (since === undefined || session.date >= since) &&
            (position === undefined || compareSubmissions(session, position) > 0),
        )
        .sort(compareSubmissions);
      const page = following.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = last ? encodeSubmissionCursor(last) : cursor;
      return {
        sessions: page.map(({ sequence, ...session }) => session),
        ...(nextCursor !== undefined && { nextCursor }),
        hasMore: following.length > limit,
      };
    },

    deleteUser({ clientId, userId, at }) {
      const key = compoundKey(clientId, userId);
      const links = linksOf({ clientId, userId });
      for (const { link } of links) deleteLink(link);
      const sessions = [...(usersByKey.get(key)?.sessions ?? [])];
      const events = sessions.filter(deleteSession).length + life.deleteEvents({ clientId, userId });
      usersByKey.delete(key);
      life.recordDeletion(deletedRecords(links, sessions), 'user', at);
      return { sessions: sessions.length, links: links.length, events };
    },

    deleteSessions(before, at) {
      const sessions = [...sessionsByClient.values()].flatMap((byReference) => [...byReference.values()]);
      const old = sessions.filter(({ session }) => session.date < before);
      for (const stored of old) deleteSession(stored);
      life.recordDeletion(deletedRecords([], old), 'retention', at);
      return old.length;
    },

    reduceExpiredLinks(before) {
      let changed = 0;
      for (const { link, reference } of linksByKey.values()) {
        const isReduced = Object.keys(link.config).length === Object.keys(reduceConfig(link.config)).length;
        if (link.expiresAt >= before || isReduced) continue;
        setLink({ ...link, config: reduceConfig(link.config) }, reference);
        changed++;
      }
      return changed;
    },

    findSessions: ({ reference }) =>
      [...sessionsByClient.values()]
        .map((byReference) => byReference.get(reference))
        .filter((stored) => stored !== undefined)
        .map(toRecord),

    findLinks: ({ accessCodeHash }) =>
      [...clients.keys()]
        .map((clientId) => findLink({ clientId, accessCodeHash }))
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
      if (linksByKeyMac.has(compoundKey(link.clientId, idempotency.keyMac)) || !insertLink(link))
        return false;
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

    recordKeyUse({ apiKeyHash, at }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      if (apiKey === undefined || (apiKey.lastUsedAt !== undefined && apiKey.lastUsedAt >= at)) return;
      apiKeysByHash.set(apiKeyHash, toFrozen({ ...apiKey, lastUsedAt: at }));
    },

    insertClient(client) {
      if (clients.has(client.clientId)) throw alreadyExists('A client with this id');
      clients.set(client.clientId, toFrozen(client));
    },

    listClients: () => [...clients.values()],

    updateClient(client) {
      if (!clients.has(client.clientId)) return false;
      clients.set(client.clientId, toFrozen(client));
      return true;
    },

    changeClient(change) {
      const client = clients.get(change.clientId);
      if (client === undefined) return false;
      clients.set(change.clientId, toFrozen(changedClient(client, change)));
      return true;
    },

    deleteClient(clientId, at) {
      if (!clients.delete(clientId)) return false;
      const links = linksOf({ clientId });
      const sessions = [...(sessionsByClient.get(clientId)?.values() ?? [])];
      for (const [hash, apiKey] of apiKeysByHash)
        if (apiKey.clientId === clientId) apiKeysByHash.delete(hash);
      for (const [key, user] of usersByKey) if (user.clientId === clientId) usersByKey.delete(key);
      for (const { link } of links) deleteLink(link);
      for (const [key, event] of eventsByKey) if (event.clientId === clientId) eventsByKey.delete(key);
      sessionsByClient.delete(clientId);
      sequences.delete(clientId);
      life.deleteEvents({ clientId });
      life.recordDeletion(deletedRecords(links, sessions), 'client', at);
      return true;
    },

    insertApiKey(apiKey) {
      if (!clients.has(apiKey.clientId)) throw new ClaimlinkError('client_not_found');
      if (findApiKey(apiKey.id)) throw alreadyExists('An API key with this id');
      if (apiKeysByHash.has(apiKey.hash)) throw alreadyExists('This API key');
      apiKeysByHash.set(apiKey.hash, toFrozen(apiKey));
    },

    listApiKeys: (clientId) =>
      [...apiKeysByHash.values()]
        .filter((apiKey) => apiKey.clientId === clientId)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    revokeApiKey: (id, at) => changeApiKey(id, (apiKey) => ({ ...apiKey, revokedAt: at })),

    findApiKey,

    updateApiKey: (id, { expiresAt }) =>
      changeApiKey(id, ({ expiresAt: _, ...others }) => ({ ...others, ...(expiresAt && { expiresAt }) })),

    insertSession({ clientId, userId, ...session }) {
      // `session` is a new object, so freezing it lets its frozen members be shared.
      insertSession(clientId, userId, toFrozen(Object.freeze(session)));
    },

    snapshot: () =>
      deepFreeze({
        clients: [...clients.values()],
        apiKeys: [...apiKeysByHash.values()],
        sessions: [...usersByKey]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([, user]) =>
            listingOf(user).map((session) => ({ clientId: user.clientId, userId: user.userId, ...session })),
          ),
        links: [...linksByKey.values()].map((entry) => {
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
        events: [...eventsByKey.values()],
        submissions: [...sequences].map(([clientId, count]) => {
          const stored = [...(sessionsByClient.get(clientId)?.values() ?? [])].filter(
            ({ sequence }) => sequence > 0,
          );
          const numbers = stored.map(({ session, sequence }) => [session.reference, sequence]);
          return { clientId, count, numbers: Object.fromEntries(numbers) };
        }),
        life: life.snapshot(),
      }),

    restore(seed) {
      assertOptions(seed, SEED_CHECKS);
      const before = content.map((map) => [...map]);
      for (const map of content) map.clear();
      try {
        fill(seed);
      } catch (error) {
        for (const [index, map] of content.entries()) {
          map.clear();
          for (const [key, value] of before[index] ?? []) map.set(key, value);
        }
        throw error;
      }
    },

    expireLink({ at, ...id }) {
      const { link, reference } = linksByKey.get(linkKey(id)) ?? {};
      if (link === undefined || link.expiresAt <= at) return false;
      setLink({ ...link, expiresAt: at }, reference);
      const { moments, noticeAt } = life.lifeOf(link);
      if (noticeAt) life.setLife(link, { moments, noticeAt: at });
      return true;
    },
  };

  storage.restore(seed);
  return storage;
}

/** Returns the object if it is frozen at every level, otherwise a frozen copy. So callers cannot change stored data. */
function toFrozen<T extends object>(value: T): T {
  return isDeepFrozen(value) ? value : deepFreeze(structuredClone(value));
}

/** Ids contain no control characters, so NUL separates them: ("a", "bc") and ("ab", "c") get different keys. */
function compoundKey(clientId: string, id: string): string {
  return `${clientId}\0${id}`;
}

function linkKey({ clientId, accessCodeHash }: LinkRef): string {
  return compoundKey(clientId, accessCodeHash);
}

function eventKey({ clientId, reference }: SessionKey): string {
  return compoundKey(clientId, reference);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The order of `listSessions`. */
function compareSessions(a: CursorPosition, b: CursorPosition): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || compareText(a.reference, b.reference);
}

/** The order of `listLinks`. */
function compareLinks(a: LinkPosition, b: LinkPosition): number {
  return (
    compareText(a.userId, b.userId) ||
    b.createdAt.getTime() - a.createdAt.getTime() ||
    compareText(a.accessCodeHash, b.accessCodeHash)
  );
}

/** The order of `listClientSessions`. */
function compareSubmissions(a: SubmissionPosition, b: SubmissionPosition): number {
  return (
    a.sequence - b.sequence || a.date.getTime() - b.date.getTime() || compareText(a.reference, b.reference)
  );
}

function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}
