// An Express 5 host with claimlink below /claims, body parsers and an error handler. Run: node express.mjs
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import express from 'express';

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

const app = express();
// Before the parsers: claimlink authenticates the caller before it reads the body, and has a body limit of its own.
app.use('/claims', createNodeHandler(claimlink));

app.use(express.json(), express.urlencoded({ extended: true }), express.text());
app.get('/', (_req, res) => res.json({ hello: 'from the host' }));
app.post('/quotes', (req, res) => res.json({ received: req.body }));
app.use((error, _req, res, next) => {
  if (res.headersSent) return next(error);
  const { status = 500, expose = false, message } = error; // the parsers set them
  res.status(status).json({ error: expose ? message : 'internal error' });
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(
    `curl -H 'x-api-key: ${key}' http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`,
  );
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
