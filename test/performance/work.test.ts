// No request does more work than budget.json lets it: counted, not timed, so that it is the same on every machine.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { overBudget, readBudget, underBudget, type Work } from './budget.js';

const MEASURE = fileURLToPath(new URL('test/performance/measure-work.mjs', REPOSITORY));

/** It takes some ten seconds of processor time; a loaded machine gives them late. */
t.setTimeout(240_000);

/** Runs it without the hooks that tap puts into the environment of child processes. */
async function measure(...flags: string[]): Promise<Work> {
  const args = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', process.execPath, MEASURE, ...flags];
  const { stdout } = await promisify(execFile)('env', args);
  return JSON.parse(stdout) as Work;
}

/** Calls of the storage that each request may make; lowering work elsewhere must not raise these. */
const STORAGE_CALLS: Readonly<Record<string, number>> = {
  'listing of 10 sessions': 2,
  link: 2,
  'verify page, the first time': 2,
  'verify page, again': 1,
  'claim, as JSON': 2,
  'API key that is wrong': 1,
  'API key that is missing': 0,
  'token that is forged': 0,
};

t.test('the work of requests', async (t) => {
  const budget = readBudget();
  const measured = await measure();

  await t.test('no request costs more than its budget', async (t) => {
    t.strictSame(overBudget(budget, measured), [], 'make it cheaper, or say why it must cost more', {
      update: 'npm run build && node test/performance/measure-work.mjs --update',
    });
    const under = underBudget(budget, measured);
    if (under.length > 0) t.comment(`cheaper than the budget, which can be lowered: ${under.join('; ')}`);
  });

  await t.test('the budget has a figure for each thing that is counted, and no other', async (t) => {
    const shape = ({ columns, rows }: Work) => ({
      columns,
      rows: Object.entries(rows).map(([name, numbers]) => [name, numbers.length]),
    });
    t.strictSame(shape(budget), shape(measured));
  });

  await t.test('a request asks the storage no more often than it must', async (t) => {
    const column = measured.columns.indexOf('storageCalls');
    const calls = Object.keys(STORAGE_CALLS).map((name) => [name, measured.rows[name]?.[column]]);
    t.strictSame(Object.fromEntries(calls), STORAGE_CALLS);
  });

  await t.test('a request that does one thing more of each kind is told, for each kind', async (t) => {
    const told = overBudget(measured, await measure('--waste'));
    const expected = Object.entries(measured.rows).flatMap(([row, numbers]) =>
      numbers.map((is, index) => [`${row}: `, ` ${measured.columns[index]}, budget ${is}`]),
    );
    t.equal(told.length, expected.length);
    for (const [row = '', rest = ''] of expected) {
      t.ok(
        told.some((text) => text.startsWith(row) && text.endsWith(rest)),
        row + rest,
      );
    }
  });
});

t.test('bytes have a tolerance of 15%, calls have none', async (t) => {
  const budget = { columns: ['hashes', 'bytes'], rows: { link: [2, 1000] } };
  const of = (...numbers: number[]) => ({ ...budget, rows: { link: numbers } });
  t.strictSame(overBudget(budget, of(2, 1150)), []);
  t.strictSame(overBudget(budget, of(3, 1151)), [
    'link: 3 hashes, budget 2',
    'link: 1151 bytes, budget 1000',
  ]);
  t.strictSame(underBudget(budget, of(2, 850)), []);
  t.strictSame(underBudget(budget, of(1, 849)), ['link: 1 hashes, budget 2', 'link: 849 bytes, budget 1000']);
});
