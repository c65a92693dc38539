// The events of the SQLite storage: its `OutboxStorage`.
import type { EventKey, OutboxStorage, StoredEvent } from '../../core/storage.js';
import { eventConditions } from '../sql/conditions.js';
import type { Collect } from '../sql/parameters.js';
import { type Row, toStoredEvent } from '../sql/rows.js';
import type { Executor } from './execute.js';
import type { createStatements } from './statements.js';

/** Creates the methods that deliver events. `Reads` has `countEvents`. */
export function createSqliteOutbox(
  { all, run, transaction }: Executor,
  sql: ReturnType<typeof createStatements>,
  collect: Collect,
): Omit<OutboxStorage, 'countEvents'> {
  function settleEvent({ clientId, id }: EventKey): void {
    run(sql.settleEvent, [clientId, id]);
  }

  /** Returns the events of rows. Deletes an event whose session was deleted with SQL: there is nothing to deliver. */
  function toEvents(rows: readonly Row[]): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (const event of rows.map(toStoredEvent)) {
      if ('attempts' in event) events.push(event);
      else settleEvent(event);
    }
    return events;
  }

  return {
    leaseEvents: ({ at, leaseUntil, limit, kind }) =>
      transaction(() => {
        const { params, bind } = collect(at, limit);
        const statement = sql.dueEvents(eventConditions({ kind }, bind));
        let rows: readonly Row[];
        let due: StoredEvent[];
        // A batch of events without sessions does not mean that no other event is due.
        do {
          rows = all(statement, params);
          due = toEvents(rows);
        } while (due.length === 0 && rows.length > 0);
        for (const { clientId, id } of due) run(sql.leaseEvent, [clientId, id, leaseUntil]);
        return due.map((event) => ({ ...event, attempts: event.attempts + 1, nextAttemptAt: leaseUntil }));
      }),

    settleEvent,

    postponeEvent({ clientId, id, attempts, nextAttemptAt, failedAt, reason }) {
      run(sql.postponeEvent, [clientId, id, attempts, nextAttemptAt, failedAt, reason]);
    },

    listEvents({ state, clientId, kind, limit }) {
      const { params, bind } = collect(limit);
      const selected = eventConditions({ clientId, kind }, bind);
      return toEvents(all(sql.listEvents(state, selected), params));
    },

    retryEvents({ clientId, reference, at }) {
      const { params, bind } = collect(at);
      return run(sql.retryEvents(eventConditions({ clientId, reference }, bind)), params);
    },
  };
}
