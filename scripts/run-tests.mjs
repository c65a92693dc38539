// Runs the compiled tests: all of them, or the files and folders that the command line names.
//
// Starting a process and loading claimlink takes longer than most test files take to run.
// The files of a folder therefore share one process. The folders below are exceptions.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IS_LONG = process.env.CLAIMLINK_TESTS === 'long';
const TIMEOUT_SECONDS = IS_LONG ? 600 : 300;

/** TEST_NAME is for the tests. TAP_GREP in this process would skip whole folders. */
const { TEST_NAME } = process.env;
const grep = TEST_NAME === undefined ? {} : { TAP_GREP: TEST_NAME };

/** Folders and files that take too long for a process of several files: each of their files has its own. */
const ALONE = [
  'test/browser',
  'test/cli/check-command.test.ts',
  'test/cli/database-commands.test.ts',
  'test/cli/persist-kill.test.ts',
  'test/cluster',
  'test/package/reproducible.test.ts',
  'test/storage',
];

/** What only the long form runs, unless the command line names it: it needs a browser, or waits for locks to become stale. */
const LONG_ONLY = ['test/browser', 'test/cli/persist-kill.test.ts'];

const selected = process.argv.slice(2).map((path) => relative(ROOT, join(process.cwd(), path)));
const isIn = (file, paths) => paths.some((path) => file === path || file.startsWith(`${path}/`));
const isSelected = (file) =>
  selected.length === 0 ? IS_LONG || !isIn(file, LONG_ONLY) : isIn(file, selected);

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

/** Processes that take long begin first, the longest one before the others, so that the run does not end with one alone. */
const FIRST = [
  'test/cluster/delivery.test.ts',
  'test/mock-server/load',
  'test/browser/dashboard-controls.test.ts',
  'test/browser/dashboard.test.ts',
  'test/cluster/failover.test.ts',
  'test/cluster/listings.test.ts',
  'test/cluster/shards.test.ts',
  'test/browser/standalone.test.ts',
  'test/recipes',
  'test/package',
  'test/browser/axe.test.ts',
  'test/cli/persist-kill.test.ts',
  'test/testing',
  'test/hosts',
  'test/package/reproducible.test.ts',
  'test/cluster/processes.test.ts',
  'test/cli',
  'test/runtimes',
  'test/storage/postgres.test.ts',
  'test/simulation',
  'test/mock-server/client',
  'test/properties',
  'test/storage/pglite.test.ts',
];
const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
const ordered = [...groups].sort(([a], [b]) => rank(a) - rank(b));

if (groups.size === 0) {
  process.stderr.write(`No test file matches ${selected.join(' ')}\n`);
  process.exit(1);
}

// The reporter writes an animation, even into a file, unless this variable is set.
if (!process.stdout.isTTY) process.env.CONTINUOUS_INTEGRATION = 'true';
const { report } = await import('@tapjs/reporter');
delete process.env.CONTINUOUS_INTEGRATION;

// It prints failures. The reporter that shows each process takes 6 % of the time.
report('terse', t, new Map());
t.setTimeout(0);
// Without an exit of its own, an interrupted process would not call the listeners of `exit`, which end the shared server.
process.on('SIGINT', () => process.exit(130));
// Half of the processes wait: for a child process, a browser or a database. The long form waits more: it kills processes.
t.jobs = availableParallelism() + (IS_LONG ? 4 : 2);
t.plan(groups.size);
if (selected.length === 0 && !process.env.DATABASE_URL) {
  // One database for all tests that can share it. Each makes a schema of its own.
  const { findBinaries, startPostgres } = await import('../build/test/storage/postgres-server.js');
  if ((await findBinaries()) !== undefined) process.env.DATABASE_URL = (await startPostgres(t)).url;
}
for (const [name, members] of ordered) {
  const args = ['--enable-source-maps', join(ROOT, 'scripts/test-process.mjs'), ...members];
  const options = {
    cwd: ROOT,
    // tap's own coverage would end the one that c8 asks Node for.
    env: { ...process.env, TAP_TIMEOUT: String(TIMEOUT_SECONDS), _TAPJS_PROCESSINFO_COVERAGE_: '0', ...grep },
    timeout: TIMEOUT_SECONDS * 1000,
    buffered: true,
    stdio: 'pipe',
  };
  const ended = t.spawn(process.execPath, args, options, name);
  ended.then((results) => {
    const seconds = Math.round((results?.time ?? Number.NaN) / 1000);
    process.stderr.write(`${results?.ok ? 'PASS' : 'FAIL'} ${name} ${seconds} s\n`);
  });
}
