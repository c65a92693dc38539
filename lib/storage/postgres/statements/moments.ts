// Statements about the moments of links, and the choice of events.

import {
  CHANGED_LINK,
  IS_THIS_LINK,
  IS_USABLE,
  isChosen,
  isRevoked,
  momentsAnd,
  recordLinkEvents,
  toJsonTime,
} from './fragments.js';
import type { TableNames } from './tables.js';

/** Returns the statements that choose events, and those that add moments and record their events. */
export function momentStatements(tables: TableNames) {
  const { links, eventTypes } = tables;
  return {
    /* The last SELECT returns the rows as they were before. */
    chooseEvents: `
WITH chosen AS (
  SELECT jsonb_array_elements_text($1::text::jsonb) AS type
), removed AS (
  DELETE FROM ${eventTypes} WHERE type NOT IN (SELECT type FROM chosen)
), stored AS (
  INSERT INTO ${eventTypes} (type, notice_seconds)
  SELECT type, $2::integer FROM chosen
  ON CONFLICT (type) DO UPDATE SET notice_seconds = excluded.notice_seconds
)
SELECT type, notice_seconds FROM ${eventTypes}`,

    addMoment: (revoke = false) => `
WITH added AS (
  UPDATE ${links} SET ${revoke ? `${isRevoked('$3::timestamptz')}, ` : ''}moments = ${momentsAnd('$4::text::jsonb')}
  WHERE ${IS_THIS_LINK} AND coalesce(jsonb_array_length(moments), 0) = $5::integer - 1${revoke ? ` AND ${IS_USABLE}` : ''}
  RETURNING ${CHANGED_LINK}
), recorded AS (${recordLinkEvents(tables, 'added', { type: '$6::text', at: '$3::timestamptz', why: '$7::text' })}
)
SELECT 1 AS added FROM added`,

    /*
     * SKIP LOCKED: concurrent callers take different links. A link that another statement has changed meanwhile is read
     * again, and is not due any more.
     */
    addDueMoments: `
WITH due AS MATERIALIZED (
  SELECT client_id, access_code_hash, CASE
    WHEN submitted_at IS NOT NULL OR revoked_at IS NOT NULL THEN NULL
    WHEN expires_at <= $1::timestamptz THEN 'link.expired'
    ELSE 'link.expiring'
  END AS type, CASE WHEN expires_at <= $1::timestamptz THEN expires_at ELSE notice_at END AS due_at
  FROM ${links}
  WHERE notice_at <= $1::timestamptz
  ORDER BY notice_at
  LIMIT $2
  FOR UPDATE SKIP LOCKED
), changed AS (
  UPDATE ${links} l SET
    notice_at = CASE WHEN due.type = 'link.expiring' AND ${isChosen(tables, "'link.expired'")} THEN expires_at END,
    moments = CASE WHEN ${isChosen(tables, 'due.type')}
      THEN ${momentsAnd(`jsonb_build_object('type', due.type, 'at', ${toJsonTime('due.due_at')})`, 'l.')}
      ELSE l.moments
    END
  FROM due
  WHERE l.client_id = due.client_id AND l.access_code_hash = due.access_code_hash
  RETURNING l.client_id, l.user_id, l.access_code_hash, l.expires_at, l.moments, due.type AS moment, due.due_at
), recorded AS (${recordLinkEvents(tables, 'changed', { type: 'moment', at: 'due_at' })}
)
SELECT count(*)::integer AS count FROM due`,
  };
}
