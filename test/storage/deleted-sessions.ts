// Events of the SQL storages whose sessions a host deleted with SQL.
import type { Test } from 'tap';
import type { AdminStorage, OutboxStorage } from '../../lib/core/storage.js';
import {
  CLIENT_ID,
  NOON,
  sampleRecord,
  sampleSubmission,
  withLink,
} from '../../lib/testing/storage-suite/samples.js';

/** Runs a statement on the database of the storage. */
type Execute = (sql: string) => unknown;

const CYCLE = { at: NOON, leaseUntil: NOON, limit: 10 };
const NONE = { pending: 0, failed: 0 };

function insertEvent(execute: Execute, reference: string, dueAt = '2020-01-01') {
  return execute(`
    INSERT INTO claimlink_outbox (client_id, reference, event_id, type, attempts, next_attempt_at, reason)
    VALUES ('${CLIENT_ID}', '${reference}', 'event-${reference}', 'claim.submitted', 3, '${dueAt}', 'Error')`);
}

export const DELETED_SESSIONS: readonly {
  name: string;
  run(t: Test, storage: AdminStorage & OutboxStorage, execute: Execute): Promise<void>;
}[] = [
  {
    name: 'an event whose session was deleted with SQL is deleted, and not delivered',
    async run(t, storage, execute) {
      await insertEvent(execute, 'S-1');
      t.same(await storage.leaseEvents(CYCLE), []);
      t.same(await storage.countEvents({ limit: 10 }), NONE);
      await insertEvent(execute, 'S-1');
      t.same(await storage.listEvents({ state: 'pending', limit: 10 }), []);
      t.same(await storage.countEvents({ limit: 10 }), NONE);
    },
  },
  {
    name: 'leaseEvents passes over a batch of events whose sessions were deleted with SQL',
    async run(t, storage, execute) {
      await storage.insertClient({ clientId: CLIENT_ID });
      for (let index = 0; index < 25; index++) await insertEvent(execute, `deleted-${index}`);
      const { reference } = sampleRecord();
      await storage.insertSession(sampleRecord());
      await insertEvent(execute, reference, '2020-01-02');
      t.match(await storage.leaseEvents(CYCLE), [{ reference, attempts: 4 }]);
      t.same(await storage.countEvents({ limit: 100 }), { pending: 1, failed: 0 });
    },
  },
  {
    name: 'a submission replaces the event of a deleted session with its reference',
    async run(t, storage, execute) {
      await insertEvent(execute, 'S-1');
      const { accessCodeHash } = await withLink(storage);
      const event = { id: 'event-2', attempts: 0, nextAttemptAt: NOON } as const;
      t.match(await storage.submitLink(sampleSubmission(accessCodeHash, { event })), {
        outcome: 'submitted',
      });
      t.match(await storage.listEvents({ state: 'pending', limit: 10 }), [
        { id: 'event-2', attempts: 0, failedAt: undefined, reason: undefined },
      ]);
      t.same(await storage.countEvents({ limit: 10 }), { pending: 1, failed: 0 });
    },
  },
];
