// The SQL statements of the SQLite storage, with the parameters of those of PostgreSQL.
import { API_KEY, CLIENT, columns, IDEMPOTENCY, LIFE_EVENT, LINK, SESSION } from '../sql/columns.js';
import { createQueries } from '../sql/reads.js';
import type { TableNames } from './migrations.js';

/** Returns `INSERT INTO table (...) VALUES ($1, ...) ON CONFLICT DO NOTHING`. */
function insertInto(table: string, names: readonly string[]): string {
  const values = names.map((_, index) => `$${index + 1}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`;
}

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const { clients, apiKeys, sessions, links, events, lifeEvents, eventTypes } = tables;
  const queries = createQueries(tables);
  const isThisLink = 'client_id = $1 AND access_code_hash = $2';
  const isUsable = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > $3';
  /** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
  const reduceConfig = `config_reduced = 1,
  config = json_object('contact', json_extract(config, '$.contact'), 'currentUserId', json_extract(config, '$.currentUserId'))`;
  /** Selects a limited number of links for a sweep, so that no statement takes long. */
  const isExpired = (condition = '') =>
    `rowid IN (SELECT rowid FROM ${links} WHERE ${condition}expires_at < $1 ORDER BY expires_at LIMIT $2)`;
  /** Ends a link: it is not due any more. */
  const isRevoked = `revoked_at = $3, notice_at = NULL, ${reduceConfig}`;
  const addMoment = (moment: string) =>
    `moments = json_insert(coalesce(moments, '[]'), '$[#]', json(${moment}))`;
  const ofUsers = (users: 'all' | 'one') =>
    `client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${isUsable}`;
  const livedLinks = `SELECT ${columns('l', [...LINK, 'moments'])}, l.notice_at AS notice_at FROM ${links} l`;
  /** Selects links `l` whose session is not there. */
  const withoutSession = `NOT EXISTS (
  SELECT 1 FROM ${sessions} s WHERE s.client_id = l.client_id AND s.reference = l.session_reference AND s.user_id = l.user_id
)`;
  const removedSession = "s.client_id, s.reference, s.link ->> '$.linkId' AS link_id";
  const oldSessions = `FROM ${sessions} WHERE date < $1 ORDER BY date, sequence LIMIT $2`;

  return {
    ...queries,

    insertLink: insertInto(links, [...LINK, 'notice_at']),

    insertLinkOnce: insertInto(links, [...LINK, ...IDEMPOTENCY, 'notice_at']),

    markLinkOpened: `UPDATE ${links} SET opened_at = $3 WHERE ${isThisLink} AND opened_at IS NULL`,

    markLinkSubmitted: `UPDATE ${links} SET submitted_at = $3, session_reference = $4, notice_at = NULL, ${reduceConfig} WHERE ${isThisLink}`,

    revokeLink: `UPDATE ${links} SET ${isRevoked}, ${addMoment('$4')} WHERE ${isThisLink} AND ${isUsable}`,

    /* Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
UPDATE ${links} SET ${isRevoked}, ${addMoment('$4')}
WHERE ${ofUsers(users)}`,

    usableLink: `${livedLinks} WHERE ${isThisLink} AND ${isUsable}`,

    usableLinks: (users: 'all' | 'one') => `${livedLinks} WHERE ${ofUsers(users)}`,

    livedLink: `${livedLinks} WHERE ${isThisLink}`,

    dueLinks: `${livedLinks} WHERE notice_at <= $1 ORDER BY notice_at LIMIT $2`,

    addMoment: `UPDATE ${links} SET ${addMoment('$3')} WHERE ${isThisLink}`,

    setNotice: `UPDATE ${links} SET notice_at = $3 WHERE ${isThisLink}`,

    listEventTypes: `SELECT type, notice_seconds FROM ${eventTypes}`,

    deleteEventTypes: `DELETE FROM ${eventTypes}`,

    insertEventType: insertInto(eventTypes, ['type', 'notice_seconds']),

    recordLifeEvent: insertInto(lifeEvents, LIFE_EVENT),

    dueLifeEvents: `
SELECT ${queries.lifeEvents}
FROM ${lifeEvents} v
WHERE v.failed_at IS NULL AND v.next_attempt_at <= $1
ORDER BY v.next_attempt_at, v.event_id
LIMIT $2`,

    leaseLifeEvent: `UPDATE ${lifeEvents} SET attempts = attempts + 1, next_attempt_at = $2 WHERE event_id = $1`,

    postponeLifeEvent: `
UPDATE ${lifeEvents} SET next_attempt_at = $3, failed_at = $4, reason = $5
WHERE event_id = $1 AND attempts = $2`,

    retryLifeEvents: (conditions: string) => `
UPDATE ${lifeEvents} AS v SET attempts = 0, next_attempt_at = $1, failed_at = NULL
WHERE v.failed_at IS NOT NULL${conditions}`,

    deleteLifeEventsOfUser: `DELETE FROM ${lifeEvents} WHERE client_id = $1 AND user_id = $2`,

    /* What a deletion removes, read before it. The parameters are those of the deletion. */
    removedExpiredLinks: `
SELECT l.client_id, l.access_code_hash AS link_id
FROM ${links} l
WHERE l.${isExpired()} AND ${withoutSession}`,

    removedLinksOfUser: `
SELECT l.client_id, l.access_code_hash AS link_id
FROM ${links} l
WHERE l.client_id = $1 AND l.user_id = $2 AND ${withoutSession}`,

    removedLinksOfClient: `
SELECT l.client_id, l.access_code_hash AS link_id
FROM ${links} l
WHERE l.client_id = $1 AND ${withoutSession}`,

    removedSessions: `
SELECT ${removedSession}
FROM ${sessions} s
WHERE s.sequence IN (SELECT sequence ${oldSessions})`,

    removedSessionsOfUser: `SELECT ${removedSession} FROM ${sessions} s WHERE s.client_id = $1 AND s.user_id = $2`,

    removedSessionsOfClient: `SELECT ${removedSession} FROM ${sessions} s WHERE s.client_id = $1`,

    takeAttempt: `
UPDATE ${links} SET check_attempts = coalesce(check_attempts, 0) + 1
WHERE ${isThisLink} AND coalesce(check_attempts, 0) < $3`,

    returnAttempt: `UPDATE ${links} SET check_attempts = check_attempts - 1 WHERE ${isThisLink} AND check_attempts > 0`,

    unlockLink: `UPDATE ${links} SET check_attempts = NULL WHERE ${isThisLink}`,

    attemptsOfLink: `SELECT check_attempts AS attempts FROM ${links} WHERE ${isThisLink}`,

    reduceExpiredLinks: `UPDATE ${links} SET ${reduceConfig} WHERE ${isExpired('NOT config_reduced AND ')}`,

    deleteExpiredLinks: `DELETE FROM ${links} WHERE ${isExpired()}`,

    insertClient: insertInto(clients, CLIENT),

    updateClient: `
UPDATE ${clients} SET ${CLIENT.map((name, index) => `${name} = $${index + 1}`).join(', ')}
WHERE client_id = $1`,

    changeClient: (assignments: string) => `UPDATE ${clients} SET ${assignments} WHERE client_id = $1`,

    deleteClient: `DELETE FROM ${clients} WHERE client_id = $1`,

    deleteOfClient: [
      ...[apiKeys, links, sessions, events].map((table) => `DELETE FROM ${table} WHERE client_id = $1`),
      `DELETE FROM ${lifeEvents} WHERE client_id = $1 AND type <> 'data.deleted'`,
    ],

    insertApiKey: insertInto(apiKeys, API_KEY),

    revokeApiKey: `UPDATE ${apiKeys} SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`,

    updateApiKey: `UPDATE ${apiKeys} SET expires_at = $2 WHERE id = $1 AND revoked_at IS NULL`,

    recordKeyUse: `
UPDATE ${apiKeys} SET last_used_at = $2
WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2)`,

    insertSession: insertInto(sessions, ['client_id', 'user_id', ...SESSION]),

    updateSession: `
UPDATE ${sessions} SET status = coalesce($3, status), cams_reference = coalesce($4, cams_reference)
WHERE client_id = $1 AND reference = $2`,

    deleteLinksOfUser: `DELETE FROM ${links} WHERE client_id = $1 AND user_id = $2`,

    deleteSessionsOfUser: `DELETE FROM ${sessions} WHERE client_id = $1 AND user_id = $2`,

    deleteEventsOfUser: `
DELETE FROM ${events}
WHERE client_id = $1 AND reference IN (SELECT reference FROM ${sessions} WHERE client_id = $1 AND user_id = $2)`,

    deleteSessions: `DELETE FROM ${sessions} WHERE sequence IN (SELECT sequence ${oldSessions})`,

    deleteEventsOfSessions: `DELETE FROM ${events} WHERE (client_id, reference) IN (SELECT client_id, reference ${oldSessions})`,

    /* A session that was deleted with SQL leaves its event. The event of a new session with that reference replaces it. */
    recordEvent: `
INSERT OR REPLACE INTO ${events} (client_id, reference, event_id, attempts, next_attempt_at)
VALUES ($1, $2, $3, $4, $5)`,

    dueEvents: `${queries.storedEvents(events)}
WHERE e.failed_at IS NULL AND e.next_attempt_at <= $1
ORDER BY e.next_attempt_at, e.client_id, e.reference
LIMIT $2`,

    leaseEvent: `
UPDATE ${events} SET attempts = attempts + 1, next_attempt_at = $3
WHERE client_id = $1 AND reference = $2`,

    postponeEvent: `
UPDATE ${events} SET next_attempt_at = $5, failed_at = $6, reason = $7
WHERE client_id = $1 AND reference = $2 AND event_id = $3 AND attempts = $4`,

    retryEvents: (conditions: string) => `
UPDATE ${events} AS e SET attempts = 0, next_attempt_at = $1, failed_at = NULL
WHERE e.failed_at IS NOT NULL${conditions}`,
  };
}
