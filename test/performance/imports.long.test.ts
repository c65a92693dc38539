// Each entry loads the modules that it uses, and no others. They decide how fast a host starts.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { REPOSITORY } from '../repository.js';

const LIST_MODULES = new URL('test/performance/list-modules.mjs', REPOSITORY);
const LIST_CLI_MODULES = new URL('test/performance/list-cli-modules.mjs', REPOSITORY);
const LIST_MOCK_MODULES = new URL('test/performance/list-mock-modules.mjs', REPOSITORY);

/** Returns the JSON that a script prints. It runs without the hooks that tap puts into the environment. */
async function run(script: URL, ...args: string[]): Promise<unknown> {
  const file = fileURLToPath(script);
  const command = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', process.execPath, file, ...args];
  return JSON.parse((await promisify(execFile)('env', command)).stdout);
}

/** Returns the packages and the source files that an import loads. */
async function modulesOf(...specifiers: string[]): Promise<readonly string[]> {
  return (await run(LIST_MODULES, ...specifiers)) as string[];
}

/** Returns the modules that match one of the patterns. */
function matching(modules: readonly string[], ...patterns: RegExp[]): string[] {
  return modules.filter((name) => patterns.some((pattern) => pattern.test(name)));
}

const FOR_THE_MOCK = /^@faker-js\/|^ajv|^yaml$|^mock-server\//;
const FASTIFY = /^@?fastify(?:\/|$)/;
const FASTIFY_PLUGIN = /^fastify-plugin$/;
const DATABASES = /^pg(?:-|$)|postgres|sqlite|libsql/;
const TEST_KIT = /^lib\/testing\//;
const ADAPTERS = /^lib\/adapters\//;

t.test('claimlink loads no adapter and no module of another entry', async (t) => {
  const modules = await modulesOf('claimlink');
  t.ok(modules.includes('lib/claimlink.ts'), 'the trace sees files of claimlink');
  t.ok(modules.includes('jws'), 'the trace sees modules that a CommonJS package requires');
  t.strictSame(matching(modules, FOR_THE_MOCK, FASTIFY, FASTIFY_PLUGIN, DATABASES, TEST_KIT, ADAPTERS), []);
});

t.test('claimlink/node loads neither a framework nor another adapter', async (t) => {
  const modules = await modulesOf('claimlink', 'claimlink/node');
  t.ok(modules.includes('lib/adapters/node.ts'));
  const others = /^lib\/adapters\/(?:fastify|fetch)\.ts$/;
  t.strictSame(matching(modules, FOR_THE_MOCK, FASTIFY, FASTIFY_PLUGIN, DATABASES, TEST_KIT, others), []);
});

t.test('claimlink/fetch loads neither a framework nor another adapter', async (t) => {
  const modules = await modulesOf('claimlink', 'claimlink/fetch');
  t.ok(modules.includes('lib/adapters/fetch.ts'));
  const others = /^lib\/adapters\/(?:fastify|node)\.ts$/;
  t.strictSame(matching(modules, FOR_THE_MOCK, FASTIFY, FASTIFY_PLUGIN, DATABASES, TEST_KIT, others), []);
});

t.test('claimlink/fastify loads fastify-plugin, but not Fastify', async (t) => {
  const modules = await modulesOf('claimlink', 'claimlink/fastify');
  t.ok(modules.includes('lib/adapters/fastify.ts'));
  t.ok(modules.includes('fastify-plugin'));
  const others = /^lib\/adapters\/(?:fetch|node)\.ts$/;
  t.strictSame(matching(modules, FOR_THE_MOCK, FASTIFY, DATABASES, TEST_KIT, others), []);
});

t.test('claimlink/postgres does not load pg', async (t) => {
  const modules = await modulesOf('claimlink', 'claimlink/postgres');
  t.ok(modules.includes('lib/storage/postgres/index.ts'));
  t.strictSame(
    matching(modules, FOR_THE_MOCK, FASTIFY, FASTIFY_PLUGIN, /^pg(?:-|$)/, TEST_KIT, ADAPTERS),
    [],
  );
});

t.test('claimlink/sqlite loads no driver, and nothing of PostgreSQL', async (t) => {
  const modules = await modulesOf('claimlink', 'claimlink/sqlite');
  t.ok(modules.includes('lib/storage/sqlite/index.ts'));
  const databases = /^pg(?:-|$)|postgres|^better-sqlite3|^libsql|^node:sqlite/;
  t.strictSame(matching(modules, FOR_THE_MOCK, FASTIFY, FASTIFY_PLUGIN, databases, TEST_KIT, ADAPTERS), []);
});

t.test('the mock does not load libraries of features that are off', async (t) => {
  const started = (await run(LIST_MOCK_MODULES)) as readonly string[];
  t.ok(started.includes('@faker-js/faker'), 'faker generates its data');
  t.ok(started.includes('fastify'), 'it is a Fastify app');
  const unused = [
    /ajv/,
    /^yaml$/,
    /^proper-lockfile$/,
    /^write-file-atomic$/,
    /^commander$/,
    DATABASES,
    TEST_KIT,
  ];
  t.strictSame(matching(started, ...unused), []);
});

t.test('the help text of the command line loads commander, and no library of a command', async (t) => {
  const modules = (await run(LIST_CLI_MODULES)) as readonly string[];
  t.same(
    modules.filter((name) => !/^(?:cli|mock-server)\//.test(name)),
    [
      'commander',
      'lib/core/assert-options.ts',
      'lib/core/branding.ts',
      'lib/core/claim-fields.ts',
      'lib/core/claim-rules.ts',
      'lib/core/client-form.ts',
      'lib/core/credentials.ts',
      'lib/core/errors.ts',
      'lib/core/failure-reason.ts',
      'lib/core/photo-settings.ts', // a setting says whether it needs the option photos
      'lib/core/plain-data.ts',
      'lib/core/settings.ts', // its flags come from the table of settings
      'lib/core/types.ts',
      'lib/core/url.ts',
    ],
  );
  t.same(
    modules.filter((name) => /^cli\/check-run|^mock-server\/(?:server|world|scenario\/scenario)/.test(name)),
    [],
  );
});
