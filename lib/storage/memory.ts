// The in-memory storage: the reference implementation of the port, and the mock's default. Gone with the process.
import { assertCallbackOrigins } from '../core/callback-url.js';
import { decodeCursor, encodeCursor } from '../core/cursor.js';
import { ClaimlinkError, invalidOptions } from '../core/errors.js';
import type { LinkId, SessionQuery, SessionRecord } from '../core/storage.js';
import type { ApiKey, Client, Link, Session, SessionPage } from '../core/types.js';
import { assertClientId } from '../core/validators.js';
import {
  type MemoryStorage,
  type MemoryStorageSeed,
  type StoredLink,
  toRecord,
  toSession,
  toStored,
  withChanges,
} from './memory-snapshot.js';

import { type PackedLink, packLink, unpackLink } from './packed-link.js';
import { createPageCache } from './page-cache.js';

export type {
  MemoryStorage,
  MemoryStorageSeed,
  MemoryStorageSnapshot,
  StoredLink,
} from './memory-snapshot.js';

/** What a user without sessions has. */
const EMPTY_PAGE: SessionPage = Object.freeze({ sessions: Object.freeze([]) });

/** Below this many links a sweep is not worth it. */
const MIN_SWEEP_SIZE = 1024;

/**
 * Makes a storage that lives in this process. Every method answers at once, so each is atomic.
 * Links are bounded: expired ones go as new ones come, so that at most twice the live ones are held. Sessions stay.
 *
 * `createMemoryStorage(storage.snapshot())` is an equal storage, and from then on one of its own.
 * @throws what `AdminStorage` throws for a seed that does not fit together, `already_exists` for a link that is there
 * twice, `options_invalid` for a link that is submitted without a session, or the reverse.
 */
export function createMemoryStorage(seed: MemoryStorageSeed = {}): MemoryStorage {
  const clients = new Map<string, Client>();
  const apiKeysByHash = new Map<string, ApiKey>();
  const apiKeyHashesById = new Map<string, string>();
  const sessionsByOwner = new Map<string, Session[]>();
  const references = new Map<string, Set<string>>();
  const links = new Map<string, LinkEntry>();
  const pages = createPageCache();
  let sweepSize = MIN_SWEEP_SIZE;

  function deleteExpiredLinks(before: Date): number {
    let deleted = 0;
    for (const [id, { packed }] of links) {
      if (packed.expiresAt < before.getTime() && links.delete(id)) deleted++;
    }
    return deleted;
  }

  /** Inserts in listing order; false when the reference is taken. */
  function addSession(clientId: string, userId: string, session: Session): boolean {
    const taken = references.get(clientId) ?? new Set<string>();
    if (taken.has(session.reference)) return false;
    references.set(clientId, taken.add(session.reference));
    const owner = compoundKey(clientId, userId);
    const sessions = sessionsByOwner.get(owner) ?? [];
    sessions.splice(indexAfter(sessions, session.createdAt.getTime(), session.reference), 0, session);
    sessionsByOwner.set(owner, sessions);
    pages.forget(owner);
    return true;
  }

  /** Puts a link of a seed back: nothing is swept, and its session is the one in the listing. */
  function restoreLink({ link, session }: StoredLink, index: number): void {
    const id = linkKey(link);
    if (links.has(id)) throw taken('A link with this access code hash');
    if ((session === undefined) !== (link.submittedAt === undefined)) {
      const detail = 'must be there exactly when submittedAt of the link is';
      throw invalidOptions([{ pointer: `/links/${index}/session`, rule: 'value', detail }]);
    }
    setLink(id, link, session && restoreSession(link, session));
  }

  /** The listed session of a link that was submitted; inserts it where the seed lists none. */
  function restoreSession({ clientId, userId }: Link, session: Session): Session {
    const createdAt = session.createdAt.getTime();
    const sessions = sessionsByOwner.get(compoundKey(clientId, userId)) ?? [];
    const listed = sessions[indexAfter(sessions, createdAt, session.reference) - 1];
    const isSame = listed?.reference === session.reference && listed.createdAt.getTime() === createdAt;
    if (isSame) return listed;
    const stored = toStored(session);
    insertSession(clientId, userId, stored);
    return stored;
  }

  function insertSession(clientId: string, userId: string, session: Session): void {
    if (!clients.has(clientId)) throw new ClaimlinkError('client_not_found');
    if (!addSession(clientId, userId, session)) throw taken('A session with this reference');
  }

  function setLink(id: string, link: Link, session?: Session): void {
    links.set(id, { packed: packLink(link), session });
  }

  function findStored(id: string): StoredLink | undefined {
    const entry = links.get(id);
    return entry && unpackEntry(entry);
  }

  const storage: MemoryStorage = {
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      const client = clients.get(clientId);
      if (apiKey && client) return { apiKey, client };
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },

    findClient: (clientId) => clients.get(clientId),

    listSessions(query) {
      const owner = compoundKey(query.clientId, query.userId);
      const sessions = sessionsByOwner.get(owner);
      if (sessions === undefined && query.cursor === undefined) return EMPTY_PAGE;
      if (sessions === undefined) return pageOf([], query);
      const isWhole =
        query.cursor === undefined && query.status === undefined && sessions.length <= query.limit;
      return isWhole ? pages.pageOf(owner, sessions) : pageOf(sessions, query);
    },

    insertLink(link) {
      const id = linkKey(link);
      if (links.has(id)) return false;
      if (links.size >= sweepSize) {
        deleteExpiredLinks(link.createdAt);
        sweepSize = Math.max(MIN_SWEEP_SIZE, links.size * 2);
      }
      setLink(id, link);
      return true;
    },

    findLink(query) {
      const found = findStored(linkKey(query));
      const client = found && clients.get(found.link.clientId);
      return found && client && { ...found, client };
    },

    markLinkOpened({ at, ...query }) {
      const id = linkKey(query);
      const { link, session } = findStored(id) ?? {};
      if (link && link.openedAt === undefined) setLink(id, { ...link, openedAt: at }, session);
    },

    submitLink({ at, session, ...query }) {
      const id = linkKey(query);
      const found = findStored(id);
      if (found === undefined || !clients.has(found.link.clientId)) return { outcome: 'not_found' };
      const { link } = found;
      if (found.session !== undefined) return { outcome: 'already_submitted', session: found.session };
      if (link.revokedAt !== undefined) return { outcome: 'revoked' };
      if (link.expiresAt.getTime() <= at.getTime()) return { outcome: 'expired' };
      const stored = toStored(session);
      if (!addSession(link.clientId, link.userId, stored)) return { outcome: 'reference_taken' };
      setLink(id, { ...link, submittedAt: at }, stored);
      return { outcome: 'submitted', session: stored };
    },

    revokeLink({ at, ...query }) {
      const id = linkKey(query);
      const { link, session } = findStored(id) ?? {};
      if (link === undefined || session !== undefined) return false;
      if (link.revokedAt !== undefined || link.expiresAt.getTime() <= at.getTime()) return false;
      setLink(id, { ...link, revokedAt: at });
      return true;
    },

    deleteExpiredLinks,

    insertClient(client) {
      assertClientId(client.clientId);
      assertCallbackOrigins(client.callbackOrigins);
      if (clients.has(client.clientId)) throw taken('A client with this id');
      clients.set(client.clientId, toStored(client));
    },

    insertApiKey(apiKey) {
      if (!clients.has(apiKey.clientId)) throw new ClaimlinkError('client_not_found');
      if (apiKeyHashesById.has(apiKey.id)) throw taken('An API key with this id');
      if (apiKeysByHash.has(apiKey.hash)) throw taken('This API key');
      apiKeyHashesById.set(apiKey.id, apiKey.hash);
      apiKeysByHash.set(apiKey.hash, toStored(apiKey));
    },

    listApiKeys: (clientId) =>
      [...apiKeysByHash.values()]
        .filter((apiKey) => apiKey.clientId === clientId)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    revokeApiKey(id, at) {
      const hash = apiKeyHashesById.get(id) ?? '';
      const apiKey = apiKeysByHash.get(hash);
      if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
      apiKeysByHash.set(hash, withChanges(apiKey, { revokedAt: new Date(at) }));
      return true;
    },

    insertSession: (record) => insertSession(record.clientId, record.userId, toSession(record)),

    snapshot: () =>
      Object.freeze({
        clients: Object.freeze([...clients.values()]),
        apiKeys: Object.freeze([...apiKeysByHash.values()]),
        sessions: Object.freeze([...sessionsByOwner.keys()].sort().flatMap(recordsOf)),
        links: Object.freeze([...links.values()].map(unpackEntry)),
      }),
  };

  function recordsOf(owner: string): SessionRecord[] {
    const end = owner.indexOf('\0');
    const [clientId, userId] = [owner.slice(0, end), owner.slice(end + 1)];
    return (sessionsByOwner.get(owner) ?? []).map((session) => toRecord(clientId, userId, session));
  }

  for (const client of seed.clients ?? []) storage.insertClient(client);
  for (const apiKey of seed.apiKeys ?? []) storage.insertApiKey(apiKey);
  for (const session of seed.sessions ?? []) storage.insertSession(session);
  for (const [index, link] of (seed.links ?? []).entries()) restoreLink(link, index);
  sweepSize = Math.max(MIN_SWEEP_SIZE, links.size * 2);
  return storage;
}

/** A link as it is kept, with the session that its submission made. */
interface LinkEntry {
  packed: PackedLink;
  session: Session | undefined;
}

function unpackEntry({ packed, session }: LinkEntry): StoredLink {
  const link = unpackLink(packed);
  return Object.freeze(session === undefined ? { link } : { link, session });
}

/** Ids hold no control characters, so NUL keeps ("a", "bc") and ("ab", "c") apart. */
function compoundKey(clientId: string, id: string): string {
  return `${clientId}\0${id}`;
}

function linkKey({ clientId, accessCodeHash }: LinkId): string {
  return compoundKey(clientId, accessCodeHash);
}

function pageOf(sessions: readonly Session[], query: Omit<SessionQuery, 'clientId' | 'userId'>): SessionPage {
  const { limit, cursor, status } = query;
  const start = cursor === undefined ? 0 : indexAfterCursor(sessions, cursor);
  if (status === undefined) return cut(sessions.slice(start, start + limit + 1), limit);
  const page: Session[] = [];
  for (let i = start; i < sessions.length && page.length <= limit; i++) {
    const session = sessions[i];
    if (session?.status === status) page.push(session);
  }
  return cut(page, limit);
}

/** A page of at most `limit` out of one session more than that. */
function cut(sessions: Session[], limit: number): SessionPage {
  const last = sessions.length > limit ? sessions[limit - 1] : undefined;
  if (last === undefined) return { sessions };
  const nextCursor = encodeCursor({ createdAt: last.createdAt, reference: last.reference });
  return { sessions: sessions.slice(0, limit), nextCursor };
}

function indexAfterCursor(sessions: readonly Session[], cursor: string): number {
  const { createdAt, reference } = decodeCursor(cursor);
  return indexAfter(sessions, createdAt.getTime(), reference);
}

/** Index of the first session that comes after this sort key: newest first, then by reference. */
function indexAfter(sessions: readonly Session[], createdAt: number, reference: string): number {
  let low = 0;
  let high = sessions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const session = sessions[middle];
    const difference = session === undefined ? 0 : createdAt - session.createdAt.getTime();
    const isAfter = difference === 0 ? (session?.reference ?? '') > reference : difference > 0;
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low;
}

function taken(what: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${what} exists already.`);
}
