// The SQL statements of the SQLite storage, with the parameters of those of PostgreSQL.
import { API_KEY, CLIENT, columns, EVENT, IDEMPOTENCY, LINK, SESSION } from '../sql/columns.js';
import { createQueries } from '../sql/reads.js';
import type { TableNames } from './migrations.js';

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const queries = createQueries(tables);
  return {
    ...queries,
    ...clientStatements(tables),
    ...linkStatements(tables),
    ...momentStatements(tables),
    ...sessionStatements(tables),
    ...eventStatements(tables, queries.storedEvents),
    ...removedRecords(tables),
  };
}

/** Returns `INSERT INTO table (...) VALUES ($1, ...) ON CONFLICT DO NOTHING`. */
const insertInto = (table: string, names: readonly string[]) =>
  `INSERT INTO ${table} ${valuesOf(names)} ON CONFLICT DO NOTHING`;

function valuesOf(names: readonly string[]): string {
  const values = names.map((_, index) => `$${index + 1}`).join(', ');
  return `(${names.join(', ')}) VALUES (${values})`;
}

const IS_THIS_LINK = 'client_id = $1 AND access_code_hash = $2';
const IS_USABLE = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > $3';

/** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
const REDUCE_CONFIG = `config_reduced = 1,
  config = json_object('contact', json_extract(config, '$.contact'), 'currentUserId', json_extract(config, '$.currentUserId'))`;

/** Ends a link: it is not due any more. */
const IS_REVOKED = `revoked_at = $3, notice_at = NULL, ${REDUCE_CONFIG}`;

const addMoment = (moment: string) =>
  `moments = json_insert(coalesce(moments, '[]'), '$[#]', json(${moment}))`;

/** Selects the usable links of a user, or of all: every user id is at least the empty text. */
const ofUsers = (users: 'all' | 'one') =>
  `client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${IS_USABLE}`;

/** Selects a limited number of links for a sweep, so that no statement takes long. */
const isExpired = (links: string, condition = '') =>
  `rowid IN (SELECT rowid FROM ${links} WHERE ${condition}expires_at < $1 ORDER BY expires_at LIMIT $2)`;

/** Selects a limited number of sessions for a sweep. */
const oldSessions = (sessions: string) => `FROM ${sessions} WHERE date < $1 ORDER BY date, sequence LIMIT $2`;

function clientStatements({ clients, apiKeys, sessions, links, outbox }: TableNames) {
  return {
    insertClient: insertInto(clients, CLIENT),

    updateClient: `
UPDATE ${clients} SET ${CLIENT.map((name, index) => `${name} = $${index + 1}`).join(', ')}
WHERE client_id = $1`,

    changeClient: (assignments: string) => `UPDATE ${clients} SET ${assignments} WHERE client_id = $1`,

    deleteClient: `DELETE FROM ${clients} WHERE client_id = $1`,

    deleteOfClient: [
      ...[apiKeys, links, sessions].map((table) => `DELETE FROM ${table} WHERE client_id = $1`),
      `DELETE FROM ${outbox} WHERE client_id = $1 AND type <> 'data.deleted'`,
    ],

    insertApiKey: insertInto(apiKeys, API_KEY),

    revokeApiKey: `UPDATE ${apiKeys} SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`,

    updateApiKey: `UPDATE ${apiKeys} SET expires_at = $2 WHERE id = $1 AND revoked_at IS NULL`,

    recordKeyUse: `
UPDATE ${apiKeys} SET last_used_at = $2
WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2)`,
  };
}

function linkStatements({ links }: TableNames) {
  return {
    insertLink: insertInto(links, [...LINK, 'notice_at']),

    insertLinkOnce: insertInto(links, [...LINK, ...IDEMPOTENCY, 'notice_at']),

    markLinkOpened: `UPDATE ${links} SET opened_at = $3 WHERE ${IS_THIS_LINK} AND opened_at IS NULL`,

    markLinkSubmitted: `UPDATE ${links} SET submitted_at = $3, session_reference = $4, notice_at = NULL, ${REDUCE_CONFIG} WHERE ${IS_THIS_LINK}`,

    revokeLink: `UPDATE ${links} SET ${IS_REVOKED}, ${addMoment('$4')} WHERE ${IS_THIS_LINK} AND ${IS_USABLE}`,

    revokeLinks: (users: 'all' | 'one') => `
UPDATE ${links} SET ${IS_REVOKED}, ${addMoment('$4')}
WHERE ${ofUsers(users)}`,

    takeAttempt: `
UPDATE ${links} SET check_attempts = coalesce(check_attempts, 0) + 1
WHERE ${IS_THIS_LINK} AND coalesce(check_attempts, 0) < $3`,

    returnAttempt: `UPDATE ${links} SET check_attempts = check_attempts - 1 WHERE ${IS_THIS_LINK} AND check_attempts > 0`,

    unlockLink: `UPDATE ${links} SET check_attempts = NULL WHERE ${IS_THIS_LINK}`,

    attemptsOfLink: `SELECT check_attempts AS attempts FROM ${links} WHERE ${IS_THIS_LINK}`,

    reduceExpiredLinks: `UPDATE ${links} SET ${REDUCE_CONFIG} WHERE ${isExpired(links, 'NOT config_reduced AND ')}`,

    deleteExpiredLinks: `DELETE FROM ${links} WHERE ${isExpired(links)}`,

    deleteLinksOfUser: `DELETE FROM ${links} WHERE client_id = $1 AND user_id = $2`,
  };
}

function momentStatements({ links, eventTypes }: TableNames) {
  const livedLinks = `SELECT ${columns('l', [...LINK, 'moments'])}, l.notice_at AS notice_at FROM ${links} l`;

  return {
    usableLink: `${livedLinks} WHERE ${IS_THIS_LINK} AND ${IS_USABLE}`,

    usableLinks: (users: 'all' | 'one') => `${livedLinks} WHERE ${ofUsers(users)}`,

    livedLink: `${livedLinks} WHERE ${IS_THIS_LINK}`,

    dueLinks: `${livedLinks} WHERE notice_at <= $1 ORDER BY notice_at LIMIT $2`,

    addMoment: `UPDATE ${links} SET ${addMoment('$3')} WHERE ${IS_THIS_LINK}`,

    setNotice: `UPDATE ${links} SET notice_at = $3 WHERE ${IS_THIS_LINK}`,

    listEventTypes: `SELECT type, notice_seconds FROM ${eventTypes}`,

    deleteEventTypes: `DELETE FROM ${eventTypes}`,

    insertEventType: insertInto(eventTypes, ['type', 'notice_seconds']),
  };
}

function sessionStatements({ sessions }: TableNames) {
  return {
    insertSession: insertInto(sessions, ['client_id', 'user_id', ...SESSION]),

    updateSession: `
UPDATE ${sessions} SET status = coalesce($3, status), cams_reference = coalesce($4, cams_reference)
WHERE client_id = $1 AND reference = $2`,

    deleteSessionsOfUser: `DELETE FROM ${sessions} WHERE client_id = $1 AND user_id = $2`,

    deleteSessions: `DELETE FROM ${sessions} WHERE sequence IN (SELECT sequence ${oldSessions(sessions)})`,
  };
}

function eventStatements({ sessions, outbox }: TableNames, storedEvents: (from: string) => string) {
  return {
    recordEvent: insertInto(outbox, EVENT),

    /* A session that was deleted with SQL leaves its event. The event of a new session with that reference replaces it. */
    replaceEvent: `INSERT OR REPLACE INTO ${outbox} ${valuesOf(EVENT)}`,

    dueEvents: (conditions: string) => `${storedEvents(outbox)}
WHERE e.failed_at IS NULL AND e.next_attempt_at <= $1${conditions}
ORDER BY e.next_attempt_at, e.event_id
LIMIT $2`,

    leaseEvent: `
UPDATE ${outbox} SET attempts = attempts + 1, next_attempt_at = $3
WHERE client_id = $1 AND event_id = $2`,

    postponeEvent: `
UPDATE ${outbox} SET next_attempt_at = $4, failed_at = $5, reason = $6
WHERE client_id = $1 AND event_id = $2 AND attempts = $3`,

    retryEvents: (conditions: string) => `
UPDATE ${outbox} AS e SET attempts = 0, next_attempt_at = $1, failed_at = NULL
WHERE e.failed_at IS NOT NULL${conditions}`,

    deleteEventsOfUser: `
DELETE FROM ${outbox}
WHERE client_id = $1 AND (
  user_id = $2 OR reference IN (SELECT reference FROM ${sessions} WHERE client_id = $1 AND user_id = $2)
)`,

    deleteEventsOfSessions: `DELETE FROM ${outbox} WHERE (client_id, reference) IN (SELECT client_id, reference ${oldSessions(sessions)})`,
  };
}

/** Reads what a deletion removes, before it. The parameters are those of the deletion. */
function removedRecords({ sessions, links }: TableNames) {
  /** Selects links `l` whose session is not there. */
  const withoutSession = `NOT EXISTS (
  SELECT 1 FROM ${sessions} s WHERE s.client_id = l.client_id AND s.reference = l.session_reference AND s.user_id = l.user_id
)`;
  const removedLinks = `SELECT l.client_id, l.access_code_hash AS link_id FROM ${links} l WHERE ${withoutSession}`;
  const removedSessions = `SELECT s.client_id, s.reference, s.link ->> '$.linkId' AS link_id FROM ${sessions} s WHERE`;

  return {
    removedExpiredLinks: `${removedLinks} AND l.${isExpired(links)}`,

    removedLinksOfUser: `${removedLinks} AND l.client_id = $1 AND l.user_id = $2`,

    removedLinksOfClient: `${removedLinks} AND l.client_id = $1`,

    removedSessions: `${removedSessions} s.sequence IN (SELECT sequence ${oldSessions(sessions)})`,

    removedSessionsOfUser: `${removedSessions} s.client_id = $1 AND s.user_id = $2`,

    removedSessionsOfClient: `${removedSessions} s.client_id = $1`,
  };
}
