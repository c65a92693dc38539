// What the dashboard's forms do, each as a plain form without a script, and what they say when they cannot.
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { list, send } from '../client.js';
import { act, follow, LINK_FIELDS, part, plain, typedIn } from '../dashboard-forms.js';
import { mintLink } from '../links.js';

const CLIENTS = [
  { clientId: 'demo', apiKey: 'clk_test_demo' },
  { clientId: 'other', apiKey: 'clk_test_other' },
];

const DAY = 86_400_000;

/** Every member of a link request, as the form names them. */
const EVERY_FIELD = {
  ...LINK_FIELDS,
  '/callbackOnSubmit': 'true',
  '/config/contact/link': 'https://example.com/help',
  '/config/initialStepKey': 'incident',
  '/config/privacyPolicyUrl': 'https://example.com/privacy',
  '/config/policy/provider': 'Northwind',
  '/config/policy/number': 'NW-1',
  '/config/policy/validFrom': '2026-01-01',
  '/config/policy/validTo': '2026-12-31',
  '/config/policy/vehicle/licensePlate': 'AB 12',
  '/config/policy/holder/firstName': 'Ada',
  '/config/policy/holder/lastName': 'Lovelace',
  '/config/policy/holder/email': 'ada@example.com',
  '/config/policy/holder/phone': '+44 1',
  // The first row is empty: it is no contact.
  '/config/policy/linkedContacts/0/firstName': '',
  '/config/policy/linkedContacts/1/firstName': 'Grace',
  '/config/policy/linkedContacts/1/lastName': 'Hopper',
  '/config/policy/linkedContacts/1/email': 'grace@example.com',
  '/config/policy/linkedContacts/1/phone': '+1 2',
  '/config/policy/linkedContacts/2/firstName': 'Edsger',
};

t.test(
  'the form makes a link with every member of the request, and the link is ready on the page',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { body } = await follow(mock.url, 'make-link', EVERY_FIELD);
    const [link] = mock.links();
    t.match(body, /class="notice good" role="status"[\s\S]*The link for <bdi>user-1<\/bdi> is ready/);
    t.ok(plain(part(body, 'links')).includes(link?.url ?? ''));
    const shown = await send(link?.url ?? '');
    t.equal(shown.status, 200);
    for (const value of Object.values(EVERY_FIELD)) {
      const isShown = !['', 'true', 'incident', 'user-1', LINK_FIELDS['/callbackUrl']].includes(value);
      if (isShown) t.ok(plain(shown.body).includes(value), value);
    }
    t.equal(typedIn(shown.body, '/policy/linkedContacts/0/firstName'), 'Grace', 'the empty row is left out');
    t.equal(typedIn(shown.body, '/policy/linkedContacts/1/firstName'), 'Edsger');
    t.match(shown.body, 'data-callback-on-submit');
  },
);

t.test('sent as it is, the form makes a link with the policy of the newest session', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const [newest] = JSON.parse((await list(mock.url, 'user-2')).body);
  const { body } = await send(`${mock.url}/?user=user-2`);
  const names = [...body.matchAll(/name="(\/(?:config|callback)[^"]*)"/g)].map(([, name]) => name ?? '');
  const fields = Object.fromEntries(
    names.filter((name) => name !== '/callbackOnSubmit').map((name) => [name, typedIn(body, name) ?? '']),
  );
  t.equal(fields['/config/policy/number'], newest.selectedPolicy.number);
  t.equal(fields['/config/policy/holder/lastName'], newest.selectedPolicy.holder.lastName);
  await follow(mock.url, 'make-link', { ...fields, user: 'user-2' });
  const [link] = mock.links();
  t.equal(link?.userId, 'user-2');
  t.ok(plain((await send(link?.url ?? '')).body).includes(newest.selectedPolicy.number));
});

t.test('a link may be for another user, whose page is shown then', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const fields = { ...LINK_FIELDS, '/config/currentUserId': 'somebody else' };
  t.match((await follow(mock.url, 'make-link', fields)).body, 'Sessions of <bdi>somebody else</bdi>');
});

t.test(
  'what is wrong with a link is told at its field, what was typed is still there, and the fold is open',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const { status, body } = await act(mock.url, 'make-link', {
      ...EVERY_FIELD,
      '/callbackUrl': 'http://example.com/x',
      '/config/contact/link': 'javascript:alert(1)',
      '/config/policy/linkedContacts/2/firstName': 'x'.repeat(101),
    });
    t.equal(status, 400);
    for (const [name, detail] of [
      ['/callbackUrl', 'must be an https URL'],
      ['/config/contact/link', 'must be'],
      // The third row is the second contact, and stands in the second row now.
      ['/config/policy/linkedContacts/1/firstName', 'must not be longer than 100 characters'],
    ]) {
      t.match(body, `<p class="wrong" id="make-link${name}-problem">${detail}`);
      t.match(body, `<a href="#make-link${name}">`);
    }
    t.equal(body.match(/aria-invalid="true"/g)?.length, 3);
    t.equal(typedIn(body, '/callbackUrl'), 'http://example.com/x');
    t.equal(typedIn(body, '/config/policy/linkedContacts/0/firstName'), 'Grace');
    t.match(body, 'open><summary>Policy to prefill');
    t.match(body, 'open><summary>Help and privacy');
    t.match(body, 'name="/callbackOnSubmit" value="true" checked');
    t.match(body, '<title>Error: ');
    t.equal(mock.links().length, 0);
  },
);

t.test('the callback of the form is the mock’s own page, or an origin that the client lists', async (t) => {
  const clients = [
    { clientId: 'open', apiKey: 'a' },
    { clientId: 'web', apiKey: 'b', callbackOrigins: ['https://web.example.com'] },
    { clientId: 'app', apiKey: 'c', callbackOrigins: ['myapp:'] },
  ];
  await using mock = await startMockServer({ port: 0, clients });
  const callbackOf = async (clientId: string) =>
    typedIn((await send(`${mock.url}/?client=${clientId}`)).body, '/callbackUrl') ?? '';
  const query = '?reference={SESSION_REFERENCE}&status={STATUS}';
  t.equal(await callbackOf('open'), `${mock.url}/__mock/callback${query}`);
  t.equal(await callbackOf('web'), `https://web.example.com/${query}`);
  t.equal(await callbackOf('app'), `myapp://${query}`);
  for (const client of ['open', 'web', 'app']) {
    const fields = { ...LINK_FIELDS, client, '/callbackUrl': await callbackOf(client) };
    t.equal((await act(mock.url, 'make-link', fields)).status, 303, client);
  }
});

t.test('a link is submitted with a claim that is made up, and its session is listed', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  const { body } = await follow(mock.url, 'submit-link', { link: mock.links()[0]?.id ?? '' });
  const [link] = mock.links();
  t.equal(link?.state, 'submitted');
  t.match(part(body, 'links'), 'class="state submitted"');
  t.match(part(body, 'links'), `<code>${link?.reference}</code>`);
  t.match(part(body, 'sessions'), `<code>${link?.reference}</code>`);
  t.notMatch(part(body, 'links'), 'expire-link', 'nothing can be done to it any more');
});

t.test('a link is expired, another one is revoked', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  await mintLink(mock.url);
  const [first, second] = mock.links();
  await follow(mock.url, 'expire-link', { link: first?.id ?? '' });
  const { body } = await follow(mock.url, 'revoke-link', { link: second?.id ?? '' });
  const stateOf = (id = '') => mock.links().find((link) => link.id === id)?.state;
  t.equal(stateOf(first?.id), 'expired');
  t.equal(stateOf(second?.id), 'revoked');
  t.match(part(body, 'links'), 'class="state expired"');
  t.match(part(body, 'links'), 'class="state revoked"');
  t.equal((await send(first?.url ?? '')).status, 410);
  t.match(await act(mock.url, 'submit-link', { link: first?.id ?? '' }), {
    status: 410,
    body: /role="alert"[\s\S]*The link has expired/,
  });
  t.equal((await act(mock.url, 'submit-link', { link: 'none' })).status, 404);
});

t.test(
  'links that can still expire say when, by the clock of the mock; a frozen one says nothing',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    t.notMatch(part((await send(mock.dashboardUrl)).body, 'links'), 'data-expiry');
    await mintLink(mock.url);
    const ms = Number(/data-expiry="(\d+)"/.exec((await send(mock.dashboardUrl)).body)?.[1]);
    t.ok(ms > DAY - 60_000 && ms <= DAY, String(ms));
    await mock.clock.freeze({ clientId: 'demo' });
    t.notMatch(part((await send(mock.dashboardUrl)).body, 'links'), 'data-expiry');
  },
);

t.test('the clock is turned, set, frozen, and let go, for the client that is shown', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: CLIENTS });
  const read = (clientId = 'demo') => mock.clock.read({ clientId });
  await follow(mock.url, 'turn-clock', { ms: String(DAY) });
  t.equal(read().offsetMs, DAY);
  await follow(mock.url, 'advance-clock', { '/amount': '1.5', '/unit': 'hours' });
  t.equal(read().offsetMs, DAY + 5_400_000);
  t.match((await follow(mock.url, 'freeze-clock')).body, '<span class="state frozen">frozen</span>');
  t.equal(read().isFrozen, true);
  const { body } = await follow(mock.url, 'set-clock', { '/now': '2030-01-31T14:05' });
  t.equal(read().now.toISOString(), '2030-01-31T14:05:00.000Z');
  t.match(part(body, 'clock'), '2030-01-31 14:05:00');
  await follow(mock.url, 'set-clock', { '/now': '2030-01-31 14:05:06+02:00' });
  t.equal(read().now.toISOString(), '2030-01-31T12:05:06.000Z');
  await follow(mock.url, 'resume-clock');
  t.equal(read().isFrozen, false);
  await follow(mock.url, 'reset-clock');
  t.equal(read().offsetMs, 0);
  t.equal(read('other').offsetMs, 0, 'the other client noticed nothing');
});

t.test('for all clients, the clock of each is turned', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: CLIENTS });
  const { body } = await follow(mock.url, 'turn-clock', { ms: String(DAY), scope: 'all' });
  t.same(
    CLIENTS.map(({ clientId }) => mock.clock.read({ clientId }).offsetMs),
    [DAY, DAY],
  );
  t.match(body, /scope=all" aria-current="true">All clients/, 'the choice stays');
});

t.test('a moment or an amount that is none is told at its field', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  for (const [action, name, value] of [
    ['set-clock', '/now', 'tomorrow'],
    ['set-clock', '/now', '2030-13-01'],
    ['set-clock', '/now', '1850-01-01'],
    ['set-clock', '/now', ''],
    ['advance-clock', '/amount', 'a day'],
    ['advance-clock', '/amount', ''],
    ['advance-clock', '/amount', '99999999999'],
    ['advance-clock', '/unit', 'years'],
  ] as const) {
    const { status, body } = await act(mock.url, action, { '/amount': '1', '/unit': 'days', [name]: value });
    t.equal(status, 400, `${name} ${value}`);
    t.match(body, `id="${action}${name}-problem"`);
    t.match(body, 'open><summary>Advance by, set to');
  }
  t.equal(mock.clock.read({ clientId: 'demo' }).offsetMs, 0);
});

t.test('a fault is set with everything it has, shows its hits, and is cleared', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: CLIENTS });
  const { body } = await follow(mock.url, 'add-fault', {
    '/route': 'listSessions',
    '/effect': 'status',
    '/status': '429',
    '/delayMs': '1-2',
    '/times': '3',
    '/rate': '1',
  });
  t.match(mock.faults(), [
    { clientId: 'demo', route: 'listSessions', status: 429, delayMs: [1, 2], times: 3, rate: 1, hits: 0 },
  ]);
  t.match(part(body, 'faults'), 'wait 1 ms to 2 ms, then answer 429');
  t.equal((await list(mock.url, 'user-1')).status, 429);
  const after = part((await send(`${mock.url}/?client=demo`)).body, 'faults');
  t.match(after, 'listSessions · demo · 2 left · 1 hit<');
  t.notMatch(
    part((await send(`${mock.url}/?client=other`)).body, 'faults'),
    'answer 429',
    'another client has none',
  );
  await follow(mock.url, 'clear-fault', { fault: mock.faults()[0]?.id ?? '' });
  t.equal(mock.faults().length, 0);
});

t.test('an effect or a delay alone is a fault, too, and the status is not for it', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const fields = { '/status': '503', '/times': '', '/rate': '' };
  await follow(mock.url, 'add-fault', { ...fields, '/effect': 'truncate', scope: 'all' });
  await follow(mock.url, 'add-fault', { ...fields, '/effect': 'delay', '/delayMs': '20' });
  const [first, second] = mock.faults();
  t.same({ ...first, id: '' }, { id: '', effect: 'truncate', hits: 0 });
  t.same({ ...second, id: '' }, { id: '', clientId: 'demo', delayMs: 20, hits: 0 });
  await follow(mock.url, 'clear-faults');
  t.equal(mock.faults().length, 1, 'those for all clients stay');
  await follow(mock.url, 'clear-faults', { scope: 'all' });
  t.equal(mock.faults().length, 0);
});

t.test('a fault that cannot be is refused with everything that is wrong, each at its field', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { status, body } = await act(mock.url, 'add-fault', {
    '/effect': 'status',
    '/status': '',
    '/delayMs': 'long',
    '/times': 'often',
    '/rate': 'half',
  });
  t.equal(status, 400);
  for (const name of ['status', 'delayMs', 'times', 'rate'])
    t.match(body, `id="add-fault/${name}-problem"`, name);
  t.equal(typedIn(body, '/delayMs'), 'long');
  const outOfRange = await act(mock.url, 'add-fault', {
    '/effect': 'status',
    '/status': '200',
    '/rate': '2',
  });
  t.match(outOfRange.body, 'id="add-fault/status-problem">must be');
  t.match(outOfRange.body, 'id="add-fault/rate-problem">must be');
  t.match((await act(mock.url, 'add-fault', { '/effect': 'delay' })).body, 'id="add-fault/delayMs-problem"');
  t.equal(mock.faults().length, 0);
});

t.test('the journal shows what came, newest first, with status and fault; it is cleared', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: CLIENTS });
  await list(mock.url, 'user-1');
  mock.failNext({ clientId: 'demo', status: 503 });
  await list(mock.url, 'user-2');
  await send(`${mock.url}/other/sessions/user-1`, { headers: { 'x-api-key': 'clk_test_other' } });
  await send(`${mock.url}/nobody/sessions/user-1`);
  const journal = part((await send(`${mock.url}/?client=demo`)).body, 'journal');
  const rows = journal.split('<li ').slice(1);
  t.equal(rows.length, 3, 'its own requests, and the one of nobody');
  t.match(rows[0], '/nobody/sessions/user-1');
  t.match(
    rows[1],
    /class="status bad">503<[\s\S]*\/demo\/sessions\/user-2[\s\S]*listSessions[\s\S]*fault: 503[\s\S]*ms</,
  );
  t.match(rows[2], /class="status good">200<[\s\S]*<b>GET<\/b> <code>\/demo\/sessions\/user-1<\/code>/);
  const all = part((await send(`${mock.url}/?client=demo&scope=all`)).body, 'journal');
  t.equal(all.split('<li ').length - 1, 4);
  await follow(mock.url, 'clear-journal');
  t.same(
    mock.requests().map(({ clientId }) => clientId),
    ['other', null],
  );
  t.match(
    part((await follow(mock.url, 'clear-journal', { scope: 'all' })).body, 'journal'),
    'No requests yet.',
  );
  t.equal(mock.requests().length, 0);
});

t.test('with one client, clearing its journal clears what names no client as well', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await send(`${mock.url}/nobody/sessions/user-1`);
  await follow(mock.url, 'clear-journal');
  t.equal(mock.requests().length, 0);
});

t.test('of a long journal, the last 50 requests are shown', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  for (let count = 0; count < 55; count++) await list(mock.url, `user-${count}`);
  const journal = part((await send(mock.dashboardUrl)).body, 'journal');
  t.match(journal, 'last 50 of 55');
  t.equal(journal.split('<li ').length - 1, 50);
  t.match(journal, '/user-54<');
  t.notMatch(journal, '/user-4<');
});

t.test(
  'a client is added with what is given, the rest is made up; it is shown, and can be removed',
  async (t) => {
    await using mock = await startMockServer({ port: 0 });
    const added = await follow(mock.url, 'add-client', {
      '/clientId': ' acme ',
      '/name': 'Acme',
      '/callbackOrigins': 'https://a.example, myapp:',
    });
    t.match(added.body, '?client=acme" aria-current="page">acme');
    t.match(added.body, 'Remove this client');
    t.equal(
      typedIn(added.body, '/callbackUrl'),
      'https://a.example/?reference={SESSION_REFERENCE}&status={STATUS}',
    );
    t.match(added.headers, { 'content-type': /html/ });
    await follow(mock.url, 'add-client');
    t.equal(mock.clients.length, 3);
    const removed = await follow(mock.url, 'remove-client', { client: 'acme' });
    t.match(removed.body, 'aria-current="page">demo');
    t.notMatch(removed.body, 'Remove this client', 'a configured client stays');
    t.equal((await act(mock.url, 'remove-client')).status, 404);
    t.equal(mock.clients.length, 2);
  },
);

t.test('a client that cannot be is refused at its fields', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { status, body } = await act(mock.url, 'add-client', {
    '/clientId': 'verify',
    '/apiKey': 'with space',
  });
  t.equal(status, 400);
  t.match(body, 'id="add-client/clientId-problem">is reserved');
  t.match(body, 'id="add-client/apiKey-problem">must be');
  t.match(body, 'open><summary>Add a client');
  t.equal(typedIn(body, '/apiKey'), 'with space');
  t.match(await act(mock.url, 'add-client', { '/clientId': 'demo' }), {
    status: 409,
    body: 'exists already',
  });
});

t.test('reset is for the shown client, or for everything', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: CLIENTS });
  await mintLink(mock.url);
  await mock.submitLink(mock.links()[0]?.id ?? '');
  await mock.clock.advance(DAY);
  const seeded = (await list(mock.url, 'user-1')).body;
  await follow(mock.url, 'reset');
  t.equal(mock.links().length, 0);
  t.notSame((await list(mock.url, 'user-1')).body, seeded, 'the submitted session is gone');
  t.equal(mock.clock.read({ clientId: 'demo' }).offsetMs, 0);
  t.equal(mock.clock.read({ clientId: 'other' }).offsetMs, DAY);
  await mock.addClient({ clientId: 'added' });
  const { status, body } = await follow(mock.url, 'reset', { client: 'added', user: '', scope: 'all' });
  t.equal(status, 200);
  t.match(body, 'aria-current="page">demo', 'what was shown is gone: the first client is');
  t.equal(mock.clock.read({ clientId: 'other' }).offsetMs, 0);
});

t.test('snapshots are taken under names, restored and deleted', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await mintLink(mock.url);
  t.match(
    part((await follow(mock.url, 'take-snapshot', { '/name': 'one-link' })).body, 'world'),
    '<b>one-link</b>',
  );
  await mintLink(mock.url);
  const { body } = await follow(mock.url, 'restore-snapshot', { name: 'one-link' });
  t.equal(mock.links().length, 1);
  t.match(part(body, 'links'), 'Links <span class="count">1</span>');
  t.notMatch(
    part((await follow(mock.url, 'forget-snapshot', { name: 'one-link' })).body, 'world'),
    'one-link',
  );
  t.match(await act(mock.url, 'restore-snapshot', { name: 'one-link' }), {
    body: 'no snapshot of this name',
  });
  t.match((await act(mock.url, 'take-snapshot', { '/name': ' ' })).body, 'id="take-snapshot/name-problem"');
  t.match((await act(mock.url, 'take-snapshot', { '/name': 'a b' })).body, 'id="take-snapshot/name-problem"');
});
