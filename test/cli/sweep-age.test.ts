// Ages of claimlink sweep are calendar-correct, in UTC.
import t from 'tap';
import { earlier, readAge } from '../../cli/sweep.js';

const CASES: [now: string, age: string, expected: string][] = [
  ['2026-03-01T12:34:56.789Z', '1d', '2026-02-28T12:34:56.789Z'],
  ['2024-03-01T00:00:00.000Z', '1d', '2024-02-29T00:00:00.000Z'],
  ['2026-01-05T00:00:00.000Z', '2w', '2025-12-22T00:00:00.000Z'],
  ['2026-03-31T10:00:00.000Z', '1m', '2026-02-28T10:00:00.000Z'],
  ['2024-03-31T10:00:00.000Z', '1m', '2024-02-29T10:00:00.000Z'],
  ['2026-01-15T10:00:00.000Z', '13m', '2024-12-15T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', '1y', '2023-02-28T10:00:00.000Z'],
  ['2024-02-29T10:00:00.000Z', '4y', '2020-02-29T10:00:00.000Z'],
  ['2026-03-02T10:00:00.000Z', '3y', '2023-03-02T10:00:00.000Z'],
  ['2026-03-02T10:00:00.000Z', '999y', '1027-03-02T10:00:00.000Z'],
];

for (const [now, text, expected] of CASES) {
  t.test(`${text} before ${now} is ${expected}`, async (t) => {
    t.equal(earlier(new Date(now), readAge(text)).toISOString(), expected);
  });
}

for (const text of ['', '0d', '-1d', '1', 'd', '1h', '1D', '1000d', '1.5y', '1y2m']) {
  t.test(`an age of ${JSON.stringify(text)} is rejected`, async (t) => {
    t.throws(() => readAge(text), { code: 'commander.invalidArgument' });
  });
}
