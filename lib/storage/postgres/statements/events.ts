// Statements about the events that are not delivered yet.
import type { TableNames } from './tables.js';

/**
 * Returns the statements that lease, postpone and retry events.
 * @param storedEvents selects events of a table or a query with their sessions
 */
export function eventStatements({ outbox }: TableNames, storedEvents: (from: string) => string) {
  return {
    /* SKIP LOCKED: concurrent callers lease different events and do not wait for each other. */
    leaseEvents: (conditions: string) => `
WITH due AS MATERIALIZED (
  SELECT e.client_id, e.event_id, e.next_attempt_at AS due_at
  FROM ${outbox} e
  WHERE e.failed_at IS NULL AND e.next_attempt_at <= $1::timestamptz${conditions}
  ORDER BY e.next_attempt_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED
), leased AS (
  UPDATE ${outbox} e SET attempts = e.attempts + 1, next_attempt_at = $2::timestamptz
  FROM due
  WHERE e.client_id = due.client_id AND e.event_id = due.event_id
  RETURNING e.*, due.due_at
)${storedEvents('leased')}
ORDER BY e.due_at, e.event_id`,

    postponeEvent: `
UPDATE ${outbox} SET next_attempt_at = $4::timestamptz, failed_at = $5::timestamptz, reason = $6
WHERE client_id = $1 AND event_id = $2 AND attempts = $3`,

    retryEvents: (conditions: string) => `
UPDATE ${outbox} SET attempts = 0, next_attempt_at = $1::timestamptz, failed_at = NULL
WHERE failed_at IS NOT NULL AND (client_id, event_id) IN (
  SELECT e.client_id, e.event_id FROM ${outbox} e WHERE e.failed_at IS NOT NULL${conditions} ORDER BY e.failed_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
RETURNING 1 AS changed`,
  };
}
