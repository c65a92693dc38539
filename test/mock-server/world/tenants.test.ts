// Clients of a running mock: added, removed, reset, copied and restored, each without the others.
import t from 'tap';
import { createMockFetch, type MockEvent, type MockFetchOptions } from '../../../mock-server/index.js';
import { createCaller, refusalOf, session } from '../caller.js';

const HOUR = 3_600_000;

function create(options: MockFetchOptions = {}) {
  const mock = createMockFetch(options);
  const as = (client: { clientId: string; apiKey: string }) => createCaller(mock.publicUrl, client, mock);
  const demo = { clientId: 'demo', apiKey: 'clk_test_demo' };
  return { mock, as, demo: as(demo) };
}

t.test('a client is added in one call, with everything that calling the API needs', async (t) => {
  const { mock, as } = create();
  const client = await mock.addClient();
  t.match(client, { clientId: /^tenant-[0-9a-f]{12}$/, apiKey: /^clk_test_[0-9a-f]{24}$/ });
  t.same(client.userIds, ['user-1', 'user-2', 'user-3', 'user-4', 'user-5']);
  t.same(
    mock.clients.map(({ clientId }) => clientId),
    ['demo', client.clientId],
  );
  t.equal((await as(client).list()).status, 200);
  t.match(await as(client).mint(), mock.publicUrl);
});

t.test('what is given is taken, and belongs to the mock from then on', async (t) => {
  const { mock, as } = create();
  const given = { clientId: 'ü b', apiKey: 'k', name: 'Ü & B', callbackOrigins: ['https://app.example.com'] };
  const client = await mock.addClient(given);
  given.callbackOrigins.push('https://evil.example');
  t.match(client, {
    clientId: 'ü b',
    apiKey: 'k',
    name: 'Ü & B',
    callbackOrigins: ['https://app.example.com'],
  });
  mock.reset({ clientId: 'ü b' });
  const body = JSON.stringify({
    callbackUrl: 'https://evil.example/',
    config: { contact: { email: 'a@b', phone: '1' }, currentUserId: 'u' },
  });
  t.equal((await as(client).link('u', { body })).status, 400);
  t.equal((await as(client).link('u')).status, 200);
});

t.test('a bad client is refused with every problem, and what is allowed', async (t) => {
  const { mock } = create();
  for (const [client, ...places] of [
    [{ clientId: 'verify' }, '/clientId'],
    [{ clientId: '__a', apiKey: 'with space' }, '/clientId', '/apiKey'],
    [{ name: 5, callbackOrigins: 'x' }, '/name', '/callbackOrigins'],
    [{ callbackOrigins: ['no origin'] }, '/callbackOrigins'],
    [{ key: 'x' }, '/key'],
    [[], ''],
    [5, ''],
    ['text', ''],
    [null, ''],
  ] as const) {
    const refused = await refusalOf(() => mock.addClient(client as never));
    t.same(refused, { code: 'request_invalid', places }, JSON.stringify(client));
  }
  await t.rejects(mock.addClient({ key: 'x' } as never), /clientId, apiKey, name, callbackOrigins/);
  t.equal(mock.clients.length, 1);
});

t.test('an id or a key that is taken is refused, also when two come at the same time', async (t) => {
  const { mock, as } = create();
  t.equal((await refusalOf(() => mock.addClient({ clientId: 'demo' }))).code, 'already_exists');
  t.equal((await refusalOf(() => mock.addClient({ apiKey: 'clk_test_demo' }))).code, 'already_exists');
  for (const twin of [{ clientId: 'twin' }, { apiKey: 'twin-key' }]) {
    const outcomes = await Promise.allSettled([mock.addClient(twin), mock.addClient(twin)]);
    const added = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    t.equal(added.length, 1);
    for (const client of added) t.equal((await as(client).list()).status, 200);
  }
});

t.test('an added client is removed with all it has; what it was called is free again', async (t) => {
  const { mock, as } = create();
  const client = await mock.addClient({ clientId: 'gone', apiKey: 'k' });
  const link = await as(client).mint();
  mock.addFault({ clientId: 'gone', delayMs: 1 });
  t.equal(mock.removeClient('gone'), true);
  t.equal(mock.removeClient('gone'), false);
  t.equal((await as(client).list()).status, 401);
  t.equal((await as(client).open(link)).status, 404);
  t.same([mock.links(), mock.faults()], [[], []]);
  t.same(mock.requests({ clientId: 'gone' }), []);
  const next = await mock.addClient({ clientId: 'gone', apiKey: 'k' });
  t.equal((await as(next).list()).status, 200);
  t.same(mock.links(), []);
});

t.test('a configured client is not removed, nor one that is none', async (t) => {
  const { mock, demo } = create();
  t.equal(mock.removeClient('demo'), false);
  t.equal(mock.removeClient('nobody'), false);
  t.equal((await demo.list()).status, 200);
});

t.test('reset brings back the very bytes', async (t) => {
  const { mock, demo } = create();
  const users = ['user-1', 'user-2', 'user-many', 'anybody'];
  const before = await Promise.all(users.map(demo.bytes));
  for (const userId of users) await mock.submitLink(await demo.mint(userId));
  await mock.addSession('demo', 'user-1', session('R-1'));
  mock.setSessions('demo', 'user-2', [session('R-2')]);
  const [first = ''] = before;
  const [{ reference = '' } = {}] = JSON.parse(first);
  mock.setSessions('demo', 'anybody', [session(reference)]);
  t.strictNotSame(await Promise.all(users.map(demo.bytes)), before);
  mock.reset();
  t.strictSame(await Promise.all(users.map(demo.bytes)), before);
});

t.test('reset takes away links, faults, journal and added clients, and puts clocks back', async (t) => {
  const { mock, demo, as } = create();
  const link = await demo.mint();
  const added = await mock.addClient();
  await as(added).mint();
  mock.addFault({ delayMs: 1 });
  mock.clock.set('2030-01-01');
  mock.clock.freeze();
  mock.reset();
  t.same([mock.links(), mock.faults(), mock.requests()], [[], [], []]);
  t.match(mock.clock.read(), { isFrozen: false, offsetMs: 0 });
  t.match(mock.clock.read({ clientId: 'demo' }), { isFrozen: false, offsetMs: 0 });
  t.same(mock.clients.length, 1);
  t.equal((await demo.open(link)).status, 404);
  t.equal((await as(added).list()).status, 401);
});

t.test('with a scope, one client begins anew, an added one as it was added', async (t) => {
  const { mock, as } = create();
  mock.clock.set('2030-01-01');
  mock.clock.freeze();
  const client = await mock.addClient();
  const bytes = await as(client).bytes();
  mock.clock.advance(HOUR, { clientId: client.clientId });
  await mock.submitLink(await as(client).mint());
  mock.reset({ clientId: client.clientId });
  t.equal(await as(client).bytes(), bytes);
  t.same(mock.clock.now({ clientId: client.clientId }), new Date('2030-01-01T00:00:00Z'));
  t.equal(mock.clients.length, 2);
  t.equal((await refusalOf(() => mock.reset({ clientId: 'nobody' }))).code, 'client_not_found');
});

t.test('a snapshot is restored as often as wanted: sessions, links in every state, clocks', async (t) => {
  const { mock, demo } = create();
  const [used, open, expired, revoked, fresh] = [
    await demo.mint(),
    await demo.mint(),
    await demo.mint(),
    await demo.mint(),
    await demo.mint(),
  ];
  await mock.submitLink(used);
  await mock.openLink(open);
  mock.expireLink(expired);
  await mock.revokeLink(revoked);
  mock.clock.advance(60_000);
  mock.clock.freeze({ clientId: 'demo' });
  const view = async () => ({
    bytes: await demo.bytes(),
    links: mock.links(),
    demo: mock.clock.now({ clientId: 'demo' }),
  });
  const before = await view();
  t.same(
    before.links.map(({ state }) => state),
    ['submitted', 'opened', 'expired', 'revoked', 'created'],
  );
  const snapshot = mock.snapshot();
  t.match(snapshot, { clientId: null, takenAt: Date });
  for (let round = 0; round < 3; round++) {
    await mock.submitLink(open);
    await mock.revokeLink(fresh);
    await demo.mint();
    mock.setSessions('demo', 'user-1', []);
    mock.clock.set('2031-01-01');
    mock.restore(snapshot);
    t.strictSame(await view(), before);
  }
  t.match(await mock.submitLink(used), { repeated: true });
  t.equal((await refusalOf(() => mock.submitLink(expired))).code, 'link_expired');
  t.equal((await refusalOf(() => mock.submitLink(revoked))).code, 'link_revoked');
  t.match(await mock.submitLink(fresh), { repeated: false });
});

t.test('restoring the whole brings removed clients back, and takes later ones away', async (t) => {
  const { mock, as } = create();
  const early = await mock.addClient({ clientId: 'early', apiKey: 'key-1' });
  const atFirst = await as(early).bytes();
  await mock.submitLink(await as(early).mint());
  const bytes = await as(early).bytes();
  const snapshot = mock.snapshot();
  mock.removeClient('early');
  await mock.addClient({ clientId: 'early', apiKey: 'key-2' });
  const late = await mock.addClient({ clientId: 'late', apiKey: 'key-1' });
  mock.restore(snapshot);
  t.equal(await as(early).bytes(), bytes);
  t.equal((await as(late).list()).status, 404, 'its key is that of the early one again');
  t.match(mock.clients, [{ clientId: 'demo' }, { clientId: 'early', apiKey: 'key-1' }]);
  t.equal(mock.clients.length, 2);
  mock.reset({ clientId: 'early' });
  t.equal(await as(early).bytes(), atFirst, 'and it still knows how it began');
});

t.test('keys that have changed hands since are back where they were', async (t) => {
  const { mock, as } = create();
  const one = await mock.addClient({ clientId: 'one', apiKey: 'key-1' });
  const two = await mock.addClient({ clientId: 'two', apiKey: 'key-2' });
  const snapshot = mock.snapshot();
  mock.removeClient('one');
  mock.removeClient('two');
  await mock.addClient({ clientId: 'one', apiKey: 'key-2' });
  await mock.addClient({ clientId: 'two', apiKey: 'key-1' });
  mock.restore(snapshot);
  t.equal((await as(one).list()).status, 200);
  t.equal((await as(two).list()).status, 200);
});

t.test("one client's snapshot changes that client alone, and none when the client is gone", async (t) => {
  const { mock, as, demo } = create();
  const client = await mock.addClient();
  const { clientId } = client;
  const snapshot = mock.snapshot({ clientId });
  t.equal(snapshot.clientId, clientId);
  const bytes = await as(client).bytes();
  await mock.submitLink(await as(client).mint());
  await mock.submitLink(await demo.mint());
  const others = await demo.bytes();
  mock.clock.advance(HOUR);
  mock.restore(snapshot);
  t.equal(await as(client).bytes(), bytes);
  t.equal(await demo.bytes(), others);
  t.equal(mock.clock.read({ clientId }).offsetMs, 0);
  t.equal(mock.clock.read({ clientId: 'demo' }).offsetMs, HOUR);
  mock.removeClient(clientId);
  t.equal((await refusalOf(() => mock.restore(snapshot))).code, 'client_not_found');
  t.equal((await refusalOf(() => mock.snapshot({ clientId }))).code, 'client_not_found');
});

t.test("another mock's snapshot is refused, and so is what is none", async (t) => {
  const { mock } = create();
  const other = create().mock.snapshot();
  for (const snapshot of [other, { clientId: null, takenAt: new Date() }])
    t.equal((await refusalOf(() => mock.restore(snapshot))).code, 'request_invalid');
});

t.test('faults and journal are no part of a snapshot', async (t) => {
  const { mock, demo } = create();
  const snapshot = mock.snapshot();
  await demo.list();
  mock.addFault({ delayMs: 1 });
  mock.restore(snapshot);
  t.equal(mock.requests().length, 1);
  t.equal(mock.faults().length, 1);
});

t.test('each change is told, with the client that it is about', async (t) => {
  const { mock } = create();
  const told: string[] = [];
  mock.subscribe(({ type, clientId }: MockEvent) => told.push(`${type} ${clientId}`));
  await mock.addClient({ clientId: 'x' });
  const one = mock.snapshot({ clientId: 'x' });
  const all = mock.snapshot();
  mock.reset({ clientId: 'x' });
  mock.restore(one);
  mock.restore(all);
  mock.removeClient('x');
  mock.reset();
  t.same(told, ['clients x', 'reset x', 'reset x', 'reset null', 'clients x', 'reset null']);
});

t.test("a scenario's users are named ones, and come back as they were written", async (t) => {
  const scenario = {
    clients: [{ clientId: 'acme', apiKey: 'k', users: [{ userId: 'zoe', sessions: [session('R-1')] }] }],
  };
  const { mock, as } = create({ scenario });
  const acme = as({ clientId: 'acme', apiKey: 'k' });
  t.match(mock.clients, [{ clientId: 'acme', userIds: ['zoe'] }]);
  const bytes = await acme.bytes('zoe');
  t.match(JSON.parse(bytes), [{ reference: 'R-1' }]);
  await mock.submitLink(await acme.mint('zoe'));
  t.equal(JSON.parse(await acme.bytes('zoe')).length, 2);
  mock.reset();
  t.equal(await acme.bytes('zoe'), bytes);
});
