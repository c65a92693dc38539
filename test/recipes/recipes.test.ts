// Runs each recipe in the test runner that it is for, as its reader would, and counts the tests that passed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { IS_LONG } from '../size.js';

const folder = fileURLToPath(new URL('examples/recipes/', REPOSITORY));
const TAP = fileURLToPath(new URL('node_modules/.bin/tap', REPOSITORY));
const bin = (name: string) => `${folder}node_modules/.bin/${name}`;

/** Nothing of the environment that tap gives to child processes: neither its hooks nor its settings. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'CI', 'CHROMIUM_PATH'].flatMap((name) => {
  const value = process.env[name];
  return value === undefined ? [] : [`${name}=${value}`];
});
const CLEAN = ['-i', ...KEPT, 'NO_COLOR=1'];

/** Recipes in processes of their own wait for one another: what hangs is ended well before tap ends this file. */
const TIMEOUT_MS = 45_000;

/** What to run in the folder of the recipes, and the words in which each runner says how many tests passed. */
const RECIPES: Readonly<Record<string, { command: readonly string[]; says: RegExp }>> = {
  'tap: a tenant for each test': {
    command: [TAP, 'run', '--disable-coverage', '-R', 'tap', 'tap/claims.test.mjs'],
    says: /^# \{ total: 7, pass: 7 \}$/m,
  },
  'node:test: a mock for one file': {
    command: [process.execPath, '--test', 'node-test/one-file.test.mjs'],
    says: /tests 1\n[\s\S]*pass 1\n/,
  },
  'node:test: one mock for two workers': {
    command: [process.execPath, 'node-test/run.mjs'],
    says: /tests 6\n[\s\S]*pass 6\n/,
  },
  'MSW: a mock without a port': {
    command: [process.execPath, '--test', 'msw/claims.test.mjs', 'msw/fetch.test.mjs'],
    says: /tests 4\n[\s\S]*pass 4\n/,
  },
  'Vitest: one mock for two workers': {
    command: [bin('vitest'), 'run', '--root', 'vitest'],
    says: /Tests +6 passed \(6\)/,
  },
  'Jest: one mock for two workers': {
    command: [process.execPath, '--experimental-vm-modules', bin('jest'), '-c', 'jest/jest.config.mjs'],
    says: /Tests: +6 passed, 6 total/,
  },
  'Playwright: one mock for two workers': {
    command: [bin('playwright'), 'test', '-c', 'playwright'],
    says: /^ +5 passed /m,
  },
};

/** Where the recipe for Playwright looks, too. */
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const isReady = IS_LONG && existsSync(`${folder}node_modules/.package-lock.json`);
const isCi = Boolean(process.env['CI']);

t.setTimeout(180_000);
if (!isReady) {
  const message = 'they need npm ci --prefix examples/recipes, and CLAIMLINK_TESTS=long';
  if (isCi && IS_LONG) t.fail(message);
  else t.test(`recipes are skipped: ${message}`, { skip: true }, () => {});
}

for (const [name, { command, says }] of isReady ? Object.entries(RECIPES) : []) {
  const isBlind = name.startsWith('Playwright') && !existsSync(CHROMIUM);
  // In CI Playwright itself says that there is none, and fails.
  const skip = isBlind && !isCi && 'no Chromium on this machine: install it, or set CHROMIUM_PATH';
  t.test(name, { skip }, async (t) => {
    const options = { cwd: folder, timeout: TIMEOUT_MS };
    const { stdout, stderr } = await promisify(execFile)('env', [...CLEAN, ...command], options).catch(
      // A failure is told with all that the runner said.
      (error: { message: string; stdout: string; stderr: string }) => {
        throw new Error(`${error.message}\n${error.stdout}`);
      },
    );
    t.match(stdout + stderr, says);
  });
}
