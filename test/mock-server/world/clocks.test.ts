// The clocks of a mock: one for each client, and the world's.
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { createClocks } from '../../../mock-server/world/clocks.js';
import { refusalOf } from '../caller.js';

const NOON = new Date('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;

function create() {
  const told: [string | null, number][] = [];
  const clocks = createClocks(
    () => NOON,
    (clientId, { offsetMs }) => told.push([clientId, offsetMs]),
  );
  clocks.add('a');
  clocks.add('b');
  return { clocks, control: clocks.control, told };
}

t.test("a client's clock is turned alone", async (t) => {
  const { control, told } = create();
  t.equal(control.advance(HOUR, { clientId: 'a' }).offsetMs, HOUR);
  t.equal(control.read({ clientId: 'a' }).offsetMs, HOUR);
  t.equal(control.read({ clientId: 'b' }).offsetMs, 0);
  t.equal(control.read().offsetMs, 0);
  t.same(told, [['a', HOUR]]);
});

t.test('without a scope all are turned, each from where it stands, and that is told once', async (t) => {
  const { control, told } = create();
  control.advance(HOUR, { clientId: 'a' });
  control.advance(HOUR);
  t.equal(control.read({ clientId: 'a' }).offsetMs, 2 * HOUR);
  t.equal(control.read({ clientId: 'b' }).offsetMs, HOUR);
  t.equal(control.read().offsetMs, HOUR);
  t.same(told, [
    ['a', HOUR],
    [null, HOUR],
  ]);
});

t.test('each action on all of them reaches every one', async (t) => {
  const { control } = create();
  const each = [undefined, { clientId: 'a' }, { clientId: 'b' }];
  control.set('2030-01-01');
  for (const scope of each) t.same(control.now(scope), new Date('2030-01-01T00:00:00Z'));
  control.freeze();
  for (const scope of each) t.equal(control.read(scope).isFrozen, true);
  control.resume();
  for (const scope of each) t.equal(control.read(scope).isFrozen, false);
  control.reset();
  for (const scope of each) t.same(control.read(scope), { now: NOON, isFrozen: false, offsetMs: 0 });
});

t.test('a moment is a Date or ISO 8601 text, UTC where it names no zone', async (t) => {
  const { control } = create();
  for (const [moment, shown] of [
    [new Date(HOUR + NOON.getTime()), '2026-01-01T13:00:00.000Z'],
    ['2030-05-06', '2030-05-06T00:00:00.000Z'],
    ['2030-05-06T07:08', '2030-05-06T07:08:00.000Z'],
    ['2030-05-06T07:08:09.5', '2030-05-06T07:08:09.500Z'],
    ['2030-05-06T07:08:09Z', '2030-05-06T07:08:09.000Z'],
    ['2030-05-06T07:08+02:00', '2030-05-06T05:08:00.000Z'],
    ['1980-01-01T00:00Z', '1980-01-01T00:00:00.000Z'],
    ['9000-12-31T23:59:59.999Z', '9000-12-31T23:59:59.999Z'],
  ] as const) {
    t.equal(control.set(moment).now.toISOString(), shown);
  }
});

t.test('what is no moment of the years 1980 to 9000 is refused, and no clock is turned', async (t) => {
  const { control, told } = create();
  for (const moment of [
    '',
    'tomorrow',
    'Jan 1 2030',
    '1/2/2030',
    '2030-01-01 10:00',
    '2030-02-31',
    '2030-02-31T00:00Z',
    '2030-13-01',
    '2030-01-01T25:00Z',
    '1979-12-31T23:59:59.999Z',
    '9001-01-01T00:00Z',
    new Date(Number.NaN),
    0,
    null,
    undefined,
  ]) {
    const { code, places } = await refusalOf(() => control.set(moment as string));
    t.same([code, places], ['request_invalid', ['/now']], String(moment));
  }
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 1e15, -1e15]) {
    const { code, places } = await refusalOf(() => control.advance(ms));
    t.same([code, places], ['request_invalid', ['/ms']], String(ms));
  }
  t.same(told, []);
  t.equal(control.read({ clientId: 'b' }).offsetMs, 0);
});

t.test('when one of all cannot be advanced, none is', async (t) => {
  const { control } = create();
  control.set('9000-12-31T23:00Z', { clientId: 'b' });
  t.same(await refusalOf(() => control.advance(2 * HOUR)), { code: 'request_invalid', places: ['/ms'] });
  t.equal(control.read().offsetMs, 0);
  t.equal(control.read({ clientId: 'a' }).offsetMs, 0);
});

t.test('a scope that is no client is refused by every action', async (t) => {
  const { control, told } = create();
  const scope = { clientId: 'nobody' };
  for (const act of [
    () => control.now(scope),
    () => control.read(scope),
    () => control.set(NOON, scope),
    () => control.advance(1, scope),
    () => control.freeze(scope),
    () => control.resume(scope),
    () => control.reset(scope),
  ]) {
    t.equal((await refusalOf(act)).code, 'client_not_found');
  }
  t.same(told, []);
});

t.test("a new client's clock begins as the world's, and goes its own way", async (t) => {
  const { clocks, control } = create();
  control.set('2030-01-01');
  control.freeze();
  clocks.add('c');
  t.same(control.read({ clientId: 'c' }), control.read());
  control.advance(HOUR, { clientId: 'c' });
  t.not(control.now({ clientId: 'c' }).getTime(), control.now().getTime());
});

t.test("whoever is no client has the world's time", async (t) => {
  const { clocks, control } = create();
  control.advance(HOUR, { clientId: 'a' });
  t.same(clocks.nowOf(null), NOON);
  t.same(clocks.nowOf('nobody'), NOON);
  clocks.remove('a');
  t.same(clocks.nowOf('a'), NOON);
  t.same(
    clocks.runFor('a', () => clocks.now()),
    NOON,
  );
});

t.test('what runs for a client sees its time to the end, whatever else runs at the same time', async (t) => {
  const { clocks, control } = create();
  control.advance(HOUR, { clientId: 'a' });
  control.advance(-HOUR, { clientId: 'b' });
  async function work(): Promise<number[]> {
    const seen = [];
    for (let i = 0; i < 5; i++) {
      seen.push(clocks.now().getTime() - NOON.getTime());
      await turn();
    }
    return seen;
  }
  const [a, b, none, within] = await Promise.all([
    clocks.runFor('a', work),
    clocks.runFor('b', work),
    work(),
    clocks.runFor('a', () => clocks.runFor(null, work)),
  ]);
  t.same(a, Array(5).fill(HOUR));
  t.same(b, Array(5).fill(-HOUR));
  t.same(none, Array(5).fill(0));
  t.same(within, Array(5).fill(0));
});

t.test('settings are put back with add, and with setWorld for nobody else', async (t) => {
  const { clocks, control } = create();
  control.advance(HOUR, { clientId: 'a' });
  const setting = clocks.settingOf('a');
  control.reset({ clientId: 'a' });
  clocks.add('a', setting);
  t.equal(control.read({ clientId: 'a' }).offsetMs, HOUR);
  clocks.setWorld({ offsetMs: 5 });
  t.equal(control.read().offsetMs, 5);
  t.equal(control.read({ clientId: 'b' }).offsetMs, 0);
  t.same(clocks.worldSetting, { offsetMs: 5 });
});
