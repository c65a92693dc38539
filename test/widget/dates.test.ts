// Dates in the language of a page.
import t from 'tap';
import { formatDay } from '../../lib/widget/dates.js';

t.test('a calendar date is the same day in every time zone', async (t) => {
  const { TZ } = process.env;
  t.teardown(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  for (const zone of ['America/Los_Angeles', 'UTC', 'Pacific/Auckland']) {
    process.env['TZ'] = zone;
    t.equal(formatDay('2026-03-02', 'en'), '2 March 2026', zone);
    t.equal(formatDay('2026-03-02', 'de'), '2. März 2026', zone);
  }
});
