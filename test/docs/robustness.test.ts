// The mistakes of `npm run seeded-faults` are patterns of code, which must not become outdated.
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { BROKEN_STORAGES } from '../testing/broken-storages.js';
import { codeBlocks, readDocument } from './markdown.js';
import { FAULTS } from './tables.js';

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

t.test('`npm run robustness` runs the commands of the page, in its order', async (t) => {
  const table = new URL('scripts/robustness-commands.mjs', REPOSITORY).href;
  const { COMMANDS } = (await import(table)) as { COMMANDS: readonly { command: string }[] };
  const blocks = codeBlocks(readDocument('docs/robustness.md')).filter(({ language }) => language === 'sh');
  const commands = blocks.map(({ code }) => code.trim());
  t.same(commands, [...COMMANDS.map(({ command }) => command), 'npm run robustness']);
});

t.test('the page has the number of mistakes that the simulations find by themselves', async (t) => {
  const bySimulation = FAULTS.filter(({ checks }) => checks.some((check) => check.startsWith('simulation')));
  t.match(
    readDocument('docs/robustness.md'),
    `The simulations find ${bySimulation.length} of them by themselves.`,
  );
});
