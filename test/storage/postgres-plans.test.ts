// No statement of the PostgreSQL storage reads a whole table: the plans of all methods on a real PostgreSQL.
import t from 'tap';
import { createPostgresStorage, type PostgresDatabase } from '../../lib/storage/postgres/index.js';
import { NOON } from '../../lib/testing/storage-suite/samples.js';
import { CALLS } from './calls.js';
import { findPostgres, openTables } from './postgres-server.js';

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
    (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at, notice_at)
  SELECT ${CLIENT_OF}, 'hash-' || g, 'user-' || u, 'https://app.example/', true, '{}', ${AT}, ${AT} + interval '1 day',
    ${AT} + interval '1 day'
  FROM (SELECT g, g % 1000 AS u FROM generate_series(1, ${SESSIONS}) g) numbers;
INSERT INTO claimlink_outbox (client_id, reference, event_id, type, attempts, next_attempt_at, failed_at)
  SELECT client_id, reference, 'submission-' || sequence, 'claim.submitted', 1, date, CASE WHEN sequence % 100 = 0 THEN date END
  FROM claimlink_sessions;
INSERT INTO claimlink_outbox
    (event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at, failed_at)
  SELECT 'event-' || g, 'link.expired', ${CLIENT_OF}, 'user-' || u, ${AT}, '{}', 1, ${AT}, CASE WHEN g % 100 = 0 THEN ${AT} END
  FROM (SELECT g, g % 1000 AS u FROM generate_series(1, ${SESSIONS}) g) numbers;
INSERT INTO claimlink_event_types SELECT type, 60 FROM unnest(ARRAY['link.expired', 'link.revoked', 'data.deleted']) type;
INSERT INTO claimlink_sequences SELECT client_id, ${SESSIONS} FROM claimlink_clients;
VACUUM ANALYZE claimlink_clients, claimlink_api_keys, claimlink_sessions, claimlink_links, claimlink_outbox,
  claimlink_sequences, claimlink_event_types`;

interface Plan {
  'Node Type': string;
  'Actual Loops'?: number;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Returns the tables that a plan reads whole. The table of the chosen types has at most eight rows. */
function wholeTablesOf(plan: Plan): string[] {
  const tables = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  const large = tables.filter((table) => table !== 'claimlink_event_types');
  return [...large, ...(plan.Plans ?? []).flatMap(wholeTablesOf)];
}

/** Returns how often a plan has read the table of the sessions. */
function loopsOnSessions(plan: Plan): number {
  const loops = plan['Relation Name'] === 'claimlink_sessions' ? (plan['Actual Loops'] ?? 0) : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + loopsOnSessions(child), loops);
}

/** Returns the index by which a plan finds due events, and the number of events that it passes over. */
function leaseOf(plan: Plan): { index: string; skipped: number }[] {
  const isLease = plan['Node Type'] === 'Index Scan' && plan['Index Name'] !== 'claimlink_outbox_pkey';
  const index = (isLease && plan['Relation Name'] === 'claimlink_outbox' && plan['Index Name']) || undefined;
  const leases = index ? [{ index, skipped: plan['Rows Removed by Filter'] ?? 0 }] : [];
  return [...leases, ...(plan.Plans ?? []).flatMap(leaseOf)];
}

const server = await findPostgres(t);
if (server !== undefined) {
  const { pool } = await openTables(t, server);
  for (const statement of FILL.split(';')) await pool.query(statement);

  t.test('the calls are of all methods but listClients', async (t) => {
    const methods = Object.keys(createPostgresStorage(pool)).filter((name) => name !== 'listClients');
    t.same(Object.keys(CALLS).sort(), methods.sort());
  });

  /** Returns the plan of a statement for these parameters. */
  async function explain(text: string, params: readonly unknown[] = []): Promise<Plan> {
    const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...params]);
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  /** Returns the plan of a prepared statement after some calls: after five, the database may use one for any parameters. */
  async function explainPrepared(text: string, params: readonly unknown[] = []): Promise<Plan> {
    const client = await pool.connect();
    try {
      await client.query(`PREPARE statement AS ${text}`);
      const values = params.map((value) => (value === null ? 'NULL' : client.escapeLiteral(String(value))));
      const call = values.length === 0 ? 'statement' : `statement(${values})`;
      let plan: Plan | undefined;
      for (let count = 0; count < 8; count++) {
        const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE ${call}`);
        plan = rows[0]['QUERY PLAN'][0].Plan;
      }
      return plan as Plan;
    } finally {
      client.release(true);
    }
  }

  for (const [method, calls] of Object.entries(CALLS))
    t.test(`${method} reads no whole table, prepared or not`, async (t) => {
      for (const call of calls) {
        const plans: Plan[] = [];
        /** Explains a statement in place of running it: it returns no rows. */
        const database: PostgresDatabase = {
          async query(text, params) {
            plans.push(await explain(text, params), await explainPrepared(text, params));
            return { rows: [] };
          },
        };
        // Some methods throw when a statement changes no row.
        await Promise.resolve(call(createPostgresStorage(database))).catch(() => {});
        t.not(plans.length, 0, 'it has sent a statement');
        t.same(plans.flatMap(wholeTablesOf), [], call.toString());
      }
    });

  for (const [kind, index] of [
    [undefined, 'claimlink_outbox_by_next_attempt'],
    ['submission', 'claimlink_outbox_submissions'],
    ['life', 'claimlink_outbox_life'],
  ] as const)
    t.test(`a lease of ${kind ?? 'both kinds'} passes over no event of a backlog`, async (t) => {
      const client = await pool.connect();
      t.teardown(() => client.release());
      const database: PostgresDatabase = {
        async query(text, params) {
          t.match(leaseOf(await explainPrepared(text, params)), [{ index }]);
          await client.query('BEGIN');
          const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, params as unknown[]);
          await client.query('ROLLBACK');
          t.same(leaseOf(rows[0]['QUERY PLAN'][0].Plan), [{ index, skipped: 0 }]);
          return { rows: [] };
        },
      };
      const at = new Date(NOON.getTime() + 86_400_000);
      const lease = { at, leaseUntil: at, limit: 10, ...(kind && { kind }) };
      await createPostgresStorage(database).leaseEvents(lease);
    });

  t.test('code of 0.2 finds due events over the views by the same indexes', async (t) => {
    for (const [view, index] of [
      ['events', 'claimlink_outbox_submissions'],
      ['life_events', 'claimlink_outbox_life'],
    ] as const) {
      const due = `SELECT event_id FROM claimlink_${view} WHERE failed_at IS NULL AND next_attempt_at <= $1::timestamptz
        ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
      t.same(leaseOf(await explain(due, [NOON, 10])), [{ index, skipped: 0 }], view);
    }
  });

  t.test(
    'a listing reads sessions only with a key of its client that is neither expired nor revoked',
    async (t) => {
      await pool.query(`
      INSERT INTO claimlink_api_keys (id, client_id, hash, created_at, expires_at, revoked_at) VALUES
        ('valid', 'acme', 'valid', now(), NULL, NULL),
        ('expired', 'acme', 'expired', now(), '${NOON.toISOString()}', NULL),
        ('revoked', 'acme', 'revoked', now(), NULL, '${NOON.toISOString()}'),
        ('foreign', 'client-1', 'foreign', now(), NULL, NULL)`);
      const reads = async (apiKeyHash: string, clientId = 'acme') => {
        let loops: number | undefined;
        const database: PostgresDatabase = {
          async query(text, params) {
            const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, params as unknown[]);
            loops = loopsOnSessions(rows[0]['QUERY PLAN'][0].Plan);
            return { rows: [] };
          },
        };
        const listing = { userId: 'user-1', limit: 10, at: NOON };
        await createPostgresStorage(database).findCredentials({ apiKeyHash, clientId, listing });
        return loops;
      };
      t.equal(await reads('valid'), 1);
      for (const hash of ['expired', 'revoked', 'foreign']) t.equal(await reads(hash), 0, hash);
      t.notOk(await reads('unknown'), 'unknown');
      t.equal(await reads('valid', 'no-client'), 0);
    },
  );
}
