// Runs the compiled tests: all of them, or the files and folders that the command line names.
//
// Starting a process and loading claimlink takes longer than most test files take to run. The files of a folder therefore
// share one process. The name of a file says which forms of the tests run it, and whether it has a process of its own:
//
//   name.test.ts                 the short form and the long one
//   name.long.test.ts            the long form only
//   name.long.release.test.ts    the long form and the one before a release
//   name.alone.test.ts           in a process of its own
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Parser } from 'tap-parser';
import { stringify } from 'tap-yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The forms of the tests: short without `CLAIMLINK_TESTS`, long in CI, and the one before a release. */
const FORMS = ['short', 'long', 'release'];
const FORM = process.env.CLAIMLINK_TESTS ?? 'short';
if (!FORMS.includes(FORM)) fail(`CLAIMLINK_TESTS is ${FORM}, not one of ${FORMS.join(', ')}`);

/**
 * A process hangs if it reports no test and no assertion for this time. The time of a folder has no limit: it depends on the
 * machine, and on what else runs there.
 */
const SILENCE_SECONDS = FORM === 'short' ? 300 : 1200;

/** A file with a process of its own, or of the long form, takes about this many times as long as other files of its size. */
const ALONE_WEIGHT = 8;
const LONG_WEIGHT = 4;

/** Reads the name of a test file. */
function readName(path) {
  const [, ...words] = basename(path, '.test.ts').split('.');
  const unknown = words.find((word) => word !== 'alone' && !FORMS.includes(word));
  if (unknown !== undefined) fail(`${path}: ${unknown} is not one of ${FORMS.join(', ')}, alone`);
  const forms = words.filter((word) => FORMS.includes(word));
  const isAlone = words.includes('alone');
  const isLong = forms.includes('long');
  return {
    path,
    forms: forms.length === 0 ? ['short', 'long'] : forms,
    isAlone,
    weight: statSync(join(ROOT, path)).size * (isAlone ? ALONE_WEIGHT : isLong ? LONG_WEIGHT : 1),
  };
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const selected = process.argv.slice(2).map((path) => relative(ROOT, join(process.cwd(), path)));
const isSelected = ({ path, forms }) =>
  selected.length === 0
    ? forms.includes(FORM)
    : selected.some((place) => path === place || path.startsWith(`${place}/`));

// Does not enter node_modules: a folder of packages there has a link to the repository.
const listFiles = (folder) =>
  readdirSync(join(ROOT, 'test', folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(path);
    return [path];
  });
const files = listFiles('')
  .map((path) => join('test', path))
  // Some folders have packages of their own, with tests in them.
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .sort()
  .map(readName)
  .filter(isSelected);

const groups = new Map();
for (const file of files) {
  const name = file.isAlone ? file.path : dirname(file.path);
  groups.set(name, [...(groups.get(name) ?? []), file]);
}
if (groups.size === 0) fail(`No test file matches ${selected.join(' ')}`);

/** What takes long begins first, so that the run does not end with one process. */
const weightOf = (members) => members.reduce((sum, { weight }) => sum + weight, 0);
const waiting = [...groups].sort(([, a], [, b]) => weightOf(b) - weightOf(a));

const children = new Set();
const teardowns = [];
// Ctrl-C reaches the children as well. An exit of its own calls the listeners of `exit`, which end the shared server.
process.on('SIGINT', () => process.exit(130));
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const env = {
  ...process.env,
  // tap would limit the time of a process.
  TAP_TIMEOUT: '0',
  // tap's own coverage would end the one that c8 asks Node for.
  _TAPJS_PROCESSINFO_COVERAGE_: '0',
  // TEST_NAME is for the tests. TAP_GREP in this process would skip whole folders.
  ...(process.env.TEST_NAME === undefined ? {} : { TAP_GREP: process.env.TEST_NAME }),
};
if (selected.length === 0 && !process.env.DATABASE_URL) {
  // One database for all tests that can share it. Each makes a schema of its own.
  const { createTools, findBinaries, startOwnPostgres } = await import(
    '../build/test/storage/postgres-server.js'
  );
  const scope = { teardown: (end) => teardowns.unshift(end) };
  const binaries = await findBinaries();
  if (binaries !== undefined)
    env.DATABASE_URL = (await startOwnPostgres(scope, await createTools(scope, binaries))).url;
}

const total = { passed: 0, failed: 0, skipped: 0 };
const startedAt = performance.now();
// Most processes wait half of the time: for a child process, a browser or a database. Those of the release form start several
// programs at once.
const lanes = availableParallelism() + (FORM === 'release' ? 0 : 4);
await Promise.all(Array.from({ length: lanes }, runLane));
for (const end of teardowns) await end();
const { passed, failed, skipped } = total;
process.stdout.write(`\n${Math.round((performance.now() - startedAt) / 1000)} s\n`);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;

async function runLane() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runGroup(...next);
}

/** Runs the files of a group in a process, and prints what failed. */
async function runGroup(name, members) {
  const begunAt = performance.now();
  const args = [
    '--enable-source-maps',
    join(ROOT, 'scripts/test-process.mjs'),
    ...members.map(({ path }) => path),
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let hasHung = false;
  const timer = setTimeout(() => {
    hasHung = true;
    child.kill('SIGKILL');
  }, SILENCE_SECONDS * 1000);
  child.stdout.on('data', () => timer.refresh());
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const results = { passed: 0, failures: [], skips: [], latest: 'no test' };
  const parser = new Parser();
  collectResults(parser, results);
  child.stdout.pipe(parser);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  children.delete(child);
  const { passed, failures, skips } = results;
  const isPassed = code === 0 && parser.ok;
  total.passed += passed;
  total.skipped += skips.length;
  // A process that ends early may have no failed test.
  total.failed += isPassed ? 0 : Math.max(failures.length, 1);
  const seconds = Math.round((performance.now() - begunAt) / 1000);
  const lines = [`${isPassed ? 'PASS' : 'FAIL'} ${name} ${seconds} s`];
  for (const { fullname, skip } of skips)
    lines.push(`  skipped: ${fullname}${skip === true ? '' : `: ${skip}`}`);
  if (!isPassed) {
    lines.push(
      ...failures.map(describeFailure),
      hasHung
        ? `${name} reported nothing for ${SILENCE_SECONDS} s. Its latest report: ${results.latest}`
        : `${name} ended with ${signal ?? `exit code ${code}`}`,
      errors,
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Collects the assertions of a test and of the tests in it. */
function collectResults(parser, results) {
  parser.on('child', (child) => {
    results.latest = `the start of ${child.fullname}`;
    collectResults(child, results);
  });
  let failuresBefore = results.failures.length;
  parser.on('assert', (result) => {
    const { ok, skip, todo, closingTestPoint } = result;
    results.latest = `the end of ${result.fullname}`;
    // A test that fails because of the tests in it.
    const isConsequence = closingTestPoint && results.failures.length > failuresBefore;
    if (skip) results.skips.push(result);
    else if (!ok && !todo && !isConsequence) results.failures.push(result);
    else if (ok && !closingTestPoint) results.passed++;
    failuresBefore = results.failures.length;
  });
}

function describeFailure({ fullname, diag, tapError }) {
  const details = diag ? stringify(diag).replace(/^(?=.)/gm, '    ') : '';
  return `not ok: ${fullname || tapError}\n${details}`;
}
