// Runs each recipe as a reader does, and counts the tests that passed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';
import { startPostgres } from '../storage/postgres-server.js';

const folder = fileURLToPath(new URL('examples/recipes/', REPOSITORY));
const TAP = fileURLToPath(new URL('node_modules/.bin/tap', REPOSITORY));
const TSC = fileURLToPath(new URL('node_modules/.bin/tsc', REPOSITORY));
/** Node, with recipes in TypeScript. Node 20 cannot run them itself. */
const TSX = [process.execPath, '--import', 'tsx'];
const bin = (name: string) => `${folder}node_modules/.bin/${name}`;
const VITEST = [bin('vitest'), 'run', '--root', 'runners'];
const JEST = [process.execPath, '--experimental-vm-modules', bin('jest'), '-c', 'runners/jest.config.mjs'];

/** The environment of the recipes. tap adds hooks and settings to that of its child processes. */
const VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'CI', 'CHROMIUM_PATH'].flatMap((name) => {
  const value = process.env[name];
  return value === undefined ? [] : [`${name}=${value}`];
});
const CLEAN = ['-i', ...VARIABLES, 'NO_COLOR=1'];

/** A recipe that hangs ends before tap ends this file, so that its output is shown. */
const TIMEOUT_MS = 150_000;

/** The command of each recipe, and the summary that its runner prints if all tests passed. */
const RECIPES: Readonly<Record<string, { command: readonly string[]; summary: RegExp }>> = {
  'tap: a tenant for each test': {
    command: [TAP, 'run', '--disable-coverage', '-R', 'tap', 'runners/tap.mjs'],
    summary: /^# \{ total: 7, pass: 7 \}$/m,
  },
  'node:test: a mock for one file': {
    command: [process.execPath, '--test', 'runners/one-file.mjs'],
    summary: /tests 1\n[\s\S]*pass 1\n/,
  },
  'node:test: one mock for two workers': {
    command: [process.execPath, 'runners/node-test.mjs'],
    summary: /tests 8\n[\s\S]*pass 8\n/,
  },
  'Standard Webhooks: a sender and a receiver': {
    command: [process.execPath, '--test', 'delivery/webhook.test.mjs'],
    summary: /tests 6\n[\s\S]*pass 6\n/,
  },
  'pg-boss: a queue of submissions': {
    command: [process.execPath, '--test', 'delivery/pg-boss.test.mjs'],
    summary: /tests 1\n[\s\S]*pass 1\n/,
  },
  'MSW: a mock without a port, and MSW beside a mock with one': {
    command: [process.execPath, '--test', 'msw/claims.test.mjs', 'msw/beside.test.mjs', 'msw/fetch.test.mjs'],
    summary: /tests 5\n[\s\S]*pass 5\n/,
  },
  'OpenTelemetry: spans of requests, storage calls and deliveries': {
    command: [...TSX, '--test', 'observability/spans.test.mjs'],
    summary: /tests 5\n[\s\S]*pass 5\n/,
  },
  'prom-client: histograms of requests, storage calls and deliveries': {
    command: [...TSX, '--test', 'observability/metrics.test.mjs'],
    summary: /tests 2\n[\s\S]*pass 2\n/,
  },
  '@fastify/compress and compression: pages, and no JSON': {
    command: [...TSX, '--test', 'compression/compression.test.mjs'],
    summary: /tests 2\n[\s\S]*pass 2\n/,
  },
  '@fastify/rate-limit and express-rate-limit: a page for browsers': {
    command: [...TSX, '--test', 'rate-limit/rate-limit.test.mjs'],
    summary: /tests 2\n[\s\S]*pass 2\n/,
  },
  'TypeScript: the recipes have no type error': {
    command: [TSC, '-p', '.', '--singleThreaded'],
    summary: /^$/,
  },
  'Vitest: one mock for two workers': {
    command: VITEST,
    summary: /Tests +8 passed \(8\)/,
  },
  'Vitest in jsdom': {
    command: [...VITEST, '--environment', 'jsdom'],
    summary: /Tests +8 passed \(8\)/,
  },
  'Vitest in happy-dom': {
    command: [...VITEST, '--environment', 'happy-dom'],
    summary: /Tests +8 passed \(8\)/,
  },
  'Jest: one mock for two workers': {
    command: JEST,
    summary: /Tests: +8 passed, 8 total/,
  },
  'Jest in jsdom': {
    command: [...JEST, '--env', './jsdom-with-fetch.mjs'],
    summary: /Tests: +8 passed, 8 total/,
  },
  'Jest in happy-dom, which cannot run the mock in the process of the test': {
    command: [...JEST, '--env', '@happy-dom/jest-environment', 'links', 'sessions'],
    summary: /Tests: +6 passed, 6 total/,
  },
  'Playwright: one mock for two workers': {
    command: [bin('playwright'), 'test', '-c', 'playwright'],
    summary: /^ +5 passed /m,
  },
};

/** The recipe for Playwright uses the same path. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const isReady = IS_LONG && existsSync(`${folder}node_modules/.package-lock.json`);
const isCi = Boolean(process.env['CI']);

if (!isReady) {
  const message = 'they need npm ci --prefix examples/recipes, and CLAIMLINK_TESTS=long';
  if (isCi && IS_LONG) t.fail(message);
  else t.test(`recipes are skipped: ${message}`, { skip: true }, () => {});
}

const server = isReady ? await startPostgres(t) : undefined;
const DATABASE = server ? [`DATABASE_URL=${server.url}`] : [];

for (const [name, { command, summary }] of isReady ? Object.entries(RECIPES) : []) {
  const hasNoChromium = name.startsWith('Playwright') && !existsSync(CHROMIUM);
  const hasNoDatabase = name.startsWith('pg-boss') && server === undefined;
  // In CI the recipe runs, and Playwright reports that Chromium is missing.
  const skip =
    (hasNoChromium && !isCi && 'no Chromium on this machine: install it, or set CHROMIUM_PATH') ||
    (hasNoDatabase && 'no PostgreSQL on this machine');
  t.test(name, { skip }, async (t) => {
    const options = { cwd: folder, timeout: TIMEOUT_MS };
    const { stdout, stderr } = await promisify(execFile)(
      'env',
      [...CLEAN, ...DATABASE, ...command],
      options,
    ).catch(
      // The report of a failure includes the output of the runner.
      (error: { message: string; stdout: string; stderr: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      },
    );
    t.match(stdout + stderr, summary);
  });
}
