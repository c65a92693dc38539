// The storage suite on a real PostgreSQL, in more than one isolation level and time zone.
import pg from 'pg';
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { sized } from '../size.js';
import { deleteRows, findPostgres, openSchema } from './postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const SETTINGS = {
    'read committed, UTC': '-c timezone=UTC',
    'repeatable read, German dates': '-c datestyle=German -c default_transaction_isolation=repeatable\\ read',
    'serializable, a time zone with half hours':
      '-c timezone=Asia/Kolkata -c default_transaction_isolation=serializable',
  };
  /** A host may have changed how pg reads every type: here all of them as the text that the server sends. */
  const TEXT_ONLY = { getTypeParser: () => (value: unknown) => value };

  t.test('a host whose drivers read every type as text', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await migrate(pool);
    const raw = new pg.Pool({ connectionString: server.url, max: 5, types: TEXT_ONLY });
    t.teardown(() => raw.end());
    const cases = storageSuite(async () => {
      await deleteRows(pool);
      return createPostgresStorage(raw, { schema });
    });
    for (const { name, run } of cases) await t.test(name, run);
  });

  t.test('statements that are prepared: each once for a connection, whatever is asked', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await migrate(pool);
    const single = new pg.Pool({ connectionString: server.url, max: 1 });
    t.teardown(() => single.end());
    const cases = storageSuite(async () => {
      await deleteRows(pool);
      return createPostgresStorage(single, { schema, prepareStatements: true });
    });
    for (const { name, run } of cases) await t.test(name, run);
    const { rows } = await single.query<{ name: string; statement: string }>(
      'SELECT name, statement FROM pg_prepared_statements',
    );
    const statements = new Set(rows.map(({ statement }) => statement));
    t.ok(rows.length > 10 && rows.every(({ name }) => name.startsWith('claimlink_')));
    t.equal(statements.size, rows.length, 'no text has two names');
  });

  t.test(
    'without being asked to, nothing is prepared: a pooler may give each statement another connection',
    async (t) => {
      const { pool } = await openSchema(t, server);
      await migrate(pool);
      const client = await pool.connect();
      t.teardown(() => client.release());
      await createPostgresStorage(client).findClient('acme');
      t.strictSame((await client.query('SELECT name FROM pg_prepared_statements')).rows, []);
    },
  );

  t.test('the order of rows does not come from the indexes', async (t) => {
    const settings = '-c enable_indexscan=off -c enable_indexonlyscan=off -c enable_bitmapscan=off';
    const { pool } = await openSchema(t, server, settings);
    await migrate(pool);
    const cases = storageSuite(async () => {
      await deleteRows(pool);
      return createPostgresStorage(pool);
    });
    const ordered = cases.filter(({ name }) => /\b(?:order|first|newest|oldest)\b/.test(name));
    t.ok(ordered.length > 5);
    for (const { name, run } of ordered) await t.test(name, run);
  });

  t.test('three sweeps at once leave nothing, and count every link once', async (t) => {
    const { pool } = await openSchema(t, server);
    await migrate(pool);
    const storage = createPostgresStorage(pool);
    await pool.query(`
      INSERT INTO claimlink_links (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
      SELECT 'acme', n::text, 'u', 'https://x', false, '{}', now(), to_timestamp(n) FROM generate_series(1, 12500) n`);
    const before = new Date('2026-01-01');
    const sweeps = [1, 2, 3].map(() => storage.deleteExpiredLinks(before));
    const deleted = await Promise.all(sweeps);
    t.equal(
      deleted.reduce((sum, count) => sum + count, 0),
      12_500,
    );
    t.equal(await storage.deleteExpiredLinks(before), 0);
  });

  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  for (const name of sized(names, names.slice(-1))) {
    const settings = SETTINGS[name];
    t.test(name, async (t) => {
      const { pool } = await openSchema(t, server, settings);
      await migrate(pool);
      const cases = storageSuite(async () => {
        await deleteRows(pool);
        return createPostgresStorage(pool);
      });
      for (const { name, run } of cases) await t.test(name, run);
    });
  }
}
