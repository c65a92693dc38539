// Runs the published storage suite over one storage until the first rule that does not hold: memory or postgres.
import pg from 'pg';
import { createMemoryStorage } from '../../build/lib/storage/memory.js';
import { createPostgresStorage, migrate } from '../../build/lib/storage/postgres/index.js';
import { storageSuite } from '../../build/lib/testing/index.js';
import { deleteRows, lockEvent } from '../../build/test/storage/postgres-server.js';

const [kind, isolation = 'read committed'] = process.argv.slice(2);
const schema = `faults_${process.pid}`;
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: `-c search_path=${schema} -c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`,
});

async function openPostgres() {
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await pool.query(`CREATE SCHEMA ${schema}`);
  await migrate(pool);
}

async function createStorage() {
  if (kind === 'memory') return createMemoryStorage();
  await deleteRows(pool);
  return createPostgresStorage(pool);
}

const options = kind === 'postgres' ? { lockEvent: (_storage, event) => lockEvent(pool, event) } : {};

try {
  if (kind === 'postgres') await openPostgres();
  for (const { name, run } of storageSuite(createStorage, options)) {
    try {
      await run();
    } catch (error) {
      console.log(`not ok 1 - ${name}\n${error.message}`);
      process.exitCode = 1;
      break;
    }
  }
} finally {
  if (kind === 'postgres') await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
}
