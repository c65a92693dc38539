// Every suite passes in every runtime, but for the limits that docs/evidence/runtimes.md states.
import t from 'tap';
import { createMemoryStorage } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { contractSuite, photoStoreSuite, storageSuite } from '../../lib/testing/index.js';
import { readDocument, tableOf } from '../docs/markdown.js';
import { IS_LONG } from '../size.js';
import { areInstalled, RUNTIME_NAMES, runAll, suitesOf, toRow } from './runtimes.js';

const document = readDocument('docs/evidence/runtimes.md');
const table = tableOf(document, 'runtimes');
const limits = tableOf(document, 'limits').map(([runtime, key]) => `${runtime}: ${key}`);

t.test('docs/evidence/runtimes.md has every runtime with the version of its package', async (t) => {
  t.same(
    table.map(([runtime]) => runtime),
    RUNTIME_NAMES,
  );
});

t.test('docs/evidence/runtimes.md counts every rule of the suites', async (t) => {
  const contract = contractSuite({ baseUrl: 'https://claims.example.com', clientId: 'acme', apiKey: 'key' });
  const storage = storageSuite(() => createMemoryStorage());
  const createStore = () => createMemoryPhotoStore();
  const photos = photoStoreSuite(createStore);
  const pairs = photoStoreSuite(createStore, { createPair: () => [createStore(), createStore()] });
  const allOf = ({ length }: readonly unknown[]) => `${length} of ${length}`;
  for (const [runtime = '', ...cells] of table) {
    const hasSqlite = !/^Node 20|^workerd/.test(runtime);
    t.same(cells.slice(0, -1), [
      allOf(contract),
      allOf(storage),
      hasSqlite ? allOf(storage) : 'none',
      allOf(photos),
      runtime.startsWith('workerd') ? 'none' : allOf(pairs),
      allOf(pairs),
    ]);
  }
});

const isReady = IS_LONG && areInstalled();

if (!isReady) {
  const message = 'they need npm ci --prefix test/runtimes/packages, and CLAIMLINK_TESTS=long';
  if (process.env['CI'] && IS_LONG) t.fail(message);
  else t.test(`runtimes are skipped: ${message}`, { skip: true }, () => {});
}

for (const result of isReady ? await runAll() : []) {
  const { runtime, keys, stderr } = result;
  t.test(`${runtime} passes the suites`, async (t) => {
    t.same(
      suitesOf(result).flatMap((suite) => suite?.failed ?? []),
      [],
    );
    const [name = ''] = runtime.split(' ');
    t.same(
      keys.failed.map((failure) => `${name}: ${failure.name}`),
      limits.filter((limit) => limit.startsWith(`${name}:`)),
      'link keys, but for those of the table of limits',
      { messages: keys.failed },
    );
    t.equal(stderr, '', 'the host wrote no error');
    t.same(
      toRow(result),
      table.find(([title]) => title === runtime),
      'the row of docs/evidence/runtimes.md',
    );
  });
}
