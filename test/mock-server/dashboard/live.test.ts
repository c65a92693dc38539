// The connection of the dashboard to the events of a mock.
import { mock as nodeMock } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { MockEvent } from '../../../mock-server/control/types.js';
import { type Connection, createLive } from '../../../mock-server/dashboard/live.js';

const { timers } = nodeMock;
const CLOCK_CHANGED: MockEvent = { type: 'changed', clientId: 'demo', part: 'clock' };

/** Connects to a mock that answers each subscription with the next of these results. */
function connect(t: Test, results: ('accepted' | Error)[]) {
  timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => timers.reset());
  const connections: Connection[] = [];
  const readers: { send(event: MockEvent): void; close(): void }[] = [];
  const live = createLive(
    {
      async subscribe(send, { onClose = () => {} } = {}) {
        const result = results.shift();
        if (result instanceof Error) throw result;
        readers.push({ send, close: onClose });
        return () => {};
      },
    },
    (connection) => connections.push(connection),
  );
  const listener = t.captureFn(() => {});
  live(listener);
  return { connections, calls: listener.calls, readers };
}

t.test('a batch of events calls each listener once, and so does the connection itself', async (t) => {
  const { connections, calls, readers } = connect(t, ['accepted']);
  await nextTick();
  t.same(connections, ['live']);
  readers[0]?.send(CLOCK_CHANGED);
  t.equal(calls.length, 0);
  timers.tick(1000);
  t.equal(calls.length, 1);
  for (let event = 0; event < 3; event++) readers[0]?.send(CLOCK_CHANGED);
  timers.tick(1000);
  t.equal(calls.length, 2);
});

t.test('after the end of the connection it subscribes again and calls the listeners', async (t) => {
  const { connections, calls, readers } = connect(t, ['accepted', new Error('no response'), 'accepted']);
  await nextTick();
  timers.tick(1000);
  readers[0]?.close();
  await nextTick();
  t.same(connections, ['live', 'gone']);
  timers.tick(1000);
  await nextTick();
  t.same(connections, ['live', 'gone', 'gone']);
  timers.tick(1000);
  await nextTick();
  timers.tick(1000);
  t.same(connections, ['live', 'gone', 'gone', 'live']);
  t.equal(calls.length, 2);
});

t.test('a mock that rejects the subscription is not gone', async (t) => {
  const rejection = Object.assign(new Error('too many readers'), { status: 503 });
  const { connections } = connect(t, [rejection, 'accepted']);
  await nextTick();
  t.same(connections, ['rejected']);
  timers.tick(1000);
  await nextTick();
  t.same(connections, ['rejected', 'live']);
});
