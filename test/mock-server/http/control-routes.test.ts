// The control API over HTTP: every row of docs/control-api.md, and what is said to a request that is wrong.
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { type MockServer, type MockServerOptions, startMockServer } from '../../../mock-server/index.js';
import { createCaller, session } from '../caller.js';
import { send } from '../client.js';

const JSON_TYPE = { 'content-type': 'application/json' };

async function start(t: Test, options: MockServerOptions = {}) {
  const mock = await startMockServer({ port: 0, ...options });
  t.teardown(() => mock.close());
  const demo = createCaller(mock.url, { clientId: 'demo', apiKey: 'clk_test_demo' });
  return { mock, demo, control: controlOf(mock) };
}

/** Sends a control request, `PUT /clock`, and reads the answer. */
function controlOf(mock: MockServer) {
  return async (line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await send(mock.controlUrl + path, {
      method,
      ...(body !== undefined && { headers: JSON_TYPE, body: JSON.stringify(body) }),
    });
    return { ...answer, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };
}

/** What an answer says is wrong: the places, and all their details in one. */
function problemsOf({ status, json }: { status: number; json: { code?: string; errors?: Problem[] } }) {
  const { code, errors = [] } = json;
  return {
    status,
    code,
    places: errors.map(({ pointer, parameter }) => pointer ?? `?${parameter}`),
    text: errors.map(({ detail }) => detail).join('; '),
  };
}

interface Problem {
  pointer?: string;
  parameter?: string;
  detail: string;
}

t.test('health is told to everybody, and the OpenAPI document is the service’s', async (t) => {
  const { control } = await start(t, { controlToken: 'a token of sixteen'.replaceAll(' ', '-') });
  t.match(await control('GET /health'), { status: 200, json: { status: 'ok' } });
  const { status, json } = await control('GET /openapi.json');
  t.equal(status, 200);
  t.match(json, { openapi: /^3\.1/, paths: { '/{clientId}/sessions/{userId}': {} } });
  t.equal((await control('GET /state')).status, 401);
});

t.test('state has seed, clock, clients with keys and users, and faults', async (t) => {
  const { mock, control } = await start(t, { seed: 'x', latencyMs: [1, 2], userCount: 150 });
  mock.addFault({ status: 500 });
  const { status, json, headers } = await control('GET /state');
  t.equal(status, 200);
  t.match(json, {
    publicUrl: mock.url,
    seed: 'x',
    refDate: '2026-01-01T00:00:00.000Z',
    clock: { isFrozen: false, offsetMs: 0 },
    clients: [{ clientId: 'demo', apiKey: 'clk_test_demo', isConfigured: true, clock: { offsetMs: 0 } }],
    faults: [{ id: 'fault-1', status: 500, hits: 0 }],
    base: { delayMs: [1, 2] },
    keptIn: 'memory',
  });
  t.equal(json.clients[0].userIds.length, 100);
  t.match(headers, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

t.test('reset is for all, or for one client', async (t) => {
  const { mock, demo, control } = await start(t);
  const bytes = await demo.bytes();
  const added = (await control('POST /clients')).json;
  await mock.submitLink(await demo.mint());
  await createCaller(mock.url, added).mint();
  t.match(await control(`POST /reset?client=${added.clientId}`), { status: 200, json: { status: 'reset' } });
  t.equal(mock.links().length, 1);
  t.equal((await control('POST /reset')).status, 200);
  t.same(mock.links(), []);
  t.equal(mock.clients.length, 1);
  t.equal(await demo.bytes(), bytes);
  t.match(await control('POST /reset?client=nobody'), { status: 404, json: { code: 'client_not_found' } });
});

t.test('snapshots have names: taken, listed, restored as often as wanted, forgotten', async (t) => {
  const { mock, demo, control } = await start(t);
  t.same((await control('GET /snapshots')).json, []);
  t.match(await control('PUT /snapshots/begin'), {
    status: 200,
    json: { name: 'begin', clientId: null, takenAt: String },
  });
  t.match(await control('PUT /snapshots/mine.1?client=demo'), { json: { clientId: 'demo' } });
  t.same((await control('GET /snapshots')).json, ['begin', 'mine.1']);
  for (let round = 0; round < 2; round++) {
    await demo.mint();
    t.match(await control('POST /snapshots/begin/restore'), { status: 200, json: { name: 'begin' } });
    t.same(mock.links(), []);
  }
  await demo.mint();
  await control('PUT /snapshots/begin');
  await control('POST /snapshots/begin/restore');
  t.equal(mock.links().length, 1, 'the later one of the same name');
  t.match(await control('DELETE /snapshots/begin'), { status: 204, body: '' });
  for (const line of ['DELETE /snapshots/begin', 'POST /snapshots/begin/restore'])
    t.match(await control(line), { status: 404, json: { code: 'snapshot_not_found' } });
  t.same((await control('GET /snapshots')).json, ['mine.1']);
});

t.test('a snapshot’s name is a plain one, and there are a hundred at most', async (t) => {
  const { control } = await start(t);
  for (const name of ['a%20b', 'x'.repeat(101), '%00', 'ü'])
    t.match(problemsOf(await control(`PUT /snapshots/${encodeURI(decodeURI(name))}`)), {
      status: 422,
      code: 'request_invalid',
      places: ['?name'],
      text: /1 to 100 letters/,
    });
  t.equal((await control('PUT /snapshots/x?client=nobody')).status, 404);
  for (let i = 0; i < 100; i++) await control(`PUT /snapshots/s${i}`);
  t.match(problemsOf(await control('PUT /snapshots/one-more')), { status: 422, text: /delete one first/ });
  t.equal((await control('PUT /snapshots/s0')).status, 200);
});

t.test('clients are listed, added in one call, and removed', async (t) => {
  const { mock, control } = await start(t);
  const { status, json } = await control('POST /clients', { clientId: 'acme', name: 'Acme' });
  t.equal(status, 201);
  t.match(json, { clientId: 'acme', apiKey: String, userIds: ['user-1', 'user-2'] });
  t.equal((await createCaller(mock.url, json).list()).status, 200);
  t.match((await control('GET /clients')).json, [{ clientId: 'demo', apiKey: 'clk_test_demo' }, json]);
  t.match(await control('POST /clients', { clientId: 'acme' }), {
    status: 409,
    json: { code: 'already_exists' },
  });
  t.match(await control('DELETE /clients/acme'), { status: 204, body: '' });
  for (const line of ['DELETE /clients/acme', 'DELETE /clients/demo'])
    t.match(await control(line), { status: 404, json: { code: 'client_not_found', detail: /started with/ } });
});

t.test('a bad client is a 422 with every problem', async (t) => {
  const { mock, control } = await start(t);
  const bad = await control('POST /clients', { clientId: 'verify', apiKey: '', colour: 'red' });
  t.match(problemsOf(bad), {
    status: 422,
    places: ['/clientId', '/apiKey', '/colour'],
    text: /printable ASCII.*clientId, apiKey, name, callbackOrigins/,
  });
  for (const body of [[], 5, 'text', true]) t.equal((await control('POST /clients', body)).status, 422);
  t.equal(mock.clients.length, 1);
});

t.test('sessions are read, set and added', async (t) => {
  const { demo, control } = await start(t);
  const path = '/clients/demo/users/zo%C3%AB/sessions';
  const { json: seeded } = await control(`GET ${path}`);
  t.ok(seeded.length > 0);
  t.match(await control(`PUT ${path}`, [session('R-1')]), { status: 200, json: [{ reference: 'R-1' }] });
  t.match(await control(`POST ${path}`, session('R-2', '2030-01-01T00:00')), {
    status: 201,
    json: [{ reference: 'R-2' }, { reference: 'R-1' }],
  });
  t.match(JSON.parse(await demo.bytes('zoë')), [{ reference: 'R-2' }, { reference: 'R-1' }]);
  t.match(await control(`POST ${path}`, session('R-1')), { status: 409, json: { code: 'already_exists' } });
  for (const method of ['GET', 'PUT', 'POST'])
    t.match(
      await control(
        `${method} /clients/nobody/users/u/sessions`,
        method === 'PUT' ? [] : method === 'POST' ? session('R-9') : undefined,
      ),
      {
        status: 404,
        json: { code: 'client_not_found' },
      },
    );
});

t.test('bad sessions are a 422 with places in the body', async (t) => {
  const { control } = await start(t);
  const path = '/clients/demo/users/u/sessions';
  const { date: _, ...dateless } = session('R-1');
  t.match(problemsOf(await control(`PUT ${path}`, [session('R-0'), dateless])), {
    status: 422,
    places: ['/1/date'],
  });
  t.match(problemsOf(await control(`POST ${path}`, dateless)), { status: 422, places: ['/date'] });
  t.match(problemsOf(await control(`PUT ${path}`)), { status: 422, places: [''] });
  t.match(problemsOf(await control(`POST ${path}`)), { status: 422, places: [''] });
  const long = `/clients/demo/users/${'x'.repeat(101)}/sessions`;
  t.match(problemsOf(await control(`PUT ${long}`, [])), {
    status: 422,
    places: ['?userId'],
    text: /1 to 100/,
  });
});

t.test('links are listed with their URLs, by client, user and state', async (t) => {
  const { demo, control } = await start(t);
  const url = await demo.mint('zoe');
  await demo.mint('max');
  t.match((await control('GET /links')).json, [{ url, userId: 'zoe', state: 'created' }, { userId: 'max' }]);
  t.match((await control('GET /links?client=demo&user=zoe&state=created')).json, [{ url }]);
  t.same((await control('GET /links?state=opened')).json, []);
  t.same((await control('GET /links?client=nobody')).json, []);
  t.match(problemsOf(await control('GET /links?state=lost')), {
    status: 422,
    places: ['?state'],
    text: /created, opened, submitted, expired, revoked/,
  });
});

t.test('links are driven by URL or id', async (t) => {
  const { mock, demo, control } = await start(t);
  const url = await demo.mint();
  const [{ id } = { id: '' }] = mock.links();
  t.match(await control('POST /links/open', { url }), { status: 200, json: { id, state: 'opened' } });
  const { status, json } = await control('POST /links/submit', { id });
  t.equal(status, 200);
  t.match(json, { reference: String, redirectUrl: /reference=/, repeated: false });
  t.match((await control('POST /links/submit', { url })).json, { ...json, repeated: true });
  const [expired, revoked] = [await demo.mint(), await demo.mint()];
  t.match(await control('POST /links/expire', { url: expired }), { status: 200, json: { state: 'expired' } });
  t.match(await control('POST /links/revoke', { url: revoked }), { status: 200, json: { state: 'revoked' } });
  t.match(await control('POST /links/open', { url: expired }), {
    status: 410,
    json: { code: 'link_expired' },
  });
  t.match(await control('POST /links/submit', { url: revoked }), {
    status: 410,
    json: { code: 'link_revoked' },
  });
  t.match(await control('POST /links/open', { id: 'nothing' }), {
    status: 404,
    json: { code: 'link_not_found' },
  });
});

t.test(
  'a link is submitted with the claim that is given; a bad one is a 422 with places in the body',
  async (t) => {
    const { mock, demo, control } = await start(t);
    const url = await demo.mint();
    const [made] = await mock.sessions('demo', 'user-1');
    const claim = { policy: { ...made?.selectedPolicy, number: 'P-Ü' } };
    const bad = problemsOf(await control('POST /links/submit', { url, claim: { policy: { number: 5 } } }));
    t.match(bad, { status: 422, code: 'request_invalid' });
    t.ok(bad.places.length > 0 && bad.places.every((place) => place.startsWith('/claim/policy')));
    t.equal((await control('POST /links/submit', { url, claim: null })).status, 422);
    t.match(problemsOf(await control('POST /links/submit', { url, claim: 'x' })), { places: ['/claim'] });
    t.equal((await control('POST /links/submit', { url, claim })).status, 200);
    t.ok(
      (await mock.sessions('demo', 'user-1')).some(({ selectedPolicy }) => selectedPolicy.number === 'P-Ü'),
    );
  },
);

t.test('a link that is not named, or twice, is a 422', async (t) => {
  const { control } = await start(t);
  for (const action of ['open', 'submit', 'expire', 'revoke']) {
    for (const [body, place] of [
      [undefined, '/url'],
      [{}, '/url'],
      [{ url: 'x', id: 'y' }, '/url'],
      [{ id: 5 }, '/id'],
      [{ link: 'x' }, '/link'],
      [[], ''],
    ] as const)
      t.match(problemsOf(await control(`POST /links/${action}`, body)), { status: 422, places: [place] });
  }
});

t.test('the clock is read, set, frozen, advanced and reset', async (t) => {
  const { mock, control } = await start(t);
  t.match((await control('GET /clock')).json, { isFrozen: false, offsetMs: 0, now: /^\d{4}-.*Z$/ });
  const frozen = await control('PUT /clock', { now: '2030-01-01T00:00', isFrozen: true });
  t.match(frozen, { status: 200, json: { now: '2030-01-01T00:00:00.000Z', isFrozen: true } });
  t.match((await control('POST /clock/advance?client=demo', { ms: 86_400_000 })).json, {
    now: '2030-01-02T00:00:00.000Z',
  });
  t.match((await control('GET /clock')).json, { now: '2030-01-01T00:00:00.000Z' });
  t.match((await control('PUT /clock?client=demo', { isFrozen: false })).json, { isFrozen: false });
  t.equal(mock.clock.read().isFrozen, true);
  t.match((await control('PUT /clock', {})).json, { isFrozen: true });
  t.match((await control('DELETE /clock?client=demo')).json, { isFrozen: false, offsetMs: 0 });
  t.match((await control('DELETE /clock')).json, { isFrozen: false, offsetMs: 0 });
});

t.test('a bad turn of the clock is a 422, and turns nothing, in no part', async (t) => {
  const { mock, control } = await start(t);
  for (const [line, body, place, text] of [
    ['PUT /clock', { now: '1970-01-01', isFrozen: true }, '/now', /1980 to 9000, ISO 8601/],
    ['PUT /clock', { now: 'tomorrow', isFrozen: true }, '/now', /2030-01-31T12:00:00Z/],
    ['PUT /clock', { now: 5 }, '/now', /ISO 8601/],
    ['PUT /clock', { isFrozen: 'yes' }, '/isFrozen', /true or false/],
    ['PUT /clock', { frozen: true }, '/frozen', /now, isFrozen/],
    ['PUT /clock', [], '', /object/],
    ['POST /clock/advance', { ms: 0.5 }, '/ms', /whole number/],
    ['POST /clock/advance', { ms: '5' }, '/ms', /whole number/],
    ['POST /clock/advance', { ms: 9e15 }, '/ms', /1980 to 9000/],
    ['POST /clock/advance', {}, '/ms', /required/],
    ['POST /clock/advance', undefined, '/ms', /required/],
    ['POST /clock/advance', { days: 1 }, '/days', /\bms\b/],
  ] as const)
    t.match(problemsOf(await control(line, body)), { status: 422, places: [place], text });
  t.match(mock.clock.read(), { isFrozen: false, offsetMs: 0 });
  for (const line of ['GET /clock', 'PUT /clock', 'POST /clock/advance', 'DELETE /clock'])
    t.match(await control(`${line}?client=nobody`, line.startsWith('P') ? { ms: 1 } : undefined), {
      status: line.startsWith('PUT') ? 422 : 404,
    });
});

t.test('faults are set, listed and cleared', async (t) => {
  const { demo, control } = await start(t);
  const set = await control('POST /faults', {
    clientId: 'demo',
    route: 'listSessions',
    status: 503,
    times: 1,
  });
  t.match(set, { status: 201, json: { id: /^fault-/, status: 503, times: 1, hits: 0 } });
  await control('POST /faults', { delayMs: [0, 1] });
  t.equal((await control('GET /faults')).json.length, 2);
  t.match((await control('GET /faults?client=demo')).json, [set.json]);
  t.equal((await demo.list()).status, 503);
  t.equal((await demo.list()).status, 200);
  const { json: other } = await control('POST /faults', { effect: 'cut' });
  t.match(await control(`DELETE /faults/${other.id}`), { status: 204, body: '' });
  t.match(await control(`DELETE /faults/${other.id}`), { status: 404, json: { code: 'fault_not_found' } });
  t.match(await control('DELETE /faults?client=demo'), { status: 200, json: { cleared: 0 } });
  t.match((await control('DELETE /faults')).json, { cleared: 1 });
});

t.test('a bad fault is a 422 that says what is allowed', async (t) => {
  const { mock, control } = await start(t);
  for (const [body, place, text] of [
    [{ status: 200 }, '/status', /400 to 599/],
    [{ effect: 'explode' }, '/effect', /cut, lose, truncate, malformed/],
    [{ route: 'list', status: 500 }, '/route', /listSessions, createLink, openLink, submitClaim/],
    [{ delayMs: -1 }, '/delayMs', /0 to 60000/],
    [{ status: 500, times: 0 }, '/times', /1 to 1000000/],
    [{ status: 500, rate: 2 }, '/rate', /0 to 1/],
    [{ code: 500 }, '/code', /status/],
    [{}, '', /at least one/],
    [undefined, '', /object/],
  ] as const) {
    const problems = problemsOf(await control('POST /faults', body));
    t.match(problems, { status: 422, text });
    t.equal(problems.places[0], place);
  }
  t.same(mock.faults(), []);
});

t.test('requests are listed, counted and forgotten', async (t) => {
  const { demo, control } = await start(t);
  await demo.list('zoe');
  await demo.link('zoe', { body: '{}' });
  await demo.link('zoe');
  const { json } = await control('GET /requests');
  t.match(json, [{ id: 1, route: 'listSessions', status: 200 }, { id: 2, status: 400 }, { id: 3 }]);
  t.match(json[0], { time: /Z$/, headers: { 'x-api-key': '[redacted]' }, durationMs: Number });
  t.match((await control('GET /requests?route=createLink&method=POST&status=4xx&client=demo')).json, [
    { id: 2 },
  ]);
  t.match((await control('GET /requests?status=200&after=1')).json, [{ id: 3 }]);
  t.same((await control('GET /requests/count?route=createLink')).json, { count: 2 });
  t.same((await control('GET /requests/count')).json, { count: 3 });
  t.same((await control('DELETE /requests?client=nobody')).json, { cleared: 0 });
  t.same((await control('DELETE /requests')).json, { cleared: 3 });
  t.same((await control('GET /requests')).json, []);
});

t.test('who waits for requests is answered as soon as they are there', async (t) => {
  const { demo, control } = await start(t);
  const waiting = control('GET /requests/wait?route=createLink&count=2&timeout=5000');
  await demo.link();
  await demo.link();
  t.match(await waiting, { status: 200, json: [{ route: 'createLink' }, { route: 'createLink' }] });
  t.equal((await control('GET /requests/wait')).status, 200);
  t.match(await control('GET /requests/wait?count=3&timeout=1'), {
    status: 504,
    json: { code: 'wait_timed_out', detail: /2 of 3 requests came within 1 ms/ },
  });
});

t.test('a bad filter is a 422 about its parameters', async (t) => {
  const { control } = await start(t);
  for (const path of ['/requests', '/requests/count', '/requests/wait']) {
    for (const [query, place, text] of [
      ['route=list', '?route', /listSessions, createLink/],
      ['status=999', '?status', /4xx/],
      ['status=abc', '?status', /100 to 599/],
      ['method=%20', '?method', /POST/],
      ['after=x', '?after', /whole number/],
      ['client=', '?client', /id of a client/],
      ['path=x', '?path', /route, method, status, after/],
      ['route=openLink&route=createLink', '?route', /more than once/],
    ] as const)
      t.match(problemsOf(await control(`GET ${path}?${query}`)), { status: 422, places: [place], text });
  }
  t.match(problemsOf(await control('GET /requests/wait?timeout=60001')), {
    places: ['?timeout'],
    text: /60000/,
  });
  t.match(problemsOf(await control('GET /requests/wait?count=0')), { places: ['?count'], text: /1 to 1000/ });
});

const BODIES: Record<string, unknown> = {
  'PUT /clients/demo/users/u/sessions': [],
  'POST /clients/demo/users/u/sessions': session('R-1'),
  'POST /clock/advance': { ms: 1 },
  'POST /faults': { status: 500 },
};

/** Every row of the document, as `GET /state`. */
const ROWS = [...readFileSync('docs/control-api.md', 'utf8').matchAll(/^\| (.*) \|/gm)]
  .flatMap(([, row = '']) => [...row.matchAll(/`([A-Z]+) \/__mock(\/[^`?]*)/g)])
  .map(([, method, path = '']) => {
    const filled = path.replace(':clientId', 'demo').replace(':userId', 'u').replace(/:\w+/, 'x');
    return `${method} ${filled}`;
  });

t.test('every row of the document is a route', async (t) => {
  t.equal(ROWS.length, 32);
  const { control, mock } = await start(t);
  for (const line of ROWS) {
    if (line === 'GET /events' || line === 'GET /requests/wait') continue;
    const { json, status } = await control(line, BODIES[line]);
    t.not(json?.code, 'route_not_found', line);
    t.not(status, 405, line);
    t.ok(status < 500, line);
  }
  mock.reset();
});

t.test('a parameter that a route does not have is a 422, and nothing is done', async (t) => {
  const { control, mock, demo } = await start(t);
  await demo.mint();
  await control('PUT /snapshots/x');
  mock.addFault({ delayMs: 0 });
  for (const line of ROWS) {
    if (/health|openapi/.test(line)) continue;
    const problems = problemsOf(await control(`${line}?colour=red`, BODIES[line]));
    t.match(problems, { status: 422, code: 'request_invalid', places: ['?colour'] }, line);
  }
  t.equal(mock.links().length, 1);
  t.equal(mock.faults().length, 1);
  t.equal(mock.clients.length, 1);
  t.equal(mock.clock.read().offsetMs, 0);
  t.same((await control('GET /snapshots')).json, ['x']);
});

t.test('another method on a path that is there is a 405 that names the right ones', async (t) => {
  const { control } = await start(t);
  for (const [line, allow] of [
    ['PATCH /clock', 'DELETE, GET, HEAD, PUT'],
    ['GET /reset', 'POST'],
    ['HEAD /links/open', 'POST'],
    ['POST /state', 'GET, HEAD'],
    ['DELETE /health', 'GET, HEAD'],
    ['OPTIONS /requests', 'DELETE, GET, HEAD'],
    ['GET /clients/demo', 'DELETE'],
  ] as const) {
    const { status, headers, json } = await control(line);
    t.equal(status, 405, line);
    t.equal(headers.allow, allow, line);
    if (!line.startsWith('HEAD')) t.match(json, { code: 'method_not_allowed' });
  }
});

t.test('what is not there is a 404 problem', async (t) => {
  const { control } = await start(t);
  for (const line of ['GET /nothing', 'POST /clock/', 'GET /clients/demo/users/u', 'DELETE /links/x'])
    t.match(await control(line), {
      status: 404,
      json: { code: 'route_not_found' },
      headers: { 'content-type': 'application/problem+json; charset=utf-8' },
    });
});

t.test('GET answers HEAD', async (t) => {
  const { control } = await start(t);
  for (const path of ['/health', '/state', '/links', '/clock', '/faults', '/requests', '/clients']) {
    const { status, body, headers } = await control(`HEAD ${path}`);
    t.same([status, body], [200, ''], path);
    t.match(headers['content-type'], 'application/json');
  }
});

t.test('a body that is no JSON is refused without a word of it', async (t) => {
  const { mock } = await start(t);
  for (const [headers, body, status, detail] of [
    [JSON_TYPE, '{"secret', 400, /must be JSON/],
    [JSON_TYPE, '{"__proto__":{"secret":1}}', 400, /must be JSON/],
    [{ 'content-type': 'text/plain' }, 'secret', 415, /application\/json/],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'a=secret', 415, /application\/json/],
  ] as const) {
    const answer = await send(`${mock.controlUrl}/faults`, { method: 'POST', headers, body });
    t.equal(answer.status, status);
    t.match(JSON.parse(answer.body), { code: 'request_invalid', detail });
    t.notMatch(answer.body, 'secret');
  }
  t.same(mock.faults(), []);
});

t.test('a client that calls every request JSON may send no body where none is needed', async (t) => {
  const { mock } = await start(t);
  const call = (method: string, path: string) =>
    send(mock.controlUrl + path, { method, headers: { ...JSON_TYPE, 'content-length': '0' } });
  t.equal((await call('POST', '/reset')).status, 200);
  t.equal((await call('POST', '/clients')).status, 201);
  t.equal((await call('PUT', '/snapshots/x')).status, 200);
  t.equal((await call('POST', '/snapshots/x/restore')).status, 200);
  t.equal((await call('DELETE', '/snapshots/x')).status, 204);
  t.equal((await call('DELETE', '/clock')).status, 200);
});

t.test('without the control there is nothing but health, document and callback', async (t) => {
  const { control } = await start(t, { control: false });
  t.equal((await control('GET /health')).status, 200);
  t.equal((await control('GET /openapi.json')).status, 200);
  t.equal(
    (await control('GET /callback?reference=R-1&status=submitted').catch(() => ({ status: 200 }))).status,
    200,
  );
  for (const line of ['GET /state', 'POST /reset', 'GET /events', 'GET /requests'])
    t.match(await control(line), { status: 404 });
});

t.test('what an answer tells is in the file, also when there is nothing to tell', async (t) => {
  const persistFile = `${t.testdir()}/world.json`;
  const { control } = await start(t, { persistFile });
  await control('POST /clients', { clientId: 'acme' });
  t.match(readFileSync(persistFile, 'utf8'), '"acme"');
  await control('DELETE /clients/acme');
  t.notMatch(readFileSync(persistFile, 'utf8'), '"acme"');
});
