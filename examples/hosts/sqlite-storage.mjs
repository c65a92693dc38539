// A storage over a host's own SQLite tables, for sqlite.mjs. The host itself inserts tenants and their API keys.
import { decodeCursor, encodeCursor, reduceConfig } from 'claimlink/storage';

/** The columns `origins`, `claim` and `link` are JSON. Times are milliseconds since 1970. */
export const TABLES = `
CREATE TABLE IF NOT EXISTS tenants (id TEXT PRIMARY KEY, name TEXT, origins TEXT);
CREATE TABLE IF NOT EXISTS tenant_keys (hash TEXT PRIMARY KEY, tenant TEXT, expires INTEGER, revoked INTEGER);
CREATE TABLE IF NOT EXISTS claims (tenant TEXT, reference TEXT, user TEXT, status TEXT, created INTEGER, claim TEXT,
  PRIMARY KEY (tenant, reference));
CREATE INDEX IF NOT EXISTS claims_of_user ON claims (tenant, user, created DESC, reference);
CREATE TABLE IF NOT EXISTS claim_links (tenant TEXT, hash TEXT, expires INTEGER, claim_reference TEXT, link TEXT,
  PRIMARY KEY (tenant, hash));`;
const CLIENT = 'SELECT id AS clientId, name, origins AS callbackOrigins FROM tenants WHERE id = ?';
const KEY =
  'SELECT tenant AS clientId, expires AS expiresAt, revoked AS revokedAt FROM tenant_keys WHERE hash = ?';
const PAGE = `SELECT claim FROM claims WHERE tenant = :clientId AND user = :userId AND (:status IS NULL OR status = :status)
  AND (:time IS NULL OR created < :time OR (created = :time AND reference > :reference))
  ORDER BY created DESC, reference LIMIT :limit + 1`;
const DATES = ['at', 'createdAt', 'date', 'expiresAt', 'openedAt', 'revokedAt', 'submittedAt'];

/** Converts times to dates and removes members that are null: the port has no null. */
function toRecord(row) {
  const members = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    members.map(([name, value]) => [name, DATES.includes(name) ? new Date(value) : value]),
  );
}
function parse(json) {
  const { notice, ...record } = JSON.parse(json);
  return { ...toRecord(record), ...(notice && { notice: toRecord(notice) }) };
}
const isUsable = (link, at) => !link.submittedAt && !link.revokedAt && at < link.expiresAt;

/** Takes a database of libsql or better-sqlite3 that has the tables. */
export function createSqliteStorage(db) {
  const get = (sql, ...values) => db.prepare(sql).all(...values)[0];
  const run = (sql, ...values) => db.prepare(sql).run(...values).changes;
  function findClient(clientId) {
    const row = get(CLIENT, clientId);
    return row && toRecord({ ...row, callbackOrigins: JSON.parse(row.callbackOrigins) });
  }
  function findLink({ clientId, accessCodeHash }) {
    const row = get('SELECT * FROM claim_links WHERE tenant = ? AND hash = ?', clientId, accessCodeHash);
    const client = findClient(clientId);
    if (!row || !client) return undefined;
    const claim = get(
      'SELECT claim FROM claims WHERE tenant = ? AND reference = ?',
      clientId,
      row.claim_reference,
    )?.claim;
    return { link: parse(row.link), client, ...(claim && { session: parse(claim) }) };
  }
  const writeLink = (link, reference = null) =>
    run(
      'REPLACE INTO claim_links VALUES (?, ?, ?, ?, ?)',
      link.clientId,
      link.accessCodeHash,
      link.expiresAt.getTime(),
      reference,
      JSON.stringify(link),
    );
  function submitLink({ at, session, ...id }) {
    const { link, session: first } = findLink(id) ?? {};
    if (first) return { outcome: 'already_submitted', session: first };
    if (!link) return { outcome: 'not_found' };
    if (!isUsable(link, at)) return { outcome: link.revokedAt ? 'revoked' : 'expired' };
    const { reference, status, createdAt } = session;
    const values = [
      link.clientId,
      reference,
      link.userId,
      status,
      createdAt.getTime(),
      JSON.stringify(session),
    ];
    if (run('INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', ...values) === 0) {
      return { outcome: 'reference_taken' };
    }
    writeLink({ ...link, config: reduceConfig(link.config), submittedAt: at }, reference);
    return { outcome: 'submitted', session };
  }
  /** Runs in one transaction, which locks the database from its start. Calls of other processes wait. */
  const atomic = (method) => (argument) => db.transaction(method).immediate(argument);

  return {
    findClient,
    findLink,
    submitLink: atomic(submitLink),
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = get(KEY, apiKeyHash);
      const client = findClient(clientId);
      return { ...(apiKey && { apiKey: toRecord(apiKey) }), ...(client && { client }) };
    },
    listSessions({ cursor, status = null, ...query }) {
      const { createdAt, reference = null } = cursor === undefined ? {} : decodeCursor(cursor);
      const time = createdAt?.getTime() ?? null;
      const rows = db.prepare(PAGE).all({ ...query, status, time, reference });
      const sessions = rows.slice(0, query.limit).map(({ claim }) => parse(claim));
      return { sessions, ...(rows.length > query.limit && { nextCursor: encodeCursor(sessions.at(-1)) }) };
    },
    insertLink: atomic((link) => findLink(link) === undefined && writeLink(link) === 1),
    markLinkOpened: atomic(({ at, ...id }) => {
      const { link, session } = findLink(id) ?? {};
      if (link && !link.openedAt) writeLink({ ...link, openedAt: at }, session?.reference);
    }),
    revokeLink: atomic(({ at, ...id }) => {
      const { link } = findLink(id) ?? {};
      if (link === undefined || !isUsable(link, at)) return false;
      return writeLink({ ...link, config: reduceConfig(link.config), revokedAt: at }) === 1;
    }),
    deleteExpiredLinks: (before) => run('DELETE FROM claim_links WHERE expires < ?', before.getTime()),
  };
}
