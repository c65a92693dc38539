// claimlink over node:http and PostgreSQL, each statement prepared once for a connection.
import { createServer } from 'node:http';
import pg from 'pg';
import { createNodeHandler } from '../../../dist/lib/adapters/node.js';
import { createPostgresStorage } from '../../../dist/lib/storage/postgres/index.js';
import { createService } from '../service.mjs';
import { host, port } from './listen.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
pool.on('error', (error) => console.error(error));

const storage = createPostgresStorage(pool, { prepareStatements: true });
createServer(createNodeHandler(createService(storage))).listen(port, host);
