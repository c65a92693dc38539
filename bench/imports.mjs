// How long importing claimlink takes, beside importing its dependencies alone: bench/README.md says how to run it.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, medianOf, orderOf, tableOf, toJson } from './speed/report.mjs';
import { describeMachine, progress, readFlags, runBenchmark, toCount } from './speed/run.mjs';

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

const flags = readFlags(USAGE, { rounds: { type: 'string', default: '25' }, json: { type: 'string' } });
const rounds = toCount(USAGE, 'rounds', flags.rounds, LEAST_ROUNDS);

await runBenchmark('imports', async ({ folder, signal }) => {
  const machine = describeMachine({ rounds });
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const rows = [];
  for (const specifiers of ENTRIES) {
    const modules = JSON.parse(await run([LIST_MODULES, ...specifiers], signal));
    const packages = modules.filter((name) => Object.hasOwn(dependencies, name));
    rows.push({ specifiers, modules, packages });
  }
  const subjects = new Map([['nothing', await createSubject(folder, 'nothing', [], signal)]]);
  for (const row of rows) {
    for (const specifiers of [row.specifiers, row.packages]) {
      const name = specifiers.join(' + ');
      if (!subjects.has(name))
        subjects.set(name, await createSubject(folder, `${subjects.size}`, specifiers, signal));
    }
  }
  // The first import of each reads its files from disk; it is not counted.
  for (const subject of subjects.values()) await time(subject, signal);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const subject of orderOf([...subjects.values()], round))
      subject.times.push(await time(subject, signal));
  }
  progress('');
  await report(machine, rows, subjects);
});

/** A file of import statements: dependencies of one file are loaded as those of a host are. */
async function createSubject(folder, name, specifiers, signal) {
  const file = join(folder, `${name}.mjs`);
  const urls = JSON.parse(await run(['--input-type=module', '-e', RESOLVE, ...specifiers], signal));
  const lines = Object.values(urls).map((url) => `import ${JSON.stringify(url)};\n`);
  await writeFile(file, lines.join(''));
  return { file, times: [] };
}

async function time({ file }, signal) {
  return Number(await run(['--input-type=module', '-e', TIME, file], signal));
}

async function run(args, signal) {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: ENVIRONMENT,
    signal,
  });
  return stdout;
}

async function report(machine, rows, subjects) {
  const timesOf = (specifiers) => subjects.get(specifiers.join(' + ')).times;
  const nothing = medianOf(subjects.get('nothing').times);
  const results = rows.map(({ specifiers, packages, modules }) => {
    const [ours, theirs] = [timesOf(specifiers), timesOf(packages)];
    const perRound = ours.map((one, round) => one / theirs[round]);
    const ratio = { ofMedians: medianOf(ours) / medianOf(theirs), medianOfRounds: medianOf(perRound) };
    return { specifiers, packages, modules, ours, theirs, ratio };
  });
  console.log(`${describe(machine)}; an empty file: ${toMs(nothing)} ms\n`);
  const times = results.map(({ specifiers, ours, theirs, ratio }) => {
    const cells = [ours, theirs].flatMap((each) => [toMs(medianOf(each)), rangeOf(each)]);
    return [specifiers.join(' + '), ...cells, ratio.ofMedians.toFixed(2)];
  });
  const columns = ['import', 'ms, median', 'min–max', 'its dependencies alone, ms', 'min–max', '×'];
  console.log(`${tableOf(columns, times)}\n`);
  const loaded = results.map(({ specifiers, packages, modules }) => {
    const files = modules.filter((name) => name.endsWith('.js'));
    return [specifiers.join(' + '), packages.join(', '), modules.length - files.length, files.length];
  });
  console.log(tableOf(['import', 'dependencies', 'with theirs, packages', 'files of claimlink'], loaded));
  if (flags.json) await writeFile(flags.json, toJson({ machine, unit: 'ms', nothing, results }));
}

function rangeOf(times) {
  return `${toMs(Math.min(...times))}–${toMs(Math.max(...times))}`;
}

function toMs(milliseconds) {
  return milliseconds.toFixed(1);
}
