// A node:http host with claimlink below /claims. Run: node node.mjs
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}/claims` } = process.env;

const claimlink = createClaimlink({
  // For tests and first steps. In production: PostgreSQL, or a storage over your own tables.
  storage: createMemoryStorage(),
  publicUrl: PUBLIC_URL,
  // In production the secret comes from your secret store and outlives the process.
  signer: createLinkSigner({
    keys: [{ kid: 'dev', algorithm: 'HS256', secret: randomBytes(32) }],
    issuer: PUBLIC_URL,
  }),
  onSubmit: ({ session }) => console.error(`claim ${session.reference} was submitted`),
  onError: (error, request, submission) => console.error(request ?? submission, error),
});
await claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
const { key } = await claimlink.addApiKey('acme'); // show the key once: only its hash is stored

const claims = createNodeHandler(claimlink, { basePath: '/claims' });
const server = createServer((req, res) => {
  // The handler calls its third argument for a path that claimlink does not own.
  claims(req, res, () => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/') res.end('{"hello":"from the host"}');
    else res.writeHead(404).end('{"error":"not found"}');
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(
    `curl -H 'x-api-key: ${key}' http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`,
  );
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
