// The requests that a mock holds: a caller may have 100 at once, so that no partner fills the memory that all share.
import { request } from 'node:http';
import t, { type Test } from 'tap';
import { createMockFetch, startMockServer } from '../../../mock-server/index.js';
import { createHold } from '../../../mock-server/state/holds.js';
import { createCaller, linkRequest } from '../caller.js';

const MAX_REQUESTS = 100;
const DEMO = { clientId: 'demo', apiKey: 'key-of-demo' };
const OTHER = { clientId: 'other', apiKey: 'key-of-other' };
const clients = [DEMO, OTHER];
const prefer = (delayMs: number) => ({ prefer: `delay=${delayMs}` });
/** Longer than a test. */
const ENDLESS = prefer(60_000);

function openMock(t: Test, options = {}) {
  const mock = createMockFetch({ clients, ...options });
  t.teardown(() => mock.reset());
  const callerOf = (client: typeof DEMO) => createCaller(mock.publicUrl, client, mock);
  return { mock, callerOf, demo: callerOf(DEMO) };
}

/** Sends one request more than a caller may have at once. Returns the response to the one that is not held. */
async function sendTooMany(send: (signal: AbortSignal, index: number) => Promise<Response>) {
  const controller = new AbortController();
  const responses = Array.from({ length: MAX_REQUESTS + 1 }, (_, index) => send(controller.signal, index));
  const outcomes = Promise.allSettled(responses);
  const rejected = await Promise.race(responses);
  /** Ends the connections. Returns how many were held. */
  async function end(): Promise<number> {
    controller.abort();
    return (await outcomes).filter(({ status }) => status === 'rejected').length;
  }
  return { rejected, end };
}

for (const [name, fault, headers] of [
  ['a preference', undefined, ENDLESS],
  ['the delay of a fault', { clientId: 'demo', delayMs: 60_000 }, {}],
] as const)
  t.test(`${name} holds 100 requests of a client, and the next one is a 429`, async (t) => {
    const { mock, callerOf, demo } = openMock(t);
    if (fault) await mock.addFault(fault);
    const { rejected, end } = await sendTooMany((signal) => demo.link('zoe', { headers, signal }));
    t.equal(rejected.status, 429);
    t.equal(rejected.headers.get('retry-after'), '1');
    t.equal(rejected.headers.get('preference-applied'), null);
    t.match(await rejected.json(), { code: 'too_many_held', detail: /^This client may have 100 .* Wait / });
    t.match(await mock.requests({ status: 429 }), [{ code: 'too_many_held', clientId: 'demo' }]);
    t.equal((await callerOf(OTHER).list('zoe', { headers: prefer(1) })).status, 200, 'others are served');
    if (!fault) t.equal((await demo.list()).status, 200, 'so is a request without a delay');
    t.equal(await end(), MAX_REQUESTS);
    await mock.clearFaults();
    t.equal((await demo.link('zoe', { headers: prefer(1) })).status, 200, 'the places are free again');
  });

t.test('callers without a valid key have 100 together, whatever client they name', async (t) => {
  const { callerOf, demo } = openMock(t);
  const callers = clients.map(({ clientId }) => callerOf({ clientId, apiKey: 'wrong' }));
  const { rejected, end } = await sendTooMany(async (signal, index) =>
    (callers[index % 2] ?? demo).list('zoe', { headers: ENDLESS, signal }),
  );
  t.equal(rejected.status, 429);
  t.match(await rejected.json(), { detail: /^Callers without a valid key or token together / });
  t.equal((await demo.list('zoe', { headers: prefer(1) })).status, 200);
  t.equal(await end(), MAX_REQUESTS);
});

t.test('a reset frees the places before it returns', async (t) => {
  const { mock, demo } = openMock(t);
  const { rejected } = await sendTooMany((signal) => demo.list('zoe', { headers: ENDLESS, signal }));
  t.equal(rejected.status, 429);
  await mock.reset({ clientId: 'demo' });
  t.equal((await demo.list('zoe', { headers: prefer(1) })).status, 200);
});

t.test('over HTTP, the end of a connection frees its place, also that of a slow response', async (t) => {
  const mock = await startMockServer({ port: 0, clients });
  t.teardown(() => mock.close());
  const demo = createCaller(mock.url, DEMO);
  const statusNow = async () => (await demo.list('zoe', { headers: prefer(1) })).status;
  /** The mock learns of the end of a connection later than its client. */
  async function untilFree(): Promise<void> {
    while ((await statusNow()) === 429);
  }
  const { rejected, end } = await sendTooMany((signal) => demo.link('zoe', { headers: ENDLESS, signal }));
  t.equal(rejected.status, 429);
  await rejected.text();
  await end();
  await untilFree();

  await mock.addFault({ clientId: 'demo', effect: 'slow', bytesPerSecond: 1 });
  const slow = new AbortController();
  const { signal } = slow;
  const responses = await Promise.all(
    Array.from({ length: MAX_REQUESTS }, () => demo.link('zoe', { signal })),
  );
  t.ok(responses.every(({ status }) => status === 200));
  t.equal((await demo.link('zoe')).status, 429);
  t.equal((await mock.links()).length, MAX_REQUESTS, 'it is rejected before it takes effect');
  await mock.clearFaults();
  t.equal(await statusNow(), 429);
  slow.abort();
  await untilFree();
});

t.test('of the webhooks that a fault delays, the 101st attempt fails, to be repeated', async (t) => {
  const { mock } = openMock(t, { webhook: 'http://127.0.0.1:9999/hook' });
  await mock.addFault({ clientId: 'demo', route: 'claimSubmitted', delayMs: 60_000 });
  for (let count = 0; count <= MAX_REQUESTS; count++) {
    const { url } = await mock.createLink('demo', linkRequest('zoe'));
    await mock.submitLink(url);
  }
  const attempts = await mock.waitForRequests({ route: 'claimSubmitted' });
  t.match(attempts, [{ status: null, code: 'too_many_held' }]);
  t.equal(attempts.length, 1);
});

t.test('the bodies of held requests have a limit as well', async (t) => {
  const hold = createHold(10);
  const [first, second] = [new AbortController(), new AbortController()];
  t.equal(hold('demo', 6, first.signal), undefined);
  t.match(hold('demo', 5, second.signal), { status: 429, code: 'too_many_held' });
  t.equal(hold('other', 5, second.signal), undefined, 'of each client');
  t.equal(hold(null, 5, second.signal), undefined, 'and of callers without one');
  first.abort();
  t.equal(hold('demo', 5, second.signal), undefined);
});

t.test(
  'the bodies of a client that arrive at the same time have a limit, and free it when they end',
  async (t) => {
    const mock = await startMockServer({ port: 0, clients });
    t.teardown(() => mock.close());
    const BYTES = 64 * 1024;
    /** Sends a body without its end. */
    function upload() {
      const headers = {
        'x-api-key': DEMO.apiKey,
        'content-type': 'application/json',
        'content-length': BYTES,
      };
      const sent = request(`${mock.url}/demo/link`, { method: 'POST', headers, agent: false });
      sent.on('error', () => {});
      sent.write('{');
      return sent;
    }
    const uploads = Array.from({ length: (8 * 1024 * 1024) / BYTES }, upload);
    t.teardown(() => uploads.forEach((each) => void each.destroy()));
    const demo = createCaller(mock.url, DEMO);
    /** Retries until the mock knows of all connections that begin or end. */
    async function until(status: number): Promise<Response> {
      for (;;) {
        const response = await demo.link('zoe');
        if (response.status === status) return response;
        await response.text();
      }
    }
    const rejected = await until(429);
    t.equal(rejected.headers.get('retry-after'), '1');
    t.match(await rejected.json(), { code: 'too_many_requests', detail: /^This client may have 8 MiB / });
    t.equal((await createCaller(mock.url, OTHER).link('zoe')).status, 200, 'other clients are served');
    t.equal((await demo.list()).status, 200, 'so is a request without a body');
    uploads[0]?.destroy();
    await until(200);
  },
);
