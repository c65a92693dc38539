// Prints the tables partitioned by hash of the client, and runs the published storage suite on them.

import pg from 'pg';
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { storageSuite } from '../dist/lib/testing/index.js';
import { startPostgres } from './postgres-server.mjs';
import { partitionSql } from './scaling/dataset.mjs';

const partitions = Number(process.argv[2] ?? 16);
const schema = 'claims';
const tables = ['clients', 'api_keys', 'sessions', 'links'].map((table) => `${schema}.claimlink_${table}`);

const server = await startPostgres(['fsync=off']);
const pool = new pg.Pool({ connectionString: server.url, max: 20 });
pool.on('error', () => {});
const stop = async () => {
  await pool.end().catch(() => {});
  await server.stop();
};
process.once('SIGINT', () => stop().finally(() => process.exit(130)));
process.once('SIGTERM', () => stop().finally(() => process.exit(143)));
try {
  const ddl = [`CREATE SCHEMA ${schema}`, ...partitionSql(schema, partitions)];
  console.log(`${ddl.join(';\n')};\n`);
  for (const statement of ddl) await pool.query(statement);
  await migrate(pool, { schema });
  const cases = storageSuite(async () => {
    await pool.query(`TRUNCATE ${tables.join(', ')}`);
    return createPostgresStorage(pool, { schema });
  });
  let failed = 0;
  for (const { name, run } of cases) {
    const error = await run().then(
      () => undefined,
      (reason) => reason,
    );
    if (error === undefined) continue;
    failed++;
    console.error(`failed: ${name}\n${error.stack ?? error}\n`);
  }
  console.log(
    `storage suite on ${partitions} partitions: ${cases.length - failed} of ${cases.length} cases pass`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await stop();
}
