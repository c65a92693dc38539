// The SQL statements of the SQLite storage, with the parameters of those of PostgreSQL.
import { API_KEY, CLIENT, IDEMPOTENCY, LINK, SESSION } from '../sql/columns.js';
import { createQueries } from '../sql/reads.js';
import type { TableNames } from './migrations.js';

/** Returns `INSERT INTO table (...) VALUES ($1, ...) ON CONFLICT DO NOTHING`. */
function insertInto(table: string, names: readonly string[]): string {
  const values = names.map((_, index) => `$${index + 1}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`;
}

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const { clients, apiKeys, sessions, links, events } = tables;
  const queries = createQueries(tables);
  const isThisLink = 'client_id = $1 AND access_code_hash = $2';
  const isUsable = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > $3';
  /** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
  const reduceConfig = `config_reduced = 1,
  config = json_object('contact', json_extract(config, '$.contact'), 'currentUserId', json_extract(config, '$.currentUserId'))`;
  /** Selects a limited number of links for a sweep, so that no statement takes long. */
  const isExpired = (condition = '') =>
    `rowid IN (SELECT rowid FROM ${links} WHERE ${condition}expires_at < $1 ORDER BY expires_at LIMIT $2)`;
  const oldSessions = `FROM ${sessions} WHERE date < $1 ORDER BY date, sequence LIMIT $2`;

  return {
    ...queries,

    insertLink: insertInto(links, LINK),

    insertLinkOnce: insertInto(links, [...LINK, ...IDEMPOTENCY]),

    markLinkOpened: `UPDATE ${links} SET opened_at = $3 WHERE ${isThisLink} AND opened_at IS NULL`,

    markLinkSubmitted: `UPDATE ${links} SET submitted_at = $3, session_reference = $4, ${reduceConfig} WHERE ${isThisLink}`,

    revokeLink: `UPDATE ${links} SET revoked_at = $3, ${reduceConfig} WHERE ${isThisLink} AND ${isUsable}`,

    /* Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
UPDATE ${links} SET revoked_at = $3, ${reduceConfig}
WHERE client_id = $1 AND user_id ${users === 'all' ? '>=' : '='} $2 AND ${isUsable}`,

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

    deleteClient: `DELETE FROM ${clients} WHERE client_id = $1`,

    deleteOfClient: [apiKeys, links, sessions, events].map(
      (table) => `DELETE FROM ${table} WHERE client_id = $1`,
    ),

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
