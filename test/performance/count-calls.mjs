// Counts what a request calls, and prints it as JSON.

import { countOverHttp } from './count-over-http.mjs';
import { countCalls, counters } from './counters.mjs';

// Afterwards: what it loads must find the counting functions.
const { CASES, createWorld } = await import('./cases.mjs');

const REQUESTS = 20;
const WARM_UP = 5;

/** As a database answers: later, by a promise. */
function answerLater(storage) {
  return new Proxy(storage, {
    get: (target, name) =>
      typeof target[name] === 'function' ? async (...args) => target[name](...args) : target[name],
  });
}

const OVER_A_DATABASE = ['listing of 10 sessions', 'link', 'verify page, again', 'API key that is wrong'];
const OVER_HTTP = ['listing of 10 sessions', 'link', 'API key that is wrong'];

const calls = {};
calls['first listing of a service'] = await countFirst();
for (const [name, work] of Object.entries(CASES))
  calls[name] = await count(work, createWorld({ wrapStorage: countCalls }));
for (const [name, work] of pick(OVER_A_DATABASE)) {
  const world = createWorld({ wrapStorage: (storage) => countCalls(answerLater(storage)) });
  calls[`${name}, over a database`] = await count(work, world);
}
Object.assign(
  calls,
  await countOverHttp({
    createWorld,
    wrapStorage: countCalls,
    cases: Object.fromEntries(pick(OVER_HTTP)),
    measure: count,
  }),
);
process.stdout.write(`${JSON.stringify(calls)}\n`);

function pick(names) {
  return names.map((name) => [name, CASES[name]]);
}

/** Making a service and its first answer. */
async function countFirst() {
  const { request } = CASES['listing of 10 sessions'];
  return difference(() => createWorld({ wrapStorage: countCalls }).handle(request()));
}

/** What each of many requests comes to; it must be the same for all of them. */
async function count({ status, prepare, request }, world) {
  const prepared = await prepare?.(world, WARM_UP + REQUESTS);
  const seen = new Set();
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const coreRequest = request(i, prepared);
    let answer;
    const work = await difference(async () => {
      answer = await world.handle(coreRequest);
    });
    if (answer.status !== status) throw new Error(`not ${status}, but ${answer.status}: ${answer.body}`);
    if (i >= WARM_UP) seen.add(JSON.stringify(work));
  }
  if (seen.size > 1) throw new Error(`not the same work each time: ${[...seen].join(' ')}`);
  return JSON.parse([...seen][0]);
}

/** What happened while `run` ran, less what awaiting an answer that is there costs. */
async function difference(run) {
  const nothing = await measure(async () => {
    await (async () => {})();
  });
  const work = await measure(run);
  work.promises -= nothing.promises - 1;
  return work;
}

async function measure(run) {
  const before = { ...counters };
  await run();
  return Object.fromEntries(Object.keys(counters).map((name) => [name, counters[name] - before[name]]));
}
