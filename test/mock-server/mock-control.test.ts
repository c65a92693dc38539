// What a test in the mock's own process can do to a running server: the API of startMockServer.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type MockEvent, type MockServerOptions, startMockServer } from '../../mock-server/index.js';
import { createCaller, refusalOf, session } from './caller.js';
import { send } from './client.js';

const DEMO = { clientId: 'demo', apiKey: 'clk_test_demo' };

async function start(t: Test, options: MockServerOptions = {}) {
  const mock = await startMockServer({ port: 0, ...options });
  t.teardown(() => mock.close());
  return { mock, demo: createCaller(mock.url, DEMO) };
}

t.test('it says where it is, and does not change', async (t) => {
  const { mock } = await start(t, { seed: 'a seed', publicUrl: 'http://localhost:9/api/' });
  t.equal(mock.url, `http://127.0.0.1:${mock.port}`);
  t.equal(mock.publicUrl, 'http://localhost:9/api');
  t.equal(mock.dashboardUrl, `${mock.url}/`);
  t.equal(mock.controlUrl, `${mock.url}/__mock`);
  t.equal(mock.seed, 'a seed');
  t.ok(Object.isFrozen(mock));
  t.match(mock.clients, [{ ...DEMO, userIds: ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'] }]);
  t.ok(Object.isFrozen(mock.clients[0]));
});

t.test('clients are the ones of the moment', async (t) => {
  const { mock } = await start(t);
  const before = mock.clients;
  await mock.addClient({ clientId: 'x' });
  t.equal(before.length, 1);
  t.equal(mock.clients.length, 2);
});

t.test('sessions are all of a user, newest first, over all pages', async (t) => {
  const { mock, demo } = await start(t);
  const many = await mock.sessions('demo', 'user-many');
  t.equal(many.length, 250);
  const times = many.map(({ createdAt }) => createdAt.getTime());
  t.same(
    times,
    times.toSorted((a, b) => b - a),
  );
  const listed = JSON.parse(await demo.bytes('user-many')) as { reference: string }[];
  t.same(
    many.slice(0, listed.length).map(({ reference }) => reference),
    listed.map(({ reference }) => reference),
  );
  t.same(await mock.sessions('demo', 'user-empty'), []);
  t.equal((await refusalOf(() => mock.sessions('nobody', 'user-1'))).code, 'client_not_found');
  t.equal((await refusalOf(() => mock.sessions('demo', ''))).code, 'request_invalid');
});

t.test('sessions that are set are exactly what is listed', async (t) => {
  const { mock, demo } = await start(t);
  mock.setSessions('demo', 'user-1', [
    session('R-1', '2026-01-01T10:00'),
    session('R-2', '2026-01-02T10:00'),
  ]);
  t.match(JSON.parse(await demo.bytes()), [{ ...session('R-2', '2026-01-02T10:00') }, { reference: 'R-1' }]);
  mock.setSessions('demo', 'user-1', []);
  t.equal(await demo.bytes(), '[]');
});

t.test('a session that is added stands beside what there was', async (t) => {
  const { mock, demo } = await start(t);
  const before = JSON.parse(await demo.bytes());
  await mock.addSession('demo', 'user-1', session('R-1', '2031-01-01T10:00'));
  t.match(JSON.parse(await demo.bytes()), [{ reference: 'R-1' }, ...before]);
  const taken = await refusalOf(() => mock.addSession('demo', 'user-2', session('R-1')));
  t.equal(taken.code, 'already_exists');
  const seed = await refusalOf(() => mock.addSession('demo', 'user-1', session(before[0].reference)));
  t.equal(seed.code, 'already_exists');
});

t.test('bad sessions are refused with every problem and its place, and nothing is changed', async (t) => {
  const { mock, demo } = await start(t);
  const before = await demo.bytes();
  const { reference: _, ...nameless } = session('R-1');
  const wrong = { ...session('R-2'), date: '2026-02-31T10:00', status: 5 };
  const set = (sessions: unknown, userId = 'user-1') =>
    refusalOf(() => mock.setSessions('demo', userId, sessions as never));
  t.same(await set([nameless, wrong]), {
    code: 'request_invalid',
    places: ['/0/reference', '/1/status'],
  });
  t.same(await set([session('R-1'), session('R-1')]), { code: 'request_invalid', places: ['/1/reference'] });
  t.equal((await set('x')).code, 'request_invalid');
  const add = (one: unknown) => refusalOf(() => mock.addSession('demo', 'user-1', one as never));
  t.same(await add(nameless), { code: 'request_invalid', places: ['/reference'] });
  t.same(await add(undefined), { code: 'request_invalid', places: [''] });
  t.equal(await demo.bytes(), before);
  t.equal((await refusalOf(() => mock.setSessions('nobody', 'u', []))).code, 'client_not_found');
  t.equal((await refusalOf(() => mock.addSession('nobody', 'u', session('R')))).code, 'client_not_found');
});

t.test('a user id that the service would refuse gets no sessions', async (t) => {
  const { mock } = await start(t);
  for (const userId of ['', '.', '..', 'x'.repeat(101), 'a\nb', '\ud800']) {
    const refusals = [
      await refusalOf(() => mock.setSessions('demo', userId, [])),
      await refusalOf(() => mock.addSession('demo', userId, session('R-1'))),
    ];
    for (const refused of refusals) t.same(refused, { code: 'request_invalid', places: ['userId'] });
  }
  mock.setSessions('demo', 'x'.repeat(100), []);
});

t.test('magic users behave as their names say', async (t) => {
  const { mock, demo } = await start(t);
  t.equal((await demo.list('user-error')).status, 500);
  t.equal((await demo.link('user-error')).status, 500);
  t.equal(await demo.bytes('user-empty'), '[]');
  const { reference } = await mock.submitLink(await demo.mint('user-empty'));
  t.match(JSON.parse(await demo.bytes('user-empty')), [{ reference }]);
});

t.test('requests are listed, filtered and forgotten', async (t) => {
  const { mock, demo } = await start(t);
  await demo.list('zoe');
  await demo.link('zoe', { body: '{' });
  await demo.mint('zoe');
  t.match(mock.requests(), [
    {
      id: 1,
      method: 'GET',
      path: '/demo/sessions/zoe',
      route: 'listSessions',
      status: 200,
      clientId: 'demo',
    },
    { id: 2, method: 'POST', path: '/demo/link', route: 'createLink', status: 400 },
    { id: 3, status: 200 },
  ]);
  const ids = (filter: Parameters<typeof mock.requests>[0]) => mock.requests(filter).map(({ id }) => id);
  t.same(ids({ route: 'createLink' }), [2, 3]);
  t.same(ids({ status: '4xx' }), [2]);
  t.same(ids({ status: 200, method: 'post', clientId: 'demo' }), [3]);
  t.same(ids({ after: 2 }), [3]);
  t.equal((await refusalOf(() => mock.requests({ rout: 'x' } as never))).code, 'request_invalid');
  t.equal(mock.clearRequests({ clientId: 'other' }), 0);
  t.equal(mock.clearRequests({ clientId: 'demo' }), 3);
  t.same(mock.requests(), []);
  t.equal(mock.clearRequests(), 0);
});

t.test('no key, code or token stands in the journal', async (t) => {
  const { mock, demo } = await start(t);
  const link = await demo.mint();
  await demo.open(link);
  const { pathname, searchParams } = new URL(link);
  const secrets = ['clk_test_demo', pathname.split('/').at(-1), searchParams.get('token')];
  const journal = JSON.stringify(mock.requests());
  for (const secret of secrets) t.notOk(journal.includes(String(secret)));
  t.match(mock.requests({ route: 'openLink' }), [{ clientId: 'demo', status: 200 }]);
});

t.test('who waits gets the requests as soon as they are there, or hears how many came', async (t) => {
  const { mock, demo } = await start(t);
  const waiting = mock.waitForRequests({ route: 'createLink', count: 2 });
  await demo.mint();
  await demo.list();
  await demo.mint();
  t.match(await waiting, [{ route: 'createLink' }, { route: 'createLink' }]);
  await t.rejects(mock.waitForRequests({ count: 4, timeoutMs: 1 }), /3 of 4 requests.*within 1 ms/);
  t.equal((await refusalOf(() => mock.waitForRequests({ timeoutMs: -1 }))).code, 'request_invalid');
});

t.test('who waits when the mock closes is told so', async (t) => {
  const { mock } = await start(t);
  const waiting = mock.waitForRequests();
  await Promise.all([t.rejects(waiting, /closed/), mock.close()]);
});

t.test('faults are set, listed and cleared, for one client or for all', async (t) => {
  const { mock } = await start(t);
  const one = mock.addFault({ clientId: 'demo', status: 500 });
  const next = mock.failNext({ effect: 'cut' });
  t.match(next, { times: 1, hits: 0 });
  t.match(mock.failNext({ status: 400, times: 3 }), { times: 3 });
  t.same(mock.faults({ clientId: 'demo' }), [one]);
  t.equal(mock.faults().length, 3);
  t.equal(mock.clearFaults({ id: next.id }), 1);
  t.equal(mock.clearFaults({ id: next.id }), 0);
  t.equal(mock.clearFaults({ clientId: 'demo' }), 1);
  t.equal(mock.clearFaults(), 1);
  t.same(mock.faults(), []);
  t.same((await refusalOf(() => mock.addFault({ status: 200 }))).places, ['/status']);
  t.same((await refusalOf(() => mock.failNext({}))).places, ['']);
});

t.test('everything that happens is told in order, until that is ended', async (t) => {
  const { mock, demo } = await start(t);
  const events: MockEvent[] = [];
  const end = mock.subscribe((event) => events.push(event));
  const link = await demo.mint('zoe');
  await demo.open(link);
  const { reference } = await mock.submitLink(link);
  mock.setSessions('demo', 'zoe', []);
  mock.clock.advance(5);
  mock.addFault({ status: 500 });
  mock.clearRequests({ clientId: 'demo' });
  mock.reset({ clientId: 'demo' });
  end();
  mock.reset();
  t.match(events, [
    { type: 'link', clientId: 'demo', link: { state: 'created' } },
    { type: 'request', clientId: 'demo', request: { route: 'createLink', status: 200 } },
    { type: 'link', link: { state: 'opened' } },
    { type: 'request', request: { route: 'openLink' } },
    { type: 'link', link: { state: 'submitted' } },
    { type: 'session', clientId: 'demo', userId: 'zoe', reference },
    { type: 'sessions', clientId: 'demo', userId: 'zoe' },
    { type: 'clock', clientId: null, clock: { isFrozen: false, offsetMs: 5 } },
    { type: 'faults', clientId: null, faults: [{ status: 500 }] },
    { type: 'journal', clientId: 'demo' },
    { type: 'reset', clientId: 'demo' },
  ]);
  t.equal(events.length, 11);
});

t.test('a listener that throws breaks no request', async (t) => {
  const { mock, demo } = await start(t);
  mock.subscribe(() => {
    throw new Error('broken listener');
  });
  t.equal((await demo.list()).status, 200);
  t.ok(await demo.mint());
});

t.test('the clock is under what the service writes and signs', async (t) => {
  const { mock, demo } = await start(t);
  mock.clock.set('2031-05-06T07:08');
  mock.clock.freeze();
  const link = await demo.mint('zoe');
  t.match(mock.links(), [{ createdAt: new Date('2031-05-06T07:08:00Z') }]);
  t.match(mock.requests(), [{ time: new Date('2031-05-06T07:08:00Z') }]);
  const { reference } = await mock.submitLink(link);
  const sessions = JSON.parse(await demo.bytes('zoe')) as { reference: string; createdAt: string }[];
  const submitted = sessions.find((each) => each.reference === reference);
  t.match(submitted, { createdAt: '2031-05-06T07:08', date: '2031-05-06T07:08' });
});

t.test('the option now is what the clock is ahead of', async (t) => {
  const { mock } = await start(t, { now: () => new Date('2040-01-01T00:00:00Z') });
  t.same(mock.clock.read(), { now: new Date('2040-01-01T00:00:00Z'), isFrozen: false, offsetMs: 0 });
});

t.test('two servers share nothing', async (t) => {
  const one = await start(t);
  const two = await start(t);
  const link = await one.demo.mint();
  one.mock.addFault({ status: 500 });
  one.mock.clock.set('2031-01-01');
  t.same([two.mock.links(), two.mock.faults(), two.mock.requests()], [[], [], []]);
  t.equal(two.mock.clock.read().offsetMs, 0);
  const { pathname, search } = new URL(link);
  t.equal((await send(two.mock.url + pathname + search)).status, 404, 'not even what signs the links');
});

t.test('a link that is made and let expire is so in the file, too', async (t) => {
  const persistFile = join(t.testdir(), 'world.json');
  const first = await start(t, { persistFile });
  const [one, two] = [await first.demo.mint(), await first.demo.mint()];
  first.mock.expireLink(one);
  const before = first.mock.links();
  await first.mock.close();
  const { mock } = await start(t, { persistFile, publicUrl: first.mock.publicUrl });
  t.same(mock.links(), before);
  t.match(mock.links(), [{ state: 'expired' }, { state: 'created', url: two }]);
});

t.test('closing may be asked for twice, and frees the port', async (t) => {
  const { mock } = await start(t);
  await Promise.all([mock.close(), mock.close()]);
  await mock[Symbol.asyncDispose]();
  const server = createServer().listen(mock.port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
