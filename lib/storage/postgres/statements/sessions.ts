// Statements about sessions.
import { columns, SESSION } from '../../sql/columns.js';
import { IS_THIS_LINK, IS_USABLE, REDUCE_CONFIG, SELECTION, toTime } from './fragments.js';
import type { TableNames } from './tables.js';

/** Returns the statements that insert, list and change sessions. */
export function sessionStatements({ clients, sessions, links, sequences, outbox }: TableNames) {
  return {
    /*
     * A column of findCredentials: a page of the listing, as JSON. CASE evaluates the subquery only if it needs its value:
     * a caller without a valid key for the client causes no read of sessions.
     */
    listedPage: ({ at, userId, limit, conditions }: Readonly<Record<string, string>>) => `, CASE
  WHEN k.client_id = c.client_id
    AND (k.expires_at IS NULL OR k.expires_at > ${at}) AND (k.revoked_at IS NULL OR k.revoked_at > ${at})
  THEN (
    SELECT coalesce(json_agg(json_build_array(s.reference, ${toTime('s.date')}, s.cams_reference, s.status, ${toTime('s.created_at')}, s.selected_policy)), '[]')
    FROM (
      SELECT * FROM ${sessions} s
      WHERE s.client_id = $2 AND s.user_id = ${userId}${conditions}
      ORDER BY s.created_at DESC, s.reference
      LIMIT ${limit}
    ) s
  )::text
END AS listed_page`,

    /*
     * One statement marks the link as submitted and inserts the session, or returns why it did not. With READ COMMITTED,
     * FOR UPDATE makes concurrent calls wait and then read the row as the first call left it. With SERIALIZABLE, a
     * later call fails with 40001 and is retried.
     *
     * The row of the client in ${sequences} is locked until the commit. So the submissions of one client commit in the
     * order of their numbers, and a reader that has seen a number has seen all lower ones.
     *
     * A session that was deleted with SQL leaves its event. The event of a new session with that reference replaces it.
     */
    submitLink: `
WITH link AS MATERIALIZED (
  SELECT client_id, user_id, expires_at, revoked_at, submitted_at
  FROM ${links}
  WHERE ${IS_THIS_LINK} AND EXISTS (SELECT 1 FROM ${clients} WHERE client_id = $1)
  FOR UPDATE
), numbered AS (
  INSERT INTO ${sequences} AS q (client_id, last)
  SELECT client_id, 1 FROM link WHERE ${IS_USABLE}
  ON CONFLICT (client_id) DO UPDATE SET last = q.last + 1
  RETURNING last
), inserted AS (
  INSERT INTO ${sessions} (client_id, user_id, ${SESSION.join(', ')}, sequence)
  SELECT client_id, user_id, $4, $5::timestamptz, $6, $7, $8::timestamptz, $9::text::jsonb, $10::text::jsonb, $11::text::jsonb, $12::text::jsonb, $13::text::jsonb, last
  FROM link, numbered
  ON CONFLICT (client_id, reference) DO NOTHING
  RETURNING reference
), consumed AS (
  UPDATE ${links} SET submitted_at = $3::timestamptz, session_reference = inserted.reference, notice_at = NULL, ${REDUCE_CONFIG}
  FROM inserted
  WHERE ${IS_THIS_LINK}
  RETURNING 1
), recorded AS (
  INSERT INTO ${outbox} (event_id, type, client_id, reference, attempts, next_attempt_at)
  SELECT $14::text, 'claim.submitted', $1, reference, $15::integer, $16::timestamptz
  FROM inserted
  WHERE $14::text IS NOT NULL
  ON CONFLICT (client_id, reference) DO UPDATE SET event_id = excluded.event_id, attempts = excluded.attempts,
    next_attempt_at = excluded.next_attempt_at, failed_at = NULL, reason = NULL
)
SELECT CASE
  WHEN EXISTS (SELECT 1 FROM consumed) THEN 'submitted'
  WHEN submitted_at IS NOT NULL THEN 'already_submitted'
  WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN expires_at <= $3::timestamptz THEN 'expired'
  ELSE 'reference_taken'
END AS outcome
FROM link`,

    updateSession: `
UPDATE ${sessions} s SET status = coalesce($3, s.status), cams_reference = coalesce($4, s.cams_reference)
WHERE s.client_id = $1 AND s.reference = $2
RETURNING ${columns('s', SESSION, SELECTION)}`,

    insertSession: `
INSERT INTO ${sessions} (client_id, user_id, ${SESSION.join(', ')})
SELECT client_id, $2, $3, $4::timestamptz, $5, $6, $7::timestamptz, $8::text::jsonb, $9::text::jsonb, $10::text::jsonb, $11::text::jsonb, $12::text::jsonb
FROM ${clients}
WHERE client_id = $1
FOR KEY SHARE
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,
  };
}
