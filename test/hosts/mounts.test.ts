// The table of docs/mounting.md has the hosts that mounts.release.test.ts runs.
import t from 'tap';
import { readDocument, tableOf } from '../docs/markdown.js';
import { MOUNTS } from './mounts.js';

t.test('the table of mounts has a row for each host of the test, and no other', async (t) => {
  const rows = tableOf(readDocument('docs/mounting.md'), 'mounts');
  t.same(
    rows.map(([framework]) => framework),
    Object.keys(MOUNTS),
  );
});
