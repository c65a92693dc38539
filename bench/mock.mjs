// Part `mock`: whether adding a session to a mock takes longer, the more sessions its client has.
import { startMockServer } from '../dist/mock-server/index.js';
import { medianOf, progress, rangeOf, ratioOf, tableOf } from './rounds.mjs';

const ADDITIONS = 600;
const MAX_RATIO = 1.3;

export async function run({ rounds, signal }) {
  // The first mock compiles the code, so it does not count.
  await timeAdditions();
  const first = [];
  const next = [];
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    progress(`round ${round + 1} of ${rounds}: ${2 * ADDITIONS} additions`);
    const [before, after] = await timeAdditions();
    first.push(before);
    next.push(after);
  }
  progress('');
  const toRow = (name, times) => [name, medianOf(times).toFixed(0), rangeOf(times, 0)];
  const rows = [toRow(`the first ${ADDITIONS}`, first), toRow(`the next ${ADDITIONS}`, next)];
  console.log(`\n${tableOf(['sessions added to one user', 'median ms', 'min–max'], rows)}`);
  const { median, range } = ratioOf(next, first);
  const verdict = median <= MAX_RATIO ? 'yes' : 'NO';
  console.log(`\nnext / first: ${median.toFixed(2)} (${range}); at most ${MAX_RATIO.toFixed(2)}: ${verdict}`);
}

/** Resolves to the milliseconds of the first and of the next additions to a new mock. */
async function timeAdditions() {
  const mock = await startMockServer({ port: 0 });
  const times = [];
  try {
    for (const _ of ['first', 'next']) {
      const start = performance.now();
      for (let count = 0; count < ADDITIONS; count++) await mock.addSession('demo', 'user-1', {});
      times.push(performance.now() - start);
    }
  } finally {
    await mock.close();
  }
  return times;
}
