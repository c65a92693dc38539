// Adds seeded sessions to the listings of a storage. Seeded sessions are never stored.
import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../lib/core/freeze.js';
import {
  type AdminStorage,
  ClaimlinkError,
  type CursorPosition,
  decodeCursor,
  encodeCursor,
  type Session,
  type SessionPage,
  type SessionQuery,
} from '../../lib/index.js';
import type { Seeder } from './seed.js';

/** The methods of a storage that seeded sessions change. */
type SessionMethods = Pick<AdminStorage, 'findClient' | 'listSessions' | 'insertSession'>;

/** Options of `createSeededStorage`. */
export interface SeededStorageOptions<S extends SessionMethods = AdminStorage> {
  /** Any storage that uses the cursors of `encodeCursor` and returns full pages, except for the last one. */
  storage: S;
  seeder: Pick<Seeder, 'sessionsOf'>;
  /** Returns whether a user has stored sessions only. Called for every listing. Default: no user. */
  isExact?(clientId: string, userId: string): boolean;
}

/** Limits of the cache. Its content can be derived again. */
const CACHE_USERS = 1000;
const CACHE_SESSIONS = 100_000;

/** Returns the two methods that seeded sessions change. */
export function createSeededSessions({
  storage,
  seeder,
  isExact = () => false,
}: SeededStorageOptions<SessionMethods>): Required<Pick<AdminStorage, 'listSessions' | 'insertSession'>> {
  const cache = new LRUCache<string, readonly Session[]>({
    max: CACHE_USERS,
    maxSize: CACHE_SESSIONS,
    sizeCalculation: (sessions) => sessions.length + 1,
  });

  async function seededSessions(clientId: string, userId: string): Promise<readonly Session[]> {
    if (isExact(clientId, userId)) return [];
    // Ids contain no control characters.
    const key = `${clientId}\0${userId}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if ((await storage.findClient(clientId)) === undefined) return [];
    // Another call may have derived them meanwhile.
    const sessions = cache.get(key) ?? deepFreeze(seeder.sessionsOf(clientId, userId).sort(inListingOrder));
    cache.set(key, sessions);
    return sessions;
  }

  return {
    async listSessions(query) {
      const seeded = await seededSessions(query.clientId, query.userId);
      const stored = await storage.listSessions(query);
      return seeded.length === 0 ? stored : mergePage(seeded, stored, query);
    },
    async insertSession(session) {
      const seeded = await seededSessions(session.clientId, session.userId);
      if (seeded.some(({ reference }) => reference === session.reference)) {
        throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
      }
      await storage.insertSession(session);
    },
  };
}

/**
 * Wraps a storage: the listing of each user of a known client also contains seeded sessions. They are derived on
 * demand. `insertSession` throws `already_exists` for the reference of a seeded session of that user.
 */
export function createSeededStorage(options: SeededStorageOptions): AdminStorage {
  const { storage } = options;
  return {
    ...createSeededSessions(options),
    findCredentials: (query) => storage.findCredentials(query),
    findClient: (clientId) => storage.findClient(clientId),
    insertLink: (link) => storage.insertLink(link),
    findLink: (id) => storage.findLink(id),
    markLinkOpened: (query) => storage.markLinkOpened(query),
    submitLink: (submission) => storage.submitLink(submission),
    revokeLink: (query) => storage.revokeLink(query),
    deleteExpiredLinks: (before) => storage.deleteExpiredLinks(before),
    insertClient: (client) => storage.insertClient(client),
    listClients: () => storage.listClients(),
    updateClient: (client) => storage.updateClient(client),
    deleteClient: (clientId) => storage.deleteClient(clientId),
    insertApiKey: (apiKey) => storage.insertApiKey(apiKey),
    listApiKeys: (clientId) => storage.listApiKeys(clientId),
    revokeApiKey: (id, at) => storage.revokeApiKey(id, at),
    findApiKey: (id) => storage.findApiKey(id),
    updateApiKey: (id, settings) => storage.updateApiKey(id, settings),
    ...(storage.close && { close: () => storage.close?.() }),
  };
}

/** Compares in the order of a listing: newest `createdAt` first, then `reference` by code units. */
function inListingOrder(a: CursorPosition, b: CursorPosition): number {
  const difference = b.createdAt.getTime() - a.createdAt.getTime();
  if (difference !== 0) return difference;
  return a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0;
}

/**
 * Returns the page of both sides together. No reference may be on both sides.
 * @param seeded all seeded sessions of the user in listing order
 * @param stored the page of stored sessions for the same query; it is full if it has a cursor
 * @throws `request_invalid` for a cursor that `encodeCursor` did not create
 */
function mergePage(
  seeded: readonly Session[],
  stored: SessionPage,
  { cursor, limit, status }: SessionQuery,
): SessionPage {
  const position = cursor === undefined ? undefined : decodeCursor(cursor);
  const selected = seeded.filter(
    (session) =>
      (position === undefined || inListingOrder(position, session) < 0) &&
      (status === undefined || session.status === status),
  );
  const sessions = [...selected.slice(0, limit + 1), ...stored.sessions].sort(inListingOrder);
  const last = sessions[limit - 1];
  const hasMore = sessions.length > limit || stored.nextCursor !== undefined;
  if (last === undefined || !hasMore) return { sessions };
  return { sessions: sessions.slice(0, limit), nextCursor: encodeCursor(last) };
}
