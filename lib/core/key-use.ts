// Records when an API key was last used, to the hour: it shows whether a key that is to end is still in use.
import type { GuardedStorage } from './guarded-storage.js';

const HOUR_MS = 3_600_000;

/** Records the use of API keys. */
export interface KeyUse {
  /** Records that a request with this key was accepted. Returns at once, and does not throw. */
  record(apiKeyHash: string): void;
  /** Waits until no use is being stored. */
  idle(): Promise<void>;
}

/**
 * Creates the recording. It calls the storage at most once an hour for each key, one call at a time, so that the uses of many
 * keys take one connection of a pool, and no request waits for it. Without `recordKeyUse` of the storage it does nothing.
 */
export function createKeyUse(storage: GuardedStorage, now: () => Date): KeyUse {
  const { recordKeyUse } = storage;
  if (recordKeyUse === undefined) return { record() {}, async idle() {} };
  /** Start of the hour in milliseconds, and the keys that were recorded in it. Only accepted keys get here. */
  let hour = Number.NaN;
  const recorded = new Set<string>();
  /** Uses to store: the hash of the key, and the time. */
  const waiting = new Map<string, Date>();
  /** The storing of what waits. It does not reject. */
  let storing: Promise<void> | undefined;

  const store = async () => {
    for (const [apiKeyHash, at] of waiting) {
      waiting.delete(apiKeyHash);
      try {
        await recordKeyUse({ apiKeyHash, at });
      } catch {
        // The database may be read-only or may not answer: requests must work all the same, and `idle` must not wait for a
        // time limit of each key. The key is tried again in the next hour, those that wait with their next request. The
        // tracing channel of the storage has the failure.
        for (const hash of waiting.keys()) recorded.delete(hash);
        waiting.clear();
      }
    }
    storing = undefined;
  };

  return {
    record(apiKeyHash) {
      const start = Math.floor(now().getTime() / HOUR_MS) * HOUR_MS;
      if (start !== hour) {
        hour = start;
        recorded.clear();
      }
      if (recorded.has(apiKeyHash)) return;
      recorded.add(apiKeyHash);
      waiting.set(apiKeyHash, new Date(start));
      storing ??= store();
    },

    async idle() {
      await storing;
    },
  };
}
