// The SQL statements of the PostgreSQL storage: those that write, and the queries of `sql/reads.ts`.
//
// They run behind a pooler in transaction mode:
// - each method is one statement and therefore one transaction: no session state, no BEGIN, no SET, no named prepared
//   statement unless the host enables them, no temporary table, no LISTEN, no advisory lock;
// - row locks (FOR UPDATE, UPDATE ... WHERE) and unique indexes decide between concurrent calls;
// - a statement names the client, so that tables partitioned by client_id read one partition. Exceptions are the sweeps,
//   the list of clients, the searches without a client, and the statements about the events of all clients;
// - no foreign keys: they would lock the client's row for every link and session;
// - JSON is passed as `$n::text::jsonb`: a driver that serializes parameters by their types would serialize it twice. It is
//   returned as text, and parsed in one place.
import { assertOptions, type OptionCheck } from '../../core/assert-options.js';
import { DELETED_BATCH } from '../../core/life-events.js';
import type { DataDeletedEvent } from '../../core/types.js';
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
  /** Schema of the tables; `migrate` creates it. Default: the first of the connection's search_path. */
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
  /** The events of links and of deletions. */
  lifeEvents: string;
  /** The types of events that the host chose. */
  eventTypes: string;
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
    lifeEvents: qualify('life_events'),
    eventTypes: qualify('event_types'),
    migrations: qualify('migrations'),
    versions: qualify('versions'),
    prefix: tablePrefix,
  };
}

/** Selects a timestamp in milliseconds since 1970, which does not depend on DateStyle, time zone and the host's type parsers. */
const toTime = (column: string) => `date_part('epoch'::text, ${column}) * 1000`;

/** Selects JSON as text. A host may have changed, for its whole process, how the driver parses JSON. */
const toText = (column: string) => `${column}::text`;

const SELECTION = { toTime, toText };

/** Returns a time as JSON has it. PostgreSQL calculates it with floating point. */
const toJsonTime = (value: string) => `round(${toTime(value)})::bigint`;

export type Statements = ReturnType<typeof createStatements>;

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const { clients, apiKeys, sessions, links, sequences, events, lifeEvents, eventTypes } = tables;
  const queries = createQueries(tables, SELECTION);
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
  const isChosen = (type: string) => `EXISTS (SELECT 1 FROM ${eventTypes} WHERE type = ${type})`;
  /** Ends a link: it is not due any more. */
  const isRevoked = (at: string) => `revoked_at = ${at}, notice_at = NULL, ${reduceConfig}`;
  const momentsAnd = (moment: string, links = '') => `coalesce(${links}moments, '[]'::jsonb) || ${moment}`;
  const revokedMoment = `jsonb_build_object('type', 'link.revoked', 'at', ${toJsonTime('$3::timestamptz')})`;
  /** What `recordLinkEvents` needs of a changed link. */
  const changedLink = 'client_id, user_id, access_code_hash, expires_at, moments';
  /** Records the last moment of each link of `from`, if its type is chosen. */
  const recordLinkEvents = (from: string, { type = '', at = '', why = 'NULL' }) => `
  INSERT INTO ${lifeEvents} (event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at)
  SELECT gen_random_uuid()::text, ${type}, client_id, user_id, ${at}, jsonb_strip_nulls(jsonb_build_object(
    'linkId', access_code_hash, 'sequence', jsonb_array_length(moments), 'expiresAt', ${toJsonTime('expires_at')}, 'why', ${why}
  )), 0, ${at}
  FROM ${from}
  WHERE ${isChosen(type)}`;
  /** Records what the query `removed` returns: `client_id`, `link_id` and `reference`. */
  const recordDeletion = (why: DataDeletedEvent['why'], at: string) => `
  INSERT INTO ${lifeEvents} (event_id, type, client_id, occurred_at, data, attempts, next_attempt_at)
  SELECT gen_random_uuid()::text, 'data.deleted', client_id, ${at}::timestamptz, jsonb_build_object(
    'why', '${why}'::text,
    'linkIds', coalesce(jsonb_agg(link_id) FILTER (WHERE link_id IS NOT NULL), '[]'),
    'references', coalesce(jsonb_agg(reference) FILTER (WHERE reference IS NOT NULL), '[]')
  ), 0, ${at}::timestamptz
  FROM (
    SELECT client_id, link_id, reference, (row_number() OVER (PARTITION BY client_id) - 1) / ${DELETED_BATCH} AS batch
    FROM removed
  ) numbered
  GROUP BY client_id, batch`;
  const recordsDeletion = (at: string) => `${at}::timestamptz IS NOT NULL AND ${isChosen("'data.deleted'")}`;
  /**
   * Whether this statement sees the session of a deleted link, if there was one. It waits for a submission that runs, and
   * then returns the changed row of the link, but it does not see the inserted session. It also sees the row as it was.
   */
  const seesSession = (link: string) => `(${link}.session_reference IS NULL OR (
    SELECT l.session_reference FROM ${links} l
    WHERE l.client_id = ${link}.client_id AND l.access_code_hash = ${link}.access_code_hash
  ) IS NOT NULL)`;
  /** The links of `deleted` whose session is not there. */
  const removedLinks = (at: string) => `
  SELECT d.client_id, d.access_code_hash AS link_id, NULL::text AS reference
  FROM deleted d
  WHERE ${recordsDeletion(at)} AND ${seesSession('d')} AND NOT EXISTS (
    SELECT 1 FROM ${sessions} s WHERE s.client_id = d.client_id AND s.reference = d.session_reference AND s.user_id = d.user_id
  )`;
  /** The sessions of `deleted`, with their links. */
  const removedSessions = (at: string) => `
  SELECT client_id, link->>'linkId' AS link_id, reference FROM deleted WHERE ${recordsDeletion(at)}`;
  /** The data of a client, deleted and recorded by the queries of a WITH clause. */
  const ofClientDeleted = (condition: string) => `deleted_keys AS (
  DELETE FROM ${apiKeys} WHERE ${condition}
), deleted_links AS (
  DELETE FROM ${links} WHERE ${condition} RETURNING client_id, access_code_hash, session_reference
), deleted_sessions AS (
  DELETE FROM ${sessions} WHERE ${condition} RETURNING client_id, reference, link->>'linkId' AS link_id
), deleted_events AS (
  DELETE FROM ${events} WHERE ${condition}
), deleted_life_events AS (
  DELETE FROM ${lifeEvents} WHERE ${condition} AND type <> 'data.deleted'
), deleted_sequence AS (
  DELETE FROM ${sequences} WHERE ${condition}
), removed AS (
  SELECT client_id, link_id, reference FROM deleted_sessions WHERE ${recordsDeletion('$2')}
  UNION ALL
  SELECT client_id, access_code_hash, NULL FROM deleted_links d
  WHERE ${recordsDeletion('$2')} AND ${seesSession('d')}
    AND NOT EXISTS (SELECT 1 FROM deleted_sessions WHERE link_id = d.access_code_hash)
), recorded AS (${recordDeletion('client', '$2')}
)`;
  /** When `link.expiring` or `link.expired` of a new link is due, from its times $7 and $8. */
  const noticeTime = `(
  SELECT min(CASE type WHEN 'link.expired' THEN $8::timestamptz ELSE $8::timestamptz - notice_seconds * interval '1 second' END)
  FROM ${eventTypes}
  WHERE type = 'link.expired'
    OR type = 'link.expiring' AND $8::timestamptz - notice_seconds * interval '1 second' > $7::timestamptz
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
  UPDATE ${links} SET submitted_at = $3::timestamptz, session_reference = inserted.reference, notice_at = NULL, ${reduceConfig}
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
WITH revoked AS (
  UPDATE ${links} SET ${isRevoked('$3::timestamptz')}, moments = ${momentsAnd(revokedMoment)}
  WHERE ${isThisLink} AND ${isUsable}
  RETURNING ${changedLink}
), recorded AS (${recordLinkEvents('revoked', { type: "'link.revoked'", at: '$3::timestamptz' })}
)
SELECT 1 AS revoked FROM revoked`,

    /* Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
WITH revoked AS (
  UPDATE ${links} SET ${isRevoked('$3::timestamptz')}, moments = ${momentsAnd(revokedMoment)}
  WHERE client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${isUsable}
  RETURNING ${changedLink}
), recorded AS (${recordLinkEvents('revoked', { type: "'link.revoked'", at: '$3::timestamptz' })}
)
SELECT count(*)::integer AS count FROM revoked`,

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
  WHERE ${isThisLink} AND coalesce(jsonb_array_length(moments), 0) = $5::integer - 1${revoke ? ` AND ${isUsable}` : ''}
  RETURNING ${changedLink}
), recorded AS (${recordLinkEvents('added', { type: '$6::text', at: '$3::timestamptz', why: '$7::text' })}
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
    notice_at = CASE WHEN due.type = 'link.expiring' AND ${isChosen("'link.expired'")} THEN expires_at END,
    moments = CASE WHEN ${isChosen('due.type')}
      THEN ${momentsAnd(`jsonb_build_object('type', due.type, 'at', ${toJsonTime('due.due_at')})`, 'l.')}
      ELSE l.moments
    END
  FROM due
  WHERE l.client_id = due.client_id AND l.access_code_hash = due.access_code_hash
  RETURNING l.client_id, l.user_id, l.access_code_hash, l.expires_at, l.moments, due.type AS moment, due.due_at
), recorded AS (${recordLinkEvents('changed', { type: 'moment', at: 'due_at' })}
)
SELECT count(*)::integer AS count FROM due`,

    leaseLifeEvents: `
WITH due AS MATERIALIZED (
  SELECT event_id, next_attempt_at AS due_at
  FROM ${lifeEvents}
  WHERE failed_at IS NULL AND next_attempt_at <= $1::timestamptz
  ORDER BY next_attempt_at
  LIMIT $3
  FOR UPDATE SKIP LOCKED
), v AS (
  UPDATE ${lifeEvents} e SET attempts = e.attempts + 1, next_attempt_at = $2::timestamptz
  FROM due
  WHERE e.event_id = due.event_id
  RETURNING e.*, due.due_at
)
SELECT ${queries.lifeEvents} FROM v ORDER BY v.due_at, v.event_id`,

    postponeLifeEvent: `
UPDATE ${lifeEvents} SET next_attempt_at = $3::timestamptz, failed_at = $4::timestamptz, reason = $5
WHERE event_id = $1 AND attempts = $2`,

    retryLifeEvents: (conditions: string) => `
UPDATE ${lifeEvents} SET attempts = 0, next_attempt_at = $1::timestamptz, failed_at = NULL
WHERE failed_at IS NOT NULL AND event_id IN (
  SELECT v.event_id FROM ${lifeEvents} v WHERE v.failed_at IS NOT NULL${conditions} ORDER BY v.failed_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
RETURNING 1 AS changed`,

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
WITH deleted AS (
  DELETE FROM ${links}
  WHERE ${isExpired()}
  RETURNING client_id, access_code_hash, user_id, session_reference
), removed AS (${removedLinks('$3')}
), recorded AS (${recordDeletion('retention', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

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

    changeClient: (assignments: string) => `
UPDATE ${clients} SET ${assignments}
WHERE client_id = $1
RETURNING 1 AS updated`,

    deleteClient: `
WITH ${ofClientDeleted('client_id = $1')}, deleted AS (
  DELETE FROM ${clients} WHERE client_id = $1 RETURNING 1
)
SELECT count(*)::integer AS count FROM deleted`,

    /* Deletes nothing of a client that was added again. */
    deleteRestOfClient: `
WITH ${ofClientDeleted(`client_id = $1 AND NOT EXISTS (SELECT 1 FROM ${clients} WHERE client_id = $1)`)}
SELECT count(*)::integer AS count FROM removed`,

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
RETURNING ${columns('s', SESSION, SELECTION)}`,

    deleteLinksOfUser: `
WITH deleted AS (
  DELETE FROM ${links}
  WHERE client_id = $1 AND user_id = $2
  RETURNING client_id, access_code_hash, user_id, session_reference
), removed AS (${removedLinks('$3')}
), recorded AS (${recordDeletion('user', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

    deleteSessionsOfUser: `
WITH deleted AS (
  DELETE FROM ${sessions} WHERE client_id = $1 AND user_id = $2 RETURNING client_id, reference, link
), deleted_events AS (
  DELETE FROM ${events} WHERE client_id = $1 AND reference IN (SELECT reference FROM deleted) RETURNING 1
), deleted_life_events AS (
  DELETE FROM ${lifeEvents} WHERE client_id = $1 AND user_id = $2 RETURNING 1
), removed AS (${removedSessions('$3')}
), recorded AS (${recordDeletion('user', '$3')}
)
SELECT (SELECT count(*) FROM deleted)::integer AS sessions,
  ((SELECT count(*) FROM deleted_events) + (SELECT count(*) FROM deleted_life_events))::integer AS events`,

    deleteSessions: `
WITH deleted AS (
  DELETE FROM ${sessions}
  WHERE (client_id, reference) IN (
    SELECT client_id, reference FROM ${sessions} WHERE date < $1::timestamptz ORDER BY date LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING client_id, reference, link
), deleted_events AS (
  DELETE FROM ${events} WHERE (client_id, reference) IN (SELECT client_id, reference FROM deleted)
), removed AS (${removedSessions('$3')}
), recorded AS (${recordDeletion('retention', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

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
