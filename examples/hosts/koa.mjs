// A Koa host with claimlink below /claims, a body parser and an error handler. Run: node koa.mjs
import { randomBytes } from 'node:crypto';
import { bodyParser } from '@koa/bodyparser';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createNodeHandler } from 'claimlink/node';
import Koa from 'koa';

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
const app = new Koa();
// Before the parser: Koa keeps the parsed body in ctx.request.body, where claimlink does not find it.
app.use((ctx, next) => {
  if (!ctx.path.startsWith('/claims/')) return next();
  ctx.respond = false; // claimlink writes the response
  claims(ctx.req, ctx.res);
});

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.status = error.status ?? 500;
    ctx.body = { error: error.expose ? error.message : 'internal error' };
  }
});
app.use(bodyParser());
app.use((ctx) => {
  if (ctx.path === '/') ctx.body = { hello: 'from the host' };
  if (ctx.path === '/quotes') ctx.body = { received: ctx.request.body };
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(
    `curl -H 'x-api-key: ${key}' http://127.0.0.1:${server.address().port}/claims/acme/sessions/user-1`,
  );
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
