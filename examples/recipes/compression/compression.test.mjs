// Run it: node --import tsx --test compression.test.mjs
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
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
const { url } = await claimlink.createLink('acme', {
  callbackUrl: 'https://acme.example/done',
  config: { contact: { email: 'help@acme.example', phone: '112' }, currentUserId: 'user-1' },
});
const page = url.slice(new URL(url).origin.length);

async function startFastify(t) {
  const app = await createFastifyHost(claimlink);
  t.after(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

async function startExpress(t) {
  const server = createExpressHost(claimlink).listen(0, '127.0.0.1');
  t.after(() => server.closeAllConnections() ?? server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

const DECODE = { gzip: gunzipSync, br: brotliDecompressSync, identity: (bytes) => bytes };

for (const [name, start] of Object.entries({ Fastify: startFastify, Express: startExpress })) {
  test(`${name}: a page is compressed as the browser accepts it, and JSON is not`, async (t) => {
    const origin = await start(t);
    /** Sends exactly these headers: fetch would add Accept-Encoding, and decode the body. */
    async function load(path, headers, method = 'GET') {
      const [response] = await once(
        request(origin + path, { method, headers, agent: false }).end(),
        'response',
      );
      const bytes = await buffer(response);
      const {
        'content-encoding': coding = 'identity',
        'content-length': length,
        vary = '',
      } = response.headers;
      return { status: response.statusCode, coding, length, varies: /accept-encoding/i.test(vary), bytes };
    }

    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', 'identity'],
      ['', 'identity'],
    ]) {
      const form = await load(page, { accept: 'text/html', 'accept-encoding': accepted });
      assert.deepEqual(
        { accepted, status: form.status, coding: form.coding },
        { accepted, status: 200, coding },
      );
      assert.match(String(DECODE[coding](form.bytes)), /<\/html>\n$/);
      assert.ok(form.bytes.length < (coding === 'identity' ? 45_000 : 16_000));
      assert.ok(
        [undefined, String(form.bytes.length)].includes(form.length),
        'the length is that of the body',
      );
      assert.ok(form.varies, `Vary, for ${accepted}`);
    }
    assert.equal((await load(page, { 'accept-encoding': 'gzip' }, 'HEAD')).bytes.length, 0);
    const none = await load(page.replace(/token=.*/, 'token=x'), {
      accept: 'text/html',
      'accept-encoding': 'gzip',
    });
    assert.deepEqual([none.status, none.coding], [404, 'gzip']);
    const headers = { 'x-api-key': key, 'accept-encoding': 'gzip, br' };
    const listing = await load('/claims/acme/sessions/user-1', headers);
    assert.deepEqual([listing.status, listing.coding], [200, 'identity']);
  });
}
