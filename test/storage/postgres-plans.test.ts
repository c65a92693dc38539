// No statement of the PostgreSQL storage reads a whole table: the plans of all methods on a real PostgreSQL.
import t from 'tap';
import {
  createPostgresStorage,
  migrate,
  type PostgresDatabase,
  type PostgresStorage,
} from '../../lib/storage/postgres/index.js';
import { CLIENT_ID, NOON, sampleLink, sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { findPostgres, openSchema } from './postgres-server.js';

/** Enough for the planner to prefer an index. Nine of ten users belong to one client, which is the worst case. */
const SESSIONS = 20_000;
const CLIENT_OF = "CASE WHEN u % 10 = 9 THEN 'client-' || u % 2000 ELSE 'acme' END";
/** One session and one link each hundredth of a second. */
const AT = `timestamptz '${NOON.toISOString()}' + g * interval '10 ms'`;
const FILL = `
INSERT INTO claimlink_clients (client_id) SELECT 'acme' UNION SELECT 'client-' || c FROM generate_series(0, 1999) c;
INSERT INTO claimlink_api_keys (id, client_id, hash, created_at)
  SELECT 'key-' || k, 'client-' || k % 2000, 'hash-' || k, now() FROM generate_series(1, 2000) k;
INSERT INTO claimlink_sessions
    (client_id, user_id, reference, date, cams_reference, status, created_at, selected_policy, sequence)
  SELECT ${CLIENT_OF}, 'user-' || u, 'S-' || g, ${AT}, 'C-' || g, 'submitted', ${AT}, '{}', g
  FROM (SELECT g, g % 1000 AS u FROM generate_series(1, ${SESSIONS}) g) numbers;
INSERT INTO claimlink_links
    (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
  SELECT ${CLIENT_OF}, 'hash-' || g, 'user-' || u, 'https://app.example/', true, '{}', ${AT}, ${AT} + interval '1 day'
  FROM (SELECT g, g % 1000 AS u FROM generate_series(1, ${SESSIONS}) g) numbers;
INSERT INTO claimlink_events (client_id, reference, event_id, attempts, next_attempt_at, failed_at)
  SELECT client_id, reference, 'event-' || sequence, 1, date, CASE WHEN sequence % 100 = 0 THEN date END
  FROM claimlink_sessions;
INSERT INTO claimlink_sequences SELECT client_id, ${SESSIONS} FROM claimlink_clients;
VACUUM ANALYZE claimlink_clients, claimlink_api_keys, claimlink_sessions, claimlink_links, claimlink_events,
  claimlink_sequences`;

const limit = 100;
const owner = { clientId: CLIENT_ID, userId: 'user-1' };
const session = { clientId: CLIENT_ID, reference: 'S-1' };
const event = { ...session, id: 'event-1' };
const link = { clientId: CLIENT_ID, accessCodeHash: 'hash-1' };
const at = NOON;
/** After the first ten sessions, and the first ten links. */
const before = new Date(NOON.getTime() + 100);
const expired = new Date(before.getTime() + 86_400_000);
const { clientId: _, userId: __, ...submitted } = sampleRecord({ reference: 'S-new' });

/** The calls of each method. `listClients` returns a whole table. */
const CALLS: Record<
  Exclude<keyof PostgresStorage, 'listClients' | 'close'>,
  readonly ((storage: PostgresStorage) => unknown)[]
> = {
  findCredentials: [(storage) => storage.findCredentials({ apiKeyHash: 'hash-1', clientId: 'client-1' })],
  findClient: [(storage) => storage.findClient(CLIENT_ID)],
  listSessions: [
    (storage) => storage.listSessions({ ...owner, limit }),
    (storage) => storage.listSessions({ ...owner, limit, status: 'closed' }),
  ],
  insertLink: [(storage) => storage.insertLink(sampleLink())],
  findLink: [(storage) => storage.findLink(link)],
  markLinkOpened: [(storage) => storage.markLinkOpened({ ...link, at })],
  submitLink: [
    (storage) => storage.submitLink({ ...link, at, session: submitted }),
    (storage) =>
      storage.submitLink({
        ...link,
        at,
        session: submitted,
        event: { id: 'new', attempts: 0, nextAttemptAt: at },
      }),
  ],
  revokeLink: [(storage) => storage.revokeLink({ ...link, at })],
  deleteExpiredLinks: [(storage) => storage.deleteExpiredLinks(expired)],
  insertClient: [(storage) => storage.insertClient({ clientId: 'new' })],
  updateClient: [(storage) => storage.updateClient({ clientId: CLIENT_ID })],
  deleteClient: [(storage) => storage.deleteClient('client-9')],
  insertApiKey: [
    (storage) => storage.insertApiKey({ id: 'new', clientId: CLIENT_ID, hash: 'new', createdAt: at }),
  ],
  listApiKeys: [(storage) => storage.listApiKeys('client-1')],
  revokeApiKey: [(storage) => storage.revokeApiKey('key-1', at)],
  findApiKey: [(storage) => storage.findApiKey('key-1')],
  updateApiKey: [(storage) => storage.updateApiKey('key-1', { expiresAt: at })],
  insertSession: [(storage) => storage.insertSession(sampleRecord({ reference: 'S-new' }))],
  findSession: [(storage) => storage.findSession(session)],
  updateSession: [(storage) => storage.updateSession({ ...session, status: 'closed' })],
  listLinks: [
    (storage) => storage.listLinks({ ...owner, at, limit }),
    (storage) => storage.listLinks({ clientId: CLIENT_ID, at, limit }),
    (storage) => storage.listLinks({ clientId: CLIENT_ID, at, limit, state: 'created' }),
  ],
  revokeLinks: [
    (storage) => storage.revokeLinks({ ...owner, at }),
    (storage) => storage.revokeLinks({ clientId: 'client-9', at }),
  ],
  listClientSessions: [
    (storage) => storage.listClientSessions({ clientId: CLIENT_ID, limit }),
    (storage) => storage.listClientSessions({ clientId: CLIENT_ID, limit, since: before }),
  ],
  deleteUser: [(storage) => storage.deleteUser(owner)],
  deleteSessions: [(storage) => storage.deleteSessions(before)],
  reduceExpiredLinks: [(storage) => storage.reduceExpiredLinks(expired)],
  leaseEvents: [(storage) => storage.leaseEvents({ at, leaseUntil: at, limit })],
  settleEvent: [(storage) => storage.settleEvent(event)],
  postponeEvent: [
    (storage) => storage.postponeEvent({ ...event, attempts: 1, nextAttemptAt: at, reason: 'Error' }),
  ],
  countEvents: [(storage) => storage.countEvents({ limit: 1000 })],
  listEvents: [
    (storage) => storage.listEvents({ state: 'pending', limit }),
    (storage) => storage.listEvents({ state: 'failed', clientId: 'client-9', limit }),
  ],
  retryEvents: [
    (storage) => storage.retryEvents({ at }),
    (storage) => storage.retryEvents({ ...session, at }),
  ],
};

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Returns the tables that a plan reads whole. */
function wholeTablesOf(plan: Plan): string[] {
  const tables = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...tables, ...(plan.Plans ?? []).flatMap(wholeTablesOf)];
}

const server = await findPostgres(t);
if (server !== undefined) {
  const { pool } = await openSchema(t, server);
  await migrate(pool);
  for (const statement of FILL.split(';')) await pool.query(statement);

  t.test('the calls below are of all methods but listClients', async (t) => {
    const methods = Object.keys(createPostgresStorage(pool)).filter((name) => name !== 'listClients');
    t.same(Object.keys(CALLS).sort(), methods.sort());
  });

  for (const [method, calls] of Object.entries(CALLS))
    t.test(`${method} reads no whole table`, async (t) => {
      for (const call of calls) {
        const plans: Plan[] = [];
        /** Explains a statement in place of running it: it returns no rows. */
        const database: PostgresDatabase = {
          async query(text, params) {
            const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, params as unknown[]);
            plans.push(rows[0]['QUERY PLAN'][0].Plan);
            return { rows: [] };
          },
        };
        // Some methods throw when a statement changes no row.
        await Promise.resolve(call(createPostgresStorage(database))).catch(() => {});
        t.not(plans.length, 0, 'it has sent a statement');
        t.same(plans.flatMap(wholeTablesOf), [], call.toString());
      }
    });
}
