// The soak must find a process that grows.
import t from 'tap';
import { measureGrowth, type TimedSample } from './growth.js';

/** Samples of an hour. The first ones are of the warm-up. */
function samplesOf(changes: (hours: number) => Partial<TimedSample>): TimedSample[] {
  return Array.from({ length: 61 }, (_, minute) => {
    const hours = minute / 60;
    const heap = 20_000_000 + (minute % 5) * 100_000;
    return { hours, heap, rss: 90_000_000, handles: 12 + (minute % 3), files: 30, ...changes(hours) };
  });
}
const tooMuch = (samples: TimedSample[]) =>
  measureGrowth(samples)
    .filter(({ isTooMuch }) => isTooMuch)
    .map(({ measure }) => measure);

t.test('a process whose values vary does not grow', async (t) => {
  t.same(tooMuch(samplesOf(() => ({}))), []);
});

t.test('the warm-up does not count', async (t) => {
  t.same(tooMuch(samplesOf((hours) => (hours < 0.1 ? { heap: 0, files: 0 } : {}))), []);
});

t.test('the growth is the slope of the line through the samples', async (t) => {
  const samples = samplesOf((hours) => ({ heap: 1e7 + 6e6 * hours, files: 30 + 20 * hours }));
  t.same(tooMuch(samples), ['heap', 'files']);
  const [heap] = measureGrowth(samples);
  t.equal(Math.round(heap?.perHour ?? 0), 6_000_000);
});
