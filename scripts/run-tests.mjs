// Runs the compiled tests: all of them, or the files and folders that the command line names.
//
// Starting a process and loading claimlink takes longer than most test files take to run.
// The files of a folder therefore share one process. The folders and files of ALONE are exceptions.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Parser } from 'tap-parser';
import { stringify } from 'tap-yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The form of the tests: short if it is absent, `long` in CI, `drill` before a release. */
const SIZE = process.env.CLAIMLINK_TESTS;

/** A test that takes longer fails. Its process gets some more seconds to say which one it is. */
const TIMEOUT_SECONDS = SIZE === undefined ? 300 : 600;
const GRACE_SECONDS = 30;

/** Folders and files that take too long for a process of several files: each of their files has its own. */
const ALONE = [
  'test/browser',
  'test/cli/check-command.test.ts',
  'test/cli/database-commands.test.ts',
  'test/cli/persist-kill.test.ts',
  'test/cluster',
  'test/storage/postgres.test.ts',
  'test/storage/postgres-drivers.test.ts',
  'test/storage/postgres-migrations.test.ts',
  'test/storage/postgres-partitions.test.ts',
  'test/storage/postgres-pooler.test.ts',
  'test/storage/postgres-statements.test.ts',
  'test/storage/sqlite-processes.test.ts',
];

/**
 * What only the long form runs, unless the command line names it: it needs a browser or several servers, builds the
 * package, kills processes, sends large bodies, or repeats a suite over another handle of a database.
 */
const LONG_ONLY = [
  'test/browser',
  'test/cli/check-command.test.ts',
  'test/cli/check-limits.test.ts',
  'test/cli/check-other-server.test.ts',
  'test/cli/contract.test.ts',
  'test/cli/database-commands.test.ts',
  'test/cli/missing-drivers.test.ts',
  'test/cli/persist-kill.test.ts',
  'test/cluster',
  'test/examples',
  'test/fuzz',
  'test/mock-server/load',
  'test/package',
  'test/performance',
  'test/soak',
  'test/storage/postgres-black-hole.test.ts',
  'test/storage/postgres-handles.test.ts',
  'test/storage/postgres-http.test.ts',
  'test/storage/postgres-interleavings.test.ts',
  'test/storage/postgres-migrations.test.ts',
  'test/storage/sqlite-processes.test.ts',
  'test/testing/broken-deployments.test.ts',
  'test/testing/contract-bodies.test.ts',
];

/** What only `npm run test:release` runs: suites in other products and in topologies of PostgreSQL, and scripts of a release. */
const RELEASE_ONLY = [
  'test/clients',
  'test/cluster/failover.test.ts',
  'test/cluster/listings.test.ts',
  'test/cluster/pools.test.ts',
  'test/cluster/shards.test.ts',
  'test/hosts',
  'test/mock-server/load/memory.test.ts',
  'test/package/fastify-versions.test.ts',
  'test/package/release.test.ts',
  'test/package/reproducible.test.ts',
  'test/package/sbom.test.ts',
  'test/package/typescript-versions.test.ts',
  'test/recipes',
  'test/runtimes',
  'test/storage/postgres-drivers.test.ts',
  'test/storage/postgres-partitions.test.ts',
  'test/storage/postgres-pooler.test.ts',
];

/** What it runs in a larger size. */
const RELEASE = [
  ...RELEASE_ONLY,
  'test/browser',
  'test/package/esm.test.ts',
  'test/storage/postgres.test.ts',
];

const selected = process.argv.slice(2).map((path) => relative(ROOT, join(process.cwd(), path)));
const isIn = (file, paths) => paths.some((path) => file === path || file.startsWith(`${path}/`));
const isSelected = (file) => {
  if (selected.length > 0) return isIn(file, selected);
  if (SIZE === 'drill') return isIn(file, RELEASE);
  return !isIn(file, RELEASE_ONLY) && (SIZE === 'long' || !isIn(file, LONG_ONLY));
};

const files = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((path) => join('test', path))
  // Some folders have packages of their own, with tests in them.
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules') && isSelected(path))
  .sort();

const groups = new Map();
for (const file of files) {
  const name = isIn(file, ALONE) ? file : dirname(file);
  groups.set(name, [...(groups.get(name) ?? []), file]);
}
if (groups.size === 0) {
  process.stderr.write(`No test file matches ${selected.join(' ')}\n`);
  process.exit(1);
}

/** Processes that take long begin first, the longest one before the others, so that the run does not end with one alone. */
const FIRST = [
  'test/browser/standalone.test.ts',
  'test/cluster/processes.test.ts',
  'test/storage/postgres.test.ts',
  'test/package',
  'test/browser/axe.test.ts',
  'test/browser/languages.test.ts',
  'test/cli',
  'test/simulation',
  'test/testing',
  'test/mock-server/load',
  'test/cluster/delivery.test.ts',
  'test/mock-server/state',
  'test/browser/dashboard-controls.test.ts',
  'test/browser/dashboard.test.ts',
  'test/adapters',
  'test/mock-server/control',
  'test/docs',
];
const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
const waiting = [...groups].sort(([a], [b]) => rank(a) - rank(b));

const children = new Set();
const teardowns = [];
// Ctrl-C reaches the children as well. An exit of its own calls the listeners of `exit`, which end the shared server.
process.on('SIGINT', () => process.exit(130));
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const env = {
  ...process.env,
  TAP_TIMEOUT: String(TIMEOUT_SECONDS),
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
const lanes = availableParallelism() + (SIZE === 'drill' ? 0 : 4);
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
  const args = ['--enable-source-maps', join(ROOT, 'scripts/test-process.mjs'), ...members];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), (TIMEOUT_SECONDS + GRACE_SECONDS) * 1000);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const results = { passed: 0, failures: [], skips: [] };
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
      `${name} ended with ${signal ?? `exit code ${code}`}`,
      errors,
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Collects the assertions of a test and of the tests in it. */
function collectResults(parser, results) {
  parser.on('child', (child) => collectResults(child, results));
  let failuresBefore = results.failures.length;
  parser.on('assert', (result) => {
    const { ok, skip, todo, closingTestPoint } = result;
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
