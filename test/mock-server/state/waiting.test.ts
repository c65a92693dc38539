// What waits in a mock ends with the state that it belongs to: reset, restore and a new scenario leave nothing of it.
import { setImmediate as nextTick } from 'node:timers/promises';
import t, { type Test } from 'tap';
import {
  createMockFetch,
  type MockControl,
  type MockFetch,
  startMockServer,
} from '../../../mock-server/index.js';
import { serve } from '../../listen.js';
import { createCaller, linkRequest } from '../caller.js';
import { openState, submit } from './set-up.js';

const DEMO = { clientId: 'demo', apiKey: 'clk_test_demo' };
/** Ends within a test if nothing ends it before. */
const DELAY_MS = 300;

/** What replaces the state. */
const REPLACEMENTS: Readonly<Record<string, (mock: MockControl) => Promise<unknown>>> = {
  'reset of all': (mock) => mock.reset(),
  'reset of the client': (mock) => mock.reset({ clientId: 'demo' }),
  'restore of all': (mock) => mock.restore('start'),
  'restore of the client': (mock) => mock.restore('start', { clientId: 'demo' }),
  'a new scenario': (mock) => mock.setScenario({ clients: [DEMO] }),
};

/** A body that arrives when the test says so. */
function createBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const end = async () => {
    await writer.write(Buffer.from(JSON.stringify(linkRequest('zoe'))));
    await writer.close();
  };
  return { init: { body: readable, duplex: 'half' } as RequestInit, end };
}

type Case = (mock: MockFetch) => Promise<{ response: Promise<unknown>; goOn?: () => Promise<void> }>;

const caller = (mock: MockFetch) => createCaller(mock.publicUrl, DEMO, mock);
const prefer = { headers: { prefer: `delay=${DELAY_MS}` } };

async function snapshots(mock: MockControl): Promise<void> {
  await mock.snapshot('start');
  await mock.snapshot('start', { clientId: 'demo' });
}

/** What begins before the state is replaced. */
const WAITING: Readonly<Record<string, Case>> = {
  'a listing that a fault delays': async (mock) => {
    await mock.addFault({ delayMs: DELAY_MS });
    return { response: caller(mock).list('zoe') };
  },
  'a link that a preference delays': async (mock) => ({ response: caller(mock).link('zoe', prefer) }),
  'a link whose body is still to come': async (mock) => {
    const { init, end } = createBody();
    return { response: caller(mock).link('zoe', init), goOn: () => end().catch(() => {}) };
  },
  'a claim that a preference delays': async (mock) => {
    const { url } = await mock.createLink('demo', linkRequest('zoe'));
    await snapshots(mock);
    const [session] = await mock.sessions('demo', 'zoe');
    const body = JSON.stringify({ policy: session?.selectedPolicy });
    const headers = { ...prefer.headers, 'content-type': 'application/json' };
    return { response: caller(mock).open(url, { method: 'POST', body, headers }) };
  },
};

/** Returns what the state has, of what a request can leave in it. */
async function contentOf(mock: MockControl): Promise<unknown> {
  const links = (await mock.links()).map(({ linkId, state }) => [linkId, state]);
  return { links, sessions: await mock.sessions('demo', 'zoe'), requests: await mock.requests() };
}

for (const [waiting, start] of Object.entries(WAITING))
  for (const [replacement, replace] of Object.entries(REPLACEMENTS))
    t.test(`${waiting} ends with ${replacement}`, async (t) => {
      const mock = createMockFetch();
      await snapshots(mock);
      const { response, goOn } = await start(mock);
      const outcome = response.then(
        () => 'a response',
        (error) => error.message,
      );
      await nextTick();
      await replace(mock);
      const content = await contentOf(mock);
      t.match(content, { requests: [] });
      await mock.failNext({ status: 418 });
      await goOn?.();
      t.equal(await outcome, 'fetch failed');
      t.strictSame(await contentOf(mock), content, 'nothing comes later');
      t.equal((await caller(mock).list('max')).status, 418, 'it has used up no fault');
    });

t.test('a request that has just begun belongs to the state before', async (t) => {
  const mock = createMockFetch();
  const response = caller(mock).link('zoe');
  const reset = mock.reset();
  await t.rejects(response, { message: 'fetch failed' });
  await reset;
  t.match(await contentOf(mock), { links: [], requests: [] });
  t.equal((await caller(mock).link('zoe')).status, 200, 'what begins afterwards is new');
});

t.test('a control call that has begun creates no link in the next state', async (t) => {
  const mock = createMockFetch();
  const created = mock.createLink('demo', linkRequest('zoe'));
  const reset = mock.reset();
  await t.rejects(created, { status: 409, code: 'state_replaced' });
  await reset;
  t.strictSame(await mock.links(), []);
});

t.test('what waits for another client goes on', async (t) => {
  const mock = createMockFetch();
  const other = await mock.addClient();
  const response = createCaller(mock.publicUrl, other, mock).link('zoe', { headers: { prefer: 'delay=50' } });
  await nextTick();
  await mock.reset({ clientId: 'demo' });
  t.equal((await response).status, 200);
  t.match(await mock.links(), [{ clientId: other.clientId }]);
});

t.test('a removed client leaves nothing to one that gets its id', async (t) => {
  const mock = createMockFetch();
  const client = await mock.addClient({ clientId: 'again' });
  const response = createCaller(mock.publicUrl, client, mock).link('zoe', prefer);
  await nextTick();
  await mock.removeClient('again');
  await mock.addClient({ clientId: 'again' });
  await t.rejects(response, { message: 'fetch failed' });
  t.strictSame(await mock.requests({ clientId: 'again' }), []);
});

t.test('a request without a client ends with a reset of all', async (t) => {
  const mock = createMockFetch();
  const response = mock(`${mock.publicUrl}/nobody/sessions/u`, prefer);
  await nextTick();
  await mock.reset();
  await t.rejects(response, { message: 'fetch failed' });
  t.strictSame(await mock.requests(), []);
});

t.test('a slow response ends with a reset', async (t) => {
  const mock = createMockFetch();
  await mock.addFault({ effect: 'slow', bytesPerSecond: 1000 });
  const response = await caller(mock).list('zoe');
  const body = response.text();
  await nextTick();
  await mock.reset();
  await t.rejects(body, { message: 'terminated' });
});

t.test('over HTTP, the connection of what waits is reset', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const isSet = new Promise<void>((resolve) => {
    mock.subscribe((event) => event.type === 'changed' && event.part === 'faults' && resolve());
  });
  await mock.addFault({ delayMs: DELAY_MS });
  await isSet;
  const isHit = new Promise<void>((resolve) => {
    mock.subscribe((event) => event.type === 'changed' && event.part === 'faults' && resolve());
  });
  const response = createCaller(mock.url, DEMO).link('zoe');
  await isHit;
  await mock.reset();
  await t.rejects(response, { message: 'fetch failed' });
  t.match(await contentOf(mock), { links: [], requests: [] });
});

/** Starts a receiver of webhooks that never responds. */
async function startReceiver(t: Test) {
  let received = 0;
  let onRequest = () => {};
  const isCalled = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const url = await serve(t, () => {
    received++;
    onRequest();
  });
  return { url, isCalled, received: () => received };
}

t.test('an attempt to send the webhook that a fault delays ends with a reset', async (t) => {
  const receiver = await startReceiver(t);
  const open = await openState({ webhook: receiver.url });
  await open.state.methods.addFault({ route: 'claimSubmitted', delayMs: 1 });
  const service = open.of('demo');
  await submit(open, await open.createLink('demo', 'zoe'));
  open.state.methods.reset();
  await service.idle();
  t.equal(receiver.received(), 0);
  t.strictSame(open.state.methods.requests(), []);
  await open.state.close();
});

t.test('an attempt whose receiver does not respond ends with a reset, and reports no error', async (t) => {
  const receiver = await startReceiver(t);
  const errors: unknown[] = [];
  const open = await openState({ webhook: receiver.url }, { onError: (error) => errors.push(error) });
  const service = open.of('demo');
  await submit(open, await open.createLink('demo', 'zoe'));
  await receiver.isCalled;
  open.state.methods.reset();
  await service.idle();
  t.strictSame(open.state.methods.requests(), []);
  t.strictSame(errors, []);
  await open.state.close();
});
