// The connection of the dashboard to the events of a mock.
import { mock as nodeMock } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { MockEvent } from '../../mock-server/control.js';
import { type Connection, createLive } from '../../mock-server/dashboard/live.js';

const { timers } = nodeMock;
const CLOCK_CHANGED: MockEvent = { type: 'changed', clientId: 'demo', part: 'clock' };
const EVERYTHING_CHANGED: MockEvent = { type: 'changed', clientId: null, part: 'everything' };

/** Connects to a mock that answers each subscription with the next of these results. */
function connect(t: Test, results: ('accepted' | Error)[]) {
  timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => timers.reset());
  const connections: Connection[] = [];
  const batches: (readonly MockEvent[])[] = [];
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
  live.listen((events) => batches.push(events));
  return { connections, batches, readers };
}

t.test('events arrive in batches; the connection itself counts as a change of everything', async (t) => {
  const { connections, batches, readers } = connect(t, ['accepted']);
  await nextTick();
  t.same(connections, ['live']);
  readers[0]?.send(CLOCK_CHANGED);
  t.same(batches, []);
  timers.tick(1000);
  t.same(batches, [[EVERYTHING_CHANGED, CLOCK_CHANGED]]);
  readers[0]?.send(CLOCK_CHANGED);
  timers.tick(1000);
  t.same(batches[1], [CLOCK_CHANGED]);
});

t.test('after the end of the connection it subscribes again, and everything counts as changed', async (t) => {
  const { connections, batches, readers } = connect(t, ['accepted', new Error('no response'), 'accepted']);
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
  t.same(batches, [[EVERYTHING_CHANGED], [EVERYTHING_CHANGED]]);
});

t.test('a mock that refuses the subscription is not gone', async (t) => {
  const refusal = Object.assign(new Error('too many readers'), { status: 503 });
  const { connections } = connect(t, [refusal, 'accepted']);
  await nextTick();
  t.same(connections, ['refused']);
  timers.tick(1000);
  await nextTick();
  t.same(connections, ['refused', 'live']);
});
