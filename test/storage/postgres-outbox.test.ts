// The migration to one table of events: what waits for it, and who may use the table and the views.
import pg from 'pg';
import t, { type Test } from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
} from '../../lib/storage/postgres/index.js';
import { findPostgres, openSchema } from './postgres-server.js';

const LEVELS = ['read committed', 'repeatable read', 'serializable'];

/** Inserts the event of a submission as code of 0.2 does. */
const INSERT = `INSERT INTO claimlink_events (client_id, reference, event_id, attempts, next_attempt_at)
  VALUES ('acme', $1, $1, 0, now())`;

/** As docs/high-availability.md of 0.2 created it. */
const PARTITIONED = `CREATE TABLE claimlink_events (
  client_id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  event_id text NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamptz(3) NOT NULL,
  failed_at timestamptz(3),
  PRIMARY KEY (client_id, reference)
) PARTITION BY HASH (client_id);
CREATE TABLE claimlink_events_0 PARTITION OF claimlink_events FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE claimlink_events_1 PARTITION OF claimlink_events FOR VALUES WITH (MODULUS 2, REMAINDER 1)`;

const server = await findPostgres(t);
if (server !== undefined) {
  /** A schema with the tables of version 9, an event of a submission, and one of a link. */
  async function openVersion9(t: Test, settings?: string, before = '') {
    const { pool, schema } = await openSchema(t, server ?? { url: '' }, settings);
    await pool.query(before);
    const [version9 = ''] = migrationSql().split('-- claimlink schema, version 10');
    await pool.query(version9);
    await pool.query(INSERT, ['S-1']);
    await pool.query(`INSERT INTO claimlink_life_events (event_id, type, client_id, occurred_at, data, attempts, next_attempt_at)
      VALUES ('life-1', 'link.started', 'acme', now(), '{}', 0, now())`);
    return { pool, schema };
  }

  /** Creates a role that goes with the test. Returns a pool of the role. */
  async function createRole(t: Test, pool: pg.Pool, schema: string, name: string) {
    const role = `${schema}_${name}`;
    await pool.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    const asRole = new pg.Pool({
      ...pool.options,
      max: 1,
      options: `-c search_path=${schema} -c role=${role}`,
    });
    t.teardown(async () => {
      await asRole.end();
      await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).catch(() => {});
    });
    return { role, asRole };
  }

  const eventIds = async (pool: pg.Pool) =>
    (await pool.query('SELECT event_id FROM claimlink_outbox ORDER BY event_id')).rows.map(
      ({ event_id }) => event_id,
    );

  /** Waits until a statement waits for a lock on a table. */
  async function untilBlocked(pool: pg.Pool, table: string): Promise<void> {
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
    while ((await pool.query(waiting, [table])).rowCount === 0);
  }

  for (const level of LEVELS)
    t.test(`${level}: an event that commits while the migration waits for it is moved`, async (t) => {
      const settings = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const { pool } = await openVersion9(t, settings);
      const client = await pool.connect();
      t.teardown(() => client.release());
      await client.query('BEGIN');
      await client.query(INSERT, ['S-2']);
      const migrated = migrate(pool);
      await untilBlocked(pool, 'claimlink_events');
      await client.query('COMMIT');
      t.same(await migrated, [10]);
      t.same(await eventIds(pool), ['S-1', 'S-2', 'life-1']);
    });

  for (const level of LEVELS)
    t.test(`${level}: of two processes that migrate, the second one changes nothing`, async (t) => {
      const settings = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const { pool } = await openVersion9(t, settings);
      const client = await pool.connect();
      t.teardown(() => client.release());
      await client.query('BEGIN');
      await client.query(INSERT, ['S-2']);
      const migrated = [migrate(pool), migrate(pool)];
      const waiting = `SELECT count(*) AS count FROM pg_locks WHERE NOT granted AND relation = 'claimlink_events'::regclass`;
      while (Number((await pool.query(waiting)).rows[0].count) < 2);
      await client.query('COMMIT');
      t.same((await Promise.all(migrated)).flat(), [10]);
      t.same(await eventIds(pool), ['S-1', 'S-2', 'life-1']);
    });

  t.test('a deadlock with a transaction of a host ends, and the migration is repeated', async (t) => {
    // The server looks for a deadlock once, this long after the wait of the migration began.
    const { pool } = await openVersion9(t, '-c deadlock_timeout=2s');
    const client = await pool.connect();
    t.teardown(() => client.release());
    await client.query(
      'BEGIN; SET LOCAL deadlock_timeout = 60000; UPDATE claimlink_life_events SET attempts = 1',
    );
    const migrated = migrate(pool);
    await untilBlocked(pool, 'claimlink_life_events');
    await client.query(INSERT, ['S-2']);
    await client.query('COMMIT');
    t.same(await migrated, [10]);
    t.same(await eventIds(pool), ['S-1', 'S-2', 'life-1']);
  });

  t.test('a migration that waits longer than lock_timeout says so, and can be run again', async (t) => {
    const { pool } = await openVersion9(t, '-c lock_timeout=20ms');
    const client = await pool.connect();
    t.teardown(() => client.release());
    await client.query('BEGIN');
    await client.query(INSERT, ['S-2']);
    const message =
      /^A step of the migration waited for the locks of other transactions longer than lock_timeout/;
    await t.rejects(migrate(pool), { code: 'storage_unavailable', message });
    await client.query('COMMIT');
    t.same(await migrate(pool), [10]);
    t.same(await eventIds(pool), ['S-1', 'S-2', 'life-1']);
  });

  t.test(
    'a table of a host that needs the old one keeps it, and the migration changes nothing',
    async (t) => {
      const { pool } = await openVersion9(t);
      await pool.query('CREATE VIEW waiting AS SELECT reference FROM claimlink_events');
      await t.rejects(migrate(pool), {
        code: '2BP01',
        detail: /view waiting depends on table claimlink_events/,
      });
      t.equal((await pool.query("SELECT to_regclass('claimlink_outbox') AS outbox")).rows[0].outbox, null);
      await pool.query('DROP VIEW waiting');
      t.same(await migrate(pool), [10]);
    },
  );

  t.test('a table of events that is partitioned by client goes with its partitions', async (t) => {
    const { pool } = await openVersion9(t, '', PARTITIONED);
    await pool.query(INSERT.replace('acme', 'other'), ['S-1b']);
    t.same(await migrate(pool), [10]);
    t.same(await eventIds(pool), ['S-1', 'S-1b', 'life-1']);
    await pool.query(INSERT, ['S-2']);
    t.equal((await pool.query("DELETE FROM claimlink_events WHERE client_id = 'acme'")).rowCount, 2);
    const { rows } = await pool.query(
      "SELECT relname FROM pg_class WHERE relname LIKE 'claimlink_events%' AND relnamespace = current_schema()::regnamespace",
    );
    t.same(rows, [{ relname: 'claimlink_events' }]);
  });

  t.test('roles have on the views what they had on the tables, and on the outbox both', async (t) => {
    const { pool, schema } = await openVersion9(t);
    const { role: app, asRole: asApp } = await createRole(t, pool, schema, 'app');
    const { role: reader, asRole: asReader } = await createRole(t, pool, schema, 'reader');
    const { role: tool, asRole: asTool } = await createRole(t, pool, schema, 'tool');
    await pool.query(`
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${app};
      GRANT SELECT ON claimlink_events TO ${reader} WITH GRANT OPTION;
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ALL ON TABLES TO ${tool}, PUBLIC`);
    await migrate(pool);
    const denied = { code: '42501' };

    await assertSchema(asApp);
    t.equal(
      (await createPostgresStorage(asApp).listEvents({ state: 'pending', kind: 'life', limit: 9 })).length,
      1,
    );
    await asApp.query(INSERT, ['S-2']);
    t.equal(
      (await asApp.query("UPDATE claimlink_events SET attempts = 1 WHERE reference = 'S-2'")).rowCount,
      1,
    );
    t.equal((await asApp.query('DELETE FROM claimlink_life_events')).rowCount, 1);
    await t.rejects(asApp.query('TRUNCATE claimlink_outbox'), denied);

    t.equal((await asReader.query('SELECT FROM claimlink_events')).rowCount, 2);
    await t.rejects(asReader.query('SELECT FROM claimlink_life_events'), denied);
    await t.rejects(asReader.query('DELETE FROM claimlink_events'), denied);
    await asReader.query(`GRANT SELECT ON claimlink_events TO ${app}`);

    for (const table of ['events', 'life_events', 'outbox'])
      await t.rejects(asTool.query(`SELECT FROM claimlink_${table}`), denied, table);
  });

  t.test('the views have the owner of the tables, also if another role migrates', async (t) => {
    const { pool, schema } = await openVersion9(t);
    const { role, asRole } = await createRole(t, pool, schema, 'owner');
    await pool.query(`GRANT CREATE ON SCHEMA ${schema} TO ${role}`);
    for (const { name } of (
      await pool.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`)
    ).rows)
      await pool.query(`ALTER TABLE ${name} OWNER TO ${role}`);
    await migrate(pool);
    const { rows } =
      await pool.query(`SELECT relname, relkind FROM pg_class JOIN pg_roles r ON r.oid = relowner
      WHERE relname LIKE 'claimlink_%' AND relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'v') AND rolname <> '${role}'`);
    t.same(rows, []);
    t.same(await migrate(asRole), []);
    await asRole.query('DELETE FROM claimlink_events');
  });

  t.test('roles may have names that need quotes', async (t) => {
    const { pool, schema } = await openVersion9(t);
    const [reader, migrator] = [`"${schema} Reader"`, `"${schema}-Migrator"`];
    await pool.query(
      `CREATE ROLE ${reader}; CREATE ROLE ${migrator} SUPERUSER; GRANT SELECT ON claimlink_events TO ${reader}`,
    );
    const client = await pool.connect();
    t.teardown(async () => {
      client.release(true);
      await pool.query(`DROP OWNED BY ${reader}, ${migrator}; DROP ROLE ${reader}, ${migrator}`);
    });
    await client.query(`SET ROLE ${migrator}`);
    t.same(await migrate(client), [10]);
    await client.query(`RESET ROLE; GRANT USAGE ON SCHEMA ${schema} TO ${reader}; SET ROLE ${reader}`);
    t.equal((await client.query('SELECT FROM claimlink_events')).rowCount, 1);
  });

  t.test('a role that does not own the tables cannot migrate, and changes nothing', async (t) => {
    const { pool, schema } = await openVersion9(t);
    const { role, asRole } = await createRole(t, pool, schema, 'app');
    await pool.query(
      `GRANT CREATE ON SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    await t.rejects(migrate(asRole), { code: '42501', message: /must be owner/ });
    t.same(await migrate(pool), [10]);
  });

  t.test('row level security of both tables holds for the outbox and the views', async (t) => {
    const { pool, schema } = await openVersion9(t);
    const { role: app, asRole: asApp } = await createRole(t, pool, schema, 'app');
    const { role: web, asRole: asWeb } = await createRole(t, pool, schema, 'web');
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${app}, ${web}`);
    await pool.query('ALTER TABLE claimlink_events ENABLE ROW LEVEL SECURITY');
    await t.rejects(migrate(pool), {
      message: /^Row level security is on for one of the tables claimlink_events and/,
    });
    await pool.query(`ALTER TABLE claimlink_life_events ENABLE ROW LEVEL SECURITY;
      CREATE POLICY all_rows ON claimlink_life_events TO ${app} USING (true)`);
    const { rows } = await pool.query("SELECT current_setting('server_version_num')::integer AS version");
    if (rows[0].version < 150_000) {
      await t.rejects(migrate(pool), {
        message: /^Before PostgreSQL 15, row level security does not hold for views/,
      });
      return;
    }
    t.same(await migrate(pool), [10]);
    for (const [table, count] of [
      ['events', 1],
      ['life_events', 1],
      ['outbox', 2],
    ] as const) {
      t.equal((await asApp.query(`SELECT FROM claimlink_${table}`)).rowCount, count, table);
      t.equal((await asWeb.query(`SELECT FROM claimlink_${table}`)).rowCount, 0, table);
    }
    await asApp.query(INSERT, ['S-2']);
    await t.rejects(asWeb.query(INSERT, ['S-3']), { code: '42501' });
  });

  t.test('a person runs the SQL of a dry run, also in one transaction', async (t) => {
    const { pool } = await openVersion9(t);
    const [, version10 = ''] = migrationSql().split('-- claimlink schema, version 10');
    const client = await pool.connect();
    t.teardown(() => client.release());
    await client.query('BEGIN');
    await client.query(version10);
    await client.query('COMMIT');
    t.same(await migrate(pool), []);
    t.same(await eventIds(pool), ['S-1', 'life-1']);
    t.equal(SCHEMA_VERSION, 10);
  });

  t.test('in a transaction above READ COMMITTED, the SQL of a dry run changes nothing', async (t) => {
    const { pool } = await openVersion9(t);
    const [, version10 = ''] = migrationSql().split('-- claimlink schema, version 10');
    const client = await pool.connect();
    t.teardown(() => client.release());
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await t.rejects(client.query(version10), { code: '2D000' });
    await client.query('ROLLBACK');
    t.same(await migrate(pool), [10]);
  });
}
