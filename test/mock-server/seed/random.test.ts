// The seeded generator: repeatable, and even enough to draw shares and ranges from.
import t from 'tap';
import { createRandom } from '../../../mock-server/seed/random.js';

function draw(seed: string, count: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, random);
}

t.test('the same seed draws the same numbers, another seed others', async (t) => {
  t.same(draw('42', 50), draw('42', 50));
  t.notSame(draw('42', 50), draw('43', 50));
  t.notSame(draw('', 50), draw('42', 50));
});

t.test('two generators of one seed do not disturb each other', async (t) => {
  const [first, second] = [createRandom('a'), createRandom('a')];
  first();
  first();
  t.equal(second(), draw('a', 1)[0]);
});

t.test('the numbers of a seed stay what they are', async (t) => {
  t.same(
    draw('42', 3).map((number) => number.toFixed(9)),
    ['0.749964613', '0.298069468', '0.235242642'],
  );
});

t.test('numbers lie in [0, 1), evenly', async (t) => {
  const numbers = draw('even', 20_000);
  t.ok(numbers.every((number) => number >= 0 && number < 1));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const number of numbers) tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
  t.ok(
    tenths.every((count) => count > 1800 && count < 2200),
    tenths.join(),
  );
});
