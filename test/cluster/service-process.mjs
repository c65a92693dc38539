// One service process of a cluster: stateless, over the PostgreSQL of the others. Prints its port when it is ready.
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createPostgresStorage } from 'claimlink/postgres';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.CLUSTER_DATABASE_URL,
  max: 10,
  connectionTimeoutMillis: 2000,
});
pool.on('error', () => {}); // a connection that breaks while idle; the next query tells its caller
const publicUrl = 'https://claims.example.com';
const claimlink = createClaimlink({
  storage: createPostgresStorage(pool, { schema: process.env.CLUSTER_SCHEMA }),
  signer: createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: process.env.CLUSTER_SECRET }],
    issuer: publicUrl,
  }),
  publicUrl,
  onError: (error) => process.stderr.write(`${error?.code ?? error}\n`),
});
const server = createServer(createNodeHandler(claimlink));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
