// node:test: one mock for the run, two test files at a time. Run it: node run.mjs
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { startMockServer } from 'claimlink/mock-server';

const files = ['links', 'sessions'].map((name) =>
  fileURLToPath(new URL(`${name}.test.mjs`, import.meta.url)),
);

const mock = await startMockServer({ port: 0 });
process.env.MOCK_URL = mock.url; // the processes of the test files inherit it
run({ files, concurrency: 2 })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .on('end', () => mock.close())
  .compose(spec)
  .pipe(process.stdout);
