// Faults: which requests they match, how often, and what they do.
import t from 'tap';
import { checkWith } from '../../../mock-server/control/check.js';
import type { Fault } from '../../../mock-server/control/types.js';
import type { FaultTarget } from '../../../mock-server/state/faults.js';
import { openState } from './set-up.js';

const REQUEST: FaultTarget = { clientId: 'demo', userId: 'ada', route: 'listSessions' };

/** A state without initial faults. */
async function openPlain(options: Parameters<typeof openState>[0] = {}) {
  const { state } = await openState(options);
  state.methods.clearFaults();
  return state;
}

t.test('user-slow and user-error have faults from the start, which can be seen and cleared', async (t) => {
  const { state } = await openState();
  t.match(state.methods.faults(), [
    { userId: 'user-slow', delayMs: 3000 },
    { userId: 'user-error', status: 500 },
  ]);
  t.strictSame(state.decideFault({ ...REQUEST, userId: 'user-slow' })?.applied, {
    id: 'fault-1',
    delayMs: 3000,
  });
  t.strictSame(state.decideFault({ ...REQUEST, clientId: 'other', userId: 'user-error' })?.applied, {
    id: 'fault-2',
    status: 500,
  });
  t.equal(state.decideFault(REQUEST), undefined);
  t.equal(state.methods.clearFaults(), 2);
  t.equal(state.decideFault({ ...REQUEST, userId: 'user-error' }), undefined);
});

t.test('latency and faults of the options are in the list from the start', async (t) => {
  const { state } = await openState({
    latencyMs: '100-800',
    faults: [{ clientId: 'other', effect: 'truncate' }, { status: 503 }],
  });
  t.match(state.methods.faults(), [
    { delayMs: '100-800' },
    { userId: 'user-slow' },
    { userId: 'user-error' },
    { status: 503 },
    { clientId: 'other', effect: 'truncate' },
  ]);
  const { delayMs = 0, status } = state.decideFault(REQUEST)?.applied ?? {};
  t.ok(delayMs >= 100 && delayMs <= 800);
  t.equal(status, 503);
  state.methods.clearFaults();
  state.methods.reset();
  t.equal(state.methods.faults().length, 5, 'a reset sets them again');
});

t.test('a fault of a client precedes one of all clients from the start, and after a reset', async (t) => {
  const scenario = {
    clients: [{ clientId: 'demo', apiKey: 'key', faults: [{ status: 501 }] }],
    faults: [{ status: 503 }],
  };
  const { state } = await openState({ scenario });
  const statusNow = () => state.decideFault(REQUEST)?.applied.status;
  t.equal(statusNow(), 501);
  state.methods.reset();
  t.equal(statusNow(), 501);
  state.methods.setScenario({ scenario });
  t.equal(statusNow(), 501);
});

for (const [name, fault, matches, others] of [
  ['client', { clientId: 'demo' }, {}, { clientId: 'other' }],
  ['user', { userId: 'ada' }, {}, { userId: 'ben' }],
  ['route', { route: 'listSessions' }, {}, { route: 'createLink' }],
  ['client, and no valid key', { clientId: 'demo' }, {}, { clientId: null }],
  ['user, and unknown user', { userId: 'ada' }, {}, { userId: null }],
] as [string, Fault, Partial<FaultTarget>, Partial<FaultTarget>][]) {
  t.test(`a fault matches by ${name}`, async (t) => {
    const state = await openPlain();
    state.methods.addFault({ ...fault, status: 503 });
    t.equal(state.decideFault({ ...REQUEST, ...matches })?.applied.status, 503);
    t.equal(state.decideFault({ ...REQUEST, ...others }), undefined);
  });
}

t.test('a fault ends after its number of requests, and counts them', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ status: 503, times: 2 });
  state.decideFault(REQUEST);
  t.match(state.methods.faults(), [{ hits: 1, times: 1 }]);
  state.decideFault(REQUEST);
  t.strictSame(state.methods.faults(), []);
  t.equal(state.decideFault(REQUEST), undefined);
});

t.test('requests without a valid key count for no fault of a client', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ clientId: 'demo', status: 503 });
  state.methods.addFault({ status: 502 });
  t.equal(state.decideFault({ ...REQUEST, clientId: null })?.applied.status, 502);
  t.match(state.methods.faults({ clientId: 'demo' }), [{ hits: 0 }]);
});

t.test(
  'a share of the requests is hit, the same ones with the same seed and for each client alone',
  async (t) => {
    const draw = async (others: number) => {
      const state = await openPlain();
      state.methods.addFault({ status: 503, rate: 0.3 });
      return Array.from({ length: 400 }, () => {
        for (let count = 0; count < others; count++) state.decideFault({ ...REQUEST, clientId: 'other' });
        return state.decideFault(REQUEST) !== undefined;
      });
    };
    const hits = await draw(0);
    const share = hits.filter(Boolean).length / hits.length;
    t.ok(share > 0.22 && share < 0.38, `${share}`);
    t.strictSame(await draw(2), hits);
  },
);

t.test('the latest fault decides; delay and outcome may come from two', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ clientId: 'demo', status: 500, delayMs: 7 });
  state.methods.addFault({ effect: 'malformed' });
  t.strictSame(state.decideFault(REQUEST), {
    applied: { id: 'fault-4', effect: 'malformed', delayMs: 7 },
  });
  t.match(state.methods.faults(), [{ hits: 1 }, { hits: 1 }]);
  state.methods.addFault({ status: 503, delayMs: 9 });
  t.strictSame(state.decideFault(REQUEST)?.applied, { id: 'fault-5', status: 503, delayMs: 9 });
  t.match(state.methods.faults({ clientId: 'demo' }), [{ hits: 1 }]);
});

t.test(
  'faults with `times` come before the others, one for each request, in the order of their setting',
  async (t) => {
    const state = await openPlain();
    state.methods.addFault({ status: 501, times: 2 });
    state.methods.addFault({ clientId: 'demo', delayMs: 7, times: 1 });
    state.methods.addFault({ status: 502 });
    state.methods.addFault({ route: 'createLink', status: 504, times: 1 });
    state.methods.addFault({ status: 503, times: 1 });
    const applied = Array.from({ length: 5 }, () => state.decideFault(REQUEST)?.applied);
    t.match(applied, [
      { status: 501 },
      { status: 501 },
      { status: 502, delayMs: 7 },
      { status: 503 },
      { status: 502 },
    ]);
  },
);

t.test(
  '1,000 requests with ordered faults have the same statuses in two mocks of the same seed',
  async (t) => {
    async function statusesOf(seed: number) {
      const state = await openPlain({ seed });
      for (let index = 0; index < 200; index++)
        state.methods.addFault({ status: 400 + index, times: 1 + (index % 3), rate: 0.2 + (index % 5) / 5 });
      state.methods.addFault({ status: 503, rate: 0.3 });
      return Array.from({ length: 1000 }, () => state.decideFault(REQUEST)?.applied.status ?? 200);
    }
    const statuses = await statusesOf(42);
    t.ok(new Set(statuses).size > 200, 'each fault applies');
    t.strictSame(await statusesOf(42), statuses);
    t.notSame(await statusesOf(43), statuses);
  },
);

t.test('what a request asks for itself comes first', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ status: 503, delayMs: 5 });
  t.strictSame(state.decideFault(REQUEST, { status: 404 })?.applied, {
    id: 'fault-3',
    status: 404,
    delayMs: 5,
  });
  const { delayMs = 0, ...applied } =
    state.decideFault(REQUEST, { status: 404, delayMs: '10-12' })?.applied ?? {};
  t.strictSame(applied, { status: 404 });
  t.ok(delayMs >= 10 && delayMs <= 12);
});

t.test('headers and body belong to the status; without a status it is 200', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ body: { data: 1 }, headers: { 'retry-after': '7' } });
  t.strictSame(state.decideFault(REQUEST), {
    applied: { id: 'fault-3', status: 200 },
    headers: { 'retry-after': '7' },
    body: { data: 1 },
  });
});

t.test('each value of a range occurs, and no other', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ delayMs: '3-5' });
  const delays = new Set(Array.from({ length: 100 }, () => state.decideFault(REQUEST)?.applied.delayMs));
  t.strictSame([...delays].sort(), [3, 4, 5]);
});

t.test('clearing faults that do not exist is no change', async (t) => {
  const state = await openPlain();
  state.methods.addFault({ clientId: 'demo', status: 503 });
  let events = 0;
  state.events.subscribe(
    {},
    () => events++,
    () => {},
  );
  t.equal(state.methods.clearFaults({ clientId: 'other' }), 0);
  t.equal(state.methods.clearFaults({ id: 'unknown' }), 0);
  t.equal(events, 0);
});

t.test('faults are cleared by id, by client, or all', async (t) => {
  const state = await openPlain();
  const { id } = state.methods.addFault({ status: 500 });
  state.methods.addFault({ clientId: 'demo', status: 501 });
  state.methods.addFault({ clientId: 'other', status: 502 });
  t.throws(() => state.methods.clearFaults({ clientId: 'demo', id }), { code: 'fault_shared' });
  t.equal(state.methods.clearFaults({ id }), 1);
  t.equal(state.methods.clearFaults({ clientId: 'demo' }), 1);
  t.equal(state.methods.clearFaults(), 1);
});

for (const [fault, pointer, detail] of [
  [{}, '', /at least one of: status, effect, body, delayMs/],
  [{ status: 503, effect: 'truncate' }, '', /an effect, or with status or body/],
  [{ status: 199 }, '/status', /200 or more/],
  [{ status: 503, bytesPerSecond: 9 }, '', /the effect slow beside bytesPerSecond/],
  [
    { effect: 'slow', route: 'claimSubmitted' },
    '',
    /another effect than slow and cut-upload for claimSubmitted/,
  ],
  [{ effect: 'slow', bytesPerSecond: 0 }, '/bytesPerSecond', /1 or more/],
  [{ status: 503, times: 0 }, '/times', /1 or more/],
  [{ status: 503, rate: 1.5 }, '/rate', /1 or less/],
  [{ status: 503, route: 'list' }, '/route', /one of: listSessions/],
  [{ delayMs: 60_001 }, '/delayMs', /60000/],
  [{ delayMs: '800-100' }, '/delayMs', /a range such as '100-800'/],
  [{ delayMs: [1, 2] }, '/delayMs', /a range such as '100-800'/],
  [{ status: 503, headers: { 'x y': 'z' } }, '/headers/x y', /name of a header/],
  [{ status: 503, headers: { x: 'a\nb' } }, '/headers/x', /without line breaks/],
  [{ status: 503, unknown: 1 }, '/unknown', /known members are clientId, userId, route/],
] as [Fault, string, RegExp][]) {
  t.test(`the fault ${JSON.stringify(fault)} is rejected at ${pointer || 'the whole'}`, async (t) => {
    t.match(checkWith('input_addFault', fault), [{ pointer, detail }]);
  });
}

t.test('at most 1000 faults are set for a client, and none for an unknown one', async (t) => {
  const state = await openPlain();
  for (let count = 0; count < 1000; count++) state.methods.addFault({ clientId: 'demo', status: 503 });
  t.throws(() => state.methods.addFault({ clientId: 'demo', status: 503 }), {
    message: /one more than 1000/,
  });
  t.throws(() => state.methods.addFault({ clientId: 'unknown', status: 503 }), { code: 'client_not_found' });
});
