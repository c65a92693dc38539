// The in-memory storage: the reference implementation of the storage port. Its data is lost when the process ends.
import { assertClientSettings } from '../core/client-settings.js';
import { decodeCursor, encodeCursor } from '../core/cursor.js';
import { ClaimlinkError, invalidOptions } from '../core/errors.js';
import { deepFreeze, isDeepFrozen } from '../core/freeze.js';
import type { AdminStorage, LinkId, SessionQuery, SessionRecord } from '../core/storage.js';
import type { ApiKey, Client, Link, Session, SessionPage } from '../core/types.js';
import { assertClientId } from '../core/validators.js';

/** A link as a memory storage keeps it. */
export interface StoredLink {
  link: Link;
  /** The session that the submission created. Present if and only if `link.submittedAt` is. */
  session?: Session;
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
}

/**
 * The complete content of a memory storage. A new storage with this seed is equal to the first one.
 * A snapshot is frozen. Later changes of the storage do not change it. Sessions are in the order of client id, user id
 * and listing.
 */
export type MemoryStorageSnapshot = Readonly<Required<MemoryStorageSeed>>;

/** An in-memory storage, which can be copied. */
export interface MemoryStorage extends AdminStorage {
  /** Returns the complete content. The snapshot shares the stored objects; it does not clone them. */
  snapshot(): MemoryStorageSnapshot;
}

/** The sessions of one user. */
interface UserSessions {
  readonly clientId: string;
  readonly userId: string;
  /** In listing order. */
  readonly sessions: Session[];
  /** Frozen copy of `sessions`, so that the JSON of an unchanged listing is cached. Removed by each change. */
  listing?: readonly Session[] | undefined;
}

/** With fewer links than this, insertions do not delete expired ones. */
const MIN_SWEEP_THRESHOLD = 1024;

/**
 * Creates a storage in the memory of this process. Every method returns immediately, so it is atomic.
 * Inserting links deletes expired ones from time to time: the storage holds at most twice as many links as are usable.
 * Sessions are deleted with their client only.
 * @throws the errors of `AdminStorage` for an inconsistent seed, `already_exists` for a duplicate link,
 * `options_invalid` for a submitted link without a session or a session of a link that is not submitted.
 */
export function createMemoryStorage(seed: MemoryStorageSeed = {}): MemoryStorage {
  const clients = new Map<string, Client>();
  const apiKeysByHash = new Map<string, ApiKey>();
  const apiKeyHashesById = new Map<string, string>();
  const usersByKey = new Map<string, UserSessions>();
  const referencesByClient = new Map<string, Set<string>>();
  const linksByKey = new Map<string, StoredLink>();
  let sweepThreshold = MIN_SWEEP_THRESHOLD;

  /** Inserts in listing order. Returns false if the client already has the reference. */
  function addSession(clientId: string, userId: string, session: Session): boolean {
    const references = referencesByClient.get(clientId) ?? new Set<string>();
    if (references.has(session.reference)) return false;
    referencesByClient.set(clientId, references.add(session.reference));
    const key = compoundKey(clientId, userId);
    const user: UserSessions = usersByKey.get(key) ?? { clientId, userId, sessions: [] };
    user.sessions.splice(indexAfter(user.sessions, session.createdAt, session.reference), 0, session);
    user.listing = undefined;
    usersByKey.set(key, user);
    return true;
  }

  function insertSession(clientId: string, userId: string, session: Session): void {
    if (!clients.has(clientId)) throw new ClaimlinkError('client_not_found');
    if (!addSession(clientId, userId, session)) throw alreadyExists('A session with this reference');
  }

  function setLink(link: Link, session?: Session): void {
    linksByKey.set(linkKey(link), Object.freeze({ link: toFrozen(link), ...(session && { session }) }));
  }

  /** Inserts a link of the seed. */
  function restoreLink({ link, session }: StoredLink, index: number): void {
    if (linksByKey.has(linkKey(link))) throw alreadyExists('A link with this access code hash');
    if ((session === undefined) !== (link.submittedAt === undefined)) {
      const detail = 'must be present if and only if the link has submittedAt';
      throw invalidOptions([{ pointer: `/links/${index}/session`, rule: 'value', detail }]);
    }
    setLink(link, session && restoreSession(link, session));
  }

  /** Returns the listed session of a submitted link of the seed. Inserts it if the seed does not list it. */
  function restoreSession({ clientId, userId }: Link, session: Session): Session {
    const sessions = usersByKey.get(compoundKey(clientId, userId))?.sessions ?? [];
    const listed = sessions[indexAfter(sessions, session.createdAt, session.reference) - 1];
    const isListed =
      listed?.reference === session.reference && listed.createdAt.getTime() === session.createdAt.getTime();
    if (isListed) return listed;
    const inserted = toFrozen(session);
    insertSession(clientId, userId, inserted);
    return inserted;
  }

  function deleteExpiredLinks(before: Date): number {
    let deleted = 0;
    for (const [key, { link }] of linksByKey) {
      if (link.expiresAt < before && linksByKey.delete(key)) deleted++;
    }
    return deleted;
  }

  const storage: MemoryStorage = {
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      const client = clients.get(clientId);
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },

    findClient: (clientId) => clients.get(clientId),

    listSessions(query) {
      const user = usersByKey.get(compoundKey(query.clientId, query.userId));
      const { cursor, status, limit } = query;
      if (user && cursor === undefined && status === undefined && user.sessions.length <= limit) {
        user.listing ??= Object.freeze([...user.sessions]);
        return { sessions: user.listing };
      }
      return toPage(user?.sessions ?? [], query);
    },

    insertLink(link) {
      if (linksByKey.has(linkKey(link))) return false;
      if (linksByKey.size >= sweepThreshold) {
        deleteExpiredLinks(link.createdAt);
        sweepThreshold = Math.max(MIN_SWEEP_THRESHOLD, linksByKey.size * 2);
      }
      setLink(link);
      return true;
    },

    findLink(id) {
      const entry = linksByKey.get(linkKey(id));
      const client = clients.get(id.clientId);
      return entry && client && { ...entry, client };
    },

    markLinkOpened({ at, ...id }) {
      const { link, session } = linksByKey.get(linkKey(id)) ?? {};
      if (link && link.openedAt === undefined) setLink({ ...link, openedAt: at }, session);
    },

    submitLink({ at, session, ...id }) {
      const entry = linksByKey.get(linkKey(id));
      if (entry === undefined || !clients.has(id.clientId)) return { outcome: 'not_found' };
      const { link, session: firstSession } = entry;
      if (firstSession !== undefined) return { outcome: 'already_submitted', session: firstSession };
      if (link.revokedAt !== undefined) return { outcome: 'revoked' };
      if (link.expiresAt <= at) return { outcome: 'expired' };
      const inserted = toFrozen(session);
      if (!addSession(link.clientId, link.userId, inserted)) return { outcome: 'reference_taken' };
      setLink({ ...link, submittedAt: at }, inserted);
      return { outcome: 'submitted', session: inserted };
    },

    revokeLink({ at, ...id }) {
      const link = linksByKey.get(linkKey(id))?.link;
      if (link === undefined || link.submittedAt !== undefined || link.revokedAt !== undefined) return false;
      if (link.expiresAt <= at) return false;
      setLink({ ...link, revokedAt: at });
      return true;
    },

    deleteExpiredLinks,

    insertClient(client) {
      assertClientId(client.clientId);
      assertClientSettings(client);
      if (clients.has(client.clientId)) throw alreadyExists('A client with this id');
      clients.set(client.clientId, toFrozen(client));
    },

    listClients: () => [...clients.values()],

    updateClient(client) {
      assertClientSettings(client);
      if (!clients.has(client.clientId)) return false;
      clients.set(client.clientId, toFrozen(client));
      return true;
    },

    deleteClient(clientId) {
      if (!clients.delete(clientId)) return false;
      for (const { id, hash, clientId: owner } of apiKeysByHash.values()) {
        if (owner === clientId && apiKeysByHash.delete(hash)) apiKeyHashesById.delete(id);
      }
      for (const [key, user] of usersByKey) if (user.clientId === clientId) usersByKey.delete(key);
      for (const [key, { link }] of linksByKey) if (link.clientId === clientId) linksByKey.delete(key);
      referencesByClient.delete(clientId);
      return true;
    },

    insertApiKey(apiKey) {
      if (!clients.has(apiKey.clientId)) throw new ClaimlinkError('client_not_found');
      if (apiKeyHashesById.has(apiKey.id)) throw alreadyExists('An API key with this id');
      if (apiKeysByHash.has(apiKey.hash)) throw alreadyExists('This API key');
      apiKeyHashesById.set(apiKey.id, apiKey.hash);
      apiKeysByHash.set(apiKey.hash, toFrozen(apiKey));
    },

    listApiKeys: (clientId) =>
      [...apiKeysByHash.values()]
        .filter((apiKey) => apiKey.clientId === clientId)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    revokeApiKey(id, at) {
      const apiKey = apiKeysByHash.get(apiKeyHashesById.get(id) ?? '');
      if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
      apiKeysByHash.set(apiKey.hash, toFrozen({ ...apiKey, revokedAt: at }));
      return true;
    },

    findApiKey: (id) => apiKeysByHash.get(apiKeyHashesById.get(id) ?? ''),

    updateApiKey(id, { expiresAt }) {
      const apiKey = apiKeysByHash.get(apiKeyHashesById.get(id) ?? '');
      if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
      const { expiresAt: _, ...others } = apiKey;
      apiKeysByHash.set(apiKey.hash, toFrozen({ ...others, ...(expiresAt && { expiresAt }) }));
      return true;
    },

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
          .flatMap(([, { clientId, userId, sessions }]) =>
            sessions.map((session) => ({ clientId, userId, ...session })),
          ),
        links: [...linksByKey.values()],
      }),
  };

  for (const client of seed.clients ?? []) storage.insertClient(client);
  for (const apiKey of seed.apiKeys ?? []) storage.insertApiKey(apiKey);
  for (const session of seed.sessions ?? []) storage.insertSession(session);
  for (const [index, link] of (seed.links ?? []).entries()) restoreLink(link, index);
  sweepThreshold = Math.max(MIN_SWEEP_THRESHOLD, linksByKey.size * 2);
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

function linkKey({ clientId, accessCodeHash }: LinkId): string {
  return compoundKey(clientId, accessCodeHash);
}

function toPage(
  sorted: readonly Session[],
  { limit, cursor, status }: Pick<SessionQuery, 'limit' | 'cursor' | 'status'>,
): SessionPage {
  let start = 0;
  if (cursor !== undefined) {
    const { createdAt, reference } = decodeCursor(cursor);
    start = indexAfter(sorted, createdAt, reference);
  }
  const following = sorted
    .slice(start, status === undefined ? start + limit + 1 : undefined)
    .filter((session) => status === undefined || session.status === status);
  const sessions = following.slice(0, limit);
  const last = sessions.at(-1);
  if (following.length <= limit || last === undefined) return { sessions };
  return { sessions, nextCursor: encodeCursor(last) };
}

/** Returns the index of the first session after this position: newest first, then by reference. */
function indexAfter(sorted: readonly Session[], createdAt: Date, reference: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const session = sorted[middle];
    const difference = session === undefined ? 0 : createdAt.getTime() - session.createdAt.getTime();
    const isAfter = difference === 0 ? (session?.reference ?? '') > reference : difference > 0;
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low;
}

function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}
