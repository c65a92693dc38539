// Caches the credentials of API requests in memory, which saves one storage call for each request.
import { LRUCache } from 'lru-cache';
import { invalidOption } from '../core/errors.js';
import { assertOptions, mustBeFunction, mustBeNumber, mustBeWhole, mustHave } from '../core/options.js';
import type { AdminStorage, Credentials, Storage } from '../core/storage.js';

/** Options of `cacheCredentials`. */
export interface CredentialCacheOptions {
  /**
   * Maximum age of an entry in seconds, from the start of the lookup: 1 to 3600. Default: 30. A key that another
   * process revokes stops working within this time.
   */
  maxAgeSeconds?: number;
  /** Maximum number of entries, one per API key: 1 to 100_000. Default: 10_000. The least recently used one is dropped. */
  maxEntries?: number;
  /** Returns the current time, for tests. Default: a monotonic clock, which changes of the system time do not affect. */
  now?: () => Date;
}

/** The method that `cacheCredentials` adds to a storage. */
export interface CredentialCache {
  /** Drops the entry of the API key with this hash (`hashApiKey`), in this process. The next request reads the storage. */
  forget(keyHash: string): void;
}

interface Entry {
  readonly credentials: Credentials;
  /** When the lookup started, in milliseconds. */
  readonly readAt: number;
}

const CHECKS = {
  maxAgeSeconds: mustBeNumber(1, 3600),
  maxEntries: mustBeWhole(1, 100_000),
  now: mustBeFunction,
};

/** The methods that change what `findCredentials` returns for a valid key. */
const CHANGES = ['updateClient', 'deleteClient', 'revokeApiKey', 'updateApiKey'] as const;

/**
 * Returns the storage with a cache for `findCredentials`. A listing or a link over PostgreSQL then needs one statement
 * while the entry of its API key is fresh.
 *
 * The cache holds valid combinations of a key and its client only. An unknown key or client is looked up each time, so
 * a new key works at once and invalid keys cannot displace entries. Authentication compares the expiry of a cached key
 * with its clock, so a key ends exactly at its `expiresAt`.
 *
 * A change through the returned storage takes effect at once: `updateClient`, `deleteClient`, `revokeApiKey` and
 * `updateApiKey` empty the cache. Other processes and other ways to the database take effect within `maxAgeSeconds`:
 * revoked keys, changed expiry, settings of clients. `forget` drops one key at once.
 *
 * All other members of the storage are passed through; methods run on the storage itself. The methods above and
 * `findCredentials` may return promises where those of the storage return values.
 * @throws `options_invalid` for an invalid storage or option.
 */
export function cacheCredentials<S extends Storage>(
  storage: S,
  options: CredentialCacheOptions = {},
): S & CredentialCache {
  const storageProblem = mustHave('findCredentials')(storage);
  if (storageProblem !== undefined) throw invalidOption('/storage', 'value', storageProblem);
  assertOptions(options, CHECKS);
  const { maxAgeSeconds = 30, maxEntries = 10_000, now } = options;
  const milliseconds = now === undefined ? () => performance.now() : () => now().getTime();
  const entries = new LRUCache<string, Entry>({ max: maxEntries });
  /** Number of calls that dropped entries. A lookup that started before the latest one is not cached. */
  let drops = 0;

  /** Not by the ttl of lru-cache: it never ends if the clock starts at 0, and it grows if the clock is set back. */
  function isFresh({ readAt }: Entry): boolean {
    const age = milliseconds() - readAt;
    return age >= 0 && age < maxAgeSeconds * 1000;
  }

  async function lookUp(query: { apiKeyHash: string; clientId: string }): Promise<Credentials> {
    const readAt = milliseconds();
    const dropsBefore = drops;
    const credentials = await storage.findCredentials(query);
    const { apiKey, client } = credentials;
    if (drops === dropsBefore && client !== undefined && apiKey?.clientId === client.clientId)
      entries.set(query.apiKeyHash, { credentials, readAt });
    return credentials;
  }

  const cached: Partial<AdminStorage> & CredentialCache = {
    findCredentials(query) {
      const entry = entries.get(query.apiKeyHash);
      const isHit = entry?.credentials.client?.clientId === query.clientId && isFresh(entry);
      return isHit ? entry.credentials : lookUp(query);
    },
    forget(keyHash) {
      drops++;
      entries.delete(keyHash);
    },
  };

  for (const name of CHANGES) {
    const change: unknown = Reflect.get(storage, name);
    if (typeof change !== 'function') continue;
    cached[name] = async (...args: unknown[]) => {
      try {
        return await Reflect.apply(change, storage, args);
      } finally {
        // A call that failed may have taken effect.
        drops++;
        entries.clear();
      }
    };
  }
  return passThrough(storage, cached) as S & CredentialCache;
}

/** Adds the other members of an object. Methods are bound to it, because they may use private members of a class. */
function passThrough(source: object, target: object): object {
  let level: object | null = source;
  while (level !== null && level !== Object.prototype) {
    for (const name of Reflect.ownKeys(level)) {
      if (name === 'constructor' || Object.hasOwn(target, name)) continue;
      Object.defineProperty(target, name, {
        enumerable: true,
        get() {
          const member: unknown = Reflect.get(source, name);
          return typeof member === 'function' ? member.bind(source) : member;
        },
      });
    }
    level = Object.getPrototypeOf(level);
  }
  return target;
}
