// Random numbers from a seed: repeatable, and even enough for shares and ranges.
import t from 'tap';
import { randomAt } from '../../../mock-server/state/faults.js';

function draw(seed: string, count: number): number[] {
  return Array.from({ length: count }, (_, index) => randomAt(seed, index));
}

t.test('the same seed gives the same numbers, another seed gives others', async (t) => {
  t.same(draw('42', 50), draw('42', 50));
  t.notSame(draw('42', 50), draw('43', 50));
  t.equal(new Set([...draw('42', 50), ...draw('', 50)]).size, 100);
});

t.test('the numbers of a seed do not change between versions', async (t) => {
  t.same(
    draw('42', 3).map((number) => number.toFixed(9)),
    ['0.413568374', '0.245090435', '0.220886166'],
  );
});

t.test('numbers are in [0, 1), evenly distributed', async (t) => {
  const numbers = draw('even', 20_000);
  t.ok(numbers.every((number) => number >= 0 && number < 1));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const number of numbers) tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
  t.ok(
    tenths.every((count) => count > 1800 && count < 2200),
    tenths.join(),
  );
});
