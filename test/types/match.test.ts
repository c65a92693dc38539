// t.match of tap accepts any Date where the pattern has a Date. scripts/test-process.mjs makes it throw.
import t from 'tap';

const START = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');

t.test('t.match throws for a pattern with a Date, and compares a Date with ISO text', async (t) => {
  t.throws(() => t.match({ list: [{ at: START }] }, { list: [{ at: LATER }] }), { message: /ISO text/ });
  t.throws(() => t.match(START, START), { message: /ISO text/ });
  t.match({ at: START }, { at: START.toISOString() });
  t.notMatch({ at: START }, { at: LATER.toISOString() });
  t.match({ at: START }, { at: Date });
});
