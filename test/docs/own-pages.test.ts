// docs/serve-pages.md shows a host that serves the pages itself. The host is run, and does what the page asks of it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import t, { type Test } from 'tap';
import { codeBlocks, readDocument } from './markdown.js';
import { createWorkspace, type Program, startNode } from './workspace.js';

/** The service of the host. The document begins with an existing one. */
const SERVICE = `
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
const publicUrl = 'https://api.example.com/claims';
const storage = createMemoryStorage({
  clients: [{ clientId: 'acme', frameAncestors: ['https://portal.example.com'] }],
});
const claimlink = createClaimlink({
  storage: {
    ...storage,
    async findLink(id) {
      const stored = await storage.findLink(id);
      if (stored?.link.userId === 'user-broken') throw new Error('the database is gone');
      return stored;
    },
  },
  signer: createLinkSigner({ keys: [{ kid: '1', algorithm: 'HS256', secret: 'x'.repeat(32) }], issuer: publicUrl }),
  publicUrl,
  widget: false,
});
`;
/** Starts the host on a free port, and prints the port and three links: the storage fails for the last one. */
const START = `
const server = app.listen(0, '127.0.0.1', async () => {
  const links = [];
  for (const [currentUserId, callbackOnSubmit] of [['user-1', true], ['user-1', false], ['user-broken', true]]) {
    const { url } = await claimlink.createLink('acme', {
      callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}',
      callbackOnSubmit,
      config: {
        contact: { email: 'help@example.com', phone: '+44 20 7946 0000' },
        currentUserId,
        policy: { number: '"><b>P-1' },
      },
    });
    links.push(url.slice('https://api.example.com'.length));
  }
  console.log('ready', server.address().port, ...links);
});
`;
const FIELDS = {
  '/policy/number': 'P-1',
  '/policy/holder/firstName': 'Ada',
  '/policy/holder/lastName': 'Lovelace',
  '/policy/holder/phone': '+44 20 7946 0000',
  '/policy/holder/email': 'ada@example.com',
  '/policy/vehicle/licensePlate': 'AB12 CDE',
};

/** Starts the host of the document. */
async function startPages(t: Test): Promise<{ program: Program; links: readonly string[] }> {
  const [block, ...others] = codeBlocks(readDocument('docs/serve-pages.md')).filter(({ code }) =>
    code.includes('app.listen(3000)'),
  );
  t.same(others, []);
  const { code } = await transform(String(block?.code), { loader: 'ts', format: 'esm' });
  t.match(code, /app\.listen\(3e3\);\n$/);
  const folder = await createWorkspace(t);
  const host = SERVICE + code.replace(/app\.listen\(3e3\);\n$/, () => START);
  await writeFile(join(folder, 'host.mjs'), host);
  const program = startNode(t, folder, ['host.mjs']);
  const [, port, paths = ''] = await program.waitFor(/^ready (\d+) (.+)$/m);
  return { program, links: paths.split(' ').map((path) => `http://127.0.0.1:${port}${path}`) };
}

const post = (url: string, changes: Partial<typeof FIELDS> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ ...FIELDS, ...changes }), redirect: 'manual' });

t.test('the host of docs/serve-pages.md serves the whole way of a link', async (t) => {
  const { program, links } = await startPages(t);
  const [link = '', shownLink = '', brokenLink = ''] = links;

  for (const method of ['HEAD', 'GET', 'GET']) t.equal((await fetch(link, { method })).status, 200, method);
  const form = await fetch(link);
  const html = await form.text();
  const [, nonce = ''] = /<style nonce="([\w+/=]{24})">/.exec(html) ?? [];
  const policy = form.headers.get('content-security-policy') ?? '';
  t.ok(policy.includes(`style-src 'nonce-${nonce}'`), policy);
  t.match(policy, "form-action 'self' https://app.example.com;");
  t.match(policy, /frame-ancestors https:\/\/portal\.example\.com$/);
  t.equal(form.headers.get('referrer-policy'), 'strict-origin');
  t.match(html, 'value="&quot;&gt;&lt;b&gt;P-1"', 'values are escaped');

  const invalid = await post(link, { '/policy/holder/email': '"><b>no address' });
  t.equal(invalid.status, 400);
  const again = await invalid.text();
  t.match(again, 'value="&quot;&gt;&lt;b&gt;no address"></label> must be');
  t.match(again, 'value="Lovelace"></label> </p>', 'a valid field has its value and no problem');

  const submitted = await post(link);
  t.equal(submitted.status, 303);
  t.match(submitted.headers.get('location'), /^https:\/\/app\.example\.com\/done\?reference=[\w-]+$/);
  t.equal(submitted.headers.get('referrer-policy'), 'strict-origin');
  const repeated = await post(link);
  t.equal(
    repeated.headers.get('location'),
    submitted.headers.get('location'),
    'a repeat has the first result',
  );

  const changed = await post(link, { '/policy/holder/phone': '<b>+44 20 7946 0001' });
  t.equal(changed.status, 200, 'a changed claim is not shown as sent');
  const notTaken = await changed.text();
  t.match(notTaken, 'was not taken');
  t.match(notTaken, 'Phone: &lt;b&gt;+44 20 7946 0001', 'what was entered comes back');

  const shown = await post(shownLink);
  t.equal(shown.status, 200);
  t.match(await shown.text(), /Your reference is [\w-]+\.<\/p><p><a href="https:\/\/app\.example\.com\/done/);

  const unknown = new URL(link);
  unknown.searchParams.delete('token');
  const lost = await (await post(unknown.href)).text();
  t.match(lost, 'Last name: Lovelace', 'a link without a form gives back what was entered');
  const headers = { 'sec-fetch-site': 'cross-site' };
  const injected = { method: 'POST', body: new URLSearchParams(FIELDS), headers };
  t.notMatch(
    await (await fetch(unknown, injected)).text(),
    'Lovelace',
    'a form of another site gets none back',
  );
  for (const [url, status] of [
    [link, 410],
    [unknown.href, 404],
  ] as const) {
    for (const response of [await fetch(url), await fetch(url, { method: 'HEAD' })]) {
      t.equal(response.status, status);
      t.match(
        response.headers.get('content-security-policy'),
        /form-action 'self';.*frame-ancestors 'none'$/,
      );
      t.equal(response.headers.get('cache-control'), 'no-store');
    }
  }
  t.equal((await fetch(new URL('/claims/acme/sessions/user-1', link))).status, 401, 'claimlink has the API');

  const tooLarge = await post(shownLink, { '/policy/number': 'x'.repeat(65_536) });
  t.equal(tooLarge.status, 413);
  const broken = await fetch(brokenLink);
  t.equal(broken.status, 500);
  t.notMatch(await broken.text(), 'database');
  t.match(
    await (await post(brokenLink)).text(),
    'may have arrived',
    'after a failure, the claim may be stored',
  );

  await program.stop();
  const log = program.output().replace(/^ready .*\n/, '');
  t.same(
    log.match(/\{ method: .*\}/g),
    ['GET', 'POST'].map((method) => `{ method: '${method}', path: '/verify/:accessCode' }`),
    'the log has no error of a client',
  );
  t.match(log, 'the database is gone');
  t.notMatch(log, new URL(brokenLink).searchParams.get('token') ?? '', 'the log has no token');
});
