// A host on MariaDB.
//   export MARIADB_URL=mysql://... SIGNING_SECRET="$(openssl rand -hex 32)"
//   npm ci
//   node server.mjs
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import storage, { pool } from './database.mjs';
import { migrate } from './storage.mjs';

const { SIGNING_SECRET = '', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;

await migrate(pool); // several processes may call it at the same time

const claimlink = createClaimlink({
  storage,
  publicUrl: PUBLIC_URL,
  signer: createLinkSigner({
    keys: [{ kid: '2026-01', algorithm: 'HS256', secret: Buffer.from(SIGNING_SECRET, 'hex') }],
    issuer: PUBLIC_URL,
  }),
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});

// A key for the first steps, valid for a day. Issue lasting keys with: npx claimlink keys issue --client acme --storage ./database.mjs
const client = { clientId: 'acme', name: 'Acme Insurance' };
if (!(await storage.findClient('acme'))) await claimlink.addClient(client);
const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000);
const { key } = await claimlink.addApiKey('acme', { expiresAt }); // show the key once: only its hash is stored

const claims = createNodeHandler(claimlink, { basePath: '/claims' });
const server = createServer((req, res) => {
  claims(req, res, () => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/') res.end('{"hello":"from the host"}');
    else res.writeHead(404).end('{"error":"not found"}');
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const listing = `http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`;
  console.log(`curl -H 'x-api-key: ${key}' ${listing}`);
});
// Repeats an onSubmit that failed or whose process ended.
setInterval(() => claimlink.deliverPending().catch(console.error), 10_000).unref();
const close = () => claimlink.idle().then(() => pool.end());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(close));
