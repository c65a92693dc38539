// A host with SQLite tables of its own, which also hold the claims. Run: node sqlite.mjs
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, issueApiKey } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import Database from 'libsql';
import { createSqliteStorage, TABLES } from './sqlite-storage.mjs';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}/claims`, DATABASE = ':memory:' } = process.env;

const db = new Database(DATABASE, { timeout: 2000 });
db.exec(TABLES);
const { key, hash } = issueApiKey(); // show the key once, store its hash
db.prepare('INSERT INTO tenants (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
  'acme',
  'Acme Insurance',
);
db.prepare('INSERT INTO tenant_keys (hash, tenant) VALUES (?, ?)').run(hash, 'acme');

const claimlink = createClaimlink({
  storage: createSqliteStorage(db),
  publicUrl: PUBLIC_URL,
  // In production the secret comes from your secret store and outlives the process.
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: PUBLIC_URL,
  }),
  // The storage keeps no events, so onSubmit is called at most once.
  recordSubmissions: false,
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});

const claims = createNodeHandler(claimlink, { basePath: '/claims' });
const server = createServer((req, res) => {
  claims(req, res, () => {
    res.setHeader('content-type', 'application/json');
    if (req.url !== '/') res.writeHead(404).end('{"error":"not found"}');
    else res.end(JSON.stringify(db.prepare('SELECT count(*) AS claims FROM claims').all()[0]));
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const listing = `http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`;
  console.log(`curl -H 'x-api-key: ${key}' ${listing}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => db.close()));
