// npm run bench: measures claimlink beside other servers. docs/evidence/performance.md explains the parts and the columns.
import { setMaxListeners } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isPinned } from './processes.mjs';

/** A module is loaded when its part runs, so that one part does not need the packages of another. */
const PARTS = {
  http: () => import('./http.mjs'),
  postgres: () => import('./postgres.mjs'),
  latency: () => import('./latency.mjs'),
  'start-up': () => import('./start-up.mjs'),
  tokens: () => import('./tokens.mjs'),
  memory: () => import('./memory.mjs'),
  mock: () => import('./mock.mjs'),
  scaling: () => import('./scaling.mjs'),
  compare: () => import('./compare.mjs'),
};
/** They take long, or need an argument. */
const ON_DEMAND = ['scaling', 'compare'];
const USAGE = `npm run bench -- [part...] [flags]
npm run bench -- compare REVISION [flags]
  parts: ${Object.keys(PARTS).join(', ')}; default: all but ${ON_DEMAND.join(' and ')}
  --rounds 5      rounds of each comparison
  --seconds 2     seconds of each measurement under load
  --sizes LIST    numbers of sessions for scaling; default: 10000,100000,1000000`;

const { parts, ...options } = readCommandLine();
const abort = new AbortController();
// Every process that runs listens to it.
setMaxListeners(0, abort.signal);
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'])
  process.on(name, () => abort.abort(new Error(`stopped by ${name}`)));
console.log(
  [
    new Date().toISOString(),
    `${availableParallelism()} cores of ${cpus()[0]?.model}`,
    `load ${loadavg()[0].toFixed(2)}`,
    `Node ${process.version}`,
    isPinned ? 'server on core 0, load and database on core 1' : 'processes not pinned to cores',
    `${options.rounds} rounds of ${options.seconds} s`,
  ].join('; '),
);
try {
  await access(new URL('../dist/lib/index.js', import.meta.url));
  for (const part of parts) {
    abort.signal.throwIfAborted();
    console.log(`\n## ${part}`);
    await runPart(part);
  }
} catch (error) {
  process.exitCode = 1;
  const { message, stack } = abort.signal.aborted ? abort.signal.reason : error;
  console.error(process.env.DEBUG ? stack : `bench: ${message}`);
}

/** Runs a part, then everything that it deferred, the last first. */
async function runPart(part) {
  const folder = await mkdtemp(join(tmpdir(), 'claimlink-bench-'));
  const deferred = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const context = { ...options, folder, signal: abort.signal, defer: (end) => deferred.push(end) };
  try {
    const { run } = await PARTS[part]();
    await run(context);
  } finally {
    for (const end of deferred.reverse()) await end();
  }
}

function readCommandLine() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        sizes: { type: 'string', default: '10000,100000,1000000' },
      },
    });
    const [first, revision] = positionals;
    const isComparison = first === 'compare';
    if (positionals.includes('compare') && !(isComparison && positionals.length === 2))
      throw new Error('compare needs one revision, such as v0.2.0, and no other part');
    const parts = isComparison ? [first] : positionals;
    const unknown = parts.find((part) => !Object.hasOwn(PARTS, part));
    if (unknown !== undefined) throw new Error(`${unknown} is not a part`);
    return {
      parts: parts.length > 0 ? parts : Object.keys(PARTS).filter((part) => !ON_DEMAND.includes(part)),
      revision,
      rounds: toCount('rounds', values.rounds, 1),
      seconds: toCount('seconds', values.seconds, 1),
      sizes: values.sizes.split(',').map((text) => toCount('sizes', text, 1000)),
    };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

function toCount(flag, text, least) {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`--${flag}: ${text} is not a whole number of at least ${least}`);
}
