// The service over HTTP with faults: what is done to which request, and what the journal says of it.
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { type MockServerOptions, startMockServer } from '../../../mock-server/index.js';
import { createCaller, session } from '../caller.js';
import { send } from '../client.js';

const KEY = { 'x-api-key': 'clk_test_demo' };

async function start(t: Test, options: MockServerOptions = {}) {
  const mock = await startMockServer({ port: 0, ...options });
  t.teardown(() => mock.close());
  const demo = createCaller(mock.url, { clientId: 'demo', apiKey: 'clk_test_demo' });
  return { mock, demo, list: `${mock.url}/demo/sessions/user-1` };
}

t.test('the next request fails, in the form of its route, and no other', async (t) => {
  const { mock, demo } = await start(t);
  mock.failNext({ route: 'createLink', status: 500 });
  t.equal((await demo.list()).status, 200);
  const failed = await demo.link();
  t.equal(failed.status, 500);
  t.equal(failed.headers.get('x-claimlink-fault'), 'status=500');
  t.equal(failed.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  t.match(await failed.json(), { status: 500, code: 'internal' });
  t.same(mock.links(), []);
  t.equal((await demo.link()).status, 200);
  t.match(mock.requests({ status: 500 }), [{ route: 'createLink', fault: { status: 500 } }]);
});

t.test('behind a link a browser gets a page', async (t) => {
  const { mock, demo } = await start(t);
  const link = await demo.mint();
  mock.failNext({ route: 'openLink', status: 503 });
  const { status, headers } = await send(link, { headers: { accept: 'text/html' } });
  t.equal(status, 503);
  t.match(headers, { 'content-type': /^text\/html/, 'retry-after': '5' });
  t.match(mock.links(), [{ state: 'created' }]);
});

t.test("a client's fault is for that client alone, behind its links as well", async (t) => {
  const { mock, demo } = await start(t);
  const client = await mock.addClient();
  const other = createCaller(mock.url, client);
  const [mine, theirs] = [await demo.mint(), await other.mint()];
  mock.addFault({ clientId: 'demo', status: 500 });
  t.equal((await demo.list()).status, 500);
  t.equal((await demo.open(mine)).status, 500);
  t.equal((await other.list()).status, 200);
  t.equal((await other.open(theirs)).status, 200);
});

t.test('Prefer and the query ask for this request only', async (t) => {
  const { mock, demo, list } = await start(t);
  const failed = await demo.list('user-1', { headers: { prefer: 'code=429, delay=1' } });
  t.equal(failed.status, 429);
  t.equal(failed.headers.get('preference-applied'), 'code=429, delay=1');
  t.equal(failed.headers.get('retry-after'), '1');
  t.equal((await send(`${list}?limit=1&__code=504`, { headers: KEY })).status, 504);
  const stripped = await send(`${list}?__delay=1&limit=1`, { headers: KEY });
  t.equal(stripped.status, 200);
  t.equal(JSON.parse(stripped.body).length, 1);
  t.equal((await demo.list()).status, 200);
  t.equal(mock.faults().length, 0);
});

t.test('what is asked for wrongly is a 422 that says what is allowed, and uses no fault up', async (t) => {
  const { mock, demo, list } = await start(t);
  mock.failNext({ status: 500 });
  for (const [url, headers, place] of [
    [list, { prefer: 'code=200' }, /400 to 599/],
    [list, { prefer: 'delay=ages' }, /0 to 60000/],
    [`${list}?__fault=explode`, {}, /cut, lose, truncate, malformed/],
    [`${list}?__colour=red`, {}, /__code, __delay, __fault/],
  ] as const) {
    const { status, body } = await send(url, { headers: { ...KEY, ...headers } });
    t.equal(status, 422);
    t.match(JSON.parse(body), { code: 'preference_invalid', errors: [{ detail: place }] });
  }
  t.match(mock.faults(), [{ hits: 0 }]);
  t.equal((await demo.list()).status, 500);
});

t.test('latency is the least that an answer takes; errors come at their rate', async (t) => {
  const { mock, demo } = await start(t, { latencyMs: 30, errorRate: 1 });
  const startedAt = performance.now();
  const answer = await demo.list();
  t.ok(performance.now() - startedAt >= 29);
  t.equal(answer.status, 500);
  t.match(mock.requests(), [{ status: 500, fault: { status: 500, delayMs: 30 } }]);
  t.ok((mock.requests()[0]?.durationMs ?? 0) >= 29);
});

t.test('a range of latency is drawn from, anew for each request', async (t) => {
  const { mock, demo } = await start(t, { latencyMs: [1, 20] });
  for (let i = 0; i < 12; i++) await demo.list();
  const delays = mock.requests().map(({ fault }) => fault?.delayMs ?? 0);
  t.ok(delays.every((ms) => ms >= 1 && ms <= 20));
  t.ok(new Set(delays).size > 1);
});

t.test('a cut connection has done nothing, a lost one has', async (t) => {
  const { mock, demo } = await start(t);
  mock.failNext({ effect: 'cut' });
  await t.rejects(demo.link(), TypeError);
  t.same(mock.links(), []);
  mock.failNext({ effect: 'lose' });
  await t.rejects(demo.link(), TypeError);
  t.equal(mock.links().length, 1);
  t.match(await mock.waitForRequests({ count: 2 }), [
    { status: null, fault: { effect: 'cut' } },
    { status: null, fault: { effect: 'lose' } },
  ]);
});

t.test('a submission whose answer is lost is repeated with the same outcome', async (t) => {
  const { mock, demo } = await start(t);
  const link = await demo.mint('user-empty');
  const [made] = await mock.sessions('demo', 'user-1');
  const { id: _, ...holder } = made?.selectedPolicy.holder ?? { id: '' };
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ policy: { ...made?.selectedPolicy, holder } }),
  };
  mock.failNext({ route: 'submitClaim', effect: 'lose' });
  await t.rejects(fetch(link, init), TypeError);
  const answer = await fetch(link, init);
  t.equal(answer.status, 200);
  const { data } = (await answer.json()) as { data: { reference: string } };
  t.match(await mock.sessions('demo', 'user-empty'), [{ reference: data.reference }]);
  t.equal((await mock.sessions('demo', 'user-empty')).length, 1);
});

t.test('a truncated answer breaks off, a malformed one does not parse', async (t) => {
  const { mock, demo } = await start(t);
  mock.failNext({ effect: 'truncate' });
  const truncated = await demo.list();
  t.equal(truncated.status, 200);
  await t.rejects(truncated.text(), TypeError);
  mock.failNext({ effect: 'malformed' });
  const malformed = await demo.list();
  t.equal(malformed.headers.get('x-claimlink-fault'), 'effect=malformed');
  await t.rejects(malformed.json(), SyntaxError);
});

t.test('the entry is there as soon as the client has the answer', async (t) => {
  const { mock, demo } = await start(t);
  for (let i = 1; i <= 20; i++) {
    const { body } = await demo.list();
    t.equal(mock.requests().length, i);
    await body?.cancel();
  }
});

t.test('a client that gives up during a delay leaves an entry, and nothing is done', async (t) => {
  const { mock, demo } = await start(t);
  mock.addFault({ delayMs: 60_000 });
  const controller = new AbortController();
  const waiting = demo.link('user-1', { signal: controller.signal });
  const isActing = () => mock.faults()[0]?.hits === 1;
  while (!isActing()) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await t.rejects(waiting);
  t.match(await mock.waitForRequests(), [{ status: null, fault: { delayMs: 60_000 } }]);
  t.same(mock.links(), []);
});

t.test(
  'requests that are no route of the service, or of no client, are in the journal all the same',
  async (t) => {
    const { mock } = await start(t);
    await send(`${mock.url}/demo/link`, { headers: KEY });
    await send(`${mock.url}/nobody/sessions/u`, { headers: KEY });
    await send(`${mock.url}/verify/x?token=y`);
    t.match(mock.requests(), [
      { method: 'GET', path: '/demo/link', route: null, clientId: 'demo', status: 405 },
      { route: 'listSessions', clientId: null, status: 404 },
      { route: 'openLink', clientId: null, path: '/verify/[access code]?token=[token]', status: 404 },
    ]);
  },
);

t.test('the mock’s own pages meet no fault, and are not in the journal', async (t) => {
  const { mock } = await start(t, { errorRate: 1 });
  mock.addFault({ status: 500 });
  t.equal((await send(`${mock.url}/__mock/health`)).status, 200);
  t.equal((await send(mock.dashboardUrl)).status, 200);
  t.same(mock.requests(), []);
  t.match(mock.faults(), [{ hits: 0 }]);
});

t.test('a HEAD request gets the head alone, with and without a fault', async (t) => {
  const { mock, list } = await start(t);
  const { status, headers, body } = await send(list, { method: 'HEAD', headers: KEY });
  t.same([status, body], [200, '']);
  t.ok(Number(headers['content-length']) > 0);
  mock.failNext({ status: 500 });
  const failed = await send(list, { method: 'HEAD', headers: KEY });
  t.same([failed.status, failed.body], [500, '']);
  t.match(mock.requests({ route: 'listSessions' }), [{ method: 'HEAD' }, { method: 'HEAD', status: 500 }]);
});

t.test('a connection lives on after a fault whose request had a body that nobody read', async (t) => {
  const { mock } = await start(t);
  mock.failNext({ status: 500 });
  const body = JSON.stringify({ filler: 'x'.repeat(30_000) });
  const request = (line: string, length: number) =>
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: clk_test_demo\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n`;
  const socket = connect(mock.port, '127.0.0.1');
  const statuses = await new Promise<string[]>((resolve, reject) => {
    let text = '';
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text.match(/HTTP\/1\.1 \d+/g) ?? []));
    socket.write(`${request('POST /demo/link', body.length)}\r\n${body}`);
    socket.write(`${request('GET /demo/sessions/user-1', 0)}connection: close\r\n\r\n`);
  });
  t.same(statuses, ['HTTP/1.1 500', 'HTTP/1.1 200']);
});

t.test('closing lets a delayed answer out', async (t) => {
  const { mock, demo } = await start(t);
  mock.setSessions('demo', 'user-1', [session('R-1')]);
  mock.addFault({ delayMs: 100 });
  const waiting = demo.list();
  const isActing = () => mock.faults()[0]?.hits === 1;
  while (!isActing()) await new Promise((resolve) => setImmediate(resolve));
  await mock.close();
  t.equal((await waiting).status, 200);
});
