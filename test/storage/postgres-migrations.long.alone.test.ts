// Migrations: idempotent, safe when many processes start at once, and clear about tables that do not fit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  migrationSql,
  type PostgresDatabase,
  SCHEMA_VERSION,
} from '../../lib/storage/postgres/index.js';
import { sampleSession } from '../../lib/testing/storage-suite/samples.js';
import { readDocument } from '../docs/markdown.js';
import { REPOSITORY } from '../repository.js';
import { findPostgres, openSchema, type Scope } from './postgres-server.js';

const server = await findPostgres(t);
/** The SQL of docs/postgres.md that prepares the migration of large tables, by the version of its section. */
const PREPARATIONS = readDocument('docs/postgres.md')
  .split(/^### Version /m)
  .slice(1)
  .flatMap((section): [version: number, statements: string[]][] => {
    const [, sql] = /```sql\n([^`]*CONCURRENTLY[^`]*)```/.exec(section) ?? [];
    if (sql === undefined) return [];
    return [[Number.parseInt(section, 10), sql.split(';').filter((statement) => statement.trim() !== '')]];
  });

/** A submission as the first version sent it. */
const SUBMIT_OF_VERSION_1 = `
WITH link AS MATERIALIZED (
  SELECT client_id, user_id FROM claimlink_links
  WHERE client_id = 'acme' AND access_code_hash = $1 AND submitted_at IS NULL
  FOR UPDATE
), inserted AS (
  INSERT INTO claimlink_sessions (client_id, user_id, reference, date, cams_reference, status, created_at, selected_policy)
  SELECT client_id, user_id, $2, now(), 'c', 'submitted', now(), '{}' FROM link
  ON CONFLICT (client_id, reference) DO NOTHING
  RETURNING reference
)
UPDATE claimlink_links SET submitted_at = now(), session_reference = inserted.reference
FROM inserted WHERE client_id = 'acme' AND access_code_hash = $1`;

/** A listing as the first version sent it. */
const LIST_OF_VERSION_1 = `
SELECT reference, date, cams_reference, status, created_at, selected_policy, incident FROM claimlink_sessions
WHERE client_id = 'acme' AND user_id = $1 ORDER BY created_at DESC, reference LIMIT 50`;

const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);

t.test('the SQL of a dry run names the schema and the prefix that were asked for', async (t) => {
  const sql = migrationSql({ schema: 'insurance', tablePrefix: 'cl_' });
  t.match(sql, /CREATE TABLE IF NOT EXISTS "insurance"\."cl_sessions"/);
  t.notMatch(sql, /claimlink_/);
});

t.test('a value that is not a database is rejected', async (t) => {
  for (const value of [undefined, null, {}, 'postgres://localhost', () => undefined, { query: 1 }]) {
    const database = value as PostgresDatabase;
    const expected = { code: 'options_invalid', problems: [{ pointer: '/database' }] };
    t.throws(() => createPostgresStorage(database), expected, String(value));
    await t.rejects(migrate(database), expected, String(value));
    await t.rejects(assertSchema(database), expected, String(value));
  }
});

t.test('an option that is unknown or has a wrong type is rejected, and named', async (t) => {
  const database = { query: async () => ({ rows: [] }) };
  const rejected: Record<string, object> = {
    '/scheme': { scheme: 'insurance' },
    '/shema': { shema: 'insurance' },
    '/schema': { schema: 5 },
    '/tablePrefix': { tablePrefix: ['a'] },
  };
  for (const [pointer, options] of Object.entries(rejected)) {
    const expected = { code: 'options_invalid', problems: [{ pointer }] };
    t.throws(() => createPostgresStorage(database, options), expected, pointer);
    t.throws(() => migrationSql(options), expected, pointer);
    await t.rejects(migrate(database, options), expected, pointer);
    await t.rejects(assertSchema(database, options), expected, pointer);
  }
  for (const [name, value] of [
    ['prepareStatements', 'yes'],
    ['queryTimeoutSeconds', '8'],
    ['queryTimeoutSeconds', true],
  ] as const) {
    const expected = { code: 'options_invalid', problems: [{ pointer: `/${name}` }] };
    t.throws(() => createPostgresStorage(database, { [name]: value }), expected, name);
    await t.rejects(migrate(database, { [name]: value } as object), expected, 'only the storage has it');
  }
});

t.test('a schema or prefix that is no plain identifier is rejected', async (t) => {
  const database = { query: async () => ({ rows: [] }) };
  for (const options of [
    { schema: 'a"; DROP TABLE x' },
    { tablePrefix: 'A' },
    { tablePrefix: '' },
    { schema: '1a' },
    { schema: 'a'.repeat(41) },
  ]) {
    t.throws(
      () => createPostgresStorage(database, options),
      { code: 'options_invalid' },
      JSON.stringify(options),
    );
    await t.rejects(migrate(database, options), { code: 'options_invalid' });
  }
  t.doesNotThrow(() => createPostgresStorage(database, { schema: 'a'.repeat(40) }));
});

if (server !== undefined) {
  /** Starts ten processes that wait. The result migrates in all of them at once, and resolves to the versions they applied. */
  async function startProcesses(url: string, schema: string): Promise<() => Promise<number[]>> {
    const script = `
      import pg from 'pg';
      import { migrate } from 'claimlink/postgres';
      const pool = new pg.Pool({ connectionString: process.env.URL });
      await pool.query('SELECT 1');
      console.log('ready');
      process.stdin.once('data', async () => {
        const applied = await migrate(pool, { schema: process.env.SCHEMA });
        console.log(JSON.stringify(applied));
        await pool.end();
        process.exit();
      });`;
    const processes = Array.from({ length: 10 }, () => {
      const args = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE', process.execPath, '--input-type=module'];
      const child = spawn('env', [...args, '-e', script], {
        cwd: fileURLToPath(REPOSITORY),
        env: { ...process.env, URL: url, SCHEMA: schema },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      // `exit` may come before the last output.
      const exited = once(child, 'close');
      return { child, exited, output: () => output };
    });
    await Promise.all(processes.map(({ child }) => once(child.stdout, 'data')));
    return async () => {
      for (const { child } of processes) child.stdin.write('go\n');
      const exits = await Promise.all(processes.map(({ exited }) => exited));
      t.same(
        exits.map(([code]) => code),
        Array.from({ length: 10 }, () => 0),
      );
      return processes
        .flatMap(({ output }) => JSON.parse(output().split('\n')[1] ?? ''))
        .sort((a, b) => a - b);
    };
  }

  t.test('ten processes that migrate an empty database at once make one schema', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    const migrateInAll = await startProcesses(server.url, schema);
    t.same(await migrateInAll(), VERSIONS, 'each version was applied by exactly one of them');
    await assertSchema(pool);
    const tables = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [
      schema,
    ]);
    t.same(
      tables.rows.map(({ tablename }) => tablename),
      [
        'claimlink_api_keys',
        'claimlink_clients',
        'claimlink_event_types',
        'claimlink_links',
        'claimlink_migrations',
        'claimlink_outbox',
        'claimlink_sequences',
        'claimlink_sessions',
        'claimlink_versions',
      ],
    );
  });

  t.test('ten processes migrate tables of version 1 while old code reads and submits', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    const [version1 = ''] = migrationSql().split('-- claimlink schema, version 2');
    await pool.query(version1);
    await pool.query(`
        INSERT INTO claimlink_clients (client_id) VALUES ('acme');
        INSERT INTO claimlink_sessions (client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy)
        SELECT 'acme', 'old-' || n, 'user-' || n % 100, to_timestamp(n), 'c', 'submitted', to_timestamp(n), '{}'
        FROM generate_series(1, 20000) n;
        INSERT INTO claimlink_links (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
        SELECT 'acme', n::text, 'user-1', 'https://x.example', false, '{"contact": {}, "currentUserId": 1, "policy": {}}', now(), now() + interval '1 day'
        FROM generate_series(1, 20000) n`);
    const migrateInAll = await startProcesses(server.url, schema);

    let isMigrated = false;
    let next = 0;
    let reads = 0;
    const submitted: string[] = [];
    const submitter = async () => {
      while (!isMigrated && next < 20_000) {
        const hash = String(++next);
        await pool.query(SUBMIT_OF_VERSION_1, [hash, `new-${hash}`]);
        submitted.push(`new-${hash}`);
      }
    };
    const reader = async () => {
      while (!isMigrated) {
        const { rows } = await pool.query(LIST_OF_VERSION_1, ['user-7']);
        if (rows.length !== 50) throw new Error(`a listing has ${rows.length} sessions`);
        reads++;
      }
    };
    const load = [submitter(), submitter(), submitter(), reader(), reader()];
    const applied = await migrateInAll().finally(() => {
      isMigrated = true;
    });
    await Promise.all(load);
    t.same(applied, VERSIONS.slice(1));
    t.ok(submitted.length > 0 && reads > 0, `${submitted.length} submissions and ${reads} listings`);

    const storage = createPostgresStorage(pool);
    const link = { clientId: 'acme', accessCodeHash: '20000' };
    const session = sampleSession({ reference: 'first-of-version-3' });
    t.match(await storage.submitLink({ ...link, at: new Date(), session }), { outcome: 'submitted' });
    t.strictSame((await storage.findLink(link))?.link.config, { contact: {}, currentUserId: 1 });
    const feed: string[] = [];
    let cursor: string | undefined;
    for (let hasMore = true; hasMore; ) {
      const page = await storage.listClientSessions({
        clientId: 'acme',
        limit: 1000,
        ...(cursor && { cursor }),
      });
      feed.push(...page.sessions.map(({ reference }) => reference));
      ({ nextCursor: cursor, hasMore } = page);
    }
    t.equal(feed.at(-1), 'first-of-version-3');
    t.equal(new Set(feed).size, feed.length, 'no session is repeated');
    t.equal(feed.length, 20_000 + submitted.length + 1);
  });

  for (const [version, statements] of PREPARATIONS)
    t.test(
      `what docs/postgres.md creates before version ${version} stays, and is what it creates`,
      async (t) => {
        const { pool } = await openSchema(t, server);
        const other = await openSchema(t, server);
        const definitions = async (database: pg.Pool) =>
          (
            await database.query(
              `SELECT c.relname AS name, replace(pg_get_indexdef(c.oid), current_schema() || '.', '') AS definition
             FROM pg_class c WHERE c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace
             UNION ALL
             SELECT a.attrelid::regclass || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || a.attcollation
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE c.relkind = 'r' AND a.attnum > 0 AND c.relnamespace = current_schema()::regnamespace
             ORDER BY 1`,
            )
          ).rows;
        const oids = async () =>
          (
            await pool.query(
              // Version 10 drops the indexes of the two tables of events.
              "SELECT relname, oid FROM pg_class WHERE relkind = 'i' AND relname !~ '_events_' AND relnamespace = current_schema()::regnamespace",
            )
          ).rows;
        const [older = ''] = migrationSql().split(`-- claimlink schema, version ${version}\n`);
        await pool.query(older);
        const before = await oids();
        for (const statement of statements) await pool.query(statement);
        const prepared = await oids();
        t.ok(prepared.length > before.length);
        t.same(await migrate(pool), VERSIONS.slice(version - 1));
        const kept = new Set((await oids()).map(({ oid }) => oid));
        t.ok(
          prepared.every(({ oid }) => kept.has(oid)),
          'no index is created again',
        );
        await migrate(other.pool);
        t.same(await definitions(pool), await definitions(other.pool));
        const { rows } = await pool.query(
          'SELECT count(*)::integer AS invalid FROM pg_index WHERE NOT indisvalid',
        );
        t.same(rows, [{ invalid: 0 }]);
      },
    );

  t.test('docs/postgres.md prepares each version that creates an index on a large table', async (t) => {
    const versions = migrationSql()
      .split('-- claimlink schema, version ')
      .slice(2)
      .filter((sql) => /CREATE (?:UNIQUE )?INDEX [^;]* ON "claimlink_(?:sessions|links)"/.test(sql))
      .map((sql) => Number.parseInt(sql, 10));
    t.same(
      PREPARATIONS.map(([version]) => version),
      versions,
    );
  });

  t.test('migrating again changes nothing', async (t) => {
    const { pool } = await openSchema(t, server);
    t.same(await migrate(pool), VERSIONS);
    t.same(await migrate(pool), []);
  });

  t.test('tables of version 1 with data get the new columns, and the data stays', async (t) => {
    const { pool } = await openSchema(t, server);
    const [version1 = ''] = migrationSql().split('-- claimlink schema, version 2');
    await pool.query(version1);
    await pool.query(`
      INSERT INTO claimlink_clients (client_id, name, callback_origins)
      SELECT 'client-' || n, 'Client ' || n, '["https://app.example.com"]' FROM generate_series(1, 1000) n`);
    t.same(await migrate(pool), VERSIONS.slice(1));
    const storage = createPostgresStorage(pool);
    const client = {
      clientId: 'client-7',
      name: 'Client 7',
      callbackOrigins: ['https://app.example.com'],
    };
    t.strictSame(await storage.findClient('client-7'), client);
    const changed = {
      ...client,
      branding: { primaryColor: '#14508c' },
      settings: { redirectAfterSeconds: 5 },
    };
    t.ok(await storage.updateClient(changed));
    t.strictSame(await storage.findClient('client-7'), changed);
    t.equal((await storage.listClients()).length, 1000);
  });

  t.test('the SQL of a dry run, run by a person, is the migration', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await pool.query(migrationSql());
    await assertSchema(pool);
    t.same(await migrate(pool, { schema }), []);
  });

  /** Creates an empty database. `end` drops it. */
  const createDatabase = async (t: Scope, encoding: string) => {
    const { pool: admin } = await openSchema(t, server);
    const name = `empty_${process.pid}`;
    await admin.query(`CREATE DATABASE ${name} ${encoding} TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const pool = new pg.Pool({ connectionString: url.href });
    const end = async () => {
      await pool.end();
      await admin.query(`DROP DATABASE ${name}`);
    };
    return { pool, end };
  };

  t.test('a database that was never migrated is one sentence', async (t) => {
    // In a database of its own: tables in another schema are named instead.
    const { pool, end } = await createDatabase(t, "ENCODING 'UTF8'");
    await t.rejects(assertSchema(pool), {
      code: 'schema_mismatch',
      message: `The database has version 0 of claimlink's tables and this code needs ${SCHEMA_VERSION}: run "claimlink migrate".`,
    });
    await end();
  });

  t.test('a database of another encoding is rejected in one sentence, before anything is made', async (t) => {
    const { pool, end } = await createDatabase(t, "ENCODING 'LATIN1'");
    const rejection = {
      code: 'schema_mismatch',
      message: 'The database has the encoding LATIN1. claimlink needs UTF8.',
    };
    await t.rejects(migrate(pool), rejection);
    await t.rejects(assertSchema(pool), rejection);
    await end();
  });
}
