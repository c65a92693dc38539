// The control API: the same methods in this process and over HTTP, clients, attribution, limits and its document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { connectMock, MockControlError } from '../../../mock-server/control/connect.js';
import { type Scenario, startMockServer } from '../../../mock-server/index.js';
import { createCaller, linkRequest } from '../caller.js';
import { send } from '../client.js';

const mock = await startMockServer({ port: 0 });
t.teardown(() => mock.close());

for (const [name, control] of [
  ['in this process', mock],
  ['over HTTP', connectMock(mock.url)],
] as const) {
  t.test(`${name}: keyless requests and forged tokens change no log and no fault of a client`, async (t) => {
    const client = await control.addClient();
    const link = await client.createLink(linkRequest('zoe'));
    await client.addFault({ status: 503, times: 1 });
    const base = `${mock.url}/${client.clientId}`;
    await send(`${mock.url}/verify/code-of-another-link?${new URL(link.url).searchParams}`);
    await send(`${base}/sessions/zoe`);
    await send(`${base}/sessions/zoe`, { headers: { 'x-api-key': 'clk_test_demo' } });
    await send(link.url.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')).replace(/token=\w/, 'token=x'));
    t.equal(await client.countRequests(), 0);
    t.match(await client.faults(), [{ hits: 0 }]);
    const caller = createCaller(mock.url, client);
    t.equal((await caller.list('zoe')).status, 503);
    t.match(await client.requests(), [{ route: 'listSessions', userId: 'zoe', status: 503, time: Date }]);
  });

  t.test(`${name}: the brand of a client can be set, and rejected settings name their place`, async (t) => {
    const client = await control.addClient({ name: 'Acme', locale: 'fr', branding: { displayName: 'A' } });
    const branding = { displayName: null, primaryColor: '#14508c' };
    const changed = await client.update({ locale: null, branding });
    t.match(changed, { clientId: client.clientId, name: 'Acme', branding: { primaryColor: '#14508c' } });
    t.strictSame(await control.updateClient(client.clientId, {}), changed);
    const { clients } = await control.state();
    t.match(clients.at(-1), changed);
    const { url } = await client.createLink(linkRequest('zoe'));
    t.match((await send(url, { headers: { accept: 'text/html' } })).body, '#14508c');
    const settings = { redirectAfterSeconds: 120 };
    t.strictSame((await client.update({ settings })).settings, settings);
    t.strictSame((await client.scenario()).clients[0]?.settings, settings);
    t.notOk((await client.update({ settings: { redirectAfterSeconds: null } })).settings);
    await t.rejects(client.update({ branding: { primaryColor: '#ff9900' } }), {
      status: 422,
      code: 'request_invalid',
      problems: [{ pointer: '/branding/primaryColor', detail: /the nearest colour of this hue/ }],
    });
    await t.rejects(client.update({ branding: { color: 'red' } as object }), {
      status: 422,
      code: 'request_invalid',
      problems: [{ pointer: '/branding/color', detail: /is unknown here/ }],
    });
  });

  t.test(`${name}: problems of sessions and names have pointers into the input`, async (t) => {
    const rejects = (call: Promise<unknown>, ...pointers: string[]) =>
      t.rejects(call, { code: 'request_invalid', problems: pointers.map((pointer) => ({ pointer })) });
    const session = { reference: '', createdAt: '2026-02-31T08:00' };
    const problems = ['/reference', '/createdAt'];
    await rejects(control.setSessions('demo', 'zoe', [session]), ...problems.map((at) => `/sessions/0${at}`));
    await rejects(control.addSession('demo', 'zoe', session), ...problems.map((at) => `/session${at}`));
    await rejects(control.sessions('demo', 'a\nb'), '/userId');
    await rejects(control.snapshot(''), '/name');
    await rejects(control.addClient({ apiKey: 'with space' }), '/apiKey');
  });

  t.test(`${name}: the message of a rejected link or claim names its problems`, async (t) => {
    const request = { ...linkRequest('zoe'), callbackUrl: 'nothing' };
    await t.rejects(control.createLink('demo', request), {
      code: 'request_invalid',
      message: /^The input is not valid: request\/callbackUrl must .*\.$/,
      problems: [{ pointer: '/request/callbackUrl' }],
    });
    const { url } = await control.createLink('demo', linkRequest('zoe'));
    await t.rejects(control.submitLink(url, { policy: 'none' } as never), { message: /claim\/policy must / });
  });

  t.test(`${name}: a logged request has the headers of its response, and parsed bodies`, async (t) => {
    const client = await control.addClient();
    await createCaller(mock.url, client).link('zoe', { body: JSON.stringify({ callbackUrl: 5 }) });
    const [logged] = await client.requests();
    t.match(logged, {
      requestBody: { json: { callbackUrl: 5 } },
      responseHeaders: { 'content-type': /^application\/problem\+json/ },
      responseBody: { json: { code: 'request_invalid' } },
    });
  });

  t.test(`${name}: the status of a session changes, also of a seeded one that was not read`, async (t) => {
    await mock.reset();
    const [first] = await control.sessions('demo', 'user-2');
    const reference = first?.reference ?? '';
    await mock.reset();
    const change = { status: 'rejected', camsReference: 'CAMS-1' };
    t.strictSame(await control.updateSession('demo', reference, change), { ...first, ...change });
    t.strictSame((await control.sessions('demo', 'user-2'))[0], { ...first, ...change });
    const demo = await control.client('demo');
    t.match(await demo.updateSession(reference, { status: 'paid' }), {
      status: 'paid',
      camsReference: 'CAMS-1',
    });
    await t.rejects(demo.updateSession('S-unknown', change), { status: 404, code: 'session_not_found' });
    await t.rejects(demo.updateSession(reference, { status: '' }), {
      code: 'request_invalid',
      problems: [{ pointer: '/change/status' }],
    });
  });

  t.test(`${name}: sessions that were read can be set again, Dates included`, async (t) => {
    const { linkId } = await control.createLink('demo', linkRequest('eve'));
    await control.submitLink(linkId);
    const sessions = await control.sessions('demo', 'eve');
    t.strictSame(await control.setSessions('demo', 'eve', sessions), sessions);
    t.match(await control.links({ userId: 'eve' }), [{ reference: sessions[0]?.reference }]);
  });

  t.test(`${name}: a scenario that was exported can be set; a mistake in one changes nothing`, async (t) => {
    await control.setSessions('demo', 'user-1', [{ reference: 'R-1' }]);
    const scenario = await control.scenario();
    await control.addClient({ clientId: 'added' });
    const [first] = scenario.clients;
    const mistakes = [
      {},
      { clients: [{ clientId: 'demo' }] },
      { clients: [first, { ...first, clientId: 'b' }] },
    ];
    for (const mistake of mistakes)
      await t.rejects(control.setScenario(mistake as Scenario), { status: 422, code: 'request_invalid' });
    t.match((await control.clients()).at(-1), { clientId: 'added' });
    await control.setScenario(scenario);
    t.match(await control.clients(), [{ clientId: 'demo', isConfigured: true }]);
    await control.setSessions('demo', 'user-1', []);
    await control.reset();
    t.match(await control.sessions('demo', 'user-1'), [{ reference: 'R-1' }], 'a reset restores it');
    await control.setScenario({ clients: [{ clientId: 'demo', apiKey: 'clk_test_demo' }] });
  });

  t.test(`${name}: a change of nothing is rejected`, async (t) => {
    const [session] = await control.sessions('demo', 'user-1');
    await t.rejects(control.updateSession('demo', session?.reference ?? '', {}), {
      status: 422,
      message: 'The input is not valid: change must have at least one member.',
    });
    await t.rejects(control.setClock({}), {
      status: 422,
      message: 'The input is not valid: must be a change of the clock, with now or isFrozen.',
    });
  });

  t.test(`${name}: a client cannot clear a fault of all clients, but can override its delay`, async (t) => {
    await mock.reset();
    const client = await control.addClient();
    const faultsOfAll = await control.faults();
    const slow = faultsOfAll.find(({ userId }) => userId === 'user-slow');
    t.ok(slow);
    await t.rejects(client.clearFaults({ id: slow?.id ?? '' }), {
      status: 409,
      code: 'fault_shared',
      message: 'This fault applies to all clients: clear it without a client, and not with its token.',
    });
    const override = await client.addFault({ userId: 'user-slow', delayMs: 0 });
    const { headers } = await createCaller(mock.url, client).list('user-slow');
    t.equal(headers.get('x-claimlink-fault'), 'delay=0');
    t.equal(
      await control.clearFaults({ id: override.id, clientId: 'demo' }),
      0,
      'the fault of another client',
    );
    t.equal(await client.clearFaults(), 1);
    t.same(await control.faults(), faultsOfAll);
    t.equal(await control.clearFaults({ id: slow?.id ?? '' }), 1);
  });

  t.test(
    `${name}: failNext takes a list, one fault for each request; a client's list is for this client`,
    async (t) => {
      const client = await control.addClient();
      const faults = await client.failNext([{ status: 503 }, { clientId: 'demo', status: 500 }]);
      t.match(
        faults,
        [503, 500].map((status) => ({ status, times: 1, clientId: client.clientId })),
      );
      const caller = createCaller(mock.url, client);
      const statuses = [];
      for (let count = 0; count < 3; count++) statuses.push((await caller.list('zoe')).status);
      t.same(statuses, [503, 500, 200]);
      await t.rejects(client.failNext([{ status: 1 }]), {
        code: 'request_invalid',
        problems: [{ pointer: '/faults/0/status' }],
      });
      await t.rejects(client.failNext([]), { code: 'request_invalid', problems: [{ pointer: '/faults' }] });
      const before = await control.faults();
      await t.rejects(control.failNext([{ status: 500 }, { clientId: 'nobody', status: 500 }]), {
        code: 'client_not_found',
      });
      t.same(await control.faults(), before, 'a list with an unknown client sets none');
    },
  );

  t.test(`${name}: a link is created, opened, submitted; moments are Dates; a repeat says so`, async (t) => {
    const { url, linkId, ...link } = await control.createLink('demo', linkRequest('zoe'));
    t.match(link, { state: 'created', createdAt: Date, expiresAt: Date, userId: 'zoe' });
    t.match(await control.openLink(url), { state: 'opened', openedAt: Date });
    const { reference } = await control.submitLink(linkId);
    t.match(await control.submitLink(url), { reference, repeated: true, unchanged: true });
    t.match(await control.sessions('demo', 'zoe'), [{ reference, createdAt: Date }]);
    await t.rejects(control.revokeLink(linkId), { status: 410, code: 'link_submitted' });
  });

  t.test(`${name}: a client cannot read or change the link of another client`, async (t) => {
    const client = await control.addClient();
    const { linkId, url } = await control.createLink('demo', linkRequest('zoe'));
    for (const link of [linkId, url])
      for (const method of ['openLink', 'submitLink', 'expireLink', 'revokeLink'] as const)
        await t.rejects(async () => void (await client[method](link)), { code: 'link_not_found' }, method);
    t.match(await control.links({ clientId: 'demo', limit: 1 }), [{ linkId, state: 'created' }]);
  });

  t.test(`${name}: moments of the state are Dates; text of a caller stays text`, async (t) => {
    const { refDate, clock, clients } = await control.state();
    t.match([refDate, clock.now, clients[0]?.clock.now], [Date, Date, Date]);
    t.match(await control.clock(), { now: Date });
    const extra = { createdAt: '2026-01-02', clock: { now: '2026-01-02' } };
    const request = linkRequest('ada');
    const { linkId } = await control.createLink('demo', { ...request, config: { ...request.config, extra } });
    const policy = await control.addSession('demo', 'ada', {}).then(({ selectedPolicy }) => selectedPolicy);
    await control.submitLink(linkId, { policy, extra });
    t.strictSame((await control.sessions('demo', 'ada'))[0]?.extra, extra);
    const sessions = await control.sessions('demo', 'ada');
    await control.setSessions('demo', 'ada', JSON.parse(JSON.stringify(sessions)));
    const [written] = await control.sessions('demo', 'ada');
    t.strictSame([written?.extra, written?.link?.extra], [extra, extra], 'extra can be written back');
    const fault = await control.addFault({ status: 503, body: extra });
    t.strictSame(fault.body, extra);
    await control.clearFaults({ id: fault.id });
  });

  t.test(`${name}: a generated claim is accepted on a clock before the reference date`, async (t) => {
    const client = await control.addClient();
    await control.setClock({ now: '2020-03-02T09:30:00Z' }, { clientId: client.clientId });
    const { linkId } = await control.createLink(client.clientId, linkRequest('zoe'));
    t.match(await control.submitLink(linkId), { repeated: false });
  });

  t.test(`${name}: errors are MockControlErrors with every problem`, async (t) => {
    await mock.reset();
    const error = await control.addFault({ status: 1, rate: 2 }).catch((thrown: unknown) => thrown);
    t.type(error, MockControlError);
    t.match(error, {
      status: 422,
      code: 'request_invalid',
      problems: [{ pointer: '/status' }, { pointer: '/rate' }],
    });
    await t.rejects(control.waitForRequests({ timeoutMs: 1 }), { status: 504, code: 'wait_timed_out' });
    await t.rejects(control.client('nobody'), { status: 404, code: 'client_not_found' });
    t.equal(await control.removeClient('demo'), false);
  });

  t.test(`${name}: events say what changed, for one client or all`, async (t) => {
    const types: string[] = [];
    const unsubscribe = await control.subscribe((event) => types.push(event.type), { clientId: 'demo' });
    const client = await mock.addClient();
    await client.createLink(linkRequest('max'));
    await mock.createLink('demo', linkRequest('zoe'));
    while (!types.includes('link')) await new Promise(setImmediate);
    unsubscribe();
    t.equal(types.filter((type) => type === 'link').length, 1);
  });
}

for (const [path, nearest] of [
  ['/demo/session/user-1', 'GET /:clientId/sessions/:userId'],
  ['/sessions/user-1', 'GET /:clientId/sessions/:userId'],
  ['/api/demo/link', 'POST /:clientId/link'],
  ['/verif/secret-code', 'GET /verify/:accessCode'],
  ['/__mock/adFault', 'POST /__mock/addFault'],
  ['/__mock/waitForRequest', 'POST /__mock/waitForRequests'],
] as const) {
  t.test(`the 404 of ${path} names ${nearest}`, async (t) => {
    const { status, body } = await send(mock.url + path);
    t.equal(status, 404);
    t.match(JSON.parse(body).detail, `Did you mean ${nearest}?`);
    t.notMatch(body, 'secret-code');
  });
}

for (const [path, hint] of [
  ['//NAME/link', ' Did you mean POST /:clientId/link?'],
  ['/NAME//link', ' Did you mean POST /:clientId/link?'],
  ['/api//NAME/sessions/user-1', ' Did you mean GET /:clientId/sessions/:userId?'],
  ['//verify/secret-code', ' Did you mean POST /verify/:accessCode?'],
  ['//__mock/reset', ''],
  ['//NAME', ''],
] as const) {
  t.test(`the 404 of ${path} says that it has two slashes in a row`, async (t) => {
    const start =
      'There is nothing at this path, which has two slashes in a row: the base URL may end with one.';
    for (const name of ['demo', 'nobody']) {
      const { status, body } = await send(mock.url + path.replace('NAME', name), { method: 'POST' });
      t.equal(status, 404);
      t.equal(JSON.parse(body).detail, start + hint);
    }
  });
}

t.test('the 404 of a misspelt path does not depend on the clients of the mock', async (t) => {
  for (const path of ['/sessions/user-1', '/NAME/session/user-1', '/NAME/lnk', '/api/NAME/link']) {
    const bodies = ['demo', 'nobody'].map(
      async (name) => (await send(mock.url + path.replace('NAME', name))).body,
    );
    const [ofClient = '', ofNone] = await Promise.all(bodies);
    t.equal(ofClient, ofNone, path);
    t.match(ofClient, 'Did you mean', path);
    t.notMatch(ofClient, 'demo', path);
  }
});

t.test('a 404 far from every path names none', async (t) => {
  for (const path of ['/favicon.ico', '/assets/app.js', '/__mock/xxxxxxxxxxxxxxxx'])
    t.notMatch((await send(mock.url + path)).body, 'Did you mean', path);
});

t.test('the 404 of a misspelt path names a route of the same method first', async (t) => {
  for (const method of ['POST', 'GET']) {
    const { body } = await send(`${mock.url}/verif/secret-code`, { method });
    t.match(JSON.parse(body).detail, `Did you mean ${method} /verify/:accessCode?`);
  }
});

t.test('a body is limited to 64 KiB and must be JSON; an unknown path reads none', async (t) => {
  const post = (path: string, body: string, type = 'application/json') =>
    send(`${mock.controlUrl}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
  t.equal((await post('/addFault', `{"body":"${'x'.repeat(70_000)}"}`)).status, 413);
  t.equal((await post('/addFault', '{')).status, 400);
  t.equal((await post('/addFault', 'status=500', 'application/x-www-form-urlencoded')).status, 415);
  t.equal((await post('/nothing', '{')).status, 404);
  t.match(await post('/health', '{'), { status: 405, headers: { allow: 'GET, HEAD' } });
  t.match(await send(`${mock.controlUrl}/reset`), { status: 405, headers: { allow: 'POST' } });
  t.equal((await send(`${mock.controlUrl}/requests?color=red`)).status, 422);
});

t.test('the levels of a body are counted before its parser runs', async (t) => {
  const headers = { 'content-type': 'application/json' };
  for (const name of ['setScenario', 'setSessions', 'addFault']) {
    for (const body of ['['.repeat(20_000), `{"a":${'['.repeat(64)}${']'.repeat(64)}}`]) {
      const answer = await send(`${mock.controlUrl}/${name}`, { method: 'POST', headers, body });
      t.match(answer, { status: 422, body: 'must not have more than 64 levels' }, name);
    }
  }
});

t.test('a response to a body that the mock does not read closes the connection', async (t) => {
  for (const path of ['/nowhere', '/__mock/nowhere', '/__mock/health']) {
    const { status, headers } = await fetch(mock.url + path, { method: 'POST', body: 'x' });
    t.ok(status >= 400, path);
    t.equal(headers.get('connection'), 'close', path);
  }
});

t.test('loopback pages may call the API; others get no CORS headers', async (t) => {
  const preflight = (origin: string) =>
    send(`${mock.url}/demo/link`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const allowed = await preflight('http://localhost:5173');
  t.match(allowed, { status: 204, headers: { 'access-control-allow-origin': 'http://localhost:5173' } });
  for (const origin of ['http://evil.example', 'http://localhost.evil.example', 'null'])
    t.equal((await preflight(origin)).headers['access-control-allow-origin'], undefined, origin);
});

t.test(
  'a page of an allowed origin may send every header, and can read the 405 of every method',
  async (t) => {
    const origin = 'http://localhost:5173';
    const names = 'authorization,traceparent,x-request-id';
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const asked = { 'access-control-request-method': method, 'access-control-request-headers': names };
      const { headers } = await send(`${mock.url}/demo/link`, {
        method: 'OPTIONS',
        headers: { origin, ...asked },
      });
      t.equal(headers['access-control-allow-headers'], names);
      t.match(headers['access-control-allow-methods'], method);
    }
    const answer = await send(`${mock.url}/demo/link`, { method: 'PUT', headers: { origin } });
    t.match(answer, { status: 405, headers: { 'access-control-allow-origin': origin } });
  },
);

t.test('pages of other origins can read the headers that the API documents', async (t) => {
  const headers = { origin: 'http://localhost:5173' };
  const exposed = (await send(`${mock.url}/demo/sessions/zoe`, { headers })).headers;
  t.same(
    exposed['access-control-expose-headers'],
    'link, preference-applied, retry-after, x-claimlink-fault',
  );
});

t.test('no page of the mock can be shown in a frame', async (t) => {
  for (const path of ['/', '/__mock/callback']) {
    const { headers } = await send(mock.url + path, { headers: { accept: 'text/html' } });
    t.match(headers['content-security-policy'], "frame-ancestors 'none'", path);
  }
});

t.test('no response of the control API is cached', async (t) => {
  for (const path of ['/state', '/health', '/nowhere']) {
    const { headers } = await send(`${mock.controlUrl}${path}`);
    t.match(headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }, path);
  }
});

t.test('a response to a change says that the persist file has it', async (t) => {
  const persistFile = join(t.testdir({}), 'state.json');
  await using persistent = await startMockServer({ port: 0, persistFile });
  const now = '2026-03-02T09:30:00.000Z';
  await connectMock(persistent.url).setClock({ now, isFrozen: true });
  t.match(readFileSync(persistFile, 'utf8'), `"frozenAt":${Date.parse(now)}`);
  await createCaller(persistent.url, { clientId: 'demo', apiKey: 'clk_test_demo' }).link('user-in-the-file');
  t.match(readFileSync(persistFile, 'utf8'), 'user-in-the-file');
});
