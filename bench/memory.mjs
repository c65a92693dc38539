// What claimlink needs of memory: over a million links, for a request, under slow readers. bench/README.md explains.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { measureSlowReaders } from './memory/slow-readers.mjs';
import { describe, medianOf, tableOf, toJson } from './speed/report.mjs';
import {
  describeMachine,
  progress,
  readFlags,
  refuse,
  runBenchmark,
  toChoice,
  toCount,
} from './speed/run.mjs';

const USAGE = `node bench/memory.mjs [flags]
  --parts links,allocation,readers   what to measure
  --links 1000000                    minted in all; a reading at each tenth, and at each hundredth of the first
  --requests 100000                  of each case whose allocation is measured, in 5 samples
  --sessions 1000                    that each slow reader asks for
  --readers 100                      at once
  --rounds 5                         each has every server's slow readers
  --json file                        write all figures there`;

/** Nothing of the shell's, such as NODE_OPTIONS. */
const ENVIRONMENT = Object.freeze({ PATH: process.env.PATH, HOME: process.env.HOME });

/** Without a collection while it is measured: the space for new objects is larger than a part of a measurement. */
const UNCOLLECTED = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];
const ALLOCATION_SAMPLES = 5;
const KINDS = ['claimlink', 'constant string', 'constant Buffer'];
const FLAT = 1.2;

const PARTS = [
  { id: 'links', measure: measureLinks },
  { id: 'allocation', measure: measureAllocation },
  { id: 'readers', measure: measureReaders },
];

const flags = readFlags(USAGE, {
  parts: { type: 'string' },
  links: { type: 'string', default: '1000000' },
  requests: { type: 'string', default: '100000' },
  sessions: { type: 'string', default: '1000' },
  readers: { type: 'string', default: '100' },
  rounds: { type: 'string', default: '5' },
  json: { type: 'string' },
});
const parts = toChoice(USAGE, 'parts', flags.parts, PARTS);
const links = toCount(USAGE, 'links', flags.links, 1000);
if (links % 100 !== 0) refuse(USAGE, `--links: ${links} is no multiple of 100`);
const requests = toCount(USAGE, 'requests', flags.requests, 1000);
const sessions = toCount(USAGE, 'sessions', flags.sessions, 1);
const readers = toCount(USAGE, 'readers', flags.readers, 1);
const rounds = toCount(USAGE, 'rounds', flags.rounds, 1);

await runBenchmark('memory', async (context) => {
  const machine = describeMachine();
  console.log(describe(machine));
  const figures = {};
  for (const { id, measure } of parts) figures[id] = await measure(context);
  if (flags.json) await writeFile(flags.json, toJson({ machine, ...figures }));
});

async function measureLinks({ signal }) {
  const steps = [links / 100, ...Array.from({ length: 10 }, (_, index) => ((index + 1) * links) / 10)];
  const readings = [];
  for await (const reading of run(['--expose-gc'], 'many-links.mjs', [links, steps.join(',')], signal)) {
    readings.push(reading);
    progress(`${reading.minted} of ${links} links`);
  }
  progress('');
  const rows = readings.map(({ minted, held, rss, heapUsed }) => [
    minted,
    held,
    toMegabytes(rss),
    toMegabytes(heapUsed),
  ]);
  console.log(`\n${tableOf(['links minted', 'held', 'RSS, MB', 'heap used, MB'], rows)}`);
  const [tenth, last] = [readings.find(({ minted }) => minted === links / 10), readings.at(-1)];
  const ratio = { rss: last.rss / tenth.rss, heapUsed: last.heapUsed / tenth.heapUsed };
  console.log(
    `\nRSS after ${links} links is ${ratio.rss.toFixed(2)} of that after ${links / 10} (heap used: ${ratio.heapUsed.toFixed(2)}): ${ratio.rss <= FLAT ? 'flat' : 'NOT flat'}.`,
  );
  return { readings, ratio };
}

async function measureAllocation({ signal }) {
  progress('allocation');
  const [cases] = await collect(
    run(
      UNCOLLECTED,
      'allocation.mjs',
      [Math.ceil(requests / ALLOCATION_SAMPLES), ALLOCATION_SAMPLES],
      signal,
    ),
  );
  progress('');
  const rows = cases.map(({ name, median, min, max }) => [name, median, `${min}–${max}`]);
  console.log(`\n${tableOf(['request', 'bytes allocated, median', 'min–max'], rows)}`);
  return cases;
}

async function measureReaders({ folder, signal }) {
  const results = KINDS.map((kind) => ({ kind, runs: [] }));
  for (let round = 0; round < rounds; round++) {
    progress(`slow readers, round ${round + 1} of ${rounds}`);
    const order = round % 2 === 0 ? results : [...results].reverse();
    for (const { kind, runs } of order)
      runs.push(await measureSlowReaders({ kind, sessions, readers, folder, env: ENVIRONMENT, signal }));
  }
  progress('');
  const rows = results.map(({ kind, runs }) => {
    const over = runs.map(({ peak, baseline }) => peak - baseline);
    const range = `${toMegabytes(Math.min(...over))}–${toMegabytes(Math.max(...over))}`;
    const [before, unsent] = ['baseline', 'unsent'].map((name) => medianOf(runs.map((one) => one[name])));
    return [kind, toMegabytes(before), toMegabytes(medianOf(over)), range, toMegabytes(unsent)];
  });
  const columns = ['server', 'RSS before, MB', 'peak over it, MB', 'min–max', 'unsent, MB'];
  console.log(`\n${tableOf(columns, rows)}`);
  const [ours, bare] = results.map(({ runs }) => medianOf(runs.map(({ peak, baseline }) => peak - baseline)));
  console.log(
    `\n${readers} slow readers of ${sessions} sessions cost claimlink ${(ours / bare).toFixed(2)} of what they cost a bare server that sends a constant string.`,
  );
  return { sessions, readers, results, ratio: ours / bare };
}

/** The lines of JSON that a script of bench/memory prints. */
async function* run(nodeFlags, script, args, signal) {
  const file = fileURLToPath(new URL(`memory/${script}`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, file, ...args.map(String)], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const exited = once(child, 'close');
  exited.catch(() => {});
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
  const [code, by] = await exited;
  if (code !== 0) throw new Error(`${script} ended with ${code ?? by}`);
}

async function collect(lines) {
  const all = [];
  for await (const line of lines) all.push(line);
  return all;
}

function toMegabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
