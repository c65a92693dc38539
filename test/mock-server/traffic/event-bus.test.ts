// Events reach every listener in order, and the last of them are remembered.
import t from 'tap';
import type { MockEvent } from '../../../mock-server/control.js';
import { createEventBus } from '../../../mock-server/traffic/event-bus.js';

const event = (clientId: string): MockEvent => ({ type: 'clients', clientId });

function create() {
  const errors: unknown[] = [];
  return { bus: createEventBus((error) => errors.push(error)), errors };
}

t.test('every listener sees the events in order, also those that a listener causes', async (t) => {
  const { bus } = create();
  const seen: Record<string, number[]> = { first: [], second: [] };
  bus.subscribe(({ id, event: { clientId } }) => {
    seen['first']?.push(id);
    if (clientId === 'cause') bus.emit(event('effect'));
  });
  bus.subscribe(({ id }) => seen['second']?.push(id));
  bus.emit(event('cause'));
  bus.emit(event('last'));
  t.same(seen, { first: [1, 2, 3], second: [1, 2, 3] });
});

t.test('a listener that throws is reported, and keeps no other one from its events', async (t) => {
  const { bus, errors } = create();
  const seen: number[] = [];
  bus.subscribe(() => {
    throw new Error('broken listener');
  });
  bus.subscribe(({ id }) => seen.push(id));
  bus.emit(event('a'));
  bus.emit(event('b'));
  t.same(seen, [1, 2]);
  t.equal(errors.length, 2);
});

t.test('a listener that was ended hears nothing more, not even of the event at hand', async (t) => {
  const { bus } = create();
  const seen: number[] = [];
  let end = () => {};
  bus.subscribe(() => end());
  end = bus.subscribe(({ id }) => seen.push(id));
  bus.emit(event('a'));
  t.same(seen, []);
});

t.test('the same function may listen twice, and is ended once at a time', async (t) => {
  const { bus } = create();
  let calls = 0;
  const listener = () => void calls++;
  const end = bus.subscribe(listener);
  bus.subscribe(listener);
  end();
  bus.emit(event('a'));
  t.equal(calls, 1);
});

t.test('what came after an event is given, as long as all of it is remembered', async (t) => {
  const { bus } = create();
  t.same(bus.after(0), []);
  t.equal(bus.after(1), undefined, 'one that has never been');
  for (let i = 0; i < 2500; i++) bus.emit(event(`${i}`));
  t.same(
    bus.after(2498)?.map(({ id }) => id),
    [2499, 2500],
  );
  t.equal(bus.after(1500)?.length, 1000, 'a thousand at least');
  t.equal(bus.after(1), undefined, 'forgotten');
});

t.test('closing ends whoever listens, and whoever comes later', async (t) => {
  const { bus } = create();
  let closed = 0;
  const seen: number[] = [];
  bus.subscribe(
    ({ id }) => seen.push(id),
    () => void closed++,
  );
  bus.close();
  bus.close();
  bus.subscribe(
    ({ id }) => seen.push(id),
    () => void closed++,
  );
  bus.emit(event('late'));
  t.equal(closed, 2);
  t.same(seen, []);
});
