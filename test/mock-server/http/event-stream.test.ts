// Server-sent events: in order, numbered, replayed for those who come back, and each client's own.
import { get, type IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import { type MockServer, startMockServer } from '../../../mock-server/index.js';
import { createCaller } from '../caller.js';
import { send } from '../client.js';

interface Streamed {
  id: number | undefined;
  type: string;
  data: { type: string; clientId: string | null; [name: string]: unknown };
}

async function start(t: Test) {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  return { mock, demo: createCaller(mock.url, { clientId: 'demo', apiKey: 'clk_test_demo' }) };
}

/** A reader as EventSource is one. */
async function open(
  t: Test,
  mock: MockServer,
  { query = '', lastId }: { query?: string; lastId?: number | string } = {},
) {
  const headers = lastId === undefined ? {} : { 'last-event-id': String(lastId) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${mock.controlUrl}/events${query}`, { headers, agent: false }, resolve).on('error', reject);
  });
  t.teardown(() => response.destroy());
  const events: Streamed[] = [];
  let text = '';
  let isEnded = false;
  let tell = () => {};
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event) events.push(event);
    }
    tell();
  });
  response.on('close', () => {
    isEnded = true;
    tell();
  });
  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => (tell = resolve));
  }
  return {
    response,
    /** The first so many. */
    async take(count: number): Promise<Streamed[]> {
      await until(() => events.length >= count);
      return events.slice(0, count);
    },
    ended: () => until(() => isEnded),
    events,
  };
}

function parse(block: string): Streamed | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const [id, type, data] = [field('id'), field('event'), field('data')];
  if (type === undefined || data === undefined) return undefined;
  return { id: id === undefined ? undefined : Number(id), type, data: JSON.parse(data) };
}

t.test('a stream says that it is one, and that nobody is to keep it', async (t) => {
  const { mock } = await start(t);
  const { response } = await open(t, mock);
  t.equal(response.statusCode, 200);
  t.match(response.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
});

t.test('events come in the order they happen, each with the next id', async (t) => {
  const { mock, demo } = await start(t);
  const stream = await open(t, mock);
  const link = await demo.mint('zoe');
  await demo.open(link);
  await mock.submitLink(link);
  mock.clock.advance(1);
  mock.addFault({ status: 500 });
  mock.clearRequests();
  mock.reset();
  const { clientId } = await mock.addClient();
  const events = await stream.take(12);
  t.same(
    events.map(({ type }) => type),
    [
      'link',
      'request',
      'link',
      'request',
      'link',
      'session',
      'clock',
      'faults',
      'journal',
      'faults',
      'reset',
      'clients',
    ],
  );
  const ids = events.map(({ id }) => id ?? 0);
  t.same(
    ids,
    ids.map((_, index) => (ids[0] ?? 0) + index),
  );
  t.ok(events.every(({ type, data }) => type === data.type));
  t.match(events[1]?.data, { request: { route: 'createLink', status: 200, clientId: 'demo' } });
  t.equal(events.at(-1)?.data.clientId, clientId);
});

t.test('who comes back gets what was missed, and then what happens', async (t) => {
  const { mock, demo } = await start(t);
  const first = await open(t, mock);
  await demo.list();
  await demo.list();
  const [seen] = await first.take(1);
  first.response.destroy();
  await demo.list();
  const second = await open(t, mock, { lastId: seen?.id ?? -1 });
  await demo.list();
  const ids = (await second.take(3)).map(({ id }) => id);
  t.same(
    ids,
    [1, 2, 3].map((step) => (seen?.id ?? 0) + step),
  );
});

t.test('who comes back too late, or from another mock, is told to begin anew', async (t) => {
  const { mock, demo } = await start(t);
  const stream = await open(t, mock, { lastId: 999_999 });
  await demo.list();
  t.match(await stream.take(2), [
    { id: undefined, type: 'reset', data: { type: 'reset', clientId: null } },
    { type: 'request' },
  ]);
});

t.test('an id that is none is as if there were none', async (t) => {
  const { mock, demo } = await start(t);
  await demo.list();
  const stream = await open(t, mock, { lastId: 'nonsense' });
  await demo.mint();
  t.match(await stream.take(1), [{ type: 'link' }]);
});

t.test('with a client, only its events come, and those about all; replayed ones, too', async (t) => {
  const { mock, demo } = await start(t);
  const client = await mock.addClient();
  const { clientId } = client;
  const other = createCaller(mock.url, client);
  const stream = await open(t, mock, { query: `?client=${clientId}` });
  await demo.list();
  await demo.mint();
  mock.addFault({ clientId: 'demo', status: 500 });
  mock.clock.advance(1, { clientId: 'demo' });
  mock.setSessions('demo', 'zoe', []);
  mock.reset({ clientId: 'demo' });
  await send(`${mock.url}/nobody/sessions/u`);
  await other.list();
  mock.clock.advance(1);
  const events = await stream.take(2);
  t.match(events, [
    { type: 'request', data: { clientId } },
    { type: 'clock', data: { clientId: null } },
  ]);
  const replayed = await open(t, mock, { query: `?client=${clientId}`, lastId: (events[0]?.id ?? 1) - 1 });
  t.same(await replayed.take(2), events);
});

t.test('several read at the same time, and one who goes is missed by nobody', async (t) => {
  const { mock, demo } = await start(t);
  const [one, two] = [await open(t, mock), await open(t, mock)];
  await demo.list();
  t.same(await one.take(1), await two.take(1));
  one.response.destroy();
  await demo.list();
  t.equal((await two.take(2)).length, 2);
});

t.test('a stream ends when the mock closes, which waits for no reader', async (t) => {
  const { mock } = await start(t);
  const stream = await open(t, mock);
  const startedAt = performance.now();
  await Promise.all([stream.ended(), mock.close()]);
  t.ok(performance.now() - startedAt < 1500);
  t.ok(stream.response.complete, 'whole, not broken off');
});

t.test('a HEAD request is answered at once', async (t) => {
  const { mock } = await start(t);
  const { status, headers } = await send(`${mock.controlUrl}/events`, { method: 'HEAD' });
  t.equal(status, 200);
  t.match(headers['content-type'], 'text/event-stream');
});

t.test('a parameter that is none is refused before the stream begins', async (t) => {
  const { mock } = await start(t);
  const { status, body } = await send(`${mock.controlUrl}/events?clientId=demo`);
  t.equal(status, 422);
  t.match(JSON.parse(body), { errors: [{ parameter: 'clientId', detail: /client/ }] });
});
