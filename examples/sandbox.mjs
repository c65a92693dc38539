// A sandbox host: the service over PostgreSQL, with clients and API keys from the command line.
//   export DATABASE_URL=postgres://... SIGNING_SECRET=$(openssl rand -hex 32) PUBLIC_URL=https://sandbox.example.com
//   npx claimlink migrate
//   npx claimlink clients add acme --name 'Acme Insurance'
//   npx claimlink keys issue --client acme
//   node examples/sandbox.mjs
import { createClaimlink, createLinkSigner } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import { assertSchema, createPostgresStorage } from 'claimlink/postgres';
import fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL, SIGNING_SECRET = '', HOST = '127.0.0.1', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
const SWEEP_INTERVAL_MS = 60 * 60 * 1000;
const DELIVERY_INTERVAL_MS = 10_000;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, connectionTimeoutMillis: 2000 });
pool.on('error', (error) => console.error(error.message)); // an idle connection broke
await assertSchema(pool);
const storage = createPostgresStorage(pool);

const claimlink = createClaimlink({
  storage,
  publicUrl: PUBLIC_URL,
  // All processes of the sandbox share the secret, which has at least 32 bytes.
  signer: createLinkSigner({
    keys: [{ kid: 'sandbox-1', algorithm: 'HS256', secret: Buffer.from(SIGNING_SECRET, 'hex') }],
    issuer: PUBLIC_URL,
  }),
  allowLoopbackCallbacks: true, // partners develop on localhost
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});

const app = fastify();
app.get('/health', async () => ({ status: 'ok' }));
app.register(claimlinkPlugin, { claimlink });

const sweep = setInterval(() => {
  Promise.resolve(storage.deleteExpiredLinks(new Date())).catch((error) => console.error(error.message));
}, SWEEP_INTERVAL_MS);
// Delivers submissions again whose onSubmit failed or whose process ended.
const deliver = setInterval(() => {
  claimlink.deliverPending().catch(console.error);
}, DELIVERY_INTERVAL_MS);

app.addHook('onClose', async () => {
  clearInterval(sweep);
  clearInterval(deliver);
  await claimlink.idle();
  await pool.end();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());

console.log(await app.listen({ port: Number(PORT), host: HOST }));
