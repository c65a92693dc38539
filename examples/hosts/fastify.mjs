// A Fastify host with claimlink below /claims. The other routes have an authentication hook. Run: node fastify.mjs
import { randomBytes, timingSafeEqual } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import fastify from 'fastify';

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

const app = fastify();
await app.register(helmet); // the pages of claimlink keep their own Content-Security-Policy
await app.register(rateLimit, { max: 100, timeWindow: '1 minute' }); // claimlink has no limit of its own
await app.register(swagger, { openapi: { info: { title: 'Host', version: '1.0.0' } } });
app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });

app.get('/', () => ({ hello: 'from the host' }));
app.get('/openapi.json', () => app.swagger());
// A hook of the root would run for claimlink's routes, which authenticate callers by API key. So it has a scope.
app.register(async (scope) => {
  const expected = Buffer.from(`Bearer ${process.env.HOST_TOKEN}`);
  scope.addHook('onRequest', async (request, reply) => {
    const sent = Buffer.from(request.headers.authorization ?? '');
    const isEqual = sent.length === expected.length && timingSafeEqual(sent, expected);
    if (process.env.HOST_TOKEN === undefined || !isEqual) return reply.code(401).send({ error: 'no token' });
  });
  scope.post('/quotes', (request) => ({ received: request.body }));
});

const url = await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`curl -H 'x-api-key: ${key}' ${url}/claims/acme/sessions/user-1`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
