// The dashboard: what is on it, what its forms do without a script, and that nothing gets out of its place.
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { list, send, sendForm } from '../client.js';
import { act, follow, LINK_FIELDS, part, plain, typedIn } from '../dashboard-forms.js';
import { mintLink } from '../links.js';

const HOSTILE = `"><script>alert(1)</script>'&\u202e`;

t.test('it shows the seed, the client, its key, its users and the sessions of the first one', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { status, headers, body } = await send(mock.dashboardUrl);
  t.equal(status, 200);
  t.equal(headers['content-type'], 'text/html; charset=utf-8');
  for (const text of [
    'Demo Insurance',
    '<code>42</code>',
    '<code>demo</code>',
    '<code>clk_test_demo</code>',
  ]) {
    t.ok(body.includes(text), text);
  }
  for (const user of ['user-1', 'user-5', 'user-many'])
    t.ok(body.includes(`./?client=demo&amp;user=${user}`), user);
  for (const { reference, selectedPolicy } of JSON.parse((await list(mock.url, 'user-1')).body)) {
    t.ok(body.includes(reference));
    t.ok(body.includes(selectedPolicy.vehicle.licensePlate));
  }
});

t.test(
  'it answers HEAD, is never stored, and runs under a policy that lets no script in but its own',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { status, headers, body } = await send(mock.dashboardUrl, { method: 'HEAD' });
    t.equal(status, 200);
    t.equal(body, '');
    t.match(headers, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'content-security-policy':
        /^default-src 'none'; style-src 'nonce-([^']+)'; script-src 'nonce-\1'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    });
    const again = await send(mock.dashboardUrl);
    const policy = String(again.headers['content-security-policy']);
    t.not(policy, headers['content-security-policy'], 'the nonce is new each time');
    t.equal(again.body.match(/<script/g)?.length, 1);
    t.ok(again.body.includes(`<script nonce="${/nonce-([^']+)/.exec(policy)?.[1]}">`));
    t.notMatch(again.body, / (?:style|on[a-z]+)="/, 'nothing that the policy would refuse');
  },
);

t.test('the callback page has no script at all', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { headers, body } = await send(`${mock.url}/__mock/callback`);
  t.notMatch(String(headers['content-security-policy']), 'script-src');
  t.notMatch(body, '<script');
});

t.test('every address on it is relative, so that a proxy may put a prefix before everything', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  const refused = await act(mock.url, 'add-fault', { '/effect': 'delay' });
  for (const [root, { body }] of [
    ['./', await send(mock.dashboardUrl)],
    ['../../', refused],
  ] as const) {
    const addresses = [...body.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, address]) => address ?? '');
    const odd = addresses.filter(
      (address) => !address.startsWith(root) && !/^(?:#|data:|http)/.test(address),
    );
    t.same(odd, []);
    t.ok(addresses.length > 20);
    t.match(body, `<html lang="en" data-root="${root}" data-page="${root}?client=demo`);
  }
});

t.test('any user can be looked up, and is then listed', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { body } = await send(`${mock.url}/?client=demo&user=somebody+else`);
  t.match(body, 'Sessions of <bdi>somebody else</bdi>');
  t.match(body, 'user=somebody+else" aria-current="page"');
});

t.test('the magic users are there, each with what it does', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { body } = await send(mock.dashboardUrl);
  t.match(body, /<dt><code>user-many<\/code><\/dt><dd>has 250 sessions/);
});

t.test('a user without sessions is told what to do', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match((await send(`${mock.url}/?user=user-empty`)).body, 'No sessions yet.');
});

t.test(
  'a magic user that fails has a page all the same, and a link for it is refused in words',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { status, body } = await send(`${mock.url}/?user=user-error`);
    t.equal(status, 200);
    t.match(part(body, 'sessions'), 'always fails');
    const made = await act(mock.url, 'make-link', { ...LINK_FIELDS, '/config/currentUserId': 'user-error' });
    t.match(made, { status: 500, body: /role="alert"[\s\S]*always fails/ });
  },
);

t.test('many sessions are shown page by page', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const first = await send(`${mock.url}/?user=user-many`);
  t.match(first.body, 'newest 25');
  const older = plain(/href="\.\/(\?[^"]+cursor[^"]+)">Older/.exec(first.body)?.[1] ?? '');
  const second = await send(`${mock.url}/${older}`);
  t.match(second.body, '25 older');
  t.match(second.body, '>Newest</a>');
  t.ok(plain(second.body).includes(`data-page="./${older}"`), 'that page is the one that is kept up to date');
  t.equal(
    typedIn(second.body, '/config/policy/number'),
    typedIn(first.body, '/config/policy/number'),
    'a link is prefilled from the newest session, whatever page is shown',
  );
});

t.test('several clients are tabs; one that is unknown is a 404 that still shows the first', async (t) => {
  const clients = [
    { clientId: 'acme', apiKey: 'a' },
    { clientId: 'beta', apiKey: 'b' },
  ];
  await using mock = await startMockServer({ port: 0, clients });
  t.match((await send(`${mock.url}/?client=beta`)).body, '?client=beta" aria-current="page">beta');
  const { status, body } = await send(`${mock.url}/?client=gamma`);
  t.equal(status, 404);
  t.match(body, 'The client was not found.');
  t.match(body, '?client=acme" aria-current="page">acme');
});

t.test('a bad cursor or user id is explained', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(await send(`${mock.url}/?cursor=x`), { status: 400, body: 'role="alert"' });
  t.match(await send(`${mock.url}/?user=${'x'.repeat(101)}`), {
    status: 414,
    body: 'must not be longer than 100',
  });
});

t.test('a form of another site does nothing, whatever its action', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  for (const action of ['reset', 'make-link', 'clear-journal', 'add-client', 'freeze-clock']) {
    const { status } = await sendForm(
      `${mock.url}/__mock/dashboard/${action}`,
      { client: 'demo', user: 'user-1', ...LINK_FIELDS },
      { origin: 'https://evil.example' },
    );
    t.equal(status, 403, action);
  }
  t.equal(mock.links().length, 1);
  t.equal(mock.requests().length, 1);
  t.equal(mock.clients.length, 1);
  t.equal(mock.clock.read({ clientId: 'demo' }).isFrozen, false);
});

t.test('an unknown action, an unknown client and a body that is no form are refused', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.equal((await act(mock.url, 'explode')).status, 404);
  t.match(await act(mock.url, 'make-link', { ...LINK_FIELDS, client: 'nobody' }), {
    status: 404,
    body: 'The client was not found.',
  });
  const url = `${mock.url}/__mock/dashboard/make-link`;
  t.equal((await send(url, { method: 'POST' })).status, 400, 'an empty form lacks everything');
  const headers = { 'content-type': 'text/xml' };
  t.equal((await send(url, { method: 'POST', headers, body: '<x/>' })).status, 415);
  t.equal(mock.links().length, 0);
});

t.test(
  'whatever a name, an id, a policy or a query holds is escaped, and kept in its direction',
  async (t) => {
    const clients = [{ clientId: HOSTILE, apiKey: `k"'<&`, name: HOSTILE }];
    await using mock = await startMockServer({ port: 0, clients, seed: HOSTILE.replace('\u202e', '') });
    const person = { firstName: HOSTILE, lastName: HOSTILE, phone: '1', email: HOSTILE };
    mock.setSessions(HOSTILE, HOSTILE, [
      {
        reference: HOSTILE.slice(0, 99),
        date: '2026-01-01T10:00',
        camsReference: 'C-1',
        status: HOSTILE,
        createdAt: '2026-01-01T09:00',
        selectedPolicy: {
          number: HOSTILE,
          provider: HOSTILE,
          holder: { ...person, id: HOSTILE },
          validFrom: '2026-01-01',
          validTo: '2026-12-31',
          linkedContacts: [person],
          vehicle: { licensePlate: HOSTILE.slice(0, 30) },
        },
      },
    ]);
    const as = { client: HOSTILE, user: HOSTILE };
    const pages = [
      await follow(mock.url, 'make-link', { ...LINK_FIELDS, ...as, '/config/currentUserId': HOSTILE }),
      await act(mock.url, 'make-link', { ...as, '/callbackUrl': HOSTILE, '/config/initialStepKey': HOSTILE }),
      await act(mock.url, 'add-client', { ...as, '/clientId': '__x', '/apiKey': HOSTILE, '/name': HOSTILE }),
      await act(mock.url, 'set-clock', { ...as, '/now': HOSTILE }),
      await act(mock.url, 'add-fault', { ...as, '/effect': HOSTILE, '/delayMs': HOSTILE }),
      await act(mock.url, 'restore-snapshot', { ...as, name: HOSTILE }),
      await act(mock.url, 'expire-link', { ...as, link: HOSTILE }),
      await send(`${mock.url}/?user=${encodeURIComponent(HOSTILE)}&cursor=${encodeURIComponent(HOSTILE)}`),
      await send(`${mock.url}/?client=${encodeURIComponent(HOSTILE)}&made=${encodeURIComponent(HOSTILE)}`),
      await send(`${mock.url}/__mock/callback?reference=${encodeURIComponent(HOSTILE)}`),
    ];
    t.same(
      pages.map(({ status }) => status),
      [200, 400, 400, 400, 400, 400, 404, 400, 200, 200],
    );
    for (const { body } of pages) {
      t.notMatch(body, /<script(?! nonce=)/i);
      t.match(body, '&lt;script&gt;');
      // Without the page's own script, every quote and bracket that came from outside is an entity.
      t.notMatch(body.replace(/<script nonce[\s\S]*?<\/script>/, ''), 'alert(1)</script>');
    }
    t.match(pages[0]?.body, '<bdi>&quot;&gt;&lt;script&gt;');
  },
);

t.test('the callback page shows what came, and copes with nothing and with too much', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(
    (await send(`${mock.url}/__mock/callback?reference=S-1&status=submitted`)).body,
    /S-1[\s\S]*submitted/,
  );
  t.match((await send(`${mock.url}/__mock/callback`)).body, 'none in the URL');
  t.match(
    (await send(`${mock.url}/__mock/callback?reference=1&reference=2&status=`)).body,
    'none in the URL',
  );
});
