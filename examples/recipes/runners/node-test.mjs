// node:test: one mock for the run, two test files at a time. Run it: node node-test.mjs
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import setup from './global-setup.mjs';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const files = ['links', 'sessions', 'in-process'].map((name) => pathOf(`${name}.test.mjs`));

const close = await setup();
// The test files have global names here. Yours import them from node:test, and need no NODE_OPTIONS.
process.env.NODE_OPTIONS = `--import ${new URL('node-globals.mjs', import.meta.url)}`;
run({ files, concurrency: 2 })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .on('end', close)
  .compose(spec)
  .pipe(process.stdout);
