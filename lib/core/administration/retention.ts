// The use cases of retention: delete and reduce what a host no longer needs to keep, of all clients.
import { implementing } from '../guarded-storage.js';
import { addDueMoments } from '../life.js';
import { assertDate } from '../validators.js';
import { type AdministrationContext, recorded, storageWith } from './context.js';

/**
 * Deletes old data of all clients. Every method needs a `RecordStorage`, and throws `options_invalid` without one, and
 * `request_invalid` for an invalid date. A call of a service rejects after `storageTimeoutSeconds`, and its storage may
 * go on. `claimlink sweep` has no time limit.
 */
export interface Retention {
  /** Deletes links in any state that expired before this time. Returns their number. Keeps their sessions. */
  deleteExpiredLinks(before: Date): Promise<number>;
  /** Removes the prefilled data of links that expired before this time. Returns the number of links that it changed. */
  reduceExpiredLinks(before: Date): Promise<number>;
  /** Deletes sessions that were submitted before this time, and their events. Returns the number of sessions. */
  deleteSessions(before: Date): Promise<number>;
}

/** Creates the use cases of retention. */
export function createRetention(context: AdministrationContext): Retention {
  const { now } = context;
  function recordsFor(before: Date) {
    const storage = storageWith(context, 'RecordStorage');
    assertDate(before, 'before');
    return storage;
  }
  return {
    async deleteExpiredLinks(before) {
      const storage = recordsFor(before);
      // The end of a link is an event, so it is recorded before the link is deleted.
      if (storage.addDueMoments) await addDueMoments(implementing(storage, 'LifeStorage'), now());
      return recorded(context, storage.deleteExpiredLinks(before, now()));
    },

    reduceExpiredLinks: async (before) => recordsFor(before).reduceExpiredLinks(before),

    deleteSessions: async (before) => recorded(context, recordsFor(before).deleteSessions(before, now())),
  };
}
