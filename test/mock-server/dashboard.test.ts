// The dashboard: what is on it, the form that makes a link, and that nothing gets out of its place.
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { list, send, sendForm } from './client.js';

const HOSTILE = `"><script>alert(1)</script>'&`;

function form(fields: Record<string, string> = {}): Record<string, string> {
  return {
    client: 'demo',
    user: 'user-1',
    callbackUrl: 'https://app.example.com/done',
    initialStepKey: '',
    ...fields,
  };
}

/** The link on the result page, unescaped. */
function linkOn(body: string): string {
  return (
    /<a class="button primary" href="([^"]+)" target="_blank" rel="noopener">/
      .exec(body)?.[1]
      ?.replaceAll('&amp;', '&') ?? ''
  );
}

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

t.test('it answers HEAD, is never stored, and runs under a strict policy without scripts', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { status, headers, body } = await send(mock.dashboardUrl, { method: 'HEAD' });
  t.equal(status, 200);
  t.equal(body, '');
  t.match(headers, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy':
      /^default-src 'none'; style-src 'nonce-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  });
  const again = await send(mock.dashboardUrl, { method: 'HEAD' });
  t.not(
    again.headers['content-security-policy'],
    headers['content-security-policy'],
    'the nonce is new each time',
  );
});

t.test('any user can be looked up, and is then listed', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { body } = await send(`${mock.url}/?client=demo&user=somebody+else`);
  t.match(body, 'Sessions of somebody else');
  t.match(body, 'user=somebody+else" aria-current="page"');
});

t.test('a user without sessions is told what to do', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match((await send(`${mock.url}/?user=user-empty`)).body, 'No sessions yet.');
});

t.test('many sessions are shown page by page', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const first = await send(`${mock.url}/?user=user-many`);
  t.match(first.body, 'newest 25');
  const older = /href="\.\/(\?[^"]+cursor[^"]+)">Older/.exec(first.body)?.[1]?.replaceAll('&amp;', '&');
  const second = await send(`${mock.url}/${older}`);
  t.match(second.body, '25 older');
  t.match(second.body, '>Newest</a>');
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
});

t.test('a bad cursor or user id is explained', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(await send(`${mock.url}/?cursor=x`), { status: 400, body: 'role="alert"' });
  t.match(await send(`${mock.url}/?user=${'x'.repeat(101)}`), {
    status: 414,
    body: 'must not be longer than 100',
  });
});

t.test(
  'the form makes a link that opens, prefilled from the newest session, at the chosen step',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const [newest] = JSON.parse((await list(mock.url, 'user-1')).body);
    const { status, body } = await sendForm(`${mock.url}/__mock/links`, form({ initialStepKey: 'incident' }));
    t.equal(status, 200);
    t.match(body, '&quot;initialStepKey&quot;: &quot;incident&quot;');
    t.match(body, '&quot;callbackOnSubmit&quot;: false');
    t.notMatch(body, '&quot;id&quot;');
    const opened = await send(linkOn(body));
    t.equal(opened.status, 200);
    t.ok(opened.body.includes(newest.selectedPolicy.number));
  },
);

t.test('the form passes callbackOnSubmit on, and does without a policy when there is none', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const fields = form({ user: 'user-empty', callbackOnSubmit: 'true', initialStepKey: 'nonsense' });
  const { status, body } = await sendForm(`${mock.url}/__mock/links`, fields);
  t.equal(status, 200);
  t.match(body, '&quot;callbackOnSubmit&quot;: true');
  t.notMatch(body, '&quot;policy&quot;');
  t.notMatch(body, 'initialStepKey');
});

t.test(
  'a link that cannot be made comes back as the form, with what is wrong and what was typed',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { status, body } = await sendForm(
      `${mock.url}/__mock/links`,
      form({ callbackUrl: 'http://example.com/x' }),
    );
    t.equal(status, 400);
    t.match(body, '<code>/callbackUrl</code> must be an https URL');
    t.match(body, 'value="http://example.com/x"');
    t.match(body, 'action="../__mock/links"', 'links fit the deeper path');
  },
);

t.test('an empty form, an unknown client and a body that is no form are refused', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const url = `${mock.url}/__mock/links`;
  t.equal((await sendForm(url, {})).status, 400);
  t.equal((await sendForm(url, form({ client: 'nobody' }))).status, 404);
  t.equal((await send(url, { method: 'POST' })).status, 400);
  t.equal(
    (await send(url, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<x/>' })).status,
    415,
  );
  t.equal((await sendForm(url, form({ callbackUrl: 'x'.repeat(1_100_000) }))).status, 413);
});

t.test(
  'the callback of the prefilled form is the mock’s own page, or an origin that the client lists',
  async (t) => {
    const clients = [
      { clientId: 'open', apiKey: 'a' },
      { clientId: 'web', apiKey: 'b', callbackOrigins: ['https://web.example.com'] },
      { clientId: 'app', apiKey: 'c', callbackOrigins: ['myapp:'] },
    ];
    await using mock = await startMockServer({ port: 0, clients });
    const callbackOf = async (clientId: string) =>
      /name="callbackUrl" value="([^"]*)"/
        .exec((await send(`${mock.url}/?client=${clientId}`)).body)?.[1]
        ?.replaceAll('&amp;', '&') ?? '';
    const query = '?reference={SESSION_REFERENCE}&status={STATUS}';
    t.equal(await callbackOf('open'), `${mock.url}/__mock/callback${query}`);
    t.equal(await callbackOf('web'), `https://web.example.com/${query}`);
    t.equal(await callbackOf('app'), `myapp://${query}`);
    for (const client of ['open', 'web', 'app']) {
      const fields = form({ client, callbackUrl: await callbackOf(client) });
      t.equal((await sendForm(`${mock.url}/__mock/links`, fields)).status, 200, client);
    }
  },
);

t.test('whatever a name, an id or a query holds is escaped', async (t) => {
  const clients = [{ clientId: HOSTILE, apiKey: `k"'<&`, name: HOSTILE }];
  await using mock = await startMockServer({ port: 0, clients, seed: HOSTILE });
  const pages = await Promise.all([
    send(`${mock.url}/?user=${encodeURIComponent(HOSTILE)}`),
    sendForm(`${mock.url}/__mock/links`, { client: HOSTILE, user: HOSTILE, callbackUrl: HOSTILE }),
    sendForm(`${mock.url}/__mock/links`, form({ client: HOSTILE, user: HOSTILE })),
    send(
      `${mock.url}/__mock/callback?reference=${encodeURIComponent(HOSTILE)}&status=${encodeURIComponent(HOSTILE)}`,
    ),
  ]);
  t.same(
    pages.map(({ status }) => status),
    [200, 400, 200, 200],
  );
  for (const { body } of pages) {
    t.notMatch(body, /<script/i);
    t.match(body, '&lt;script&gt;');
  }
});

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
