// The request log: what it holds, what it counts, and waiting for requests.
import { getEventListeners, setMaxListeners } from 'node:events';
import t from 'tap';
import type { RequestFilter } from '../../../mock-server/control/types.js';
import {
  createRequestLog,
  type NewLoggedRequest,
  type RequestLogOptions,
} from '../../../mock-server/state/requests.js';
import { NOW } from './set-up.js';

const REQUEST: NewLoggedRequest = {
  time: NOW,
  method: 'GET',
  path: '/demo/sessions/ada',
  route: 'listSessions',
  clientId: 'demo',
  userId: 'ada',
  status: 200,
  durationMs: 1,
  headers: {},
};

function createLog(options: Partial<RequestLogOptions> = {}) {
  const log = createRequestLog({ onAdd() {}, onClear() {}, ...options });
  const add = (changes: Partial<NewLoggedRequest> = {}) => log.add({ ...REQUEST, ...changes });
  return { log: log.methods, add };
}

const body = (bytes: number) => ({ text: 'x'.repeat(bytes), bytes, isTruncated: false });

t.test('requests have growing ids', async (t) => {
  const { log, add } = createLog();
  t.strictSame(add(), { id: 1, ...REQUEST });
  add();
  t.strictSame(
    log.requests().map(({ id }) => id),
    [1, 2],
  );
});

t.test('a filter selects by client, user, route, method, status, class of status, and id', async (t) => {
  const { log, add } = createLog();
  add();
  add({ clientId: 'other', userId: 'ben', method: 'POST', route: 'createLink', status: 404 });
  add({ clientId: null, userId: null, route: null, status: null });
  const ids = (filter: Parameters<typeof log.requests>[0]) => log.requests(filter).map(({ id }) => id);
  t.strictSame(ids({ clientId: 'other' }), [2]);
  t.strictSame(ids({ userId: 'ada' }), [1]);
  t.strictSame(ids({ route: 'createLink' }), [2]);
  t.strictSame(ids({ method: 'post' }), [2]);
  t.strictSame(ids({ status: 200 }), [1]);
  t.strictSame(ids({ status: '4xx' }), [2]);
  t.strictSame(ids({ after: 1 }), [2, 3]);
  t.strictSame(ids({ limit: 2 }), [2, 3]);
  t.equal(log.countRequests({ status: '4xx' }), 1);
});

t.test('the log holds and counts the last requests of each client', async (t) => {
  const { log, add } = createLog({ maxRequests: 3 });
  for (let index = 0; index < 10; index++) add({ userId: index < 5 ? 'ada' : 'ben' });
  add({ clientId: 'other' });
  t.strictSame(
    log.requests().map(({ id }) => id),
    [8, 9, 10, 11],
  );
  t.equal(log.countRequests(), 4);
  t.equal(log.countRequests({ clientId: 'demo', userId: 'ada' }), 0);
  t.equal(log.countRequests({ clientId: 'demo', userId: 'ben', status: 200 }), 3);
});

t.test('the requests of a client are bounded in bytes: the oldest one goes first', async (t) => {
  const { log, add } = createLog({ maxClientBytes: 40_000 });
  add({ clientId: 'other' });
  for (let index = 0; index < 10; index++) add({ responseBody: body(10_000) });
  t.strictSame(
    log.requests().map(({ id }) => id),
    [1, 9, 10, 11],
  );
});

t.test('beyond the bytes of all, the client with the most loses its oldest requests', async (t) => {
  const { log, add } = createLog({ maxBytes: 60_000 });
  for (let index = 0; index < 5; index++) add({ clientId: 'other' });
  for (let index = 0; index < 100; index++) add({ responseBody: body(5000) });
  t.equal(log.countRequests({ clientId: 'other' }), 5);
  t.ok(log.countRequests({ clientId: 'demo' }) < 15);
  for (let index = 0; index < 100; index++) add({ clientId: null, responseBody: body(5000) });
  t.equal(log.countRequests({ clientId: 'other' }), 5, 'callers without a key displace no client');
});

t.test(
  'the body and the headers of a logged fault count as bytes, and control characters as six',
  async (t) => {
    const large = 'x'.repeat(10_000);
    for (const fault of [
      { body: { large } },
      { headers: { large } },
      { body: large },
      { body: '\x01'.repeat(1700) },
    ]) {
      const { log, add } = createLog({ maxClientBytes: 40_000 });
      for (let index = 0; index < 10; index++) add({ fault: { status: 503, ...fault } });
      t.equal(log.countRequests(), 3);
    }
  },
);

t.test('a list has the newest requests that fit, at least one', async (t) => {
  const { log, add } = createLog({ maxListBytes: 30_000 });
  for (let index = 0; index < 10; index++) add({ responseBody: body(10_000) });
  t.match(log.requests(), [{ id: 9 }, { id: 10 }]);
  t.equal(log.requests().length, 2);
  add({ responseBody: body(100_000) });
  t.match(log.requests(), [{ id: 11 }]);
  t.equal(log.countRequests(), 11);
});

t.test('10,000 requests with the largest bodies stay within the bytes', async (t) => {
  let held = 0;
  const { log, add } = createLog({ maxListBytes: 2 ** 30 });
  const large = body(16 * 1024);
  for (let index = 0; index < 10_000; index++) add({ clientId: `c-${index % 50}`, requestBody: large });
  for (const { requestBody } of log.requests({ limit: 1000_000 })) held += requestBody?.text.length ?? 0;
  t.ok(held > 28 * 2 ** 20 && held <= 32 * 2 ** 20, `${held}`);
});

t.test('clearing forgets the requests of one client, or of all', async (t) => {
  const { log, add } = createLog({ maxRequests: 2 });
  for (let index = 0; index < 5; index++) add();
  add({ clientId: 'other' });
  t.equal(log.clearRequests({ clientId: 'demo' }), 2);
  t.equal(log.countRequests({ clientId: 'demo' }), 0);
  t.equal(log.countRequests(), 1);
  t.equal(log.clearRequests(), 1);
  t.strictSame(log.requests(), []);
  t.equal(add().id, 7, 'ids go on');
});

t.test('a wait resolves at once if there are enough requests', async (t) => {
  const { log, add } = createLog();
  add();
  add({ status: 404 });
  t.match(await log.waitForRequests({ status: 404 }), [{ id: 2 }]);
});

t.test('a wait resolves when enough matching requests have arrived', async (t) => {
  const { log, add } = createLog();
  const waiting = log.waitForRequests({ clientId: 'demo', count: 2 });
  add();
  add({ clientId: 'other' });
  add();
  t.match(await waiting, [{ id: 1 }, { id: 3 }]);
});

t.test('a wait counts what the log held and what arrived: not what was cleared meanwhile', async (t) => {
  const { log, add } = createLog({ maxRequests: 3 });
  add({ userId: 'ben' });
  const cleared = log.waitForRequests({ clientId: 'demo', count: 2 });
  log.clearRequests({ clientId: 'demo' });
  add();
  const removed = log.waitForRequests({ userId: 'ada', status: 200, count: 3 });
  add({ status: 503 });
  t.match(await cleared, [{ id: 2 }, { id: 3 }]);
  for (const status of [200, 503, 200, 200, 200]) add({ status });
  t.match(await removed, [{ id: 6 }, { id: 7 }, { id: 8 }]);
});

t.test('with 50 waits, a request is compared once for each wait of its client', async (t) => {
  const { log, add } = createLog();
  for (let index = 0; index < 1000; index++) add();
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  let comparisons = 0;
  // Each comparison calls it once.
  const toUpperCase = () => {
    comparisons++;
    return 'PUT';
  };
  const method = { toUpperCase } as string;
  const waits = ['demo', 'other'].flatMap((clientId) =>
    Array.from({ length: 50 }, () => log.waitForRequests({ clientId, method }, abort.signal).catch(() => {})),
  );
  comparisons = 0;
  for (let index = 0; index < 10; index++) add();
  t.equal(comparisons, 10 * 50);
  abort.abort();
  await Promise.all(waits);
});

t.test('a client has at most 50 waits; others may wait, and so may it when one has ended', async (t) => {
  const { log, add } = createLog();
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const hold = (filter: RequestFilter) => log.waitForRequests(filter, abort.signal).catch(() => {});
  const held = Array.from({ length: 50 }, () => hold({ clientId: 'demo', status: 503 }));
  const tooMany = { status: 429, code: 'too_many_waits' };
  await t.rejects(log.waitForRequests({ clientId: 'demo' }), tooMany);
  const other = log.waitForRequests({ clientId: 'other' });
  const all = log.waitForRequests({});
  add({ clientId: 'other' });
  t.match([await other, await all], [[{ id: 1 }], [{ id: 1 }]]);
  add();
  t.match(await log.waitForRequests({ clientId: 'demo' }), [{ id: 2 }], 'one that need not wait is no wait');
  add({ status: 503 });
  await Promise.all(held);
  const next = log.waitForRequests({ clientId: 'demo', count: 3 });
  add();
  t.equal((await next).length, 3);
  held.push(...Array.from({ length: 50 }, () => hold({ route: 'openLink' })));
  await t.rejects(log.waitForRequests({ route: 'openLink' }), tooMany, 'without a client as well');
  abort.abort();
  await Promise.all(held);
});

t.test('a wait rejects after its time, with the number of requests that arrived', async (t) => {
  const { log, add } = createLog();
  add();
  await t.rejects(log.waitForRequests({ clientId: 'demo', status: 200, count: 2, timeoutMs: 5 }), {
    code: 'wait_timed_out',
    message: '1 of 2 requests (clientId demo, status 200) arrived within 5 ms.',
  });
});

t.test('a wait that rejects names the nearest request: never one of another client', async (t) => {
  const { log, add } = createLog();
  const messageOf = async (filter: RequestFilter) =>
    (await log.waitForRequests({ ...filter, timeoutMs: 1 }).catch((error: Error) => error.message)) as string;
  t.notMatch(await messageOf({ status: 503 }), 'nearest');
  add({ userId: null, route: 'createLink', method: 'POST', path: '/demo/link' });
  add({ userId: 'zoe', path: '/demo/sessions/zoe' });
  add({ clientId: 'other', userId: 'ada', path: '/other/sessions/ada' });
  t.match(
    await messageOf({ clientId: 'demo', route: 'listSessions', method: 'get', userId: 'ada' }),
    /\. The nearest request has userId zoe: GET \/demo\/sessions\/zoe\.$/,
  );
  add({ clientId: null, path: '/acme/sessions/zoe' });
  t.match(
    await messageOf({ clientId: 'acme' }),
    'The nearest request has clientId null: GET /acme/sessions/zoe.',
  );
  t.notMatch(await messageOf({ clientId: 'nobody' }), 'nearest');
});

t.test('a wait that has ended leaves no timer, and nothing in its signal', async (t) => {
  const { log, add } = createLog();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const { signal } = new AbortController();
  const before = timers();
  const waiting = log.waitForRequests({}, signal);
  t.equal(timers(), before + 1);
  add();
  await waiting;
  t.equal(timers(), before);
  t.strictSame(getEventListeners(signal, 'abort'), []);
});

t.test('a wait ends when it is aborted', async (t) => {
  const { log } = createLog();
  const abort = new AbortController();
  const aborted = log.waitForRequests({}, abort.signal);
  abort.abort(new Error('gone'));
  await t.rejects(aborted, { message: 'gone' });
  await t.rejects(log.waitForRequests({}, abort.signal), { message: 'gone' });
});
