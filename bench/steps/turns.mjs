// Handlers of one node:http server that take turns request by request, and what each of them takes.
import { createServer } from 'node:http';

/** A request that names a turn is answered by that one, and not measured. */
export const TURN_HEADER = 'x-turn';
/** The rest is what somebody else did: a collection, another process of the machine. */
const KEPT = 0.97;

/**
 * A server whose `turns`, `{ name, answers, handler(req, res) }[]`, answer in an order that is drawn anew for every
 * round of them. Under a load that never leaves it idle, what goes by from the start of one handler to the start of the
 * next belongs to the first: what it does, now and in a moment, and what Node does to send its answer and to read a
 * request. `GET /turns` lists them, `GET /start` begins to measure, `GET /figures` ends it:
 * `{ name, count, median, mean }[]` in microseconds, the mean without the slowest 3 %.
 */
export function createTurnsServer(turns) {
  const order = turns.map((_turn, index) => index);
  const took = turns.map(() => []);
  let asked = 0;
  let isMeasuring = false;
  let previous = -1;
  let began = 0;

  function next() {
    const place = asked++ % order.length;
    if (place === 0) shuffle(order);
    return order[place];
  }

  const control = {
    '/turns': () => turns.map(({ name, answers }) => ({ name, answers })),
    '/start'() {
      isMeasuring = true;
      return {};
    },
    '/figures'() {
      isMeasuring = false;
      return turns.map(({ name }, index) => ({ name, ...figuresOf(took[index]) }));
    },
  };

  return createServer((req, res) => {
    const answer = control[req.url];
    if (answer !== undefined) {
      previous = -1;
      res.end(JSON.stringify(answer()));
      return;
    }
    const named = req.headers[TURN_HEADER];
    const turn = named === undefined ? next() : Number(named);
    const now = performance.now();
    if (isMeasuring && previous !== -1) took[previous].push((now - began) * 1000);
    previous = turn;
    began = now;
    turns[turn].handler(req, res);
  });
}

function shuffle(items) {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}

function figuresOf(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const kept = sorted.subarray(0, Math.floor(sorted.length * KEPT));
  const mean = kept.reduce((sum, number) => sum + number, 0) / kept.length;
  return { count: sorted.length, median: sorted[Math.floor(sorted.length / 2)], mean };
}
