// The storage suite on tables that are partitioned by client, with the SQL of docs/high-availability.md.
import t from 'tap';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { codeBlocks, readDocument } from '../docs/markdown.js';
import { IS_LONG } from '../size.js';
import { deleteRows, findPostgres, openSchema } from './postgres-server.js';

const { code: sql = '' } =
  codeBlocks(readDocument('docs/high-availability.md')).find(({ code }) =>
    code.includes('PARTITION BY HASH'),
  ) ?? {};
const TABLES = ['links', 'sequences', 'sessions'].map((name) => `claimlink_${name}`);

const server = await findPostgres(t);
if (server !== undefined) {
  const { pool, schema } = await openSchema(t, server);
  await pool.query(sql);
  await migrate(pool);

  t.test('sessions, links and sequences have 16 partitions after migrate', async (t) => {
    const { rows } = await pool.query(
      `SELECT p.relname AS name, count(*)::int AS count
       FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
       WHERE p.relnamespace = $1::regnamespace AND p.relkind = 'p'
       GROUP BY p.relname ORDER BY p.relname`,
      [schema],
    );
    t.same(
      rows,
      TABLES.map((name) => ({ name, count: 16 })),
    );
  });

  t.test('PostgreSQL rejects CREATE INDEX CONCURRENTLY on a partitioned table', async (t) => {
    const statement = 'CREATE INDEX CONCURRENTLY ON claimlink_sessions (date)';
    await t.rejects(pool.query(statement), { code: '0A000' });
  });

  let rules = 0;
  const cases = storageSuite(async () => {
    await deleteRows(pool);
    return createPostgresStorage(pool);
  });
  for (const { name, run } of IS_LONG ? cases : [])
    t.test(name, async () => {
      await run();
      rules++;
    });
  if (IS_LONG) t.test('the suite has passed', async (t) => t.comment(`${rules} rules on 16 partitions`));
}
