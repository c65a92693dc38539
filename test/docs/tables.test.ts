// The tables of the documents are those of the code. The others are complete.
import { existsSync } from 'node:fs';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { readDocument, tableOf } from './markdown.js';
import { generateTables } from './tables.js';

for (const [path, markdown] of generateTables())
  t.test(`the tables of ${path} are those that npm run generate:docs writes`, async (t) => {
    t.equal(readDocument(path), markdown);
    const todo = markdown.split('\n').filter((line) => line.includes('| TODO |'));
    t.same(todo, [], 'each row has a meaning');
  });

t.test('the table of WCAG 2.2 has each criterion of A and AA, with status, reason, methods', async (t) => {
  const report = readDocument('docs/evidence/accessibility.md');
  const methods = new Set(tableOf(report, 'methods').map(([method]) => method));
  const criteria = tableOf(report, 'criteria');
  for (const [criterion = '', level, status = '', reason, by = ''] of criteria) {
    t.match(criterion, /^[1-4]\.\d\.\d+ [A-Z]/);
    t.match(status, /^(?:supports|partial|not applicable)$/, criterion);
    t.ok(level && reason, criterion);
    t.ok(
      by.split(', ').every((method) => methods.has(method)),
      `${criterion}: ${by}`,
    );
  }
  const countOf = (expectedLevel: string) => criteria.filter(([, level]) => level === expectedLevel).length;
  t.same([countOf('A'), countOf('AA')], [31, 24], 'without the obsolete 4.1.1');
  t.equal(new Set(criteria.map(([criterion]) => criterion)).size, 55);
});

t.test('each row of the table of attacks has the command and the number of its run', async (t) => {
  const rows = tableOf(readDocument('SECURITY.md'), 'tried');
  t.ok(rows.length > 5);
  for (const [attack = '', count = '', command = ''] of rows) {
    const [, size, path = ''] = /^(?:CLAIMLINK_TESTS=(long|release) )?npm test -- (\S+)$/.exec(command) ?? [];
    if (!t.ok(existsSync(new URL(path, REPOSITORY)), `${attack}: ${command}`)) continue;
    const calls = readDocument(path).matchAll(/= (?:sized|inputs)\(([\d_, ]+)\)/g);
    const sizes = [...calls].map(([, numbers = '']) => {
      const [long = '', , largest = long] = numbers.split(', ');
      return Number((size === 'release' ? largest : long).replaceAll('_', '')).toLocaleString('en');
    });
    t.equal(size !== undefined, sizes.length > 0, `${path} has a long form`);
    t.ok(sizes.length === 0 || sizes.includes(count.split(' ', 1)[0] ?? ''), `${attack}: ${count}`);
  }
});
