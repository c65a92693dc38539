// A mock without a port: the service, its faults and everything that can be done to it, behind a fetch function.
import { setImmediate as nextTick } from 'node:timers/promises';
import t from 'tap';
import type { SubmissionEvent } from '../../lib/index.js';
import { connectMock } from '../../mock-server/control/connect.js';
import {
  createMockFetch,
  type MockFetchOptions,
  type Scenario,
  startMockServer,
} from '../../mock-server/index.js';
import { createCaller, linkRequest, rejectionOf } from './caller.js';

const KEY = { 'x-api-key': 'clk_test_demo' };

function create(options: MockFetchOptions = {}) {
  const mock = createMockFetch(options);
  const demo = createCaller(mock.publicUrl, { clientId: 'demo', apiKey: 'clk_test_demo' }, mock);
  return { mock, demo, list: `${mock.publicUrl}/demo/sessions/user-1` };
}

t.test('it answers as the service, from listing to submission', async (t) => {
  const { mock, demo, list } = create();
  t.equal(mock.publicUrl, 'http://claimlink.test');
  t.equal(mock.seed, 42);
  t.equal((await mock(list)).status, 401);
  t.equal((await mock(`${mock.publicUrl}/nobody/sessions/u`, { headers: KEY })).status, 404);
  const before = JSON.parse(await demo.bytes('zoe'));
  const link = await demo.mint('zoe');
  t.match(link, /^http:\/\/claimlink\.test\/verify\/[\w-]+\?token=/);
  const page = await mock(link);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), 'text/html');
  const { id: _, ...holder } = before[0].selectedPolicy.holder;
  const answer = await mock(link, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ policy: { ...before[0].selectedPolicy, holder } }),
  });
  const { data } = (await answer.json()) as { data: { reference: string } };
  t.match(JSON.parse(await demo.bytes('zoe')), [{ reference: data.reference }, ...before]);
});

t.test('it takes what fetch takes: a string, a URL, a Request with a body, and both together', async (t) => {
  const { mock, list } = create();
  t.equal((await mock(list, { headers: KEY })).status, 200);
  t.equal((await mock(new URL(list), { headers: KEY })).status, 200);
  t.equal((await mock(new Request(list, { headers: KEY }))).status, 200);
  t.equal((await mock(new Request(list), { headers: KEY })).status, 200);
  const request = new Request(`${mock.publicUrl}/demo/link`, {
    method: 'POST',
    headers: { ...KEY, 'content-type': 'application/json' },
    body: JSON.stringify(linkRequest('zoe')),
  });
  t.equal((await mock(request)).status, 200);
  const stream = new Blob([JSON.stringify(linkRequest('zoe'))]).stream();
  const init = { method: 'POST', body: stream, duplex: 'half', headers: request.headers };
  t.equal((await mock(`${mock.publicUrl}/demo/link`, init as RequestInit)).status, 200);
});

t.test('a response has the URL and the reason phrase that it has over HTTP, also its clone', async (t) => {
  const { mock } = create();
  await using server = await startMockServer({ port: 0 });
  const faults = [409, 429, 503].map(
    (status) => ({ route: 'listSessions', userId: `of-${status}`, status }) as const,
  );
  for (const { failNext } of [mock, server]) await failNext(faults);
  const path = '/demo/sessions/of-200?limit=1#part';
  const paths = [path, ...faults.map(({ userId }) => `/demo/sessions/${userId}`), '/demo/links', '//demo'];
  for (const target of paths) {
    const [response, sent] = await Promise.all([
      mock(mock.publicUrl + target, { headers: KEY }),
      fetch(server.url + target, { headers: KEY }),
    ]);
    const headOf = ({ status, statusText, url, redirected }: Response, base: string) => [
      status,
      statusText,
      url.replace(base, ''),
      redirected,
    ];
    const expected = headOf(sent, server.url);
    t.strictSame(headOf(response, mock.publicUrl), expected);
    t.strictSame(headOf(response.clone().clone(), mock.publicUrl), expected, 'a clone');
    t.equal((await response.clone().text()) === '', (await sent.text()) === '', target);
  }
});

t.test('a HEAD request gets the head alone', async (t) => {
  const { mock, list } = create();
  const answer = await mock(list, { method: 'HEAD', headers: KEY });
  t.equal(answer.status, 200);
  t.equal(await answer.text(), '');
  await mock.failNext({ status: 503 });
  const failed = await mock(list, { method: 'HEAD', headers: KEY });
  t.equal(failed.status, 503);
  t.equal(await failed.text(), '');
});

t.test('other addresses reject like an unknown host, and are not in the request log', async (t) => {
  const { mock } = create({ publicUrl: 'https://claims.example.com/api/v1' });
  for (const url of [
    'https://claims.example.com/demo/sessions/u',
    'https://claims.example.com/api/v10/demo/sessions/u',
    'http://claims.example.com/api/v1/demo/sessions/u',
    'https://claims.example.com:444/api/v1/demo/sessions/u',
    'https://evil.example/api/v1/demo/sessions/u',
  ])
    await t.rejects(mock(url), { name: 'TypeError', message: /https:\/\/claims\.example\.com\/api\/v1/ });
  t.same(await mock.requests(), []);
});

t.test('what is no request rejects, and throws not', async (t) => {
  const { mock, list } = create();
  await t.rejects(mock('/demo/sessions/u'), TypeError);
  await t.rejects(mock(list, { method: 'GET', body: 'x' }), TypeError);
});

t.test('a base path in the public URL is part of every address', async (t) => {
  const { mock, demo, list } = create({ publicUrl: 'https://claims.example.com/api/v1/' });
  t.equal(mock.publicUrl, 'https://claims.example.com/api/v1');
  t.equal((await mock(`${list}?limit=1`, { headers: KEY })).status, 200);
  const link = await demo.mint();
  t.match(link, /^https:\/\/claims\.example\.com\/api\/v1\/verify\//);
  t.equal((await mock(link)).status, 200);
  t.equal((await mock('https://claims.example.com/api/v1')).status, 404);
  t.match(await mock.requests(), [
    { path: '/demo/sessions/user-1?limit=1' },
    {},
    { route: 'openLink' },
    { route: null },
  ]);
  t.match(await mock.submitLink(link), { repeated: false });
});

t.test('a request asks for its own fault by Prefer', async (t) => {
  const { mock, demo, list } = create();
  const preferred = await demo.list('user-1', { headers: { prefer: 'code=502' } });
  t.equal(preferred.status, 502);
  t.equal(preferred.headers.get('preference-applied'), 'code=502');
  t.equal((await mock(`${list}?__code=418`, { headers: KEY })).status, 200, 'the query asks for nothing');
  const invalid = await demo.list('user-1', { headers: { prefer: 'code=200, delay=9-1, respond-async' } });
  t.equal(invalid.status, 422);
  t.match(await invalid.json(), {
    code: 'preference_invalid',
    errors: [{ parameter: 'Prefer', detail: /^code .*400 to 599/ }, { detail: /^delay / }],
  });
});

t.test('reset-before rejects without effect; reset-after rejects after the effect', async (t) => {
  const { mock, demo } = create();
  await mock.failNext({ effect: 'reset-before' });
  await t.rejects(demo.link(), {
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'UND_ERR_SOCKET' },
  });
  t.same(await mock.links(), []);
  await mock.failNext({ effect: 'reset-after' });
  await t.rejects(demo.link(), { name: 'TypeError', message: 'fetch failed' });
  t.equal((await mock.links()).length, 1);
  t.match(await mock.requests(), [
    { status: null, fault: { effect: 'reset-before' } },
    { status: null, fault: { effect: 'reset-after' } },
  ]);
});

t.test('truncate breaks off in the body; malformed comes whole and does not parse', async (t) => {
  const { mock, demo } = create();
  await mock.failNext({ effect: 'truncate' });
  const truncated = await demo.list();
  t.equal(truncated.status, 200);
  await t.rejects(truncated.text(), { name: 'TypeError', message: 'terminated' });
  await mock.failNext({ effect: 'malformed' });
  const malformed = await demo.list();
  t.throws(() => JSON.parse('{'), SyntaxError);
  await t.rejects(malformed.json(), SyntaxError);
});

t.test('slow sends the body in parts, and ends with the reason of a caller that gives up', async (t) => {
  const { mock, demo } = create();
  await mock.addFault({ effect: 'slow', bytesPerSecond: 100_000 });
  t.ok(JSON.parse(await demo.bytes()).length > 0);
  await mock.addFault({ effect: 'slow', bytesPerSecond: 1 });
  const controller = new AbortController();
  const response = await demo.list('zoe', { signal: controller.signal });
  controller.abort(new Error('no patience'));
  await t.rejects(response.text(), /no patience/);
});

t.test('a caller that gives up does not wait for the delay', async (t) => {
  const { mock, demo } = create();
  const init = { method: 'POST', body: JSON.stringify(linkRequest('zoe')) };
  const headers = { ...KEY, 'content-type': 'application/json' };
  const calls = {
    listSessions: (signal: AbortSignal) => demo.list('zoe', { signal }),
    // The user is known once the body was read.
    createLink: (signal: AbortSignal) => mock(`${mock.publicUrl}/demo/link`, { ...init, headers, signal }),
  };
  for (const [route, call] of Object.entries(calls)) {
    const { id } = await mock.failNext({
      route: route as keyof typeof calls,
      userId: 'zoe',
      delayMs: 60_000,
    });
    const controller = new AbortController();
    const waiting = call(controller.signal);
    while ((await mock.faults()).some((fault) => fault.id === id && fault.hits === 0)) await nextTick();
    controller.abort(new Error('no patience'));
    await t.rejects(waiting, /no patience/, route);
  }
  await t.rejects(demo.list('zoe', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  t.match(
    await mock.requests(),
    Object.keys(calls).map((route) => ({ route, status: null, userId: 'zoe', fault: { delayMs: 60_000 } })),
  );
  t.equal((await demo.list()).status, 200);
});

t.test('the request log has the entry as soon as the caller has the answer', async (t) => {
  const { mock, demo } = create();
  for (let i = 1; i <= 5; i++) {
    await demo.list();
    t.equal((await mock.requests()).length, i);
  }
  t.match((await mock.requests())[0], {
    method: 'GET',
    path: '/demo/sessions/user-1',
    route: 'listSessions',
    clientId: 'demo',
    status: 200,
    headers: { 'x-api-key': '[redacted]' },
  });
  const waiting = mock.waitForRequests({ route: 'createLink' });
  await demo.mint();
  t.equal((await waiting).length, 1);
});

t.test('an opened link counts for its client, also if the clock is behind the system clock', async (t) => {
  const { mock, demo } = create();
  await mock.setClock({ now: '2020-03-02T09:30:00Z', isFrozen: true });
  t.equal((await mock(await demo.mint('zoe'))).status, 200);
  const [request] = await mock.requests({ route: 'openLink' });
  t.match(request, { clientId: 'demo', userId: 'zoe', time: '2020-03-02T09:30:00Z' });
});

t.test('linkTtlSeconds, stepKeys and onSubmit are those of the service', async (t) => {
  const events: SubmissionEvent[] = [];
  const scenario: Scenario = {
    clients: [
      { clientId: 'acme', apiKey: 'key', links: [{ userId: 'zoe' }, { userId: 'zoe', state: 'expired' }] },
    ],
  };
  const onSubmit = (event: SubmissionEvent) => void events.push(event);
  const now = () => new Date('2026-02-01T12:00:00Z');
  const mock = createMockFetch({ linkTtlSeconds: 90, stepKeys: ['incident'], onSubmit, scenario, now });
  t.same((await mock.links()).map(({ state }) => state).sort(), ['created', 'expired'], 'of the scenario');
  const link = await mock.createLink('acme', linkRequest('zoe'));
  t.equal(link.expiresAt.getTime() - link.createdAt.getTime(), 90_000);
  const request = linkRequest('zoe');
  const config = { ...request.config, initialStepKey: 'other' };
  await t.rejects(mock.createLink('acme', { ...request, config }), {
    code: 'request_invalid',
    problems: [{ pointer: '/request/config/initialStepKey' }],
  });
  const { reference } = await mock.submitLink(link.linkId);
  t.match(events, [{ clientId: 'acme', userId: 'zoe', session: { reference } }]);
  for (const options of [{ linkTtlSeconds: 59 }, { stepKeys: [] }, { onSubmit: 'x' }])
    t.throws(() => createMockFetch(options as MockFetchOptions), { code: 'options_invalid' });
});

t.test('linkFormat compact gives short links, of the scenario and new ones, that open', async (t) => {
  const scenario: Scenario = { clients: [{ clientId: 'acme', apiKey: 'key', links: [{ userId: 'zoe' }] }] };
  const mock = createMockFetch({ linkFormat: 'compact', scenario });
  await mock.createLink('acme', linkRequest('zoe'));
  const links = await mock.links();
  t.equal(links.length, 2);
  for (const { url = '' } of links) {
    t.match(url, /^[^?]+\/verify\/[\w-]{22}\?token=AQ[\w-]{33}$/);
    t.equal((await mock(url)).status, 200);
  }
  t.throws(() => createMockFetch({ linkFormat: 'jwt' as never }), { code: 'options_invalid' });
});

t.test('two mocks share nothing, not even under one name', async (t) => {
  const [one, two] = [create(), create()];
  const link = await one.demo.mint();
  await one.mock.addFault({ status: 500 });
  await one.mock.setClock({ now: '2031-01-01' });
  await one.mock.setSessions('demo', 'user-1', []);
  t.equal((await two.demo.open(link)).status, 404);
  t.not(await two.demo.bytes(), '[]');
  t.same(await two.mock.links(), []);
  t.same(
    (await two.mock.faults()).filter(({ userId }) => userId === undefined),
    [],
  );
  t.equal((await two.mock.clock()).offsetMs, 0);
});

t.test('subscribe rejects an unknown option, as it does over HTTP', async (t) => {
  const mock = createMockFetch();
  await using server = await startMockServer({ port: 0 });
  for (const { subscribe } of [mock, server, connectMock(server.url)])
    for (const options of [{ clientid: 'demo' }, { clientId: '' }] as object[])
      await t.rejects(
        subscribe(() => {}, options),
        { status: 422, code: 'request_invalid' },
        JSON.stringify(options),
      );
});

t.test('an option that it has no use for is rejected, as an unknown or a bad one', async (t) => {
  for (const [options, place] of [
    [{ persistFile: 'world.json' }, '/persistFile'],
    [{ port: 0 }, '/port'],
    [{ colour: 'red' }, '/colour'],
    [{ seed: 1.5 }, '/seed'],
  ] as const) {
    const rejection = await rejectionOf(() => createMockFetch(options as MockFetchOptions));
    t.same(rejection, { code: 'options_invalid', places: [place] });
  }
  const { code } = await rejectionOf(() => createMockFetch({ publicUrl: 'not a URL' }));
  t.equal(code, 'options_invalid');
});
