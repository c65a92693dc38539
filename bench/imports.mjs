// How long importing claimlink takes, beside importing its dependencies alone: bench/README.md says how to run it.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const LEAST_ROUNDS = 11;

const USAGE = `node bench/imports.mjs [flags]
  --rounds 25   each imports everything once, in processes of its own; ${LEAST_ROUNDS} or more
  --json file   write all figures there`;

/** What a host imports. An adapter is of no use without claimlink itself. */
const ENTRIES = [
  ['claimlink'],
  ['claimlink/node'],
  ['claimlink', 'claimlink/node'],
  ['claimlink', 'claimlink/fastify'],
  ['claimlink', 'claimlink/fetch'],
];

/** Imports one file, and prints how long it took. */
const TIME = `
  const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);
`;

/** Where names lead, for a host in the root: this folder is a package of its own, with packages of its own. */
const RESOLVE = `
  const resolved = process.argv.slice(1).map((name) => [name, import.meta.resolve(name)]);
  console.log(JSON.stringify(Object.fromEntries(resolved)));
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST_MODULES = join(ROOT, 'test/performance/list-modules.mjs');

/** Nothing of the shell's, such as NODE_OPTIONS or a compile cache. */
const ENVIRONMENT = Object.freeze({ PATH: process.env.PATH, HOME: process.env.HOME });

const { values: flags } = readFlags();
if (flags.help) {
  console.log(USAGE);
  process.exit(0);
}
const rounds = Number(flags.rounds);
if (!Number.isSafeInteger(rounds) || rounds < LEAST_ROUNDS)
  refuse(`--rounds: ${flags.rounds} is no whole number from ${LEAST_ROUNDS}`);

const abort = new AbortController();
const { signal } = abort;
for (const [event, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
  process.on(event, () => {
    process.exitCode = code;
    abort.abort(new Error(`stopped by ${event}`));
  });

const folder = await mkdtemp(join(tmpdir(), 'claimlink-imports-'));
try {
  await main();
} catch (error) {
  console.error(`imports: ${(signal.aborted ? signal.reason : error).message}`);
  process.exitCode ??= 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function main() {
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const rows = [];
  for (const specifiers of ENTRIES) {
    const modules = JSON.parse(await run([LIST_MODULES, ...specifiers]));
    const packages = modules.filter((name) => Object.hasOwn(dependencies, name));
    rows.push({ specifiers, modules, packages });
  }
  const subjects = new Map([['nothing', await createSubject('nothing', [])]]);
  for (const row of rows) {
    for (const specifiers of [row.specifiers, row.packages]) {
      const name = specifiers.join(' + ');
      if (!subjects.has(name)) subjects.set(name, await createSubject(`${subjects.size}`, specifiers));
    }
  }
  // The first import of each reads its files from disk; it is not counted.
  for (const subject of subjects.values()) await time(subject);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const subject of orderOf([...subjects.values()], round)) subject.times.push(await time(subject));
  }
  progress('');
  await report(rows, subjects);
}

/** A file of import statements: dependencies of one file are loaded as those of a host are. */
async function createSubject(name, specifiers) {
  const file = join(folder, `${name}.mjs`);
  const urls = JSON.parse(await run(['--input-type=module', '-e', RESOLVE, ...specifiers]));
  const lines = Object.values(urls).map((url) => `import ${JSON.stringify(url)};\n`);
  await writeFile(file, lines.join(''));
  return { file, times: [] };
}

async function time({ file }) {
  return Number(await run(['--input-type=module', '-e', TIME, file]));
}

async function run(args) {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: ENVIRONMENT,
    signal,
  });
  return stdout;
}

/** Each is first as often as the others, and every second round goes the other way round. */
function orderOf(all, round) {
  const first = round % all.length;
  const order = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? order : order.reverse();
}

async function report(rows, subjects) {
  const machine = {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    load: Number(loadavg()[0].toFixed(2)),
    node: process.version,
  };
  const timesOf = (specifiers) => subjects.get(specifiers.join(' + ')).times;
  const nothing = medianOf(subjects.get('nothing').times);
  const results = rows.map(({ specifiers, packages, modules }) => {
    const [ours, theirs] = [timesOf(specifiers), timesOf(packages)];
    const perRound = ours.map((one, round) => one / theirs[round]);
    const ratio = { ofMedians: medianOf(ours) / medianOf(theirs), medianOfRounds: medianOf(perRound) };
    return { specifiers, packages, modules, ours, theirs, ratio };
  });
  const described = Object.entries(machine).map((entry) => entry.join(': '));
  console.log(`${described.join('; ')}; rounds: ${rounds}; an empty file: ${toMs(nothing)} ms\n`);
  console.log(
    '| import | ms, median | min–max | its dependencies alone, ms | min–max | × |\n|---|--:|--:|--:|--:|--:|',
  );
  for (const { specifiers, ours, theirs, ratio } of results) {
    const cells = [ours, theirs].flatMap((times) => [toMs(medianOf(times)), rangeOf(times)]);
    console.log(`| ${[specifiers.join(' + '), ...cells, ratio.ofMedians.toFixed(2)].join(' | ')} |`);
  }
  console.log('\n| import | dependencies | with theirs, packages | files of claimlink |\n|---|---|--:|--:|');
  for (const { specifiers, packages, modules } of results) {
    const files = modules.filter((name) => name.endsWith('.js'));
    const counts = [modules.length - files.length, files.length];
    console.log(`| ${[specifiers.join(' + '), packages.join(', '), ...counts].join(' | ')} |`);
  }
  if (flags.json)
    await writeFile(
      flags.json,
      `${JSON.stringify({ machine, rounds, unit: 'ms', nothing, results }, null, 2)}\n`,
    );
}

function rangeOf(times) {
  return `${toMs(Math.min(...times))}–${toMs(Math.max(...times))}`;
}

function medianOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function toMs(milliseconds) {
  return milliseconds.toFixed(1);
}

/** One line on a terminal, and nothing in a file. */
function progress(message) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${message}`);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string', default: '25' },
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
