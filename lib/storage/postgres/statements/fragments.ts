// What statements of several subjects share.
import type { TableNames } from './tables.js';

/** Selects a timestamp in milliseconds since 1970, which does not depend on DateStyle, time zone and the host's type parsers. */
export const toTime = (column: string) => `date_part('epoch'::text, ${column}) * 1000`;

/** Selects JSON as text. A host may have changed, for its whole process, how the driver parses JSON. */
const toText = (column: string) => `${column}::text`;

export const SELECTION = { toTime, toText };

/** Returns a time as JSON has it. PostgreSQL calculates it with floating point. */
export const toJsonTime = (value: string) => `round(${toTime(value)})::bigint`;

export const IS_THIS_LINK = 'client_id = $1 AND access_code_hash = $2';
export const IS_USABLE = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > $3::timestamptz';

/** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
export const REDUCE_CONFIG = `config_reduced = true,
  config = jsonb_build_object('contact', config->'contact', 'currentUserId', config->'currentUserId')`;

/** Ends a link: it is not due any more. */
export const isRevoked = (at: string) => `revoked_at = ${at}, notice_at = NULL, ${REDUCE_CONFIG}`;

/** Appends a moment to those of a link. */
export const momentsAnd = (moment: string, links = '') =>
  `coalesce(${links}moments, '[]'::jsonb) || ${moment}`;

/** What `recordLinkEvents` needs of a changed link. */
export const CHANGED_LINK = 'client_id, user_id, access_code_hash, expires_at, moments';

/**
 * Selects a limited number of links for a sweep, so that no statement holds locks for long. SKIP LOCKED passes over
 * links that another sweep changes. So fewer changed links than the limit means that none are left.
 */
export const isExpired = ({ links }: TableNames, condition = '') => `(client_id, access_code_hash) IN (
  SELECT client_id, access_code_hash FROM ${links} WHERE ${condition}expires_at < $1::timestamptz ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
)`;

/** Whether the host chose a type of events. */
export const isChosen = ({ eventTypes }: TableNames, type: string) =>
  `EXISTS (SELECT 1 FROM ${eventTypes} WHERE type = ${type})`;

/** Records the last moment of each link of `from`, if its type is chosen. */
export const recordLinkEvents = (tables: TableNames, from: string, { type = '', at = '', why = 'NULL' }) => `
  INSERT INTO ${tables.outbox} (event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at)
  SELECT gen_random_uuid()::text, ${type}, client_id, user_id, ${at}, jsonb_strip_nulls(jsonb_build_object(
    'linkId', access_code_hash, 'sequence', jsonb_array_length(moments), 'expiresAt', ${toJsonTime('expires_at')}, 'why', ${why}
  )), 0, ${at}
  FROM ${from}
  WHERE ${isChosen(tables, type)}`;
