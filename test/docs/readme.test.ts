// The README shows programs and commands. Each one is run.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { linkRequest } from '../adapters/service.js';
import { freePort } from '../listen.js';
import { codeBlocks, readDocument } from './markdown.js';
import { createWorkspace, startNode } from './workspace.js';

const readme = readDocument('README.md');
const blocks = codeBlocks(readme);

/** Returns the only code block that contains a text. */
function blockWith(text: string): string {
  const [block, ...others] = blocks.filter(({ code }) => code.includes(text));
  if (block === undefined || others.length > 0) throw new Error(`README has not one block with ${text}.`);
  return block.code;
}

async function runShell(command: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', command])).stdout;
}

t.test('README has under 200 lines', async (t) => {
  t.ok(readme.split('\n').length < 200);
});

t.test('README and CONTRIBUTING name npm scripts that exist', async (t) => {
  const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
  const text = readme + readDocument('CONTRIBUTING.md');
  const names = [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
    ([, run, short]) => run ?? short,
  );
  t.ok(names.length >= 10);
  for (const name of new Set(names)) t.ok(Object.hasOwn(scripts, String(name)), `npm run ${name}`);
});

t.test('the curl commands work when they are pasted', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const run = async (start: string) =>
    JSON.parse(await runShell(blockWith(start).replaceAll('http://127.0.0.1:4010', mock.url)));
  const listing: unknown[] = await run('curl -s http://127.0.0.1:4010/demo/sessions');
  t.ok(listing.length > 0);
  const { data } = await run('curl -s http://127.0.0.1:4010/demo/link');
  const page = await fetch(data);
  t.equal(page.status, 200);
  const text = await page.text();
  t.match(text, /claims@example\.com/);
  t.match(text, /value="Lovelace"/, 'the form is prefilled');
});

t.test('the host prints a first request that works, and it serves links', async (t) => {
  const folder = await createWorkspace(t);
  await writeFile(join(folder, 'host.mjs'), blockWith('createNodeHandler'));
  const port = await freePort();
  const host = startNode(t, folder, ['host.mjs'], { PORT: String(port) });
  const [command, key] = await host.waitFor(/^curl .* 'x-api-key: (.+)'$/m);
  t.same(JSON.parse(await runShell(command)), []);

  const base = `http://127.0.0.1:${port}/claims`;
  const created = await fetch(`${base}/acme/link`, {
    method: 'POST',
    headers: { 'x-api-key': String(key), 'content-type': 'application/json' },
    body: JSON.stringify(linkRequest()),
  });
  const { data } = (await created.json()) as { data: string };
  t.ok(data.startsWith(`${base}/verify/`));
  t.match(await (await fetch(data)).text(), /Acme Insurance/);
});

t.test('the test that uses the mock passes', async (t) => {
  const folder = await createWorkspace(t);
  await writeFile(join(folder, 'mock.test.mjs'), blockWith('startMockServer'));
  const program = startNode(t, folder, ['--test', '--test-reporter=tap', 'mock.test.mjs']);
  const [exitCode] = await once(program.child, 'close');
  t.equal(exitCode, 0, program.output());
  t.match(program.output(), /^# pass 1$/m);
});
