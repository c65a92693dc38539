// A sandbox host: the service over a SQLite file. It adds the clients that are new, and prints their API keys, the only time.
//   export SIGNING_SECRET=$(openssl rand -hex 32) PUBLIC_URL=https://sandbox.example.com DATABASE=sandbox.db
//   CLIENTS='acme=Acme Insurance,other=Other Insurance' node examples/sandbox.mjs
// Keep SIGNING_SECRET: with another one, all links end. Node before 22.13 needs a driver: npm install better-sqlite3
import { createClaimlink, createLinkSigner } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import fastify from 'fastify';
import { openSqlite } from './open-sqlite.mjs';

const { DATABASE = 'sandbox.db', SIGNING_SECRET = '', CLIENTS = 'acme=Acme Insurance' } = process.env;
const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
if (!/^[0-9a-f]{64,}$/i.test(SIGNING_SECRET)) throw new Error('Set SIGNING_SECRET: openssl rand -hex 32');
const SWEEP_INTERVAL_MS = 60 * 60 * 1000;
const DELIVERY_INTERVAL_MS = 10_000;

const database = await openSqlite(DATABASE);
await migrate(database);
const storage = createSqliteStorage(database);
const claimlink = createClaimlink({
  storage,
  publicUrl: PUBLIC_URL,
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
  storage.deleteExpiredLinks(new Date()).catch((error) => console.error(error.message));
}, SWEEP_INTERVAL_MS);
// Delivers submissions again whose onSubmit failed or whose process ended.
const deliver = setInterval(() => {
  claimlink.deliverPending().catch(console.error);
}, DELIVERY_INTERVAL_MS);

app.addHook('onClose', async () => {
  clearInterval(sweep);
  clearInterval(deliver);
  await claimlink.idle();
  database.close();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());

const origin = await app.listen({ port: Number(PORT), host: HOST });
for (const [clientId, name] of CLIENTS.split(',').map((client) => client.split('='))) {
  if (await storage.findClient(clientId)) continue;
  await claimlink.addClient({ clientId, name });
  const { key } = await claimlink.addApiKey(clientId);
  console.log(`curl -H 'x-api-key: ${key}' ${origin}/${clientId}/sessions/user-1`);
}
console.log(origin);
