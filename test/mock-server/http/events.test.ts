// Server-sent events: the number of readers, the bytes that they have not read, and the client of each.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createEventStreams } from '../../../mock-server/http/event-streams.js';
import { startMockServer } from '../../../mock-server/index.js';
import { createEventBus, type EventBus } from '../../../mock-server/state/event-bus.js';
import { createCaller, linkRequest } from '../caller.js';
import { send } from '../client.js';

const MIB = 1024 * 1024;

/** Subscribes over HTTP. Resolves when the mock has sent the head. */
async function subscribe(t: Test, url: string): Promise<IncomingMessage> {
  const outgoing = get(url, { agent: false });
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  t.teardown(() => response.destroy());
  return response;
}

/** Collects the text of a stream. `until` resolves when the text has a part, and rejects when the stream ends. */
function collect(response: IncomingMessage) {
  let text = '';
  let isClosed = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // `once` would reject for a connection that the mock resets.
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  return {
    text: () => text,
    closed,
    async until(part: string): Promise<void> {
      while (!text.includes(part)) {
        if (isClosed) throw new Error(`The stream ended before ${part}`);
        await new Promise(setImmediate);
      }
    },
  };
}

t.test('50 readers get events; the 51st gets 503 until one of them leaves', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const url = `${mock.controlUrl}/events`;
  const readers = await Promise.all(Array.from({ length: 50 }, () => subscribe(t, url)));
  t.same([...new Set(readers.map(({ statusCode }) => statusCode))], [200]);
  t.match(await send(url), { status: 503, body: '"code":"too_many_readers"' });

  readers[0]?.destroy();
  let next = await subscribe(t, url);
  while (next.statusCode === 503) next = await subscribe(t, url);
  t.equal(next.statusCode, 200);
  const events = collect(next);
  await mock.advanceClock(1000);
  await events.until('"part":"clock"');
});

t.test('a reader that does not read is dropped; the others get every event', async (t) => {
  const bus = createEventBus();
  const streams = createEventStreams(bus, () => true);
  const app = Fastify({ forceCloseConnections: true });
  app.get('/events', (_request, reply) => streams.open(reply, {}));
  t.teardown(() => app.close());
  const url = `${await app.listen({ port: 0 })}/events`;
  const slow = await subscribe(t, url);
  const fast = collect(await subscribe(t, url));

  // 32 MiB: more than the operating system and Node hold for a connection, and the limit of 1 MiB.
  for (let index = 0; index < 64; index++) {
    bus.emit({ type: 'sessions', clientId: 'demo', userId: `${index}-${'x'.repeat(MIB / 2)}-end` });
    await fast.until(`"userId":"${index}-`);
  }
  await fast.until('-end"}\n\n');
  const dropped = collect(slow);
  await dropped.closed;
  t.notMatch(dropped.text(), '"userId":"63-');
  bus.emit({ type: 'changed', clientId: null, part: 'clock' });
  await fast.until('"part":"clock"');
});

t.test('a listener that another one unsubscribes during an event does not get the event', async (t) => {
  const bus = createEventBus();
  const received: string[] = [];
  const subscribe = (onEvent: () => void) => bus.subscribe({}, onEvent, () => {});
  subscribe(() => {
    received.push('first');
    endSecond();
  });
  const endSecond = subscribe(() => void received.push('second'));
  bus.emit({ type: 'changed', clientId: null, part: 'clock' });
  t.same(received, ['first']);
});

t.test('a closed bus delivers no event, and closes later subscriptions at once', async (t) => {
  const bus = createEventBus();
  const calls: string[] = [];
  const subscribe = (name: string) =>
    bus.subscribe(
      {},
      () => void calls.push(`event ${name}`),
      () => void calls.push(`close ${name}`),
    );
  subscribe('first');
  bus.close();
  subscribe('second');
  bus.emit({ type: 'changed', clientId: null, part: 'clock' });
  bus.close();
  t.same(calls, ['close first', 'close second']);
});

t.test('without readers the streams have no subscription; the next reader gets events again', async (t) => {
  const bus = createEventBus();
  let subscriptions = 0;
  const counting: Pick<EventBus, 'subscribe'> = {
    subscribe(...args) {
      subscriptions++;
      const unsubscribe = bus.subscribe(...args);
      return () => {
        subscriptions--;
        unsubscribe();
      };
    },
  };
  const streams = createEventStreams(counting, () => true);
  const app = Fastify({ forceCloseConnections: true });
  app.get('/events', (_request, reply) => streams.open(reply, {}));
  t.teardown(() => app.close());
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/events`;
  const first = await subscribe(t, url);
  t.equal(subscriptions, 1);
  first.destroy();
  while (subscriptions > 0) await new Promise(setImmediate);
  const events = collect(await subscribe(t, url));
  t.equal(subscriptions, 1);
  bus.emit({ type: 'changed', clientId: null, part: 'clock' });
  await events.until('"part":"clock"');
});

t.test('a reader of one client gets its events and those of all clients, and no others', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const client = await mock.addClient();
  const events = collect(await subscribe(t, `${mock.controlUrl}/events?clientId=demo`));
  const all = collect(await subscribe(t, `${mock.controlUrl}/events`));

  await client.createLink(linkRequest('of-the-client'));
  await client.setSessions('of-the-client', []);
  await createCaller(mock.url, client).list('of-the-client');
  await send(`${mock.url}/demo/sessions/without-a-key`);
  await mock.addFault({ status: 503 });
  await mock.setSessions('demo', 'of-demo', []);
  await Promise.all([events.until('of-demo'), all.until('of-demo')]);

  t.notMatch(events.text(), client.clientId);
  t.notMatch(events.text(), 'of-the-client');
  t.notMatch(events.text(), 'without-a-key');
  t.match(events.text(), '{"type":"changed","clientId":null,"part":"faults"}');
  for (const part of ['of-the-client', 'without-a-key']) t.match(all.text(), part);
});

t.test('the end of the mock ends the streams of its readers', async (t) => {
  const mock = await startMockServer({ port: 0 });
  const response = await subscribe(t, `${mock.controlUrl}/events`);
  const events = collect(response);
  await Promise.all([mock.close(), events.closed]);
  t.equal(events.text(), ':\n\n');
  t.equal(response.complete, true, 'an end, no reset');
});
