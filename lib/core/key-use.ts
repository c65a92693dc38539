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
 * Creates the recording. It calls the storage at most once an hour for each key, and no request waits for it. Without
 * `recordKeyUse` of the storage it does nothing.
 */
export function createKeyUse(storage: GuardedStorage, now: () => Date): KeyUse {
  const { recordKeyUse } = storage;
  if (recordKeyUse === undefined) return { record() {}, async idle() {} };
  /** Start of the hour in milliseconds, and the keys that were recorded in it. Only accepted keys get here. */
  let hour = Number.NaN;
  const recorded = new Set<string>();
  /** Calls of the storage that have begun. They do not reject. */
  const running = new Set<Promise<void>>();

  const store = async (apiKeyHash: string, at: Date) => {
    try {
      await recordKeyUse({ apiKeyHash, at });
    } catch {
      // The database may be read-only, or its user may not change keys: requests must work all the same, without an error
      // for each key. The next attempt is in the next hour. The tracing channel of the storage has the failure.
    }
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
      const call: Promise<void> = store(apiKeyHash, new Date(start)).finally(() => running.delete(call));
      running.add(call);
    },

    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
