// Caches the credentials of API requests in memory, which saves one storage call for each request.
import { mustBeNumber, mustBeWhole, type OptionChecks } from './assert-options.js';
import type { GuardedStorage } from './guarded-storage.js';
import type { Credentials } from './storage.js';
import type { Awaitable } from './types.js';

/** The option `credentialCache` of `createClaimlink`. */
export interface CredentialCacheOptions {
  /**
   * Maximum age of an entry in seconds, from the start of the lookup: 1 to 3600. Default: 30. A key that another
   * process revokes stops working within this time.
   */
  maxAgeSeconds?: number;
  /** Maximum number of entries, one per API key: 1 to 100_000. Default: 10_000. The least recently used one is dropped. */
  maxEntries?: number;
}

interface Entry {
  readonly credentials: Credentials;
  /** When the lookup started, in milliseconds. */
  readonly readAt: number;
}

/** The checks of the option. */
export const CREDENTIAL_CACHE_CHECKS: OptionChecks<CredentialCacheOptions> = {
  maxAgeSeconds: mustBeNumber(1, 3600),
  maxEntries: mustBeWhole(1, 100_000),
};

/** The methods that change what `findCredentials` returns for a valid key. */
const CHANGES = ['updateClient', 'changeClient', 'deleteClient', 'revokeApiKey', 'updateApiKey'] as const;

/**
 * Returns the storage with a cache for `findCredentials`.
 *
 * The cache holds valid combinations of a key and its client only. An unknown key or client is looked up each time, so
 * a new key works at once and invalid keys cannot displace entries. Authentication compares the expiry of a cached key
 * with its clock, so a key ends exactly at its `expiresAt`.
 *
 * A change through the returned storage empties the cache. Changes of other processes, and through other ways to the
 * database, take effect within `maxAgeSeconds`: revoked keys, changed expiry, settings of clients.
 * @param milliseconds a clock. Default: a monotonic one, which changes of the system time do not affect.
 */
export function cacheCredentials(
  storage: GuardedStorage,
  { maxAgeSeconds = 30, maxEntries = 10_000 }: CredentialCacheOptions,
  milliseconds: () => number = () => performance.now(),
): GuardedStorage {
  /** The least recently used entry first. */
  const entries = new Map<string, Entry>();
  /** Number of changes. A lookup that started before the latest one is not cached. */
  let changes = 0;

  function isFresh({ readAt }: Entry): boolean {
    const age = milliseconds() - readAt;
    return age >= 0 && age < maxAgeSeconds * 1000;
  }

  /** Inserts an entry as the most recently used one. */
  function insert(keyHash: string, entry: Entry): void {
    entries.delete(keyHash);
    entries.set(keyHash, entry);
    if (entries.size <= maxEntries) return;
    const [oldest = ''] = entries.keys();
    entries.delete(oldest);
  }

  async function lookUp(query: { apiKeyHash: string; clientId: string }): Promise<Credentials> {
    const readAt = milliseconds();
    const changesBefore = changes;
    // Without the listing: a cached page would show one user the sessions of another.
    const { page: _, ...credentials } = await storage.findCredentials({
      apiKeyHash: query.apiKeyHash,
      clientId: query.clientId,
    });
    const { apiKey, client } = credentials;
    if (changes === changesBefore && client !== undefined && apiKey?.clientId === client.clientId)
      insert(query.apiKeyHash, { credentials, readAt });
    return credentials;
  }

  const cached: Record<string, (...args: never[]) => Awaitable<unknown>> = {
    findCredentials(query: { apiKeyHash: string; clientId: string }) {
      const entry = entries.get(query.apiKeyHash);
      if (entry?.credentials.client?.clientId !== query.clientId || !isFresh(entry)) return lookUp(query);
      insert(query.apiKeyHash, entry);
      return entry.credentials;
    },
  };
  for (const name of CHANGES) {
    const change = storage[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
    if (change === undefined) continue;
    cached[name] = async (...args: unknown[]) => {
      try {
        return await change(...args);
      } finally {
        // A call that failed may have taken effect.
        changes++;
        entries.clear();
      }
    };
  }
  return { ...storage, ...cached } as GuardedStorage;
}
