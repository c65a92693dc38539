// Faults: which requests they are for, which of several counts, how often, and what may be set at all.
import t from 'tap';
import { isClaimlinkError } from '../../../lib/index.js';
import type { Fault } from '../../../mock-server/control.js';
import { createFaults, type FaultsOptions } from '../../../mock-server/traffic/faults.js';

const REQUEST = { clientId: 'acme', route: 'createLink' } as const;

/** Draws these numbers, one after the other; then it fails. */
function drawing(...numbers: number[]): () => number {
  return () => {
    const number = numbers.shift();
    if (number === undefined) throw new Error('nothing more was to be drawn');
    return number;
  };
}

function create(options: Partial<FaultsOptions> = {}) {
  return createFaults({ random: drawing(), ...options });
}

function problems(fault: unknown): [string | undefined, string][] {
  try {
    create().add(fault as Fault);
    return [];
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error;
    return (error.details ?? []).map(({ pointer, detail }) => [pointer, detail]);
  }
}

t.test('without faults nothing is done and nothing is drawn', async (t) => {
  t.equal(create().decide(REQUEST), undefined);
});

t.test('a fault without scope and route is for every request, also one to no route', async (t) => {
  const faults = create();
  faults.add({ status: 503 });
  t.same(faults.decide(REQUEST), { status: 503 });
  t.same(faults.decide({ clientId: null, route: null }), { status: 503 });
});

t.test("a client's fault touches no other client, and no request that belongs to none", async (t) => {
  const faults = create();
  faults.add({ clientId: 'acme', status: 500 });
  t.same(faults.decide(REQUEST), { status: 500 });
  t.equal(faults.decide({ ...REQUEST, clientId: 'other' }), undefined);
  t.equal(faults.decide({ ...REQUEST, clientId: null }), undefined);
});

t.test("a route's fault touches no other route, and no request to none", async (t) => {
  const faults = create();
  faults.add({ route: 'createLink', effect: 'cut' });
  t.same(faults.decide(REQUEST), { effect: 'cut' });
  t.equal(faults.decide({ ...REQUEST, route: 'listSessions' }), undefined);
  t.equal(faults.decide({ ...REQUEST, route: null }), undefined);
});

t.test(
  'of several, the latest delay and the latest outcome count, and every one that gave one',
  async (t) => {
    const faults = create();
    faults.add({ status: 500, delayMs: 10 });
    faults.add({ delayMs: 20 });
    faults.add({ effect: 'lose' });
    faults.add({ status: 400, clientId: 'other' });
    t.same(faults.decide(REQUEST), { effect: 'lose', delayMs: 20 });
    t.same(
      faults.list().map(({ hits }) => hits),
      [0, 1, 1, 0],
    );
  },
);

t.test('a fault that gives the delay only is applied, too', async (t) => {
  const faults = create();
  faults.add({ status: 500, delayMs: 10 });
  faults.add({ status: 404 });
  t.same(faults.decide(REQUEST), { status: 404, delayMs: 10 });
  t.same(
    faults.list().map(({ hits }) => hits),
    [1, 1],
  );
});

t.test('times goes down with each request that it is applied to; at 0 the fault is gone', async (t) => {
  const faults = create();
  faults.add({ route: 'createLink', status: 500, times: 2 });
  faults.decide({ ...REQUEST, route: 'listSessions' });
  t.match(faults.list(), [{ times: 2, hits: 0 }]);
  faults.decide(REQUEST);
  t.match(faults.list(), [{ times: 1, hits: 1 }]);
  t.same(faults.decide(REQUEST), { status: 500 });
  t.same(faults.list(), []);
  t.equal(faults.decide(REQUEST), undefined);
});

t.test('a fault whose rate misses is not applied, and an earlier one counts', async (t) => {
  const faults = create({ random: drawing(0.3, 0.29) });
  faults.add({ status: 404 });
  faults.add({ status: 500, rate: 0.3, times: 1 });
  t.same(faults.decide(REQUEST), { status: 404 });
  t.match(faults.list()[1], { times: 1, hits: 0 });
  t.same(faults.decide(REQUEST), { status: 500 });
  t.equal(faults.list().length, 1);
});

t.test('rate 0 never hits, rate 1 always does', async (t) => {
  const faults = create({ random: drawing(0, 0.999_999) });
  faults.add({ status: 500, rate: 0 });
  t.equal(faults.decide(REQUEST), undefined);
  faults.clear();
  faults.add({ status: 500, rate: 1 });
  t.same(faults.decide(REQUEST), { status: 500 });
});

t.test('a range draws whole milliseconds, both ends included', async (t) => {
  const faults = create({ random: drawing(0, 0.5, 0.999_999) });
  faults.add({ delayMs: [100, 102] });
  t.same(faults.decide(REQUEST), { delayMs: 100 });
  t.same(faults.decide(REQUEST), { delayMs: 101 });
  t.same(faults.decide(REQUEST), { delayMs: 102 });
});

t.test('what a request asks for itself beats all faults, which are not used up by it', async (t) => {
  const faults = create({ base: { delayMs: 5 } });
  faults.add({ status: 500, times: 1 });
  faults.add({ delayMs: 20, times: 1 });
  t.same(faults.decide(REQUEST, { status: 429, delayMs: 0 }), { status: 429, delayMs: 0 });
  t.match(faults.list(), [{ times: 1 }, { times: 1 }]);
  t.same(faults.decide(REQUEST, { effect: 'cut' }), { effect: 'cut', delayMs: 20 });
  t.match(faults.list(), [{ status: 500, times: 1 }]);
  t.same(faults.decide(REQUEST, { delayMs: 1 }), { status: 500, delayMs: 1 });
  t.same(faults.list(), []);
});

t.test('a range that a request asks for is drawn', async (t) => {
  t.same(create({ random: drawing(0.5) }).decide(REQUEST, { delayMs: [0, 9] }), { delayMs: 5 });
});

t.test('base delays and fails requests that no fault does, and cannot be cleared', async (t) => {
  const faults = create({
    base: { delayMs: [1, 2], errorRate: 0.5 },
    random: drawing(0.4, 0.9, 0.6, 0, 0.9),
  });
  t.same(faults.decide(REQUEST), { status: 500, delayMs: 2 });
  t.same(faults.decide(REQUEST), { delayMs: 1 });
  t.same(faults.list(), []);
  t.equal(faults.clear(), 0);
  t.same(faults.base, { delayMs: [1, 2], errorRate: 0.5 });
  faults.add({ effect: 'cut' });
  t.same(faults.decide(REQUEST), { effect: 'cut', delayMs: 2 });
});

t.test('ids count up and are not given twice', async (t) => {
  const faults = create();
  t.same(faults.add({ clientId: 'acme', status: 500 }), {
    id: 'fault-1',
    clientId: 'acme',
    status: 500,
    hits: 0,
  });
  faults.clear();
  t.equal(faults.add({ status: 500 }).id, 'fault-2');
});

t.test('list and clear with a scope are about the faults set for that client only', async (t) => {
  const faults = create();
  faults.add({ status: 500 });
  faults.add({ clientId: 'acme', status: 501 });
  faults.add({ clientId: 'other', status: 502 });
  t.match(faults.list({ clientId: 'acme' }), [{ status: 501 }]);
  t.equal(faults.list({ clientId: 'acme' }).length, 1);
  t.equal(faults.clear({ clientId: 'acme' }), 1);
  t.same(
    faults.list().map(({ status }) => status),
    [500, 502],
  );
  t.equal(faults.clear({ id: 'fault-3', clientId: 'acme' }), 0, "another client's fault");
  t.equal(faults.clear({ id: 'fault-3' }), 1);
  t.equal(faults.clear({ id: 'fault-3' }), 0);
  t.equal(faults.clear(), 1);
  t.same(faults.list(), []);
});

t.test('a mistyped selection clears nothing', async (t) => {
  const faults = create();
  faults.add({ status: 500 });
  t.throws(() => faults.clear({ clientid: 'acme' } as object), {
    code: 'request_invalid',
    details: [{ pointer: '/clientid' }],
  });
  t.throws(() => faults.clear({ clientId: null } as never), { code: 'request_invalid' });
  t.throws(() => faults.clear({ id: 1 } as never), { code: 'request_invalid' });
  t.throws(() => faults.list({ client: 'acme' } as object), { code: 'request_invalid' });
  t.equal(faults.list().length, 1);
});

t.test('changes are told with the client that they are about, or null for all', async (t) => {
  const told: (string | null)[] = [];
  const faults = create({ onChange: (clientId) => told.push(clientId) });
  faults.add({ clientId: 'acme', status: 500 });
  faults.add({ delayMs: 1 });
  t.same(told.splice(0), ['acme', null]);
  faults.decide({ ...REQUEST, clientId: 'other' });
  t.same(told.splice(0), [null], 'a hit');
  faults.decide(REQUEST, { status: 500, delayMs: 1 });
  t.same(told.splice(0), [], 'no hit');
  faults.decide(REQUEST);
  t.same(told.splice(0).sort(), ['acme', null], 'a hit of each');
  faults.clear({ clientId: 'acme' });
  faults.clear({ clientId: 'acme' });
  t.same(told.splice(0), ['acme'], 'nothing is told where nothing was cleared');
  faults.clear();
  t.same(told.splice(0), [null]);
});

t.test('what was handed over and what is handed out is not what is counted with', async (t) => {
  const faults = create();
  const fault = { status: 500, delayMs: [0, 0] as [number, number], times: 2 };
  const active = faults.add(fault);
  fault.status = 404;
  fault.delayMs[1] = 60_000;
  t.throws(() => Object.assign(active, { times: 100 }), TypeError);
  const [listed] = faults.list();
  t.throws(() => Object.assign(listed ?? {}, { times: 100 }), TypeError);
  t.match(listed, { status: 500, delayMs: [0, 0], times: 2 });
  faults.clear();
  t.equal(listed?.times, 2);
});

t.test('a fault may have each member at the ends of its range', async (t) => {
  t.same(problems({ status: 400, delayMs: 0, times: 1, rate: 0 }), []);
  t.same(problems({ status: 599, delayMs: [0, 60_000], times: 1_000_000, rate: 1 }), []);
  t.same(problems({ effect: 'malformed', clientId: 'a', route: 'openLink', status: undefined }), []);
});

t.test('every problem of a fault is named at once, in the details and in the message', async (t) => {
  const bad = {
    clientId: '',
    route: 'verify',
    status: 399,
    effect: 'boom',
    delayMs: [2, 1],
    times: 0,
    rate: 1.1,
    retries: 1,
  };
  t.same(
    problems(bad).map(([pointer]) => pointer),
    ['/clientId', '/route', '/status', '/effect', '/delayMs', '/times', '/rate', '/retries', '/effect'],
  );
  t.throws(() => create().add({ status: 600, times: 1.5 }), {
    code: 'request_invalid',
    message:
      'The fault is not valid: status must be a whole number, 400 to 599; times must be a whole number, 1 to 1000000.',
  });
});

t.test('a problem says what is allowed', async (t) => {
  t.same(problems({ status: 500, route: 'sessions' }), [
    ['/route', 'must be one of listSessions, createLink, openLink, submitClaim'],
  ]);
  t.same(problems({ effect: 1 }), [['/effect', 'must be one of cut, lose, truncate, malformed']]);
  t.match(problems({ status: 500, code: 1 }), [['/code', 'which are clientId, route, status, effect']]);
});

t.test('a delay is whole milliseconds up to a minute, or a range of them', async (t) => {
  for (const delayMs of [-1, 60_001, 1.5, '5', null, [1], [1, 2, 3], [0, 60_001], [-1, 1], ['0', '1'], {}]) {
    t.match(problems({ delayMs }), [['/delayMs', 'must be whole milliseconds, 0 to 60000']]);
  }
});

t.test('a rate is a number from 0 to 1', async (t) => {
  for (const rate of [-0.1, Number.NaN, '1']) t.match(problems({ status: 500, rate }), [['/rate']]);
});

t.test('a fault does something, and not two things', async (t) => {
  t.match(problems({ times: 1 }), [['', 'at least one of status, effect and delayMs']]);
  t.match(problems({ status: 500, effect: 'cut' }), [['/effect', 'together with status']]);
  for (const none of [null, [], 'cut', undefined]) t.match(problems(none), [['', 'must be an object']]);
});

t.test('at most 1000 faults are set at a time', async (t) => {
  const faults = create();
  for (let i = 0; i < 1000; i++) faults.add({ status: 500, times: 1 });
  t.throws(() => faults.add({ status: 500 }), {
    code: 'request_invalid',
    message: /1000 already; clear some/,
  });
  faults.decide(REQUEST);
  t.equal(faults.add({ status: 500 }).id, 'fault-1001');
});
