// A Hono host on Node with claimlink below /claims. Run: node hono.mjs
import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createFetchHandler } from 'claimlink/fetch';
import { Hono } from 'hono';

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

const claims = createFetchHandler(claimlink, { basePath: '/claims' });
const app = new Hono();
// Before middleware that reads the body.
app.all('/claims/*', (c) => claims(c.req.raw));

app.get('/', (c) => c.json({ hello: 'from the host' }));
app.post('/quotes', async (c) => c.json({ received: await c.req.json() }));
app.onError((error, c) => {
  const isMalformed = error instanceof SyntaxError; // of c.req.json()
  return c.json({ error: isMalformed ? 'malformed JSON' : 'internal error' }, isMalformed ? 400 : 500);
});

const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`curl -H 'x-api-key: ${key}' http://127.0.0.1:${port}/claims/acme/sessions/user-1`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
