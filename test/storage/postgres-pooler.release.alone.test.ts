// The storage suite behind PgBouncer in transaction mode: consecutive statements may run on different connections.
import pg from 'pg';
import t from 'tap';
import { assertSchema, createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { openSchema, runSuite, startPooler, startPostgres } from './postgres-server.js';

const server = await startPostgres(t);
const url = server && (await startPooler(t, server));
if (server !== undefined && url !== undefined) {
  const { pool: direct, schema } = await openSchema(t, server);
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  t.teardown(() => pool.end());
  await migrate(pool, { schema });
  await runSuite(t, direct, () => createPostgresStorage(pool, { schema }));

  t.test('prepared statements that the pooler does not support: the error names the option', async (t) => {
    const storage = createPostgresStorage(pool, { schema, prepareStatements: true });
    // The pooler has fewer connections than the pool, and gives each statement any of them.
    const calls = Array.from({ length: 200 }, async () => storage.findClient('acme'));
    const results = await Promise.allSettled(calls);
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    t.ok(errors.length > 0);
    for (const error of errors) {
      t.match(error, { message: /prepareStatements/, cause: { code: /^(?:26000|42P05)$/ } });
    }
  });

  t.test('a setting that the pooler rejects is reported as such, not as an outage', async (t) => {
    const rejected = new pg.Pool({ connectionString: url, statement_timeout: 5000 });
    t.teardown(() => rejected.end());
    await t.rejects(assertSchema(rejected, { schema }), {
      code: '08P01',
      message: /unsupported startup parameter/,
    });
  });
}
