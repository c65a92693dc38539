// Counts the bytes that a request allocates, and prints them as JSON; measure-work.mjs knows the flags that it needs.
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { CASES, createWorld } from './cases.mjs';

const REQUESTS = 200;
const WARM_UP = 100;
/** What is wasted on purpose is seen at once. */
const SAMPLES = process.argv.includes('--waste') ? 1 : 3;

/** As `world.handle` costs at the least: a promise of an answer. */
async function handleNothing() {
  return { status: 200 };
}

const bytes = {};
const empty = await measure({ status: 200, request: () => ({}) }, () => ({ handle: handleNothing }));
for (const [name, work] of Object.entries(CASES)) bytes[name] = (await measure(work, createWorld)) - empty;
process.stdout.write(`${JSON.stringify(bytes)}\n`);

async function measure(work, openWorld) {
  const samples = [];
  while (samples.length < SAMPLES) samples.push(await sample(work, openWorld()));
  // What is made once, for the first that needs it, only adds.
  return Math.min(...samples);
}

/** Bytes of one request, on the average of many during which nothing is collected. */
async function sample({ status, prepare, request }, world) {
  const prepared = await prepare?.(world, WARM_UP + REQUESTS);
  const run = async (from, to) => {
    for (let i = from; i < to; i++) {
      const answer = await world.handle(request(i, prepared));
      if (answer.status !== status) throw new Error(`not ${status}, but ${answer.status}: ${answer.body}`);
    }
  };
  await run(0, WARM_UP);
  globalThis.gc();
  const profiler = new GCProfiler();
  profiler.start();
  const before = allocated();
  await run(WARM_UP, WARM_UP + REQUESTS);
  const after = allocated();
  const collections = profiler.stop().statistics.length;
  if (collections > 0) throw new Error(`${collections} collections fell into the measurement`);
  return Math.round((after - before) / REQUESTS);
}

function allocated() {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
