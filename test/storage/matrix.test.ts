// The matrix of docs/storage.md: `npm run proof -- matrix` runs and writes it.
import t from 'tap';
import { createMemoryStorage } from '../../lib/index.js';
import { storageSuite } from '../../lib/testing/index.js';
import { readDocument, tableOf } from '../docs/markdown.js';
import { MATRIX } from './matrix.js';

t.test('docs/storage.md has each database and driver with its version and every rule', async (t) => {
  const { length } = storageSuite(() => createMemoryStorage());
  t.same(
    tableOf(readDocument('docs/storage.md'), 'matrix'),
    MATRIX.map(({ database, driver }) => [database, driver.replaceAll('`', ''), `${length} of ${length}`]),
    'run npm run proof -- matrix',
  );
});
