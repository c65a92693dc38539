// The storage suite behind PgBouncer in transaction mode: consecutive statements may run on different connections.
import pg from 'pg';
import t from 'tap';
import { assertSchema, createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { sampleLink } from '../../lib/testing/storage-suite/samples.js';
import { openSchema, runSuite, startPooler, startPostgres } from './postgres-server.js';

const server = await startPostgres(t);
const url = server && (await startPooler(t, server));
if (server !== undefined && url !== undefined) {
  const { pool: direct, schema } = await openSchema(t, server);
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  t.teardown(() => pool.end());
  await migrate(pool, { schema });
  await runSuite(t, direct, () => createPostgresStorage(pool, { schema }));

  t.test(
    'a pool finds out that the pooler does not support prepared statements, and no call fails',
    async (t) => {
      const warnings: string[] = [];
      const onWarning = ({ message }: Error) => void warnings.push(message);
      process.on('warning', onWarning);
      t.teardown(() => process.off('warning', onWarning));
      const storage = createPostgresStorage(pool, { schema });
      const hash = (call: number) => String(call).padStart(64, '0');
      const calls = Array.from({ length: 200 }, async (_, call) =>
        storage.insertLink(sampleLink({ accessCodeHash: hash(call) })),
      );
      t.same(new Set(await Promise.all(calls)), new Set([true]));
      const { rows } = await direct.query(
        `SELECT count(*)::integer AS count FROM claimlink_links WHERE access_code_hash LIKE '0000000000%'`,
      );
      t.equal(rows[0].count, 200, 'nothing is lost or doubled');
      await new Promise(setImmediate);
      t.equal(warnings.filter((message) => message.includes('prepareStatements')).length, 1);
    },
  );

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
