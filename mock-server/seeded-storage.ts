// A storage decorator that gives every user seeded sessions, the first time anybody asks for them.
import { type AdminStorage, isClaimlinkError } from '../lib/index.js';
import type { Seeder } from './seed.js';

/** What a seeded storage is made of. */
export interface SeededStorageOptions {
  /** Where everything is kept; any storage, empty or not. */
  storage: AdminStorage;
  /** Makes up what is inserted. */
  seeder: Pick<Seeder, 'sessionsOf'>;
}

/**
 * Wraps a storage: before the first listing of a user of a known client, and before the first submission for one,
 * that user's seeded sessions are inserted. Once per user, however many ask at the same time; when the insertion
 * fails, that call rejects and the next one tries again. Sessions that are there already are left as they are, so
 * that a storage which outlives the process is not seeded twice.
 */
export function createSeededStorage({ storage, seeder }: SeededStorageOptions): AdminStorage {
  const seeded = new Set<string>();
  const underWay = new Map<string, Promise<void>>();

  /** undefined when there is nothing to wait for. */
  function seedOnce(clientId: string, userId: string): Promise<void> | undefined {
    // Ids hold no control characters, so NUL keeps ("a", "bc") and ("ab", "c") apart.
    const owner = `${clientId}\0${userId}`;
    if (seeded.has(owner)) return undefined;
    const started = underWay.get(owner);
    if (started !== undefined) return started;
    const seeding = insertSeeds(clientId, userId)
      .then((isKnownClient) => {
        if (isKnownClient) seeded.add(owner);
      })
      .finally(() => underWay.delete(owner));
    underWay.set(owner, seeding);
    return seeding;
  }

  async function insertSeeds(clientId: string, userId: string): Promise<boolean> {
    if ((await storage.findClient(clientId)) === undefined) return false;
    for (const session of seeder.sessionsOf(clientId, userId)) {
      try {
        await storage.insertSession({ clientId, userId, ...session });
      } catch (error) {
        if (!isClaimlinkError(error) || error.code !== 'already_exists') throw error;
      }
    }
    return true;
  }

  return {
    findCredentials: (query) => storage.findCredentials(query),
    findClient: (clientId) => storage.findClient(clientId),
    listSessions(query) {
      const seeding = seedOnce(query.clientId, query.userId);
      return seeding ? seeding.then(() => storage.listSessions(query)) : storage.listSessions(query);
    },
    insertLink: (link) => storage.insertLink(link),
    findLink: (id) => storage.findLink(id),
    markLinkOpened: (query) => storage.markLinkOpened(query),
    async submitLink(submission) {
      const found = await storage.findLink(submission);
      if (found !== undefined) await seedOnce(found.link.clientId, found.link.userId);
      return storage.submitLink(submission);
    },
    revokeLink: (query) => storage.revokeLink(query),
    deleteExpiredLinks: (before) => storage.deleteExpiredLinks(before),
    insertClient: (client) => storage.insertClient(client),
    insertApiKey: (apiKey) => storage.insertApiKey(apiKey),
    listApiKeys: (clientId) => storage.listApiKeys(clientId),
    revokeApiKey: (id, at) => storage.revokeApiKey(id, at),
    insertSession: (session) => storage.insertSession(session),
    ...(storage.close && { close: () => storage.close?.() }),
  };
}
