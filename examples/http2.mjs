// An HTTP/2 host with claimlink below /claims. Run: node http2.mjs
// It serves cleartext HTTP/2 behind a proxy that terminates TLS. To terminate TLS in Node, replace createServer with
// createSecureServer({ key, cert, allowHTTP1: true, settings }, listener).
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http2';
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
const settings = { maxConcurrentStreams: 100 }; // per session; Node has no limit by default
const server = createServer({ settings }, (req, res) => {
  claims(req, res, () => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/') res.end('{"hello":"from the host"}');
    else res.writeHead(404).end('{"error":"not found"}');
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(
    `curl --http2-prior-knowledge -H 'x-api-key: ${key}' http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`,
  );
});

// server.close() waits for the clients. session.close() asks them to disconnect after their open requests.
const sessions = new Set();
server.on('session', (session) => {
  sessions.add(session);
  session.once('close', () => sessions.delete(session));
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close();
    for (const session of sessions) session.close();
  });
}
