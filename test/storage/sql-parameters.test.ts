// The parameters of statements, for drivers that have `?` for each place.
import t from 'tap';
import { createCollect, toPlaces } from '../../lib/storage/sql/parameters.js';

t.test('each $n becomes ?, in any order, more than once, and with two digits', async (t) => {
  const numbers = Array.from({ length: 11 }, (_, index) => index + 1);
  const { text, valuesOf } = toPlaces(
    "SET a = $2, b = '$.x' WHERE c = $1 AND d > $2 AND e = $11 AND f = $10",
  );
  t.equal(text, "SET a = ?, b = '$.x' WHERE c = ? AND d > ? AND e = ? AND f = ?");
  t.same(valuesOf(numbers), [2, 1, 2, 11, 10]);
});

t.test('collected parameters get the next numbers, with the cast of the database', async (t) => {
  const collect = createCollect((value) => (typeof value === 'number' ? '::bigint' : ''));
  const { params, bind } = collect('acme', 20);
  t.equal(`${bind('open')} ${bind(7)}`, '$3 $4::bigint');
  t.same(params, ['acme', 20, 'open', 7]);
  t.equal(createCollect()().bind(7), '$1');
});
