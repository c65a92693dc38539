// `npm run proof -- faults [--only name]`: makes each mistake of faults.mjs in a copy of the compiled code, and runs the
// checks that must find it. Fails if a check does not find a mistake, or if the code to replace has changed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { findBinaries, startPostgres } from '../../build/test/storage/postgres-server.js';
import { CHECKS, FAULTS, MAX_STEPS } from './faults.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    /** Prints what each check printed. */
    verbose: { type: 'boolean', default: false },
  },
});

/** A copy of the compiled file, beside the one with the mistake. */
const CORRECT = './correct.js';

const unknown = (options.only ?? []).filter((only) => !FAULTS.some(({ name }) => name === only));
if (unknown.length > 0) throw new TypeError(`No fault has the name ${unknown}.`);
const faults = FAULTS.filter(({ name }) => options.only?.includes(name) ?? true);
// All patterns are checked first: a table that no longer fits the code is an error, whatever is selected.
const changed = new Map(FAULTS.map((fault) => [fault.name, replaceOnce(fault)]));

/** Returns the source of a file with the mistake. */
function replaceOnce({ name, file, storage, search, replace }) {
  if (storage !== undefined)
    return `import { breakStorage } from '../../test/testing/broken-storages.js';
      import * as correct from '${CORRECT}';
      export * from '${CORRECT}';
      export const createMemoryStorage = (seed) =>
        breakStorage(${JSON.stringify(storage)})(correct.createMemoryStorage(seed));`;
  const parts = readFileSync(join(ROOT, file), 'utf8').split(search);
  if (parts.length !== 2)
    throw new Error(`${name}: ${file} has ${parts.length - 1} places like this, not one:\n${search}`);
  return parts.join(replace);
}

const copy = mkdtempSync(join(tmpdir(), 'claimlink-faults-'));
const teardowns = [() => rmSync(copy, { recursive: true, force: true })];
// A check gets the signal as well, and ends: then the teardowns run.
process.on('SIGINT', () => {});
for (const name of readdirSync(ROOT)) {
  if (['.git', '.tap', 'dist', 'api'].includes(name)) continue;
  if (name === 'build' || name === 'scripts') cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  else symlinkSync(join(ROOT, name), join(copy, name));
}

/** Runs a check in the copy. Returns what it found, or undefined. */
function runCheck(name) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, CHECKS[name], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: 300_000,
    env: { ...process.env, TAP_TIMEOUT: '120', TAP_BAIL: '1' },
  });
  if (signal) throw new Error(`The check "${name}" did not end.`);
  if (options.verbose) console.log(stdout, stderr);
  if (status === 0) return undefined;
  const summary = summarize(stdout);
  // A check that crashes has found nothing.
  if (summary === '' || summary.includes('failed outside its tests'))
    throw new Error(`The check "${name}" did not run: ${summary}\n${stderr.slice(0, 2000)}`);
  return { output: stdout, summary };
}

/** Returns the line of the output that says what is wrong. */
function summarize(output) {
  return (
    /^ *(?:not ok \d+ - (.*)|Bail out! (.*)|Seed .* breaks a promise: (.*))$/m
      .exec(output)
      ?.slice(1)
      .find(Boolean) ?? ''
  );
}

const missed = [];
const bySimulation = [];
try {
  if (!process.env.DATABASE_URL) {
    if ((await findBinaries()) === undefined) throw new Error('Set DATABASE_URL, or install PostgreSQL.');
    const server = await startPostgres({ teardown: (teardown) => teardowns.unshift(teardown) });
    process.env.DATABASE_URL = server.url;
  }
  for (const check of new Set(faults.flatMap(({ checks }) => checks))) {
    const finding = runCheck(check);
    if (finding)
      throw new Error(`The check "${check}" fails without a mistake: ${finding.summary}\n${finding.output}`);
  }
  for (const { name, mistake, file, checks } of faults) {
    console.log(`\n${name}: ${mistake} (${file})`);
    const compiled = join(copy, 'build', file.replace(/\.ts$/, '.js'));
    const correct = readFileSync(compiled, 'utf8');
    writeFileSync(join(dirname(compiled), CORRECT), correct);
    writeFileSync(compiled, transformSync(changed.get(name), { loader: 'ts', target: 'es2023' }).code);
    for (const check of checks) {
      const finding = runCheck(check);
      console.log(finding ? `  found by ${check}: ${finding.summary}` : `  NOT FOUND by ${check}`);
      if (finding === undefined) missed.push(`${name} by ${check}`);
      else if (check.startsWith('simulation')) {
        const steps = Number(/Shortest plan \((\d+) steps/.exec(finding.output)?.[1]);
        if (!(steps <= MAX_STEPS)) missed.push(`${name} in ${MAX_STEPS} steps of the ${check}, but ${steps}`);
        bySimulation.push(name);
        const [, history = ''] = finding.output.split(/(?=Shortest plan)/);
        console.log(history.trimEnd().replace(/^/gm, '    '));
      }
    }
    writeFileSync(compiled, correct);
  }
} finally {
  for (const teardown of teardowns) await teardown();
}
console.log(`\n${faults.length} mistakes, ${bySimulation.length} of them found by the simulations.`);
if (missed.length > 0) {
  console.log(`Not found:\n  ${missed.join('\n  ')}`);
  process.exitCode = 1;
}
