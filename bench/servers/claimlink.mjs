// claimlink as a Fastify plugin, on memory, on PostgreSQL if DATABASE_URL is set, or on SQLite if SQLITE_FILE is set.
// PREPARE_STATEMENTS=false uses no prepared statements, CACHE_CREDENTIALS=true sets credentialCache.
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import pg from 'pg';
import claimlinkPlugin from '../../dist/lib/adapters/fastify.js';
import { createPostgresStorage } from '../../dist/lib/storage/postgres/index.js';
import { createSqliteStorage } from '../../dist/lib/storage/sqlite/index.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

const { DATABASE_URL, SCHEMA, PREPARE_STATEMENTS, CACHE_CREDENTIALS, SQLITE_FILE } = process.env;
const app = Fastify();
app.register(claimlinkPlugin, { claimlink: await createService(createOptions()) });
await app.listen({ port, host });

function createOptions() {
  if (SQLITE_FILE !== undefined) return { storage: createSqliteStorage(new Database(SQLITE_FILE)) };
  if (DATABASE_URL === undefined) return {};
  const pool = new pg.Pool({ connectionString: DATABASE_URL });
  pool.on('error', (error) => console.error(error));
  const unprepared = PREPARE_STATEMENTS === 'false' && { prepareStatements: false };
  const storage = createPostgresStorage(pool, { schema: SCHEMA, ...unprepared });
  return { storage, ...(CACHE_CREDENTIALS === 'true' && { credentialCache: {} }) };
}
