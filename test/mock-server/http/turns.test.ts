// The turns of partners: long calls of one leave time for others.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { createTurns } from '../../../mock-server/http/turns.js';

/** Keeps the process busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

t.test('after a long call of a client, its next one waits; a call of another client does not', async (t) => {
  const turns = createTurns();
  const order: string[] = [];
  const call = (clientId: string, name: string, ms = 0) =>
    turns(clientId, async () => {
      order.push(name);
      work(ms);
    });
  await Promise.all([call('p1', 'long', 60), call('p1', 'next'), sleep(1).then(() => call('p2', 'other'))]);
  t.same(order, ['long', 'other', 'next']);
});

t.test('short calls follow each other, and overlap while they wait', async (t) => {
  const turns = createTurns();
  let release = () => {};
  const first = turns('p1', () => new Promise<void>((resolve) => (release = resolve)));
  t.equal(await turns('p1', async () => 'second'), 'second');
  release();
  await first;
});

t.test('a call that fails gives way as well, and its caller gets the error', async (t) => {
  const turns = createTurns();
  await t.rejects(
    turns('p1', () => Promise.reject(new Error('later'))),
    { message: 'later' },
  );
  const fail = () => {
    throw new Error('at once');
  };
  await t.rejects(turns('p1', fail), { message: 'at once' });
  t.equal(await turns('p1', async () => 1), 1);
});

t.test('at most 50 calls of a client wait', async (t) => {
  const turns = createTurns();
  const calls = Array.from({ length: 51 }, () => turns('p1', async () => work(1)));
  await t.rejects(calls[50] ?? Promise.resolve(), { status: 429, code: 'too_many_calls' });
  await Promise.all(calls.slice(0, 50));
});
