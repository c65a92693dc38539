// Bytes that a request allocates once V8 has optimised it, printed as JSON; memory.mjs knows the flags that it needs.
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { createService, HEADERS, link, listing, mint, page } from './service.mjs';

const [requests, samples] = process.argv.slice(2).map(Number);
const WARM_UP = 5000;
/** Parts of a measurement that a collection may fall into. */
const MAX_SPOILED = 10;
/** So much stays far below the space that nothing is collected from. */
const LIMIT_BYTES = 100e6;

const service = createService({ users: { 'user-10': 10 } });
const url = await mint(service);
const CASES = {
  'listing of 10 sessions': [200, () => listing('user-10')],
  'API key that is wrong': [401, () => listing('user-10', { ...HEADERS, 'x-api-key': 'clk_acme_wrong' })],
  'verify page': [200, () => page(url)],
  // The last, since its clock goes on: links expire and go, as they do in a service.
  link: [200, linkLater],
};

const empty = await measure(async () => ({ status: 200 }), [200, () => ({})]);
const results = [];
for (const [name, work] of Object.entries(CASES)) {
  const { median, min, max } = await measure(service.claimlink.handle, work);
  results.push({ name, median: median - empty.median, min: min - empty.median, max: max - empty.median });
}
console.log(JSON.stringify(results));

function linkLater() {
  service.advance(3);
  return link();
}

async function measure(handle, [status, request]) {
  const run = async (count) => {
    for (let i = 0; i < count; i++) {
      const answer = await handle(request());
      if (answer.status !== status) throw new Error(`not ${status}, but ${answer.status}: ${answer.body}`);
    }
  };
  await run(WARM_UP);
  const figures = [];
  let spoiled = 0;
  let limit = LIMIT_BYTES;
  while (figures.length < samples) {
    let bytes = 0;
    for (let done = 0; done < requests; ) {
      // Small enough a part that nothing is collected while it runs.
      const part = Math.min(requests - done, bytes === 0 ? 200 : Math.ceil((limit * done) / bytes));
      const allocated = await allocatedBy(() => run(part));
      if (allocated === undefined) {
        // V8 may collect for reasons of its own, or the requests before have allocated less: again, and less of it.
        if (++spoiled > MAX_SPOILED)
          throw new Error(`collections fell into ${spoiled} parts of the measurement`);
        limit /= 2;
        continue;
      }
      bytes += allocated;
      done += part;
    }
    figures.push(Math.round(bytes / requests));
  }
  figures.sort((a, b) => a - b);
  return { median: figures[Math.floor(samples / 2)], min: figures[0], max: figures.at(-1) };
}

/** Undefined when something was collected meanwhile. */
async function allocatedBy(run) {
  globalThis.gc();
  const profiler = new GCProfiler();
  profiler.start();
  const before = allocated();
  await run();
  const after = allocated();
  return profiler.stop().statistics.length > 0 ? undefined : after - before;
}

function allocated() {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
