// claimlink as a Fastify plugin, on memory, or on PostgreSQL if DATABASE_URL is set.
// PREPARE_STATEMENTS=true uses prepared statements, CACHE_CREDENTIALS=true sets credentialCache.
import Fastify from 'fastify';
import pg from 'pg';
import claimlinkPlugin from '../../dist/lib/adapters/fastify.js';
import { createPostgresStorage } from '../../dist/lib/storage/postgres/index.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

const app = Fastify();
app.register(claimlinkPlugin, { claimlink: await createService(createOptions(process.env)) });
await app.listen({ port, host });

function createOptions({ DATABASE_URL, SCHEMA, PREPARE_STATEMENTS, CACHE_CREDENTIALS }) {
  if (DATABASE_URL === undefined) return {};
  const pool = new pg.Pool({ connectionString: DATABASE_URL });
  pool.on('error', (error) => console.error(error));
  const prepareStatements = PREPARE_STATEMENTS === 'true';
  const storage = createPostgresStorage(pool, { schema: SCHEMA, prepareStatements });
  return { storage, ...(CACHE_CREDENTIALS === 'true' && { credentialCache: {} }) };
}
