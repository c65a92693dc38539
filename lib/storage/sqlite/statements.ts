// The SQL statements of the SQLite storage. Their parameters are positional: drivers name parameters in different ways.
import {
  API_KEY,
  CLIENT,
  columns,
  EVENT,
  LINK,
  PRESENTED_CLIENT,
  PRESENTED_KEY,
  SESSION,
} from '../sql/columns.js';
import type { TableNames } from './migrations.js';

/** Returns `INSERT INTO table (...) VALUES (?, ...) ON CONFLICT DO NOTHING`. */
function insertInto(table: string, names: readonly string[]): string {
  const places = names.map(() => '?').join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places}) ON CONFLICT DO NOTHING`;
}

/** Returns the statements for these tables. A comment names the parameters where they are not in an obvious order. */
export function createStatements({ clients, apiKeys, sessions, links, events }: TableNames) {
  const listed = columns('s', SESSION);
  const isThisLink = 'client_id = ? AND access_code_hash = ?';
  const isUsable = 'submitted_at IS NULL AND revoked_at IS NULL AND expires_at > ?';
  /** Keeps of `config` what the pages of an ended link need. `config_reduced` tells the sweep that it is done. */
  const reduceConfig = `config_reduced = 1,
  config = json_object('contact', json_extract(config, '$.contact'), 'currentUserId', json_extract(config, '$.currentUserId'))`;
  /** Selects a limited number of links for a sweep, so that no statement takes long. */
  const isExpired = (condition = '') =>
    `rowid IN (SELECT rowid FROM ${links} WHERE ${condition}expires_at < ? ORDER BY expires_at LIMIT ?)`;
  const oldSessions = `FROM ${sessions} WHERE date < ? ORDER BY date, sequence LIMIT ?`;
  /** Selects links `l` with their clients and sessions. */
  const linksWithClients = `
SELECT ${columns('l', LINK)}, ${columns('c', CLIENT)}, ${listed}
FROM ${links} l
JOIN ${clients} c ON c.client_id = l.client_id
LEFT JOIN ${sessions} s ON s.client_id = l.client_id AND s.reference = l.session_reference AND s.user_id = l.user_id`;
  /** Selects events `e` with their sessions. A session that was deleted by other means leaves NULLs. */
  const storedEvents = `
SELECT ${columns('e', EVENT)}, s.user_id AS s_user_id, ${listed}
FROM ${events} e
LEFT JOIN ${sessions} s ON s.client_id = e.client_id AND s.reference = e.reference`;

  return {
    /* Parameters: client id, hash. */
    findCredentials: `
SELECT ${columns('k', PRESENTED_KEY)}, ${columns('c', PRESENTED_CLIENT)}
FROM ${apiKeys} k
LEFT JOIN ${clients} c ON c.client_id = ?
WHERE k.hash = ?`,

    findClient: `
SELECT ${columns('c', CLIENT)}
FROM ${clients} c
WHERE c.client_id = ?`,

    /* Keyset paging on the index (client_id, user_id, created_at DESC, reference), without OFFSET and sort. */
    listSessions: (conditions: string) => `
SELECT ${listed}
FROM ${sessions} s
WHERE s.client_id = ? AND s.user_id = ?${conditions}
ORDER BY s.created_at DESC, s.reference
LIMIT ?`,

    insertLink: insertInto(links, LINK),

    findLink: `${linksWithClients}
WHERE l.client_id = ? AND l.access_code_hash = ?`,

    findLinks: `${linksWithClients}
WHERE l.access_code_hash = ?`,

    /* Parameters: time, link. */
    markLinkOpened: `UPDATE ${links} SET opened_at = ? WHERE ${isThisLink} AND opened_at IS NULL`,

    /* Parameters: time, reference, link. */
    markLinkSubmitted: `UPDATE ${links} SET submitted_at = ?, session_reference = ?, ${reduceConfig} WHERE ${isThisLink}`,

    /* Parameters: time, link, time. */
    revokeLink: `UPDATE ${links} SET revoked_at = ?, ${reduceConfig} WHERE ${isThisLink} AND ${isUsable}`,

    /* Parameters: time, client id, user id, time. Every user id is at least the empty text. */
    revokeLinks: (users: 'all' | 'one') => `
UPDATE ${links} SET revoked_at = ?, ${reduceConfig}
WHERE client_id = ? AND user_id ${users === 'all' ? '>=' : '='} ? AND ${isUsable}`,

    listLinks: (conditions: string) => `
SELECT ${columns('l', LINK)}, l.session_reference AS l_session_reference
FROM ${links} l
WHERE l.client_id = ?${conditions}
ORDER BY l.user_id, l.created_at DESC, l.access_code_hash
LIMIT ?`,

    reduceExpiredLinks: `UPDATE ${links} SET ${reduceConfig} WHERE ${isExpired('NOT config_reduced AND ')}`,

    deleteExpiredLinks: `DELETE FROM ${links} WHERE ${isExpired()}`,

    insertClient: insertInto(clients, CLIENT),

    listClients: `SELECT ${columns('c', CLIENT)} FROM ${clients} c`,

    /* Parameters: those of insertClient, client id. */
    updateClient: `UPDATE ${clients} SET ${CLIENT.map((name) => `${name} = ?`).join(', ')} WHERE client_id = ?`,

    deleteClient: `DELETE FROM ${clients} WHERE client_id = ?`,

    deleteOfClient: [apiKeys, links, sessions, events].map(
      (table) => `DELETE FROM ${table} WHERE client_id = ?`,
    ),

    insertApiKey: insertInto(apiKeys, API_KEY),

    listApiKeys: `
SELECT ${columns('k', API_KEY)}
FROM ${apiKeys} k
WHERE k.client_id = ?
ORDER BY k.created_at, k.id`,

    /* Parameters: time, id. */
    revokeApiKey: `UPDATE ${apiKeys} SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`,

    findApiKey: `SELECT ${columns('k', API_KEY)} FROM ${apiKeys} k WHERE k.id = ?`,

    /* Parameters: time, id. */
    updateApiKey: `UPDATE ${apiKeys} SET expires_at = ? WHERE id = ? AND revoked_at IS NULL`,

    insertSession: insertInto(sessions, ['client_id', 'user_id', ...SESSION]),

    findSession: `
SELECT s.user_id AS s_user_id, ${listed}
FROM ${sessions} s
WHERE s.client_id = ? AND s.reference = ?`,

    findSessions: `
SELECT s.client_id AS s_client_id, s.user_id AS s_user_id, ${listed}
FROM ${sessions} s
WHERE s.reference = ?`,

    /* Parameters: status, CAMS reference, session. */
    updateSession: `
UPDATE ${sessions} SET status = coalesce(?, status), cams_reference = coalesce(?, cams_reference)
WHERE client_id = ? AND reference = ?`,

    listClientSessions: (conditions: string) => `
SELECT s.user_id AS s_user_id, s.sequence AS s_sequence, ${listed}
FROM ${sessions} s
WHERE s.client_id = ?${conditions}
ORDER BY s.sequence
LIMIT ?`,

    deleteLinksOfUser: `DELETE FROM ${links} WHERE client_id = ? AND user_id = ?`,

    deleteSessionsOfUser: `DELETE FROM ${sessions} WHERE client_id = ? AND user_id = ?`,

    /* Parameters: client id, user. */
    deleteEventsOfUser: `
DELETE FROM ${events}
WHERE client_id = ? AND reference IN (SELECT reference FROM ${sessions} WHERE client_id = ? AND user_id = ?)`,

    deleteSessions: `DELETE FROM ${sessions} WHERE sequence IN (SELECT sequence ${oldSessions})`,

    deleteEventsOfSessions: `DELETE FROM ${events} WHERE (client_id, reference) IN (SELECT client_id, reference ${oldSessions})`,

    /* A session that was deleted with SQL leaves its event. The event of a new session with that reference replaces it. */
    recordEvent: `
INSERT OR REPLACE INTO ${events} (client_id, reference, event_id, attempts, next_attempt_at)
VALUES (?, ?, ?, ?, ?)`,

    dueEvents: `${storedEvents}
WHERE e.failed_at IS NULL AND e.next_attempt_at <= ?
ORDER BY e.next_attempt_at, e.client_id, e.reference
LIMIT ?`,

    /* Parameters: end of the lease, event. */
    leaseEvent: `
UPDATE ${events} SET attempts = attempts + 1, next_attempt_at = ?
WHERE client_id = ? AND reference = ?`,

    settleEvent: `DELETE FROM ${events} WHERE client_id = ? AND reference = ? AND event_id = ?`,

    /* Parameters: next attempt, failure, reason, event, attempts. */
    postponeEvent: `
UPDATE ${events} SET next_attempt_at = ?, failed_at = ?, reason = ?
WHERE client_id = ? AND reference = ? AND event_id = ? AND attempts = ?`,

    countEvents: `
SELECT
  (SELECT count(*) FROM (SELECT 1 FROM ${events} WHERE failed_at IS NULL LIMIT ?)) AS pending,
  (SELECT count(*) FROM (SELECT 1 FROM ${events} WHERE failed_at IS NOT NULL LIMIT ?)) AS failed`,

    listEvents: (state: 'pending' | 'failed', conditions: string) => `${storedEvents}
WHERE e.failed_at IS ${state === 'pending' ? '' : 'NOT '}NULL${conditions}
ORDER BY e.${state === 'pending' ? 'next_attempt_at' : 'failed_at'}, e.client_id, e.reference
LIMIT ?`,

    retryEvents: (conditions: string) => `
UPDATE ${events} AS e SET attempts = 0, next_attempt_at = ?, failed_at = NULL
WHERE e.failed_at IS NOT NULL${conditions}`,
  };
}
