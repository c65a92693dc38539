// One virtual clock: it goes with the real time unless it is frozen, and its actions are exact.
import t from 'tap';
import { createClock } from '../../../mock-server/world/clock.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

/** A real time that goes on by a millisecond whenever it is looked at, and by what is asked for. */
function realTime() {
  let time = NOON;
  return { now: () => new Date(time++), pass: (ms: number) => (time += ms), stop: () => new Date(time) };
}

t.test('a new clock shows the real time', async (t) => {
  t.same(createClock(() => new Date(NOON)).read(), { now: new Date(NOON), isFrozen: false, offsetMs: 0 });
});

t.test('a clock that is set goes on from there', async (t) => {
  const real = realTime();
  const clock = createClock(real.now);
  clock.set(new Date(0));
  real.pass(HOUR);
  t.ok(Math.abs(clock.now().getTime() - HOUR) < 10);
});

t.test('a frozen clock stands still, also when it is set and advanced', async (t) => {
  const real = realTime();
  const clock = createClock(real.now);
  clock.freeze();
  const at = clock.now().getTime();
  real.pass(HOUR);
  t.equal(clock.now().getTime(), at);
  clock.advance(5);
  t.equal(clock.now().getTime(), at + 5);
  clock.set(new Date(7));
  real.pass(HOUR);
  t.same(clock.now(), new Date(7));
  t.equal(clock.read().isFrozen, true);
});

t.test('a clock that is resumed goes on from where it stood', async (t) => {
  const real = realTime();
  const clock = createClock(real.now);
  clock.freeze();
  clock.set(new Date(HOUR));
  real.pass(5 * HOUR);
  clock.resume();
  t.ok(Math.abs(clock.now().getTime() - HOUR) < 10);
  real.pass(HOUR);
  t.ok(Math.abs(clock.now().getTime() - 2 * HOUR) < 10);
  t.equal(clock.read().isFrozen, false);
});

t.test(
  'however often it is advanced, the offset is the sum, whatever the real time does between',
  async (t) => {
    const clock = createClock(realTime().now);
    for (let i = 0; i < 100; i++) clock.advance(1000);
    for (let i = 0; i < 50; i++) clock.advance(-1000);
    t.equal(clock.read().offsetMs, 50_000);
  },
);

t.test('to resume a clock that is not frozen changes nothing', async (t) => {
  const clock = createClock(realTime().now);
  clock.advance(HOUR);
  for (let i = 0; i < 100; i++) clock.resume();
  t.equal(clock.read().offsetMs, HOUR);
});

t.test('a reading is of one moment: now is the offset ahead of the real time', async (t) => {
  const clock = createClock(realTime().now);
  t.equal(clock.read().offsetMs, 0);
  clock.advance(-HOUR);
  t.equal(clock.read().offsetMs, -HOUR);
});

t.test('a reset clock shows the real time, frozen or not', async (t) => {
  const clock = createClock(() => new Date(NOON));
  clock.advance(HOUR);
  clock.freeze();
  clock.reset();
  t.same(clock.read(), { now: new Date(NOON), isFrozen: false, offsetMs: 0 });
});

t.test('its setting makes an equal clock', async (t) => {
  const real = () => new Date(NOON);
  const clock = createClock(real);
  t.same(createClock(real, clock.setting).read(), clock.read());
  clock.advance(HOUR);
  t.same(createClock(real, clock.setting).read(), clock.read());
  clock.freeze();
  clock.advance(HOUR);
  t.same(createClock(real, clock.setting).read(), clock.read());
  t.equal(clock.read().offsetMs, 2 * HOUR);
});

t.test('what it gives away cannot turn it', async (t) => {
  const clock = createClock(() => new Date(NOON));
  clock.freeze();
  clock.now().setTime(0);
  clock.read().now.setTime(0);
  clock.setting.frozenAt?.setTime(0);
  t.same(clock.now(), new Date(NOON));
});
