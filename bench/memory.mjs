// What claimlink needs of memory: over a million links, for a request, under slow readers. bench/README.md explains.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureSlowReaders } from './memory/slow-readers.mjs';

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

const PARTS = { links: measureLinks, allocation: measureAllocation, readers: measureReaders };

const { values: flags } = readFlags();
if (flags.help) {
  console.log(USAGE);
  process.exit(0);
}
const parts = flags.parts.split(',');
for (const part of parts) if (!Object.hasOwn(PARTS, part)) refuse(`--parts: there is no ${part}`);
const links = toCount('links', 1000);
const [requests, sessions] = [toCount('requests', 1000), toCount('sessions', 1)];
const [readers, rounds] = [toCount('readers', 1), toCount('rounds', 1)];
if (links % 100 !== 0) refuse(`--links: ${links} is no multiple of 100`);

const abort = new AbortController();
const { signal } = abort;
for (const [event, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
  process.on(event, () => {
    process.exitCode = code;
    abort.abort(new Error(`stopped by ${event}`));
  });

const folder = await mkdtemp(join(tmpdir(), 'claimlink-memory-'));
try {
  const machine = {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    load: Number(loadavg()[0].toFixed(2)),
    node: process.version,
  };
  console.log(
    Object.entries(machine)
      .map((entry) => entry.join(': '))
      .join('; '),
  );
  const figures = {};
  for (const part of parts) figures[part] = await PARTS[part]();
  if (flags.json) await writeFile(flags.json, `${JSON.stringify({ machine, ...figures }, null, 2)}\n`);
} catch (error) {
  console.error(`memory: ${(signal.aborted ? signal.reason : error).message}`);
  process.exitCode ??= 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureLinks() {
  const steps = [links / 100, ...Array.from({ length: 10 }, (_, index) => ((index + 1) * links) / 10)];
  const readings = [];
  for await (const reading of run(['--expose-gc'], 'many-links.mjs', [links, steps.join(',')])) {
    readings.push(reading);
    progress(`${reading.minted} of ${links} links`);
  }
  progress('');
  console.log('\n| links minted | held | RSS, MB | heap used, MB |\n|--:|--:|--:|--:|');
  for (const { minted, held, rss, heapUsed } of readings)
    console.log(`| ${minted} | ${held} | ${toMegabytes(rss)} | ${toMegabytes(heapUsed)} |`);
  const [tenth, last] = [readings.find(({ minted }) => minted === links / 10), readings.at(-1)];
  const ratio = { rss: last.rss / tenth.rss, heapUsed: last.heapUsed / tenth.heapUsed };
  console.log(
    `\nRSS after ${links} links is ${ratio.rss.toFixed(2)} of that after ${links / 10} (heap used: ${ratio.heapUsed.toFixed(2)}): ${ratio.rss <= FLAT ? 'flat' : 'NOT flat'}.`,
  );
  return { readings, ratio };
}

async function measureAllocation() {
  progress('allocation');
  const [cases] = await collect(
    run(UNCOLLECTED, 'allocation.mjs', [Math.ceil(requests / ALLOCATION_SAMPLES), ALLOCATION_SAMPLES]),
  );
  progress('');
  console.log('\n| request | bytes allocated, median | min–max |\n|---|--:|--:|');
  for (const { name, median, min, max } of cases) console.log(`| ${name} | ${median} | ${min}–${max} |`);
  return cases;
}

async function measureReaders() {
  const results = KINDS.map((kind) => ({ kind, runs: [] }));
  for (let round = 0; round < rounds; round++) {
    progress(`slow readers, round ${round + 1} of ${rounds}`);
    const order = round % 2 === 0 ? results : [...results].reverse();
    for (const { kind, runs } of order)
      runs.push(await measureSlowReaders({ kind, sessions, readers, folder, env: ENVIRONMENT, signal }));
  }
  progress('');
  console.log(
    '\n| server | RSS before, MB | peak over it, MB | min–max | unsent, MB |\n|---|--:|--:|--:|--:|',
  );
  for (const { kind, runs } of results) {
    const over = runs.map(({ peak, baseline }) => peak - baseline);
    const range = `${toMegabytes(Math.min(...over))}–${toMegabytes(Math.max(...over))}`;
    const [before, unsent] = ['baseline', 'unsent'].map((name) => medianOf(runs.map((one) => one[name])));
    console.log(
      `| ${kind} | ${toMegabytes(before)} | ${toMegabytes(medianOf(over))} | ${range} | ${toMegabytes(unsent)} |`,
    );
  }
  const [ours, bare] = results.map(({ runs }) => medianOf(runs.map(({ peak, baseline }) => peak - baseline)));
  console.log(
    `\n${readers} slow readers of ${sessions} sessions cost claimlink ${(ours / bare).toFixed(2)} of what they cost a bare server that sends a constant string.`,
  );
  return { sessions, readers, results, ratio: ours / bare };
}

/** The lines of JSON that a script of bench/memory prints. */
async function* run(nodeFlags, script, args) {
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

function medianOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function toMegabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/** One line on a terminal, and nothing in a file. */
function progress(message) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${message}`);
}

function toCount(name, least) {
  const count = Number(flags[name]);
  if (Number.isSafeInteger(count) && count >= least) return count;
  return refuse(`--${name}: ${flags[name]} is no whole number from ${least}`);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        parts: { type: 'string', default: 'links,allocation,readers' },
        links: { type: 'string', default: '1000000' },
        requests: { type: 'string', default: '100000' },
        sessions: { type: 'string', default: '1000' },
        readers: { type: 'string', default: '100' },
        rounds: { type: 'string', default: '5' },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(sentence) {
  console.error(`${sentence}\n${USAGE}`);
  process.exit(2);
}
