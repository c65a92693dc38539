// The space of a client: one partner of a shared mock fills neither its memory nor its persist file.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { toControlError } from '../../../mock-server/control/errors.js';
import type { ScenarioSession } from '../../../mock-server/control/scenario.js';
import { createSeeder } from '../../../mock-server/seed/seed.js';
import { NOW, type OpenState, openState, PUBLIC_URL, partsOf, submit } from './set-up.js';

const DEMO = { clientId: 'demo' };
const FULL = {
  code: 'storage_unavailable',
  message: /The client demo may hold 16 MiB of sessions and links/,
};

const TEXT = 'x'.repeat(1000);
const CONTACT = { firstName: TEXT, lastName: TEXT, email: TEXT, phone: TEXT };
const linkedContacts = Array.from({ length: 100 }, () => CONTACT);

/** Returns sessions of 400 KB each. */
function largeSessions(count: number, prefix: string): ScenarioSession[] {
  return Array.from({ length: count }, (_, index) => ({
    reference: `${prefix}-${index}`,
    selectedPolicy: { linkedContacts },
  }));
}

/** Fills the client `demo` almost completely. */
const fill = ({ state }: OpenState) =>
  state.methods.setSessions({ clientId: 'demo', userId: 'full', sessions: largeSessions(38, 'F') });

t.test('sessions beyond the space of a client are rejected before they change anything', async (t) => {
  const open = await openState();
  const { state } = open;
  fill(open);
  t.throws(
    () => state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: largeSessions(2, 'A') }),
    FULL,
  );
  t.not(state.methods.sessions({ clientId: 'demo', userId: 'ada' })[0]?.reference, 'A-0');
  t.equal(
    state.methods.addSession({ clientId: 'demo', userId: 'ada', session: largeSessions(1, 'B')[0] ?? {} })
      .reference,
    'B-0',
  );
  t.throws(
    () =>
      state.methods.addSession({ clientId: 'demo', userId: 'ada', session: largeSessions(1, 'C')[0] ?? {} }),
    FULL,
  );
  t.equal(
    state.methods.setSessions({ clientId: 'demo', userId: 'full', sessions: largeSessions(38, 'F') }).length,
    38,
    'as many as before',
  );
  t.equal(
    state.methods.setSessions({ clientId: 'other', userId: 'ada', sessions: largeSessions(2, 'A') }).length,
    2,
    'another client',
  );
  state.methods.reset(DEMO);
  t.equal(
    state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: largeSessions(2, 'A') }).length,
    2,
    'after a reset',
  );
});

/** Runs a part of a test, and returns how often it wrote the whole of a full client. */
async function wholeWrites(t: Test, part: () => Promise<unknown>): Promise<number> {
  const { stringify } = JSON;
  let count = 0;
  const captured = t.capture(JSON, 'stringify', (value: unknown) => {
    const text = stringify(value);
    if (text?.length > 10_000_000) count++;
    return text;
  });
  await part();
  captured.restore();
  return count;
}

t.test('a service request does not measure a client whose settings or state have changed', async (t) => {
  const open = await openState();
  const { methods } = open.state;
  fill(open);
  methods.updateClient({ clientId: 'demo', name: 'Demo' });
  t.equal(await wholeWrites(t, () => open.createLink('demo', 'ada')), 0, 'after a change of settings');
  methods.snapshot({ clientId: 'demo', name: 'full' });
  methods.restore({ clientId: 'demo', name: 'full' });
  t.equal(await wholeWrites(t, () => open.createLink('demo', 'ada')), 0, 'after a restored state');
});

t.test('a full client drops links for new ones once a second', async (t) => {
  const open = await openState();
  for (let count = 0; count < 20; count++) await open.createLink('demo', 'ada');
  fill(open);
  const create = async () => {
    for (;;) await open.createLink('demo', 'ada');
  };
  t.equal(await wholeWrites(t, () => t.rejects(create(), FULL)), 2, 'measured before and after the drop');
  t.equal(await wholeWrites(t, () => t.rejects(create(), FULL)), 0);
  open.system.now = new Date(NOW.getTime() + 1001);
  t.match(await open.createLink('demo', 'ada'), PUBLIC_URL);
});

t.test('a control call to a full client is a 503 that says what to do', async (t) => {
  const open = await openState();
  fill(open);
  let error: unknown;
  try {
    open.state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: largeSessions(2, 'A') });
  } catch (thrown) {
    error = thrown;
  }
  t.match(toControlError(error), { status: 503, message: /set fewer sessions, or reset the client/ });
});

t.test('a full client drops its older links for new ones, and rejects submissions', async (t) => {
  const open = await openState();
  const { state } = open;
  fill(open);
  const { policy } = createSeeder(state.options).claimOf('demo', 'ada', 1, { time: NOW });
  const claim = { policy, incident: { date: '2026-01-01', description: TEXT.repeat(4) } };
  let rejected: unknown;
  for (let count = 0; count < 200 && rejected === undefined; count++) {
    open.system.now = new Date(NOW.getTime() + 1001 * count);
    const url = await open.createLink('demo', `user-${count}`);
    rejected = await state.methods.submitLink({ link: url, claim }).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
  t.match(rejected, FULL);
  const [accessCode, token] = partsOf(await open.createLink('demo', 'ada'));
  t.match(await open.of('demo').openLink(accessCode, token), { config: { currentUserId: 'ada' } });
});

t.test('a repeated submission of a full client has its outcome', async (t) => {
  const open = await openState();
  const url = await open.createLink('demo', 'ada');
  const reference = await submit(open, url);
  fill(open);
  t.equal(await submit(open, url), reference);
});

t.test('snapshots beyond the space of a client are rejected, until others are deleted', async (t) => {
  const open = await openState();
  const { state } = open;
  fill(open);
  state.methods.snapshot({ name: 'one', ...DEMO });
  t.throws(() => state.methods.snapshot({ name: 'two', ...DEMO }), {
    code: 'request_invalid',
    message: /The snapshot is not valid: is one more than 16 MiB of snapshots; delete some first/,
  });
  t.same(
    state.methods.snapshots(DEMO).map(({ name }) => name),
    ['one'],
  );
  t.match(state.methods.snapshot({ name: 'one', ...DEMO }), { name: 'one' }, 'a replacement');
  t.match(state.methods.snapshot({ name: 'one', clientId: 'other' }), { name: 'one' }, 'another client');
  state.methods.deleteSnapshot({ name: 'one', ...DEMO });
  t.match(state.methods.snapshot({ name: 'two', ...DEMO }), { name: 'two' });
});

t.test('changes to come beyond 10,000 of a client are rejected', async (t) => {
  const { state } = await openState();
  const later = Array.from({ length: 100 }, () => ({ after: '1 day', status: 'X' }));
  const sessions = Array.from({ length: 100 }, (_, index) => ({ reference: `L-${index}`, later }));
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions });
  const problem = { code: 'request_invalid', message: /a client may have 10000/ };
  t.throws(() => state.methods.addSession({ clientId: 'demo', userId: 'ben', session: { later } }), problem);
  t.throws(
    () => state.methods.setSessions({ clientId: 'demo', userId: 'ben', sessions: [{ later }] }),
    problem,
  );
  t.equal(
    state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions }).length,
    100,
    'as many as before',
  );
});

t.test('values take space beside their text: empty objects fill a client', async (t) => {
  const { state } = await openState();
  const sessions = (prefix: string) =>
    Array.from({ length: 100 }, (_, index) => ({
      reference: `${prefix}-${index}`,
      extra: { list: Array(5000).fill({}) },
    }));
  const set = (sessions: readonly ScenarioSession[]) =>
    state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions });
  t.throws(() => set(sessions('A')), FULL);
  t.equal(set(sessions('B').slice(0, 40)).length, 40);
});

t.test('faults beyond 1 MiB of a client are rejected', async (t) => {
  const { state } = await openState();
  const fault = { clientId: 'demo', status: 503, body: 'x'.repeat(60_000) };
  for (let count = 0; count < 17; count++) state.methods.addFault(fault);
  t.throws(() => state.methods.addFault(fault), {
    message: /is one more than 1 MiB of faults; clear some first/,
  });
});

t.test('a mock starts with what earlier states hold, and its clients cannot add to it', async (t) => {
  const users = [{ userId: 'full', sessions: largeSessions(50, 'S') }];
  const clients = [{ clientId: 'demo', apiKey: 'key-of-demo', users }];
  const options = { scenario: { clients }, persistFile: join(t.testdir({}), 'state.json') };
  const { state } = await openState(options);
  t.equal(state.methods.sessions({ clientId: 'demo', userId: 'full' }).length, 50);
  t.throws(() => state.methods.addSession({ clientId: 'demo', userId: 'ada', session: {} }), FULL);
  t.equal(
    state.methods.setSessions({ clientId: 'demo', userId: 'full', sessions: largeSessions(49, 'S') }).length,
    49,
    'fewer than before',
  );
  await state.close();
  const { state: second } = await openState(options);
  t.equal(second.methods.sessions({ clientId: 'demo', userId: 'full' }).length, 49);
  await second.close();
});
