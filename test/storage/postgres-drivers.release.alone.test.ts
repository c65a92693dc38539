// The storage suite over drivers that convert parameters and results in different ways. The tests of postgres have a Pool of pg, those of pglite PGlite.
import pg from 'pg';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  type PostgresDatabase,
} from '../../lib/storage/postgres/index.js';
import { sampleLink, sampleRecord } from '../../lib/testing/storage-suite/samples.js';
import { readDocument } from '../docs/markdown.js';
import { sized } from '../size.js';
import { findPostgres, openPostgresJs, openSchema, openTables, runSuite } from './postgres-server.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const DRIVERS: Record<string, (t: Test) => Promise<PostgresDatabase>> = {
    'postgres, which serializes parameters by their types': async (t) => openPostgresJs(t, server),
    'a Client of pg': async (t) => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      t.teardown(() => client.end());
      return client;
    },
  };

  const drivers = Object.entries(DRIVERS);
  // The long form of the tests of handles has the first one.
  for (const [name, open] of sized(drivers.slice(1), drivers.slice(0, 1))) {
    t.test(name, async (t) => {
      const { pool, schema } = await openSchema(t, server);
      const database = await open(t);
      await migrate(database, { schema });
      await assertSchema(database, { schema });
      await runSuite(t, pool, () => createPostgresStorage(database, { schema }));
    });
  }

  t.test('the SQL of docs/upgrading.md repairs JSON that a driver stored as text', async (t) => {
    const { pool, storage } = await openTables(t, server);
    const client = {
      clientId: 'acme',
      callbackOrigins: ['https://app.example'],
      branding: { displayName: 'Acme' },
      frameAncestors: ['https://app.example'],
    };
    await storage.insertClient(client);
    await storage.insertSession(sampleRecord());
    await storage.insertLink(sampleLink());
    const tables = ['clients', 'sessions', 'links'];
    const readAll = () =>
      Promise.all(tables.map(async (table) => (await pool.query(`SELECT * FROM claimlink_${table}`)).rows));
    const before = await readAll();
    // `link` and `notice` are newer than the mistake.
    const { rows: columns } = await pool.query<{ table_name: string; column_name: string }>(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'jsonb' AND column_name NOT IN ('link', 'notice')",
    );
    for (const { table_name, column_name } of columns)
      await pool.query(`UPDATE ${table_name} SET ${column_name} = to_jsonb(${column_name}::text)`);
    t.notSame(await readAll(), before);
    const [, repair = ''] =
      /```sql\n([^`]*jsonb_typeof[^`]*)```/.exec(readDocument('docs/upgrading.md')) ?? [];
    await pool.query(repair);
    t.same(await readAll(), before);
  });

  t.test('assertSchema rejects a driver that renames columns, and names the setting', async (t) => {
    const { schema } = await openTables(t, server);
    const database = openPostgresJs(t, server, { transform: postgres.camel });
    await t.rejects(assertSchema(database, { schema }), {
      code: 'schema_mismatch',
      message: /changes the names of columns.*`transform`/,
    });
  });
}
