// A storage decorator that shows every user seeded sessions beside the stored ones. No seed is ever stored.
import { type AdminStorage, ClaimlinkError, type Session } from '../../lib/index.js';
import type { Seeder } from './seed.js';
import { createSeedCache } from './seed-cache.js';
import { inListingOrder, mergePage } from './seeded-listing.js';

/** What a seeded storage is made of. */
export interface SeededStorageOptions {
  /**
   * Where everything is kept; any storage, empty or not, that pages as the built-in ones do: by the cursors of
   * `encodeCursor`, and with every page full but the last.
   */
  storage: AdminStorage;
  /** Makes up what is shown beside it. */
  seeder: Pick<Seeder, 'sessionsOf'>;
  /** Whether a user has exactly what is stored, and no seeds. Asked anew for every call. Default: nobody. */
  isNamed?(clientId: string, userId: string): boolean;
  /** Of how many users the seeds are kept in memory, once made up. Default 1000, and never over 100,000 sessions. */
  cacheUsers?: number;
}

const CACHE_USERS = 1000;
const CACHE_SESSIONS = 100_000;
/** How many stored sessions are looked through at a time. */
const PAGE_SIZE = 1000;

/** A user's seeds, but those that are hidden: a stored session has the reference. */
interface SeededUser {
  /** In the order of the listing. */
  sessions: readonly Session[];
  references: Set<string>;
}

/**
 * Wraps a storage: the listing of every user of a known client holds that user's seeds, too, in their place. They are
 * made up when they are asked for, kept for the users asked for last, and never inserted. Where a stored session has
 * the reference of a seed, that session is shown and the seed is not: databases of earlier versions hold their seeds.
 *
 * `insertSession` throws `already_exists` also for the reference of a seed of that user. A submission is not held
 * against seeds: claimlink's references are random.
 */
export function createSeededStorage(options: SeededStorageOptions): AdminStorage {
  const { storage, seeder, isNamed = () => false } = options;
  const seeds = createSeedCache(derive, {
    maxUsers: options.cacheUsers ?? CACHE_USERS,
    maxSessions: CACHE_SESSIONS,
  });

  async function derive(clientId: string, userId: string): Promise<SeededUser | undefined> {
    if ((await storage.findClient(clientId)) === undefined) return undefined;
    const sessions = seeder.sessionsOf(clientId, userId).map(freeze).sort(inListingOrder);
    const user = { sessions, references: new Set(sessions.map(({ reference }) => reference)) };
    let cursor: string | undefined;
    do {
      if (user.references.size === 0) break;
      const query = { clientId, userId, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
      const page = await storage.listSessions(query);
      hide(user, page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return user;
  }

  /** undefined for whoever has exactly what is stored. */
  async function seedsOf(clientId: string, userId: string): Promise<SeededUser | undefined> {
    if (!isNamed(clientId, userId)) return seeds.get(clientId, userId);
    // What is stored for a named user may hide other seeds, once the user is named no more.
    seeds.forget(clientId, userId);
    return undefined;
  }

  return {
    findCredentials: (query) => storage.findCredentials(query),
    findClient: (clientId) => storage.findClient(clientId),
    async listSessions(query) {
      const user = await seedsOf(query.clientId, query.userId);
      const stored = await storage.listSessions(query);
      if (user === undefined) return stored;
      hide(user, stored.sessions);
      return user.sessions.length === 0 ? stored : mergePage(user.sessions, stored, query);
    },
    insertLink: (link) => storage.insertLink(link),
    findLink: (id) => storage.findLink(id),
    markLinkOpened: (query) => storage.markLinkOpened(query),
    submitLink: (submission) => storage.submitLink(submission),
    revokeLink: (query) => storage.revokeLink(query),
    deleteExpiredLinks: (before) => storage.deleteExpiredLinks(before),
    insertClient: (client) => storage.insertClient(client),
    insertApiKey: (apiKey) => storage.insertApiKey(apiKey),
    listApiKeys: (clientId) => storage.listApiKeys(clientId),
    revokeApiKey: (id, at) => storage.revokeApiKey(id, at),
    async insertSession(session) {
      const user = await seedsOf(session.clientId, session.userId);
      if (user?.references.has(session.reference)) {
        throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
      }
      return storage.insertSession(session);
    },
    ...(storage.close && { close: () => storage.close?.() }),
  };
}

/** Hides the seeds whose references these stored sessions have. */
function hide(user: SeededUser, stored: readonly Session[]): void {
  const before = user.references.size;
  for (const { reference } of stored) user.references.delete(reference);
  if (user.references.size === before) return;
  user.sessions = user.sessions.filter(({ reference }) => user.references.has(reference));
}

/** The same objects are given to everyone who asks: nobody may change them. */
function freeze(session: Session): Session {
  const { holder, linkedContacts, vehicle } = session.selectedPolicy;
  for (const part of [holder, ...linkedContacts, linkedContacts, vehicle, session.selectedPolicy])
    Object.freeze(part);
  return Object.freeze(session);
}
