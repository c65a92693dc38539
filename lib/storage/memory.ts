// The in-memory storage: the reference implementation of the port, and the mock's default. Gone with the process.
import { assertCallbackOrigins } from '../core/callback-url.js';
import { type CursorPosition, decodeCursor, encodeCursor } from '../core/cursor.js';
import { ClaimlinkError } from '../core/errors.js';
import { deepFreeze } from '../core/freeze.js';
import type { AdminStorage, SessionQuery, SessionRecord } from '../core/storage.js';
import type { ApiKey, Client, Link, Session, SessionPage } from '../core/types.js';
import { assertClientId } from '../core/validators.js';

/** What a memory storage starts with. */
export interface MemoryStorageSeed {
  clients?: readonly Client[];
  apiKeys?: readonly ApiKey[];
  sessions?: readonly SessionRecord[];
}

/** Below this many links a sweep is not worth it. */
const MIN_SWEEP_SIZE = 1024;

/** A link's record: the link is replaced as its state changes, the session is set by its submission. */
interface LinkEntry {
  link: Link;
  session?: Session;
}

/**
 * Makes a storage that lives in this process. Every method answers at once, so each is atomic.
 * Links are bounded: expired ones go as new ones come, so that at most twice the live ones are held. Sessions stay.
 * @throws what `AdminStorage` throws for a seed that does not fit together.
 */
export function createMemoryStorage(seed: MemoryStorageSeed = {}): AdminStorage {
  const clients = new Map<string, Client>();
  const apiKeysByHash = new Map<string, ApiKey>();
  const apiKeyHashesById = new Map<string, string>();
  const sessionsByOwner = new Map<string, Session[]>();
  const references = new Map<string, Set<string>>();
  const links = new Map<string, LinkEntry>();
  let sweepSize = MIN_SWEEP_SIZE;

  function deleteExpiredLinks(before: Date): number {
    let deleted = 0;
    for (const [id, { link }] of links) {
      if (link.expiresAt.getTime() < before.getTime() && links.delete(id)) deleted++;
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
    sessions.splice(indexAfter(sessions, positionOf(session)), 0, session);
    sessionsByOwner.set(owner, sessions);
    return true;
  }

  const storage: AdminStorage = {
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      const client = clients.get(clientId);
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },

    findClient: (clientId) => clients.get(clientId),

    listSessions: ({ clientId, userId, ...query }) =>
      pageOf(sessionsByOwner.get(compoundKey(clientId, userId)) ?? [], query),

    insertLink(link) {
      const id = compoundKey(link.clientId, link.accessCodeHash);
      if (links.has(id)) return false;
      if (links.size >= sweepSize) {
        deleteExpiredLinks(link.createdAt);
        sweepSize = Math.max(MIN_SWEEP_SIZE, links.size * 2);
      }
      links.set(id, { link: frozenCopy(link) });
      return true;
    },

    findLink({ clientId, accessCodeHash }) {
      const entry = links.get(compoundKey(clientId, accessCodeHash));
      const client = entry && clients.get(entry.link.clientId);
      return entry && client && { ...entry, client };
    },

    markLinkOpened({ clientId, accessCodeHash, at }) {
      const entry = links.get(compoundKey(clientId, accessCodeHash));
      if (entry && entry.link.openedAt === undefined)
        entry.link = Object.freeze({ ...entry.link, openedAt: new Date(at) });
    },

    submitLink({ clientId, accessCodeHash, at, session }) {
      const entry = links.get(compoundKey(clientId, accessCodeHash));
      if (entry === undefined) return { outcome: 'not_found' };
      const { link } = entry;
      if (entry.session !== undefined) return { outcome: 'already_submitted', session: entry.session };
      if (link.revokedAt !== undefined) return { outcome: 'revoked' };
      if (link.expiresAt.getTime() <= at.getTime()) return { outcome: 'expired' };
      const stored = frozenCopy(session);
      if (!addSession(link.clientId, link.userId, stored)) return { outcome: 'reference_taken' };
      entry.link = Object.freeze({ ...link, submittedAt: new Date(at) });
      entry.session = stored;
      return { outcome: 'submitted', session: stored };
    },

    revokeLink({ clientId, accessCodeHash, at }) {
      const entry = links.get(compoundKey(clientId, accessCodeHash));
      if (entry === undefined || entry.session !== undefined) return false;
      if (entry.link.revokedAt !== undefined || entry.link.expiresAt.getTime() <= at.getTime()) return false;
      entry.link = Object.freeze({ ...entry.link, revokedAt: new Date(at) });
      return true;
    },

    deleteExpiredLinks,

    insertClient(client) {
      assertClientId(client.clientId);
      assertCallbackOrigins(client.callbackOrigins);
      if (clients.has(client.clientId)) throw taken('A client with this id');
      clients.set(client.clientId, frozenCopy(client));
    },

    insertApiKey(apiKey) {
      if (!clients.has(apiKey.clientId)) throw new ClaimlinkError('client_not_found');
      if (apiKeyHashesById.has(apiKey.id)) throw taken('An API key with this id');
      if (apiKeysByHash.has(apiKey.hash)) throw taken('This API key');
      apiKeyHashesById.set(apiKey.id, apiKey.hash);
      apiKeysByHash.set(apiKey.hash, frozenCopy(apiKey));
    },

    listApiKeys: (clientId) =>
      [...apiKeysByHash.values()]
        .filter((apiKey) => apiKey.clientId === clientId)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    revokeApiKey(id, at) {
      const hash = apiKeyHashesById.get(id) ?? '';
      const apiKey = apiKeysByHash.get(hash);
      if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
      apiKeysByHash.set(hash, Object.freeze({ ...apiKey, revokedAt: new Date(at) }));
      return true;
    },

    insertSession({ clientId, userId, ...session }) {
      if (!clients.has(clientId)) throw new ClaimlinkError('client_not_found');
      if (!addSession(clientId, userId, frozenCopy(session))) throw taken('A session with this reference');
    },
  };

  for (const client of seed.clients ?? []) storage.insertClient(client);
  for (const apiKey of seed.apiKeys ?? []) storage.insertApiKey(apiKey);
  for (const session of seed.sessions ?? []) storage.insertSession(session);
  return storage;
}

/** Ids hold no control characters, so NUL keeps ("a", "bc") and ("ab", "c") apart. */
function compoundKey(clientId: string, id: string): string {
  return `${clientId}\0${id}`;
}

function pageOf(sessions: readonly Session[], query: Omit<SessionQuery, 'clientId' | 'userId'>): SessionPage {
  const { limit, cursor, status } = query;
  const start = cursor === undefined ? 0 : indexAfter(sessions, decodeCursor(cursor));
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
  return { sessions: sessions.slice(0, limit), nextCursor: encodeCursor(positionOf(last)) };
}

function positionOf(session: Session): CursorPosition {
  return { createdAt: session.createdAt.toISOString(), reference: session.reference };
}

/** Index of the first session that comes after the position: newest first, then by reference. */
function indexAfter(sessions: readonly Session[], position: CursorPosition): number {
  const createdAt = Date.parse(position.createdAt);
  let low = 0;
  let high = sessions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const session = sessions[middle];
    const difference = session === undefined ? 0 : createdAt - session.createdAt.getTime();
    const isAfter = difference === 0 ? (session?.reference ?? '') > position.reference : difference > 0;
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Nobody can change what is stored, neither the one who gave it nor the one who got it. */
function frozenCopy<T extends object>(value: T): T {
  return deepFreeze(structuredClone(value));
}

function taken(what: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${what} exists already.`);
}
