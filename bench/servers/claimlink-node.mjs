// claimlink over node:http, on memory, or on PostgreSQL if DATABASE_URL is set.
// PREPARE_STATEMENTS=true uses prepared statements, CACHE_CREDENTIALS=true wraps the storage with cacheCredentials.
import { createServer } from 'node:http';
import pg from 'pg';
import { createNodeHandler } from '../../dist/lib/adapters/node.js';
import { cacheCredentials } from '../../dist/lib/index.js';
import { createPostgresStorage } from '../../dist/lib/storage/postgres/index.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

createServer(createNodeHandler(await createService(createOptions(process.env)))).listen(port, host);

function createOptions({ DATABASE_URL, SCHEMA, PREPARE_STATEMENTS, CACHE_CREDENTIALS }) {
  if (DATABASE_URL === undefined) return {};
  const pool = new pg.Pool({ connectionString: DATABASE_URL });
  pool.on('error', (error) => console.error(error));
  const prepareStatements = PREPARE_STATEMENTS === 'true';
  const storage = createPostgresStorage(pool, { schema: SCHEMA, prepareStatements });
  return { storage: CACHE_CREDENTIALS === 'true' ? cacheCredentials(storage) : storage };
}
