// Every suite passes in every runtime, but for the limits that docs/evidence/runtimes.md states.
import t from 'tap';
import { createMemoryStorage } from '../../lib/index.js';
import { contractSuite, storageSuite } from '../../lib/testing/index.js';
import { readDocument, tableOf } from '../docs/markdown.js';
import { IS_LONG } from '../size.js';
import { areInstalled, RUNTIME_NAMES, runAll, toRow } from './runtimes.js';

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
  for (const [runtime = '', contractCell, storageCell, sqliteCell] of table) {
    const all = `${storage.length} of ${storage.length}`;
    t.equal(contractCell, `${contract.length} of ${contract.length}`);
    t.equal(storageCell, all);
    t.equal(sqliteCell, /^Node 20|^workerd/.test(runtime) ? 'none' : all);
  }
});

const isReady = IS_LONG && areInstalled();

if (!isReady) {
  const message = 'they need npm ci --prefix test/runtimes/packages, and CLAIMLINK_TESTS=long';
  if (process.env['CI'] && IS_LONG) t.fail(message);
  else t.test(`runtimes are skipped: ${message}`, { skip: true }, () => {});
}

for (const result of isReady ? await runAll() : []) {
  const { runtime, contract, storage, sqlite, keys, stderr } = result;
  t.test(`${runtime} passes the suites`, async (t) => {
    t.same(contract.failed, [], 'contract');
    t.same(storage.failed, [], 'storage');
    t.same(sqlite?.failed ?? [], [], 'SQLite');
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
