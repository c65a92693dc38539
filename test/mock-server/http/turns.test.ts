// The turns of partners: long calls of one leave time for others.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { createTurns } from '../../../mock-server/http/turns.js';

/** Keeps the process busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const { signal } = new AbortController();
const write = String;

for (const part of ['start', 'write'] as const)
  t.test(
    `after a call whose ${part} is long, the next one of its client waits; another client does not`,
    async (t) => {
      const turns = createTurns();
      const order: string[] = [];
      const call = (clientId: string, name: string, ms = 0) => {
        const parts = {
          start: async () => {
            order.push(name);
            if (part === 'start') work(ms);
          },
          write() {
            if (part === 'write') work(ms);
            return name;
          },
        };
        return turns(clientId, parts, signal);
      };
      const calls = [call('p1', 'long', 60), call('p1', 'next'), sleep(1).then(() => call('p2', 'other'))];
      t.same(await Promise.all(calls), ['long', 'next', 'other']);
      t.same(order, ['long', 'other', 'next']);
    },
  );

t.test('the calls of a client are made one after another', async (t) => {
  const turns = createTurns();
  const order: string[] = [];
  const call = (name: string) =>
    turns('p1', { start: () => sleep(5).then(() => order.push(`${name} ends`)), write }, signal);
  const both = [call('first'), call('second')];
  order.push('called');
  await Promise.all(both);
  t.same(order, ['called', 'first ends', 'second ends']);
});

t.test('between two short calls of a client, the mock serves what has arrived', async (t) => {
  const turns = createTurns();
  const order: string[] = [];
  const call = (name: string) => turns('p1', { start: async () => order.push(name), write }, signal);
  const calls = [call('first'), call('second'), call('third')];
  setImmediate(() => order.push('served'));
  await Promise.all(calls);
  t.same(order.slice(0, 2), ['first', 'served']);
});

t.test('a call that fails gives way as well, and its caller gets the error', async (t) => {
  const turns = createTurns();
  const fails = (start: () => Promise<unknown>) => turns('p1', { start, write }, signal);
  await t.rejects(
    fails(() => Promise.reject(new Error('later'))),
    { message: 'later' },
  );
  await t.rejects(
    fails(() => {
      throw new Error('at once');
    }),
    { message: 'at once' },
  );
  t.equal(await fails(async () => 1), '1');
});

t.test('a call whose caller has gone before its turn is not made', async (t) => {
  const turns = createTurns();
  const gone = new AbortController();
  let calls = 0;
  const start = async () => calls++;
  const first = turns('p1', { start: () => sleep(5), write }, signal);
  const second = turns('p1', { start, write }, gone.signal);
  gone.abort(new Error('gone'));
  await t.rejects(second, { message: 'gone' });
  await first;
  t.equal(calls, 0);
});

t.test('at most 50 calls of a client wait', async (t) => {
  const turns = createTurns();
  const calls = Array.from({ length: 51 }, () => turns('p1', { start: async () => work(1), write }, signal));
  await t.rejects(calls[50] as Promise<unknown>, { status: 429, code: 'too_many_calls' });
  await Promise.all(calls.slice(0, 50));
});
