// Dates in the language of a page.
import t from 'tap';
import { formatDay, formatTime } from '../../lib/widget/dates.js';

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

t.test('a time is in UTC, with the name of the zone', async (t) => {
  const time = new Date('2026-03-02T10:00:30Z');
  t.equal(formatTime(time, 'en'), '2 March 2026 at 10:00 UTC');
  t.equal(formatTime(time, 'de'), '2. März 2026 um 10:00 UTC');
});

t.test('a language has one formatter', async (t) => {
  const { DateTimeFormat } = Intl;
  t.teardown(() => Object.assign(Intl, { DateTimeFormat }));
  let created = 0;
  Object.assign(Intl, {
    DateTimeFormat: function count(...args: Parameters<typeof DateTimeFormat>) {
      created++;
      return new DateTimeFormat(...args);
    },
  });
  const createdBy = (locale: string) => {
    created = 0;
    t.equal(formatDay('2026-03-02', locale), '2 March 2026', locale);
    return created;
  };
  t.equal(createdBy('en-GB-x-100'), 1);
  t.equal(createdBy('en-GB-x-101'), 1);
  t.equal(createdBy('en-GB-x-100'), 0, 'used again');
});
