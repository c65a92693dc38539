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
  type PostgresStorageOptions,
  SCHEMA_VERSION,
} from '../../lib/storage/postgres/index.js';
import { REPOSITORY } from '../repository.js';
import { findPostgres, openSchema } from './postgres-server.js';

const server = await findPostgres(t);
const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);

t.test('the SQL of a dry run names the schema and the prefix that were asked for', async (t) => {
  const sql = migrationSql({ schema: 'insurance', tablePrefix: 'cl_' });
  t.match(sql, /CREATE TABLE IF NOT EXISTS "insurance"\."cl_sessions"/);
  t.notMatch(sql, /claimlink_/);
});

t.test('prepareStatements that is no boolean is refused', async (t) => {
  const database = { query: async () => ({ rows: [] }) };
  const options = { prepareStatements: 'yes' } as unknown as PostgresStorageOptions;
  t.throws(() => createPostgresStorage(database, options), { code: 'options_invalid' });
});

t.test('a schema or prefix that is no plain identifier is refused', async (t) => {
  const database = { query: async () => ({ rows: [] }) };
  for (const options of [
    { schema: 'a"; DROP TABLE x' },
    { tablePrefix: 'A' },
    { tablePrefix: '' },
    { schema: '1a' },
  ]) {
    t.throws(
      () => createPostgresStorage(database, options),
      { code: 'options_invalid' },
      JSON.stringify(options),
    );
    await t.rejects(migrate(database, options), { code: 'options_invalid' });
  }
});

if (server !== undefined) {
  t.test(
    'ten processes that migrate an empty database at once all succeed, and make one schema',
    async (t) => {
      const { pool, schema } = await openSchema(t, server);
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
        const args = [
          '-u',
          'NODE_OPTIONS',
          '-u',
          'NODE_V8_COVERAGE',
          process.execPath,
          '--input-type=module',
          '-e',
          script,
        ];
        const child = spawn('env', args, {
          cwd: fileURLToPath(REPOSITORY),
          env: { ...process.env, URL: server.url, SCHEMA: schema },
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        const exited = once(child, 'exit');
        return { child, exited, output: () => output };
      });
      await Promise.all(processes.map(({ child }) => once(child.stdout, 'data')));
      for (const { child } of processes) child.stdin.write('go\n');
      const exits = await Promise.all(processes.map(({ exited }) => exited));
      t.same(
        exits.map(([code]) => code),
        Array.from({ length: 10 }, () => 0),
      );
      const applied = processes.flatMap(({ output }) => JSON.parse(output().split('\n')[1] ?? ''));
      t.same(applied.sort(), VERSIONS, 'each version was applied by exactly one of them');
      await assertSchema(pool);
      const tables = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [
        schema,
      ]);
      t.same(
        tables.rows.map(({ tablename }) => tablename),
        [
          'claimlink_api_keys',
          'claimlink_clients',
          'claimlink_events',
          'claimlink_links',
          'claimlink_migrations',
          'claimlink_sequences',
          'claimlink_sessions',
        ],
      );
    },
  );

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
    t.ok(await storage.updateClient({ ...client, branding: { primaryColor: '#14508c' } }));
    t.equal((await storage.listClients()).length, 1000);
  });

  t.test('the SQL of a dry run, run by a person, is the migration', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await pool.query(migrationSql());
    await assertSchema(pool);
    t.same(await migrate(pool, { schema }), []);
  });

  t.test('a database that was never migrated is told in one sentence', async (t) => {
    const { pool } = await openSchema(t, server);
    await t.rejects(assertSchema(pool), {
      code: 'schema_mismatch',
      message: `The database has version 0 of claimlink's tables and this code needs ${SCHEMA_VERSION}: run "claimlink migrate".`,
    });
  });

  t.test('tables that are newer than the code are told in one sentence, and left alone', async (t) => {
    const { pool } = await openSchema(t, server);
    await migrate(pool);
    await pool.query(`INSERT INTO claimlink_migrations (version) VALUES (${SCHEMA_VERSION + 1})`);
    const newer = {
      code: 'schema_mismatch',
      message: new RegExp(`knows only ${SCHEMA_VERSION}: update claimlink\\.$`),
    };
    await t.rejects(assertSchema(pool), newer);
    await t.rejects(migrate(pool), newer);
  });

  t.test('a database of another encoding is refused in one sentence, before anything is made', async (t) => {
    const { pool: admin } = await openSchema(t, server);
    const name = `latin_${process.pid}`;
    await admin.query(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const pool = new pg.Pool({ connectionString: url.href });
    const refusal = {
      code: 'schema_mismatch',
      message: 'The database has the encoding LATIN1. claimlink needs UTF8.',
    };
    await t.rejects(migrate(pool), refusal);
    await t.rejects(assertSchema(pool), refusal);
    await pool.end();
    await admin.query(`DROP DATABASE ${name}`);
  });
}
