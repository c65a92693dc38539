// The proofs exist, and the mistakes of `npm run proof -- faults` are patterns of code that occur.
import { existsSync } from 'node:fs';
import t from 'tap';
import { ROOT, run } from '../package/programs.js';
import { REPOSITORY } from '../repository.js';
import { BROKEN_STORAGES } from '../testing/broken-storages.js';
import { DOCUMENTS, readDocument } from './markdown.js';
import { FAULTS, PROMISES, PROOFS } from './tables.js';

for (const { name, file, search, storage } of FAULTS) {
  if (storage !== undefined)
    t.test(`the mistake ${name} is one of a storage`, async (t) => t.ok(storage in BROKEN_STORAGES));
  else
    t.test(`the mistake ${name} replaces code that occurs once`, async (t) => {
      t.equal(readDocument(file).split(search ?? '').length - 1, 1);
    });
}

t.test('each mistake has a name of its own', async (t) => {
  t.equal(new Set(FAULTS.map(({ name }) => name)).size, FAULTS.length);
});

t.test('the help of the command names each proof, and that of a proof its promises', async (t) => {
  const help = (...args: string[]) => run(process.execPath, ['scripts/proof.mjs', ...args], ROOT);
  const { stdout } = await help('--help');
  for (const [name, { summary }] of Object.entries(PROOFS))
    t.match(stdout, `  ${name.padEnd(15)}${summary}\n`);
  t.match((await help('interleavings', '--help')).stdout, /^ {2}one session per link$/m);
  await t.rejects(help('nothing'), /there is no proof nothing/);
});

t.test('the page of a proof has the command of each of its forms', async (t) => {
  for (const [name, { forms, page }] of Object.entries(PROOFS))
    for (const form of forms)
      t.ok(
        readDocument(page).includes(`npm run proof -- ${name} ${form}`.trim()),
        `${page}: ${name} ${form}`,
      );
});

t.test('documents name proofs that exist', async (t) => {
  const names = DOCUMENTS.filter((path) => path !== 'CHANGELOG.md').flatMap((path) =>
    [...readDocument(path).matchAll(/npm run proof -- (\S[\w-]*)/g)].map(([, name = '']) => name),
  );
  t.ok(names.length > 20);
  t.same(new Set(names), new Set([...Object.keys(PROOFS), 'all', '--help']));
});

t.test('proofs run test files that exist', async (t) => {
  const files = Object.values(PROOFS).flatMap(({ tests = [], parts = {} }) => [
    ...tests,
    ...Object.values(parts),
  ]);
  t.ok(files.length > 10);
  for (const file of files) t.ok(existsSync(new URL(file, REPOSITORY)), file);
});

t.test('the promises are those that the checkers of histories know, each with its proof', async (t) => {
  const promises = ['checker', 'page-checker'].flatMap((name) =>
    [...readDocument(`test/simulation/${name}.ts`).matchAll(/^ {2}\| '(.+)';?$/gm)].map(
      ([, promise]) => promise,
    ),
  );
  const isOfHistories = (name: string) => name.startsWith('simulate');
  t.same(
    PROMISES.filter(({ testedBy }) => testedBy.some(isOfHistories)).map(({ promise }) =>
      promise.replaceAll('`', ''),
    ),
    promises,
  );
  for (const { promise, testedBy } of PROMISES)
    for (const name of testedBy)
      t.ok(
        name === 'storage suite' || Object.hasOwn(PROOFS, name.split(' ', 1)[0] ?? ''),
        `${promise}: ${name}`,
      );
});

t.test('the page has the number of mistakes that the simulations find by themselves', async (t) => {
  const bySimulation = FAULTS.filter(({ checks }) => checks.some((check) => check.startsWith('simulation')));
  t.match(
    readDocument('docs/evidence/robustness.md'),
    `The simulations find ${bySimulation.length} of them by themselves.`,
  );
});
