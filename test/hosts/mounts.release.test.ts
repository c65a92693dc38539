// Each row of the table in docs/mounting.md in its real framework: the path that arrives, a claim from link to listing, two
// errors, and the routes of the host beside claimlink.
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { send } from '../adapters/http-client.js';
import { CLAIM, createTestService, linkRequest } from '../adapters/service.js';
import { readDocument, tableOf } from '../docs/markdown.js';
import { driveOwnParser, driveOwnRoute } from '../examples/host.js';
import { HAS_PACKAGES, HAS_TEST_PACKAGES } from './installed.js';
import { loadTestPackage } from './load.js';
import { MOUNTS } from './mounts.js';

if (HAS_PACKAGES && HAS_TEST_PACKAGES) {
  const rows = tableOf(readDocument('docs/mounting.md'), 'mounts');
  for (const [framework = '', path = '', handler = '', line = ''] of rows) {
    t.test(`${framework}: ${line}`, async (t) => {
      const prefix = `${framework} ${line}`.includes('/portal') ? '/portal/claims' : '/claims';
      const mount = MOUNTS[framework] as NonNullable<(typeof MOUNTS)[string]>;
      const host = await mount(t, { framework, handler, line, prefix });
      const { origin, key, paths } = host;
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const post = (path: string, body: object) =>
        send(origin, { method: 'POST', path, headers, body: JSON.stringify(body) });
      const get = (path: string) => send(origin, { method: 'GET', path, headers });

      const config = { ...linkRequest().config, currentUserId: 'a/b?c' };
      const created = await post(`${prefix}/acme/link`, linkRequest({ config }));
      t.equal(created.status, 200, created.body);
      t.equal(paths()[0], path, 'the path that the handler gets');

      const { pathname, search } = new URL(JSON.parse(created.body).data);
      t.ok(pathname.startsWith(`${prefix}/verify/`), pathname);
      const page = { 'content-type': /^text\/html/, 'content-security-policy': /^default-src 'none'/ };
      t.match(await get(pathname + search), { status: 200, headers: page });
      const claimed = await post(pathname + search, CLAIM);
      t.equal(claimed.status, 200, claimed.body);

      const listed = await get(`${prefix}/acme/sessions/a%2Fb%3Fc`);
      t.equal(listed.status, 200, listed.body);
      t.match(JSON.parse(listed.body), [{ reference: JSON.parse(claimed.body).data.reference }]);

      const withoutKey = await send(origin, { method: 'GET', path: `${prefix}/acme/sessions/user-1` });
      t.match(withoutKey, { status: 401, body: /"code":"api_key_missing"/ });

      if (!host.hasOwnRoutes) return;
      const body = ' '.repeat(65_537);
      const large = await send(origin, { method: 'POST', path: `${prefix}/acme/link`, headers, body });
      t.match(large, { status: 413, body: /"code":"body_too_large"/ });
      await driveOwnRoute(t, host);
      await driveOwnParser(t, host);
    });
  }
  t.test('secureHeaders of Hono replaces the Referrer-Policy of pages, unless it has the same', async (t) => {
    const { claimlink } = await createTestService();
    const { secureHeaders } = loadTestPackage('hono/secure-headers');
    for (const options of [{}, { referrerPolicy: 'strict-origin' }]) {
      const app = new (loadTestPackage('hono').Hono)();
      app.use(secureHeaders(options));
      app.mount('/claims', createFetchHandler(claimlink));
      const { url } = await claimlink.createLink('acme', linkRequest());
      const { pathname, search } = new URL(url);
      const response: Response = await app.fetch(new Request(`http://localhost/claims${pathname}${search}`));
      t.equal(response.status, 200);
      t.equal(response.headers.get('referrer-policy'), options.referrerPolicy ?? 'no-referrer');
    }
  });
}
