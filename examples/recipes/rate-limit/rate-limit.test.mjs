// Run it: node --import tsx --test rate-limit.test.mjs
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
import { createHost as createExpressHost } from './express.ts';
import { createHost as createFastifyHost } from './fastify.ts';

const publicUrl = 'https://claims.example.com/claims';
const claimlink = createClaimlink({
  storage: createMemoryStorage(),
  signer: createLinkSigner({
    keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret for tests, of over 32 bytes' }],
    issuer: publicUrl,
  }),
  publicUrl,
});
await claimlink.addClient({ clientId: 'acme' });
const { key } = await claimlink.addApiKey('acme');

async function startFastify(t) {
  const app = await createFastifyHost(claimlink);
  app.get('/hello', () => 'hello');
  t.after(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

async function startExpress(t) {
  const app = createExpressHost(claimlink);
  app.get('/hello', (_req, res) => res.send('hello'));
  const server = app.listen(0, '127.0.0.1');
  t.after(() => server.closeAllConnections() ?? server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

for (const [name, start] of Object.entries({ Fastify: startFastify, Express: startExpress })) {
  test(`${name}: over the limit, a browser gets a page and a program a problem`, async (t) => {
    const origin = await start(t);
    /** Sends a request as the proxy of the host does. */
    const get = (path, headers, address = '192.0.2.1') =>
      fetch(origin + path, { headers: { ...headers, 'x-forwarded-for': address } });
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const link = '/claims/verify/code?token=x';

    for (let n = 1; n <= 60; n++) assert.equal((await get(link, browser)).status, 404);
    const page = await get(link, browser);
    assert.equal(page.status, 429);
    const seconds = Number(page.headers.get('retry-after'));
    assert.ok(seconds > 0);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('referrer-policy'), 'strict-origin');
    assert.match(page.headers.get('content-security-policy'), /^default-src 'none'/);
    const html = await page.text();
    assert.match(html, /<h1>Please wait a moment<\/h1>/);
    assert.match(html, new RegExp(`Try again in ${seconds} seconds?\\.`));

    // As the form sends a claim.
    const problem = await get(link, { accept: 'application/json' });
    assert.equal(problem.status, 429);
    assert.match(problem.headers.get('content-type'), /^application\/problem\+json/);
    const { status, code } = await problem.json();
    assert.deepEqual({ status, code }, { status: 429, code: 'too_many_requests' });

    assert.equal((await get(link, browser, '192.0.2.2')).status, 404, 'another address');
    const listing = await get('/claims/acme/sessions/user-1', { 'x-api-key': key });
    assert.equal(listing.status, 200, 'the API has a limit of its own');
    assert.equal((await get('/hello')).status, 200, 'a route of the host');
  });
}
