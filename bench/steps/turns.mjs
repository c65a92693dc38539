// Handlers of one node:http server that take turns request by request, and what each of them takes.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

/** A request that names a turn is answered by that one. */
export const TURN_HEADER = 'x-turn';
/** What takes longer than this, in milliseconds, is what another process of the machine did, or a large collection. */
const LONGEST = 2;

/**
 * A server whose `turns`, `{ name, answers, handler(req, res) }[]`, answer in an order that is drawn anew for every
 * round of them. Under a load that never leaves it idle, what goes by from the start of one handler to the start of the
 * next belongs to the first: what it does, now and in a moment, and what Node does to send its answer and to read a
 * request. `GET /turns` lists them, `GET /start` begins to measure, `GET /figures` ends it:
 * `{ busy, figures: { name, count, mean, leftOut }[] }`, the mean in microseconds; `busy` is the share of the time in
 * which the event loop did not wait, and `leftOut` how many took so long that they are not in the mean.
 */
export function createTurnsServer(turns) {
  const order = turns.map((_turn, index) => index);
  const took = turns.map(() => []);
  let asked = 0;
  let isMeasuring = false;
  let previous = -1;
  let began = 0;
  let before;

  function next() {
    const place = asked++ % order.length;
    if (place === 0) shuffle(order);
    return order[place];
  }

  const control = {
    '/turns': () => turns.map(({ name, answers }) => ({ name, answers })),
    '/start'() {
      isMeasuring = true;
      before = performance.eventLoopUtilization();
      return {};
    },
    '/figures'() {
      isMeasuring = false;
      const { utilization: busy } = performance.eventLoopUtilization(before);
      return { busy, figures: turns.map(({ name }, index) => ({ name, ...figuresOf(took[index]) })) };
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
    if (isMeasuring && previous !== -1) took[previous].push(now - began);
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

function figuresOf(milliseconds) {
  const kept = milliseconds.filter((number) => number <= LONGEST);
  const sum = kept.reduce((total, number) => total + number, 0);
  return {
    count: milliseconds.length,
    leftOut: milliseconds.length - kept.length,
    mean: (sum / kept.length) * 1000,
  };
}
