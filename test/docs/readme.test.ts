// The README says what the code does: its tables are compared, its curl lines are run.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { OPTION_NAMES } from '../../lib/core/options.js';
import { ERRORS } from '../../lib/index.js';
import { FLAGS } from '../../mock-server/cli/flags.js';
import { startMockServer } from '../../mock-server/index.js';
import { REPOSITORY } from '../repository.js';

const readme = await readFile(new URL('README.md', REPOSITORY), 'utf8');

/** The cells of the table between `<!-- name:start -->` and `<!-- name:end -->`, without its head. */
function table(name: string): string[][] {
  const [, text = ''] = readme.split(`<!-- ${name}:start -->`, 2);
  const [between = ''] = text.split(`<!-- ${name}:end -->`, 1);
  const rows = between.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

t.test('the table of errors is the one in the code', async (t) => {
  const expected = Object.entries(ERRORS).map(([code, [status, title]]) => [code, String(status), title]);
  t.same(table('errors'), expected);
});

t.test('the table of options names every option and no other', async (t) => {
  t.same(
    table('options')
      .map(([name]) => name)
      .sort(),
    [...OPTION_NAMES].sort(),
  );
});

t.test('the table of flags is the one that --help prints', async (t) => {
  const expected = Object.values(FLAGS).map(({ name, value, env, default: preset, description }) => [
    `--${name}${value ? ` ${value.replaceAll('|', '\\|')}` : ''}`,
    env ?? '',
    preset ?? '',
    description,
  ]);
  t.same(table('flags'), expected);
});

t.test('each curl line works when it is pasted', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const blocks = [...readme.matchAll(/```sh\n(curl [\s\S]*?)\n```/g)].map(([, block = '']) => block);
  t.equal(blocks.length, 3);
  const run = async (block: string) => {
    const command = block.replaceAll('http://127.0.0.1:4010', mock.url);
    return JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout);
  };
  const [listing = '', link = '', control = ''] = blocks;
  t.ok((await run(listing)).length > 0);
  const page = await fetch((await run(link)).data);
  t.equal(page.status, 200);
  t.match(await page.text(), /claims@example\.com/);
  const lines = control.split('\n');
  t.equal(lines.length, 5);
  for (const line of lines) t.equal((await run(line)).code, undefined, line);
});
