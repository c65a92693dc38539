// The control token of a client: it reaches this client only, by every method, by events and by waits.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connectMock } from '../../../mock-server/control/connect.js';
import { METHODS } from '../../../mock-server/control/methods.js';
import { createMockFetch, type MockServer, startMockServer } from '../../../mock-server/index.js';
import { createCaller, linkRequest, rejectionOf } from '../caller.js';
import { createSink } from '../client.js';

const TOKEN = 'token-of-the-whole-mock';
const ACME_TOKEN = 'token-of-acme-alone';
const OTHER_TOKEN = 'token-of-the-other-client';

/** Methods that the control token of a client does not reach. */
const FOR_MOCK = ['clients', 'addClient', 'removeClient'];

const acme = { clientId: 'acme', apiKey: 'clk_acme', controlToken: ACME_TOKEN };
const other = { clientId: 'other', apiKey: 'clk_other', controlToken: OTHER_TOKEN };

/** Its clocks stand still. */
const start = () =>
  startMockServer({
    port: 0,
    controlToken: TOKEN,
    clients: [acme, other],
    now: () => new Date('2026-03-02'),
  });

/** Calls a method over HTTP with the token of acme. */
async function call(mock: MockServer, name: string, input: unknown, token = ACME_TOKEN) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(input);
  const response = await fetch(`${mock.controlUrl}/${name}`, { method: 'POST', headers, body });
  return { status: response.status, body: await response.text() };
}

/** Fills the other client, and returns inputs of every method that name what it has. */
async function inputsOfOther(mock: MockServer): Promise<Record<string, object>> {
  const client = await mock.client('other');
  const { url: link } = await client.createLink(linkRequest('zoe'));
  await client.snapshot('theirs');
  const fault = await client.addFault({ route: 'createLink', status: 503 });
  await createCaller(mock.url, other).list('zoe');
  await client.setClock({ now: '2027-01-01T00:00:00Z', isFrozen: true });
  const name = 'theirs';
  const userId = 'zoe';
  return {
    addClient: { apiKey: 'clk_new' },
    updateClient: { name: 'Changed' },
    snapshot: { name },
    restore: { name },
    deleteSnapshot: { name },
    sessions: { userId },
    setSessions: { userId, sessions: [] },
    addSession: { userId, session: {} },
    setClock: { isFrozen: false },
    advanceClock: { ms: 1000 },
    addFault: { status: 500 },
    failNext: { status: 500 },
    clearFaults: { id: fault.id },
    waitForRequests: { timeoutMs: 1 },
    createLink: { request: linkRequest('zoe') },
    openLink: { link },
    submitLink: { link },
    expireLink: { link },
    revokeLink: { link },
  };
}

/** Returns everything that a client has. */
async function everything(mock: MockServer, clientId: string) {
  const selection = { clientId };
  return {
    state: await mock.state(selection),
    links: await mock.links(selection),
    sessions: await mock.sessions(clientId, 'zoe'),
    faults: await mock.faults(selection),
    requests: await mock.requests(selection),
    snapshots: await mock.snapshots(selection),
  };
}

t.test('no method reads or changes another client than that of the token', async (t) => {
  await using mock = await start();
  const inputs = await inputsOfOther(mock);
  const before = await everything(mock, 'other');
  const faultsOfAll = (await mock.faults()).filter(({ clientId }) => clientId === undefined);
  for (const [name, { input, isRead }] of Object.entries(METHODS)) {
    const hasClient = 'clientId' in input.properties && !FOR_MOCK.includes(name);
    const answer = await call(mock, name, inputs[name] ?? {});
    t.equal(answer.status === 403, !hasClient, `${name}: ${answer.status} ${answer.body}`);
    t.notMatch(answer.body, /clk_other|"other"/, name);
    for (const clientId of ['other', 'unknown', ['acme', 'other'], null, { clientId: 'other' }]) {
      const rejected = await call(mock, name, { ...inputs[name], clientId });
      t.match(rejected, { status: 403, body: '"code":"control_forbidden"' }, `${name} ${clientId}`);
    }
    if (isRead) {
      const headers = { authorization: `Bearer ${ACME_TOKEN}` };
      const texts = Object.entries(inputs[name] ?? {}).map(([key, value]) => [key, String(value)]);
      for (const suffix of ['clientId=other', 'clientId=acme&clientId=other']) {
        const query = `${new URLSearchParams(Object.fromEntries(texts))}&${suffix}`;
        t.equal((await fetch(`${mock.controlUrl}/${name}?${query}`, { headers })).status, 403, name);
      }
    }
  }
  t.strictSame(await everything(mock, 'other'), before);
  t.strictSame(
    (await mock.faults()).filter(({ clientId }) => clientId === undefined),
    faultsOfAll,
  );
});

t.test('a method with clientId has it at the top of its input only', async (t) => {
  for (const [name, { input }] of Object.entries(METHODS)) {
    const { clientId: _, faults, ...others } = input.properties;
    t.equal(faults !== undefined, name === 'failNext');
    t.notMatch(JSON.stringify(others), '"clientId"', name);
  }
});

t.test('the client of a token takes precedence over that of each fault in a list', async (t) => {
  await using mock = await start();
  const response = await fetch(`${mock.controlUrl}/failNext`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ACME_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: [{ clientId: 'other', status: 503 }, { status: 500 }] }),
  });
  t.match(await response.json(), [{ clientId: 'acme' }, { clientId: 'acme' }]);
});

t.test(
  'with its token, a client is read, changed and reset by the methods of the typed client',
  async (t) => {
    await using mock = await start();
    await createCaller(mock.url, other).list('zoe');
    const control = connectMock(mock.url, { token: ACME_TOKEN });
    t.match((await control.state()).clients, [{ clientId: 'acme', apiKey: 'clk_acme', requests: 0 }]);
    t.equal((await control.state()).clients.length, 1);
    const client = await control.client('acme');
    await client.update({ name: 'Acme' });
    await client.addFault({ status: 503, times: 1 });
    t.equal((await createCaller(mock.url, acme).list('zoe')).status, 503);
    t.match(await control.requests(), [{ clientId: 'acme', status: 503 }]);
    await control.advanceClock(60_000);
    t.ok((await mock.clock({ clientId: 'acme' })).offsetMs >= 60_000);
    t.equal((await mock.clock({ clientId: 'other' })).offsetMs, 0);
    await control.reset();
    t.equal((await mock.client('acme')).apiKey, 'clk_acme');
    t.match(await mock.clients(), [{ name: undefined }, {}]);
    t.equal(await mock.countRequests({ clientId: 'acme' }), 0);
    t.equal(await mock.countRequests({ clientId: 'other' }), 1);
    const advice = {
      status: 403,
      code: 'control_forbidden',
      message: /state\(\), and start anew with reset\(\)\.$/,
    };
    for (const call of [client.remove, control.clients, control.addClient] as (() => Promise<unknown>)[])
      await t.rejects(call(), advice);
    await t.rejects(control.client('other'), { status: 403, code: 'control_forbidden' });
  },
);

t.test('a block that uses the client of the token ends without an error, and the client stays', async (t) => {
  await using mock = await start();
  await mock.addClient({ clientId: 'added', controlToken: 'token-of-an-added-client' });
  const control = connectMock(mock.url, { token: 'token-of-an-added-client' });
  {
    await using client = await control.client('added');
    t.equal(client.clientId, 'added');
  }
  t.match(await control.state(), { clients: [{ clientId: 'added' }] });
  {
    await using client = await mock.client('added');
    t.ok(client.apiKey);
  }
  t.notOk(
    (await mock.clients()).some(({ clientId }) => clientId === 'added'),
    'the operator removes it',
  );
});

t.test('the waits of one client do not use up those of others', async (t) => {
  await using mock = await start();
  const warnings = t.capture(process, 'emitWarning');
  const control = connectMock(mock.url, { token: ACME_TOKEN });
  const waits = Array.from({ length: 51 }, () =>
    control.waitForRequests({ timeoutMs: 60_000 }).catch((error: { status: number }) => error.status),
  );
  t.equal(await Promise.race(waits), 429);
  const theirs = connectMock(mock.url, { token: OTHER_TOKEN }).waitForRequests({ timeoutMs: 60_000 });
  await createCaller(mock.url, other).list('zoe');
  t.match(await theirs, [{ clientId: 'other' }]);
  await createCaller(mock.url, acme).list('zoe');
  const ended = await Promise.all(waits);
  t.equal(ended.filter((each) => each !== 429).length, 50);
  t.same(warnings(), []);
});

t.test('events and waits with the token are those of its client, and end with it', async (t) => {
  await using mock = await start();
  const added = await mock.addClient({ clientId: 'added', controlToken: 'token-of-an-added-client' });
  const control = connectMock(mock.url, { token: 'token-of-an-added-client' });
  const events: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await control.subscribe((event) => events.push(`${event.type} ${event.clientId}`), { onClose: end });
  await t.rejects(
    control.subscribe(() => {}, { clientId: 'other' }),
    { code: 'control_forbidden' },
  );
  await createCaller(mock.url, other).list('zoe');
  await mock.addFault({ clientId: 'other', status: 503 });
  const waiting = control.waitForRequests({ timeoutMs: 60_000 });
  await createCaller(mock.url, added).list('zoe');
  t.match(await waiting, [{ clientId: 'added' }]);
  const late = control.waitForRequests({ count: 2, timeoutMs: 60_000 });
  late.catch(() => {});
  // The wait has begun when a later call on a connection of its own has its response.
  await control.clock();
  await added.remove();
  await ended;
  t.same([...new Set(events)], ['request added']);
  const again = await mock.addClient({ clientId: 'added' });
  for (let count = 0; count < 2; count++) await createCaller(mock.url, again).list('zoe');
  await t.rejects(late, { status: 401, code: 'control_unauthorized' });
  await t.rejects(control.state(), { code: 'control_unauthorized' });
});

t.test('a call whose body ends after its client was removed changes nothing', async (t) => {
  await using mock = await start();
  const added = await mock.addClient({ clientId: 'added', controlToken: 'token-of-an-added-client' });
  const outgoing = request(`${mock.controlUrl}/addFault`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-of-an-added-client', 'content-type': 'application/json' },
  });
  const responded = once(outgoing, 'response');
  outgoing.write('{"status":503}');
  // The server has authorized a call when one that follows it has its response.
  await connectMock(mock.url, { token: 'token-of-an-added-client' }).clock();
  await added.remove();
  await mock.addClient({ clientId: 'added', controlToken: 'another-token-of-the-client' });
  outgoing.end();
  const [response] = (await responded) as [IncomingMessage];
  t.equal(response.resume().statusCode, 401);
  t.same(await mock.faults({ clientId: 'added' }), []);
});

t.test('the readers of one client do not use up those of others', async (t) => {
  await using mock = await start();
  const open = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = get(`${mock.controlUrl}/events`, { agent: false, headers });
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    t.teardown(() => response.on('error', () => {}).destroy());
    return response.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 12 }, () => open(ACME_TOKEN)));
  t.equal(statuses.filter((status) => status === 200).length, 10);
  t.equal(await open(OTHER_TOKEN), 200);
  t.equal(await open(TOKEN), 200);
});

t.test('the dashboard takes the token; without any token and with a wrong one there is a 401', async (t) => {
  await using mock = await start();
  for (const [password, status] of [
    [ACME_TOKEN, 200],
    [TOKEN, 200],
    ['wrong-wrong-wrong', 401],
    ['clk_acme', 401],
  ] as const) {
    const authorization = `Basic ${Buffer.from(`any:${password}`).toString('base64')}`;
    t.equal((await fetch(mock.dashboardUrl, { headers: { authorization } })).status, status, password);
  }
  t.equal((await fetch(mock.dashboardUrl)).status, 401);
});

t.test('the token is limited to its client also if the mock has none', async (t) => {
  await using mock = await startMockServer({ port: 0, clients: [acme, other] });
  t.equal((await call(mock, 'reset', { clientId: 'other' })).status, 403);
  t.equal((await call(mock, 'clients', {})).status, 403);
  t.equal((await connectMock(mock.url).clients()).length, 2);
});

t.test('no result and no log has a control token', async (t) => {
  const sink = createSink();
  const log = { log: 'pretty', logStream: sink } as const;
  await using mock = await startMockServer({ port: 0, controlToken: TOKEN, clients: [acme, other], ...log });
  const {
    clientId: _,
    apiKey: __,
    ...added
  } = await mock.addClient({ controlToken: 'token-of-an-added-client' });
  const headers = { authorization: `Bearer ${ACME_TOKEN}`, 'x-api-key': 'clk_acme' };
  await fetch(`${mock.url}/acme/sessions/zoe?token=${ACME_TOKEN}`, { headers });
  await call(mock, 'clients', {});
  const results = [await mock.state(), await mock.clients(), await added.update({}), await mock.requests()];
  t.notMatch(JSON.stringify(results) + sink.text, /token-of-/);
});

t.test('two clients, or a client and the mock, cannot have the same control token', async (t) => {
  const same = { ...other, controlToken: ACME_TOKEN };
  const places = async (options: object) => (await rejectionOf(() => createMockFetch(options))).places;
  t.same(await places({ clients: [acme, same] }), ['/clients/1/controlToken']);
  t.same(await places({ clients: [same], scenario: { clients: [acme] } }), ['/clients/0/controlToken']);
  t.same(await places({ scenario: { clients: [acme, same] } }), ['/scenario/clients/1/controlToken']);
  t.same(await places({ clients: [{ ...acme, controlToken: 'short' }] }), ['/clients/0/controlToken']);
  for (const options of [{ clients: [acme] }, { scenario: { clients: [acme] } }]) {
    const rejection = await rejectionOf(() =>
      startMockServer({ port: 0, controlToken: ACME_TOKEN, ...options }),
    );
    t.match(rejection.places, [/\/clients\/0\/controlToken$/]);
  }
  await using mock = await start();
  for (const controlToken of [TOKEN, ACME_TOKEN])
    await t.rejects(mock.addClient({ controlToken }), { status: 409, code: 'already_exists' });
  const scenario = { clients: [{ ...acme, controlToken: TOKEN }] };
  const rejection: unknown = await mock.setScenario(scenario).catch((error) => error);
  t.match(rejection, { status: 422, problems: [{ pointer: '/clients/0/controlToken' }] });
});

t.test('an added client keeps its token in the persist file; no configured client can take it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const persistFile = join(folder, 'mock.json');
  const first = await startMockServer({ port: 0, controlToken: TOKEN, persistFile });
  await first.addClient(acme);
  await first.close();
  const second = await startMockServer({ port: 0, controlToken: TOKEN, persistFile });
  t.equal((await call(second, 'state', {})).status, 200);
  await second.close();
  for (const options of [
    { controlToken: ACME_TOKEN },
    { controlToken: TOKEN, clients: [{ ...other, controlToken: ACME_TOKEN }] },
  ])
    await t.rejects(startMockServer({ port: 0, persistFile, ...options }), {
      code: 'options_invalid',
      message: /has the client acme: This control token exists already/,
    });
});

t.test('a body of a partner has at most 100,000 values; one of the operator may have more', async (t) => {
  await using mock = await start();
  const sessions = [{ extra: { list: Array(60_000).fill([]) } }];
  const input = { clientId: 'acme', userId: 'ada', sessions };
  const rejected = await call(mock, 'setSessions', input);
  t.equal(rejected.status, 422);
  t.match(rejected.body, 'must not have more than 100000 values');
  t.notMatch((await call(mock, 'setSessions', input, TOKEN)).body, 'values');
});
