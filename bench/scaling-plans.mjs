// The plans of the statements for events, records and sweeps. Each runs in a transaction that is rolled back.
import { createPostgresStorage } from '../dist/lib/storage/postgres/index.js';
import * as data from './scaling-data.mjs';

const AT = new Date('2030-01-01T12:00:00Z');
const LIMIT = 100;
/** A client with a thousandth of the users. The statements about all links of a client read all of them. */
const SMALL = { clientId: 'client-1' };
/** Before it are a thousandth of the sessions. */
const OLD_SESSIONS = new Date('2024-01-01T17:00:00Z');
/** Before it are a thousandth of the links. */
const OLD_LINKS = new Date('2030-01-02T00:01:26Z');

/** Calls by their name in the report. `sample` is a user with sessions, links and events of the largest client. */
const CALLS = {
  updateSession: (storage, { event }) => storage.updateSession({ ...event, status: 'closed' }),
  'listLinks, of a user': (storage, { owner }) => storage.listLinks({ ...owner, at: AT, limit: LIMIT }),
  'listLinks, of a client': (storage, { owner: { clientId } }) =>
    storage.listLinks({ clientId, at: AT, limit: LIMIT }),
  'listLinks, by state': (storage, { owner: { clientId } }) =>
    storage.listLinks({ clientId, at: AT, limit: LIMIT, state: 'created' }),
  'listLinks, next page': (storage, { owner: { clientId }, linkCursor: cursor }) =>
    storage.listLinks({ clientId, at: AT, limit: LIMIT, cursor }),
  'revokeLinks, of a user': (storage, { owner }) => storage.revokeLinks({ ...owner, at: AT }),
  'revokeLinks, of a client': (storage) => storage.revokeLinks({ ...SMALL, at: AT }),
  'listClientSessions, first page': (storage, { owner: { clientId } }) =>
    storage.listClientSessions({ clientId, limit: LIMIT }),
  'listClientSessions, next page': (storage, { owner: { clientId }, feedCursor: cursor }) =>
    storage.listClientSessions({ clientId, limit: LIMIT, cursor }),
  'listClientSessions, since': (storage, { owner: { clientId } }) =>
    storage.listClientSessions({ clientId, limit: LIMIT, since: new Date('2025-12-29T00:00:00Z') }),
  deleteUser: (storage, { owner }) => storage.deleteUser(owner),
  deleteSessions: (storage) => storage.deleteSessions(OLD_SESSIONS),
  deleteExpiredLinks: (storage) => storage.deleteExpiredLinks(OLD_LINKS),
  dropLinkData: (storage) => storage.dropLinkData(OLD_LINKS),
  leaseEvents: (storage) => storage.leaseEvents({ at: AT, leaseUntil: AT, limit: LIMIT }),
  settleEvent: (storage, { event }) => storage.settleEvent(event),
  postponeEvent: (storage, { event }) =>
    storage.postponeEvent({ ...event, attempts: 1, nextAttemptAt: AT, failedAt: AT }),
  countEvents: (storage) => storage.countEvents({ limit: 10_000 }),
  'listEvents, pending': (storage) => storage.listEvents({ state: 'pending', limit: LIMIT }),
  'listEvents, failed of a client': (storage) =>
    storage.listEvents({ ...SMALL, state: 'failed', limit: LIMIT }),
  'retryEvents, all': (storage) => storage.retryEvents({ at: AT }),
  'retryEvents, of a session': (storage, { event }) => storage.retryEvents({ ...event, at: AT }),
};

/**
 * Explains every statement of every call. Resolves to `[call, milliseconds, pages, scans]` of each.
 */
export async function explainRecords(pool, { options }) {
  const owner = { clientId: 'client-0', userId: data.userId(0) };
  const storage = createPostgresStorage(pool, options);
  const { clientId } = owner;
  const { sessions } = await storage.listSessions({ ...owner, limit: 1 });
  const sample = {
    owner,
    event: { clientId, reference: sessions[0].reference },
    linkCursor: (await storage.listLinks({ clientId, at: AT, limit: LIMIT })).nextCursor,
    feedCursor: (await storage.listClientSessions({ clientId, limit: LIMIT })).nextCursor,
  };
  const rows = [];
  for (const [name, call] of Object.entries(CALLS)) {
    for (const { Plan: plan, ...times } of await explainCall(pool, options, (explained) =>
      call(explained, sample),
    )) {
      const milliseconds = times['Planning Time'] + times['Execution Time'];
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      const scans = [...new Set(scansOf(plan))].map((scan) => scan.replace(options.tablePrefix, ''));
      rows.push([name, milliseconds.toFixed(1), pages, scans.join('; ')]);
    }
  }
  return rows;
}

/** Explains and runs the statements of a call, and rolls them back. */
async function explainCall(pool, options, call) {
  const client = await pool.connect();
  const plans = [];
  const query = async (text, params) => {
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
      params,
    );
    plans.push(rows[0]['QUERY PLAN'][0]);
    return { rows: [] };
  };
  try {
    await client.query('BEGIN');
    await call(createPostgresStorage({ query }, options));
    return plans;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Returns the nodes that read tables, with their index or table. */
function scansOf(plan) {
  const own = plan['Index Name'] ?? plan['Relation Name'];
  const isScan = plan['Node Type'].includes('Scan') && own !== undefined;
  return [...(isScan ? [`${plan['Node Type']} ${own}`] : []), ...(plan.Plans ?? []).flatMap(scansOf)];
}
