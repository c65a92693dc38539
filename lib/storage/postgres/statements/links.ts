// Statements about links.
import { IDEMPOTENCY, LINK } from '../../sql/columns.js';
import {
  CHANGED_LINK,
  IS_THIS_LINK,
  IS_USABLE,
  isExpired,
  isRevoked,
  momentsAnd,
  REDUCE_CONFIG,
  recordLinkEvents,
  toJsonTime,
} from './fragments.js';
import type { TableNames } from './tables.js';

const REVOKED_MOMENT = `jsonb_build_object('type', 'link.revoked', 'at', ${toJsonTime('$3::timestamptz')})`;

/** Returns the statements that create, open, revoke and reduce links. */
export function linkStatements(tables: TableNames) {
  const { links, eventTypes } = tables;
  /** When `link.expiring` or `link.expired` of a new link is due, from its times $7 and $8. */
  const noticeTime = `(
  SELECT min(CASE type WHEN 'link.expired' THEN $8::timestamptz ELSE $8::timestamptz - notice_seconds * interval '1 second' END)
  FROM ${eventTypes}
  WHERE type = 'link.expired'
    OR type = 'link.expiring' AND $8::timestamptz - notice_seconds * interval '1 second' > $7::timestamptz
)`;
  const recordRevocation = recordLinkEvents(tables, 'revoked', {
    type: "'link.revoked'",
    at: '$3::timestamptz',
  });

  return {
    insertLink: `
INSERT INTO ${links} (${LINK.join(', ')}, notice_at)
VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10::timestamptz, $11::timestamptz, $12, ${noticeTime})`,

    /* Waits for a concurrent insertion with the same key, then inserts nothing. A further statement reads its row. */
    insertLinkOnce: `
INSERT INTO ${links} (${[...LINK, ...IDEMPOTENCY].join(', ')}, notice_at)
VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10::timestamptz, $11::timestamptz, $12, $13, $14, $15, ${noticeTime})
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    markLinkOpened: `
UPDATE ${links} SET opened_at = $3::timestamptz
WHERE ${IS_THIS_LINK} AND opened_at IS NULL`,

    revokeLink: `
WITH revoked AS (
  UPDATE ${links} SET ${isRevoked('$3::timestamptz')}, moments = ${momentsAnd(REVOKED_MOMENT)}
  WHERE ${IS_THIS_LINK} AND ${IS_USABLE}
  RETURNING ${CHANGED_LINK}
), recorded AS (${recordRevocation}
)
SELECT 1 AS revoked FROM revoked`,

    /* Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
WITH revoked AS (
  UPDATE ${links} SET ${isRevoked('$3::timestamptz')}, moments = ${momentsAnd(REVOKED_MOMENT)}
  WHERE client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${IS_USABLE}
  RETURNING ${CHANGED_LINK}
), recorded AS (${recordRevocation}
)
SELECT count(*)::integer AS count FROM revoked`,

    takeAttempt: `
UPDATE ${links} SET check_attempts = coalesce(check_attempts, 0) + 1
WHERE ${IS_THIS_LINK} AND coalesce(check_attempts, 0) < $3
RETURNING check_attempts AS attempts`,

    returnAttempt: `UPDATE ${links} SET check_attempts = check_attempts - 1 WHERE ${IS_THIS_LINK} AND check_attempts > 0`,

    unlockLink: `UPDATE ${links} SET check_attempts = NULL WHERE ${IS_THIS_LINK} RETURNING 1 AS unlocked`,

    reduceExpiredLinks: `
UPDATE ${links} SET ${REDUCE_CONFIG}
WHERE ${isExpired(tables, 'NOT config_reduced AND ')}
RETURNING 1 AS changed`,
  };
}
