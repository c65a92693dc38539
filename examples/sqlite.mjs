// A host that keeps its data in a SQLite file. One process serves it: see docs/sqlite.md. Run: node sqlite.mjs
// Node has SQLite from version 22.13 on. For Node 20: npm install better-sqlite3
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import { createSqliteStorage, migrate } from 'claimlink/sqlite';
import { openSqlite } from './open-sqlite.mjs';

const { DATABASE = 'claims.db', PORT = '3000' } = process.env;
const { PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;

const database = await openSqlite(DATABASE);
await migrate(database);
const storage = createSqliteStorage(database);

const claimlink = createClaimlink({
  storage,
  publicUrl: PUBLIC_URL,
  // In production the secret comes from your secret store and outlives the process.
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: PUBLIC_URL,
  }),
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});
if (!(await storage.findClient('acme'))) {
  await claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
}
// A key for the first steps, valid for a day. Show it once: only its hash is stored.
const { key } = await claimlink.addApiKey('acme', { expiresAt: new Date(Date.now() + 24 * 60 * 60 * 1000) });

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
const close = () => claimlink.idle().then(() => database.close());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(close));
