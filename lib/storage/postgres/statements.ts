// The SQL statements of the PostgreSQL storage: those that write, and the queries of `sql/reads.ts`.
//
// They run behind a pooler in transaction mode:
// - each method is one statement and therefore one transaction: no session state, no BEGIN, no SET, no named prepared
//   statement unless the host enables them, no temporary table, no LISTEN, no advisory lock;
// - row locks (FOR UPDATE, UPDATE ... WHERE) and unique indexes decide between concurrent calls;
// - a statement names the client, so that tables partitioned by client_id read one partition. Exceptions are the sweeps,
//   the list of clients, the searches without a client, and the statements about the events of all clients;
// - no foreign keys: they would lock the client's row for every link and session;
// - JSON is passed as `$n::text::jsonb`: a driver that serializes parameters by their types would serialize it twice.
import { assertOptions, type OptionCheck } from '../../core/assert-options.js';
import {
  API_KEY,
  CLIENT,
  columns,
  IDEMPOTENCY,
  LINK,
  mustBeIdentifier,
  SESSION,
  TABLE_PREFIX,
} from '../sql/columns.js';
import { createQueries } from '../sql/reads.js';

/** Names of the tables. */
export interface PostgresTableOptions {
  /** Schema of the tables; must exist. Default: the first of the connection's search_path. */
  schema?: string;
  /** Prefix of table and index names: lower-case letters, digits, underscores. Default: `claimlink_`. */
  tablePrefix?: string;
}

/** Quoted and qualified names of the tables. */
export interface TableNames {
  clients: string;
  apiKeys: string;
  sessions: string;
  links: string;
  /** Number of submissions of each client: it gives sessions their order of submission. */
  sequences: string;
  events: string;
  migrations: string;
  versions: string;
  /** Prefix of index names, which are not qualified. */
  prefix: string;
}

/** The checks of the options that name the tables. */
export const TABLE_CHECKS: Readonly<Record<keyof PostgresTableOptions, OptionCheck>> = {
  schema: mustBeIdentifier,
  tablePrefix: mustBeIdentifier,
};

/** Returns the names of the tables. @throws `options_invalid` for an unknown or invalid option. */
export function tableNames(options: PostgresTableOptions, checks = TABLE_CHECKS): TableNames {
  assertOptions(options, checks);
  const { schema, tablePrefix = TABLE_PREFIX } = options;
  const qualify = (table: string) => `${schema === undefined ? '' : `"${schema}".`}"${tablePrefix}${table}"`;
  return {
    clients: qualify('clients'),
    apiKeys: qualify('api_keys'),
    sessions: qualify('sessions'),
    links: qualify('links'),
    sequences: qualify('sequences'),
    events: qualify('events'),
    migrations: qualify('migrations'),
    versions: qualify('versions'),
    prefix: tablePrefix,
  };
}

/** Selects a timestamp in milliseconds since 1970, which does not depend on DateStyle, time zone and the host's type parsers. */
const toTime = (column: string) => `date_part('epoch'::text, ${column}) * 1000`;

export type Statements = ReturnType<typeof createStatements>;

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const { clients, apiKeys, sessions, links, sequences, events } = tables;
  const queries = createQueries(tables, toTime);
  const isThisLink = 'client_id = $1 AND access_code_hash = $2';
  const isUsable = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > $3::timestamptz';
  /** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
  const reduceConfig = `config_reduced = true,
  config = jsonb_build_object('contact', config->'contact', 'currentUserId', config->'currentUserId')`;
  /**
   * Selects a limited number of links for a sweep, so that no statement holds locks for long. SKIP LOCKED passes over
   * links that another sweep changes. So fewer changed links than the limit means that none are left.
   */
  const isExpired = (condition = '') => `(client_id, access_code_hash) IN (
  SELECT client_id, access_code_hash FROM ${links} WHERE ${condition}expires_at < $1::timestamptz ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
)`;
  /** The data of a client, deleted by the queries of a WITH clause. */
  const ofClientDeleted = (condition: string) => `deleted_keys AS (
  DELETE FROM ${apiKeys} WHERE ${condition}
), deleted_links AS (
  DELETE FROM ${links} WHERE ${condition}
), deleted_sessions AS (
  DELETE FROM ${sessions} WHERE ${condition}
), deleted_events AS (
  DELETE FROM ${events} WHERE ${condition}
), deleted_sequence AS (
  DELETE FROM ${sequences} WHERE ${condition}
)`;

  return {
    ...queries,

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

    insertLink: `
INSERT INTO ${links} (${LINK.join(', ')})
VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10::timestamptz, $11::timestamptz)`,

    /* Waits for a concurrent insertion with the same key, then inserts nothing. A further statement reads its row. */
    insertLinkOnce: `
INSERT INTO ${links} (${[...LINK, ...IDEMPOTENCY].join(', ')})
VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10::timestamptz, $11::timestamptz, $12, $13, $14)
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    markLinkOpened: `
UPDATE ${links} SET opened_at = $3::timestamptz
WHERE ${isThisLink} AND opened_at IS NULL`,

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
  WHERE ${isThisLink} AND EXISTS (SELECT 1 FROM ${clients} WHERE client_id = $1)
  FOR UPDATE
), numbered AS (
  INSERT INTO ${sequences} AS q (client_id, last)
  SELECT client_id, 1 FROM link WHERE ${isUsable}
  ON CONFLICT (client_id) DO UPDATE SET last = q.last + 1
  RETURNING last
), inserted AS (
  INSERT INTO ${sessions} (client_id, user_id, ${SESSION.join(', ')}, sequence)
  SELECT client_id, user_id, $4, $5::timestamptz, $6, $7, $8::timestamptz, $9::text::jsonb, $10::text::jsonb, $11::text::jsonb, $12::text::jsonb, $13::text::jsonb, last
  FROM link, numbered
  ON CONFLICT (client_id, reference) DO NOTHING
  RETURNING reference
), consumed AS (
  UPDATE ${links} SET submitted_at = $3::timestamptz, session_reference = inserted.reference, ${reduceConfig}
  FROM inserted
  WHERE ${isThisLink}
  RETURNING 1
), recorded AS (
  INSERT INTO ${events} (client_id, reference, event_id, attempts, next_attempt_at)
  SELECT $1, reference, $14::text, $15::integer, $16::timestamptz
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

    revokeLink: `
UPDATE ${links} SET revoked_at = $3::timestamptz, ${reduceConfig}
WHERE ${isThisLink} AND ${isUsable}
RETURNING 1 AS revoked`,

    /* Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
WITH revoked AS (
  UPDATE ${links} SET revoked_at = $3::timestamptz, ${reduceConfig}
  WHERE client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${isUsable}
  RETURNING 1
)
SELECT count(*)::integer AS count FROM revoked`,

    takeAttempt: `
UPDATE ${links} SET check_attempts = coalesce(check_attempts, 0) + 1
WHERE ${isThisLink} AND coalesce(check_attempts, 0) < $3
RETURNING check_attempts AS attempts`,

    returnAttempt: `UPDATE ${links} SET check_attempts = check_attempts - 1 WHERE ${isThisLink} AND check_attempts > 0`,

    unlockLink: `UPDATE ${links} SET check_attempts = NULL WHERE ${isThisLink} RETURNING 1 AS unlocked`,

    reduceExpiredLinks: `
UPDATE ${links} SET ${reduceConfig}
WHERE ${isExpired('NOT config_reduced AND ')}
RETURNING 1 AS changed`,

    deleteExpiredLinks: `
DELETE FROM ${links}
WHERE ${isExpired()}
RETURNING 1 AS deleted`,

    insertClient: `
INSERT INTO ${clients} (${CLIENT.join(', ')})
VALUES ($1, $2, $3::text::jsonb, $4, $5::text::jsonb, $6::text::jsonb, $7::text::jsonb)
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    updateClient: `
UPDATE ${clients} SET name = $2, callback_origins = $3::text::jsonb, locale = $4, branding = $5::text::jsonb,
  frame_ancestors = $6::text::jsonb, settings = $7::text::jsonb
WHERE client_id = $1
RETURNING 1 AS updated`,

    deleteClient: `
WITH ${ofClientDeleted('client_id = $1')}
DELETE FROM ${clients} WHERE client_id = $1
RETURNING 1 AS deleted`,

    /* Deletes nothing of a client that was added again. */
    deleteRestOfClient: `
WITH ${ofClientDeleted(`client_id = $1 AND NOT EXISTS (SELECT 1 FROM ${clients} WHERE client_id = $1)`)}
SELECT`,

    insertApiKey: `
INSERT INTO ${apiKeys} (${API_KEY.join(', ')})
SELECT $1, client_id, $3, $4, $5::timestamptz, $6::timestamptz, $7::timestamptz, $8::timestamptz
FROM ${clients}
WHERE client_id = $2
FOR KEY SHARE
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    revokeApiKey: `
UPDATE ${apiKeys} SET revoked_at = $2::timestamptz
WHERE id = $1 AND revoked_at IS NULL
RETURNING 1 AS revoked`,

    updateApiKey: `
UPDATE ${apiKeys} SET expires_at = $2::timestamptz
WHERE id = $1 AND revoked_at IS NULL
RETURNING 1 AS updated`,

    recordKeyUse: `
UPDATE ${apiKeys} SET last_used_at = $2::timestamptz
WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz)`,

    updateSession: `
UPDATE ${sessions} s SET status = coalesce($3, s.status), cams_reference = coalesce($4, s.cams_reference)
WHERE s.client_id = $1 AND s.reference = $2
RETURNING ${columns('s', SESSION, toTime)}`,

    deleteLinksOfUser: `
WITH deleted AS (
  DELETE FROM ${links} WHERE client_id = $1 AND user_id = $2 RETURNING 1
)
SELECT count(*)::integer AS count FROM deleted`,

    deleteSessionsOfUser: `
WITH deleted AS (
  DELETE FROM ${sessions} WHERE client_id = $1 AND user_id = $2 RETURNING reference
), deleted_events AS (
  DELETE FROM ${events} WHERE client_id = $1 AND reference IN (SELECT reference FROM deleted) RETURNING 1
)
SELECT (SELECT count(*) FROM deleted)::integer AS sessions, (SELECT count(*) FROM deleted_events)::integer AS events`,

    deleteSessions: `
WITH deleted AS (
  DELETE FROM ${sessions}
  WHERE (client_id, reference) IN (
    SELECT client_id, reference FROM ${sessions} WHERE date < $1::timestamptz ORDER BY date LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING client_id, reference
), deleted_events AS (
  DELETE FROM ${events} WHERE (client_id, reference) IN (SELECT client_id, reference FROM deleted)
)
SELECT 1 AS deleted FROM deleted`,

    /* SKIP LOCKED: concurrent callers lease different events and do not wait for each other. */
    leaseEvents: `
WITH due AS MATERIALIZED (
  SELECT client_id, reference, next_attempt_at AS due_at
  FROM ${events}
  WHERE failed_at IS NULL AND next_attempt_at <= $1::timestamptz
  ORDER BY next_attempt_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED
), leased AS (
  UPDATE ${events} e SET attempts = e.attempts + 1, next_attempt_at = $2::timestamptz
  FROM due
  WHERE e.client_id = due.client_id AND e.reference = due.reference
  RETURNING e.*, due.due_at
)${queries.storedEvents('leased')}
ORDER BY e.due_at, e.client_id, e.reference`,

    postponeEvent: `
UPDATE ${events} SET next_attempt_at = $5::timestamptz, failed_at = $6::timestamptz, reason = $7
WHERE client_id = $1 AND reference = $2 AND event_id = $3 AND attempts = $4`,

    retryEvents: (conditions: string) => `
UPDATE ${events} SET attempts = 0, next_attempt_at = $1::timestamptz, failed_at = NULL
WHERE failed_at IS NOT NULL AND (client_id, reference) IN (
  SELECT e.client_id, e.reference FROM ${events} e WHERE e.failed_at IS NOT NULL${conditions} ORDER BY e.failed_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
RETURNING 1 AS changed`,

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
