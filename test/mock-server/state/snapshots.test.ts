// Reset, snapshots and the persist file: the same state comes back.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { hashAccessCode } from '../../../lib/index.js';
import type { ActiveFault } from '../../../mock-server/control/types.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import type { Mock } from '../../../mock-server/state/mock.js';
import type { MockServerOptions } from '../../../mock-server/state/options.js';
import { CLIENTS, NOW, type OpenState, openState, partsOf, submit } from './set-up.js';

const DEMO = { clientId: 'demo' };
const OTHER = { clientId: 'other' };

/** Changes each part of the state of a client. */
async function change(open: OpenState, clientId: string): Promise<void> {
  const { state, createLink, of } = open;
  state.methods.setSessions({ clientId, userId: 'ada', sessions: [{ reference: `R-${clientId}` }] });
  state.methods.updateClient({ clientId, name: 'Changed', branding: { primaryColor: '#14508c' } });
  const opened = await createLink(clientId, 'ada');
  await of(clientId).openLink(...partsOf(opened));
  await submit(open, await createLink(clientId, 'ben'));
  const revoked = await createLink(clientId, 'cyd');
  await of(clientId).revokeLink(clientId, hashAccessCode(partsOf(revoked)[0]));
  state.methods.setClock({ now: '2030-01-01T00:00:00Z', isFrozen: true, clientId });
  state.methods.addFault({ clientId, status: 503, times: 5, rate: 0.5 });
  for (let count = 0; count < 3; count++) state.decideFault({ clientId, userId: 'ada', route: null });
}

/** Everything that a caller sees of a client. */
async function view({ state, of }: OpenState, clientId: string) {
  const sessions = [];
  for (const userId of ['ada', 'ben', 'cyd'])
    sessions.push(await of(clientId).listSessions(clientId, userId));
  return {
    client: state.need(clientId).client,
    sessions,
    links: state.methods.links({ clientId }),
    clock: state.methods.clock({ clientId }),
    faults: state.methods.faults({ clientId }).map(({ id, ...fault }) => fault),
  };
}

t.test('a reset of one client restores its initial state and leaves the others', async (t) => {
  const open = await openState();
  const initial = await view(open, 'demo');
  await change(open, 'demo');
  await change(open, 'other');
  const other = await view(open, 'other');
  open.state.methods.reset(DEMO);
  t.strictSame(await view(open, 'demo'), initial);
  t.strictSame(await view(open, 'other'), other);
});

t.test('a reset of everything removes added clients and restores what all share', async (t) => {
  const open = await openState();
  const { state } = open;
  const initial = await view(open, 'demo');
  await change(open, 'demo');
  const added = state.methods.addClient();
  state.methods.snapshot({ name: 'one', clientId: added.clientId });
  state.methods.advanceClock({ ms: 1000 });
  state.methods.clearFaults();
  state.methods.reset();
  t.equal(state.find(added.clientId), undefined);
  t.strictSame(state.methods.snapshots(), []);
  t.strictSame(await view(open, 'demo'), initial);
  t.equal(state.methods.clock().offsetMs, 0);
  t.equal(state.methods.faults().length, 2);
});

t.test('a reset clears the request log of its client, or all of it', async (t) => {
  const { state } = await openState();
  const request = {
    time: NOW,
    method: 'GET',
    path: '/',
    route: null,
    userId: null,
    status: 200,
    durationMs: 1,
    headers: {},
  };
  for (const clientId of ['demo', 'other', null]) state.logRequest({ ...request, clientId });
  state.methods.reset(DEMO);
  t.equal(state.methods.countRequests(), 2);
  state.methods.reset();
  t.equal(state.methods.countRequests(), 0);
});

t.test('a snapshot restores all of a client, however often', async (t) => {
  const open = await openState();
  const { state, createLink } = open;
  await change(open, 'demo');
  const before = await view(open, 'demo');
  t.match(state.methods.snapshot({ name: 'one', ...DEMO }), {
    name: 'one',
    clientId: 'demo',
    takenAt: '2030-01-01T00:00Z',
  });
  for (let round = 0; round < 2; round++) {
    await createLink('demo', 'ada');
    state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [] });
    state.methods.resetClock(DEMO);
    state.methods.clearFaults(DEMO);
    state.methods.restore({ name: 'one', ...DEMO });
    t.strictSame(await view(open, 'demo'), before);
  }
});

t.test('snapshots of the same name of two clients and of the whole mock are three snapshots', async (t) => {
  const open = await openState();
  const { state } = open;
  state.methods.snapshot({ name: 'one' });
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [{ reference: 'D' }] });
  state.methods.snapshot({ name: 'one', ...DEMO });
  state.methods.setSessions({ clientId: 'other', userId: 'ada', sessions: [{ reference: 'O' }] });
  state.methods.snapshot({ name: 'one', ...OTHER });
  state.methods.reset();
  state.methods.restore({ name: 'one', ...OTHER });
  t.equal((await open.of('other').listSessions('other', 'ada')).sessions[0]?.reference, 'O');
  t.not((await open.of('demo').listSessions('demo', 'ada')).sessions[0]?.reference, 'D');
  state.methods.restore({ name: 'one', ...DEMO });
  t.equal((await open.of('demo').listSessions('demo', 'ada')).sessions[0]?.reference, 'D');
  t.equal(state.methods.snapshots().length, 3);
  t.match(state.methods.snapshots(DEMO), [{ name: 'one', clientId: 'demo' }]);
  t.equal(state.methods.deleteSnapshot({ name: 'one', ...DEMO }), true);
  t.equal(state.methods.deleteSnapshot({ name: 'one', ...DEMO }), false);
  t.equal(state.methods.snapshots().length, 2);
});

t.test('a snapshot of the whole mock brings back removed clients, and removes later ones', async (t) => {
  const open = await openState();
  const { state } = open;
  const added = state.methods.addClient({ name: 'Added' });
  await change(open, added.clientId);
  const before = await view(open, added.clientId);
  state.methods.advanceClock({ ms: 1000 });
  state.methods.setClock({ now: '2030-01-01T00:00:00Z', clientId: added.clientId });
  state.methods.snapshot({ name: 'one' });
  state.methods.removeClient({ clientId: added.clientId });
  const later = state.methods.addClient();
  state.methods.reset();
  state.methods.restore({ name: 'one' });
  t.strictSame(await view(open, added.clientId), before);
  t.equal(state.find(later.clientId), undefined);
  t.equal(state.methods.clock().offsetMs, 1000);
});

t.test('a full store of snapshots accepts a replacement, and no further one', async (t) => {
  const { state } = await openState();
  for (let index = 0; index < 1000; index++) state.methods.snapshot({ name: `${index}`, ...DEMO });
  t.match(state.methods.snapshot({ name: '7', ...DEMO }), { name: '7' });
  t.throws(() => state.methods.snapshot({ name: '1000', ...DEMO }), { code: 'request_invalid' });
});

t.test('a reset of one client leaves what all share', async (t) => {
  const { state } = await openState();
  state.methods.clearFaults();
  state.methods.advanceClock({ ms: 1000 });
  state.methods.reset(DEMO);
  t.same(state.methods.faults(), []);
  t.equal(state.methods.clock().offsetMs, 1000);
  t.equal(state.methods.clock(DEMO).offsetMs, 0);
});

t.test('an unknown name and an unknown client are rejected', async (t) => {
  const { state } = await openState();
  t.throws(() => state.methods.restore({ name: 'unknown' }), { code: 'snapshot_not_found' });
  t.throws(() => state.methods.snapshot({ name: 'one', clientId: 'unknown' }), { code: 'client_not_found' });
});

async function openPersisted(t: Test, path: string, options: MockServerOptions = {}): Promise<OpenState> {
  const open = await openState({ persistFile: path, ...options });
  t.teardown(() => open.state.close());
  return open;
}

/** Everything that a persist file keeps. */
async function wholeView(open: OpenState) {
  const { state } = open;
  const clients = await Promise.all(state.methods.clients().map(({ clientId }) => view(open, clientId)));
  return {
    clients,
    clock: state.methods.clock(),
    faults: state.methods.faults(),
    snapshots: state.methods.snapshots(),
  };
}

async function restart(t: Test, state: Mock, path: string): Promise<OpenState> {
  await state.close();
  return openPersisted(t, path);
}

t.test('a persist file keeps everything but the request log', async (t) => {
  const path = join(t.testdir({}), 'state.json');
  const first = await openPersisted(t, path);
  const { clientId } = first.state.methods.addClient({
    name: 'Added',
    callbackOrigins: ['https://example.com'],
  });
  await change(first, 'demo');
  await change(first, clientId);
  first.state.methods.snapshot({ name: 'one', ...DEMO });
  first.state.methods.snapshot({ name: 'all' });
  first.state.methods.advanceClock({ ms: 5000 });
  first.state.methods.addFault({ status: 503, body: { date: '2026-01-01' }, headers: { a: 'b' } });
  const before = await wholeView(first);
  const second = await restart(t, first.state, path);
  t.strictSame(await wholeView(second), before);
  second.state.methods.resetClock(DEMO);
  const [link] = second.state.methods.links({ ...DEMO, userId: 'ada' });
  await second.of('demo').openLink(...partsOf(link?.url ?? ''));
  second.state.methods.restore({ name: 'all' });
  const ids = second.state.methods.faults().map(({ id }) => id);
  const added = second.state.methods.addFault({ status: 500 });
  t.notOk(ids.includes(added.id), 'ids of faults stay unique');
  await second.state.close();
});

t.test('the initial faults of a client that is new after a restart have ids of their own', async (t) => {
  const path = join(t.testdir({}), 'state.json');
  const first = await openPersisted(t, path);
  first.state.methods.addFault({ ...DEMO, status: 503 });
  await first.state.close();
  const clients = [...CLIENTS, { clientId: 'new', apiKey: 'key-of-new' }];
  const { state } = await openPersisted(t, path, { clients, faults: [{ clientId: 'new', status: 501 }] });
  const ids = state.methods.faults().map(({ id }) => id);
  t.equal(ids.length, 4);
  t.equal(new Set(ids).size, 4);
});

t.test('configured clients have their options of today; former ones are gone, added ones stay', async (t) => {
  const path = join(t.testdir({}), 'state.json');
  const first = await openPersisted(t, path);
  first.state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [{ reference: 'R' }] });
  first.state.methods.addClient({ clientId: 'added', apiKey: 'key-of-added' });
  first.state.methods.snapshot({ name: 'other', clientId: 'other' });
  first.state.methods.snapshot({ name: 'all' });
  await first.state.close();
  const clients = [{ clientId: 'demo', apiKey: 'new-key', name: 'New' }];
  const second = await openPersisted(t, path, { clients });
  t.match(second.state.methods.clients(), [
    { ...clients[0], isConfigured: true },
    { clientId: 'added', isConfigured: false },
  ]);
  second.state.methods.restore({ name: 'all' });
  t.throws(() => second.state.need('other'), { code: 'client_not_found' });
  t.match(second.state.methods.snapshots(), [{ name: 'all' }]);
  t.equal((await second.of('demo').listSessions('demo', 'ada')).sessions[0]?.reference, 'R');
  await second.state.close();
  t.notMatch(await readFile(path, 'utf8'), 'key-of-other');
  await t.rejects(openPersisted(t, path, { clients: [{ clientId: 'third', apiKey: 'key-of-added' }] }), {
    code: 'options_invalid',
    message: /has the client added: A client with this API key exists already/,
  });
});

t.test('another seed or reference date than that of the file is rejected', async (t) => {
  const path = join(t.testdir({}), 'state.json');
  await (await openPersisted(t, path)).state.close();
  await t.rejects(openPersisted(t, path, { seed: 7 }), {
    message: /seed must be 42, as in the persist file/,
  });
  await t.rejects(openPersisted(t, path, { refDate: '2025-01-01' }), {
    message: /refDate must be 2026-01-01T00/,
  });
});

for (const [name, edit, message] of [
  ['is no JSON', () => 'text', /is not JSON/],
  ['is another file', () => '{"a":1}', /is not a persist file of the mock/],
  [
    'has another version',
    (text: string) => text.replace('"version":3', '"version":2'),
    /has version 2; .* version 3: delete it or name another file/,
  ],
  ['was edited', (text: string) => text.replace('key-of-demo', 'key-of-dema'), /is damaged or was edited/],
  ['is cut off', (text: string) => text.slice(0, -100), /is not JSON/],
] as [string, (text: string) => string, RegExp][]) {
  t.test(`a persist file that ${name} is rejected, and does not change`, async (t) => {
    const path = join(t.testdir({}), 'state.json');
    await (await openPersisted(t, path)).state.close();
    const text = edit(await readFile(path, 'utf8'));
    await writeFile(path, text);
    await t.rejects(openPersisted(t, path), { code: 'options_invalid', message });
    t.equal(await readFile(path, 'utf8'), text);
  });
}

t.test('a scenario sets users, sessions, links, clock and faults; a reset sets them again', async (t) => {
  const open = await openState({
    scenario: {
      clients: [
        {
          clientId: 'acme',
          apiKey: 'key',
          name: 'Acme',
          callbackOrigins: ['https://example.com'],
          users: [{ userId: 'ada', sessions: [{ reference: 'R-1' }] }, { userId: 'ben' }],
          links: [
            { userId: 'ada' },
            {
              userId: 'ada',
              state: 'opened',
              config: { initialStepKey: 'incident', contact: { phone: '7' } },
            },
            { userId: 'ben', state: 'submitted' },
            { userId: 'ben', state: 'expired' },
            { userId: 'ben', state: 'revoked' },
          ],
          clock: { now: '2026-01-20T12:00', isFrozen: true },
          faults: [{ userId: 'ben', status: 503 }],
        },
      ],
    },
  });
  const { state, of } = open;
  const check = async () => {
    t.match(state.methods.clients(), [{ clientId: 'acme', name: 'Acme', userIds: ['ada', 'ben'] }]);
    t.match((await of('acme').listSessions('acme', 'ada')).sessions, [{ reference: 'R-1' }]);
    t.equal((await of('acme').listSessions('acme', 'ada')).sessions.length, 1);
    const [submitted] = state.methods.links({ state: 'submitted' });
    t.ok(submitted?.openedAt, 'a submitted link was opened');
    const { sessions } = await of('acme').listSessions('acme', 'ben');
    t.equal(sessions[0]?.reference, submitted?.reference, 'beside the seeded sessions');
    t.ok(sessions.length > 1);
    for (const linkState of ['created', 'opened', 'expired', 'revoked'] as const)
      t.equal(state.methods.countLinks({ state: linkState }), 1, linkState);
    t.match(state.methods.clock({ clientId: 'acme' }), { now: '2026-01-20T12:00Z', isFrozen: true });
    t.match(state.methods.faults({ clientId: 'acme' }), [
      { clientId: 'acme', userId: 'ben', status: 503, hits: 0 },
    ]);
  };
  await check();
  const [opened] = state.methods.links({ state: 'opened' });
  const { config } = await of('acme').openLink(...partsOf(opened?.url ?? ''));
  t.match(config, { initialStepKey: 'incident', contact: { phone: '7', email: /@/ } });
  await change(open, 'acme');
  state.methods.reset({ clientId: 'acme' });
  await check();
});

/** Returns a view without what a scenario does not keep: URLs and ids of links, hits of faults, who added a client. */
function comparable(value: unknown): unknown {
  const left = ['url', 'linkId', 'hits', 'isConfigured', 'userIds'];
  return JSON.parse(JSON.stringify(value, (name, member) => (left.includes(name) ? undefined : member)));
}

t.test('the exported scenario, as a file, starts an equal mock', async (t) => {
  const first = await openState();
  const { state } = first;
  const { clientId } = state.methods.addClient({ name: 'Added', callbackOrigins: ['https://example.com'] });
  await change(first, 'demo');
  await change(first, clientId);
  const expired = await first.createLink('demo', 'ben');
  state.methods.expireLink({ link: expired });
  state.methods.addFault({ status: 503, body: { date: '2026-01-01' } });
  const path = join(t.testdir({}), 'scenario.json');
  await writeFile(path, JSON.stringify(state.methods.scenario()));
  const second = await openState({ scenario: await loadScenario(path) });
  t.strictSame(comparable(second.state.methods.scenario()), comparable(state.methods.scenario()));
  for (const id of ['demo', 'other', clientId])
    t.strictSame(comparable(await view(second, id)), comparable(await view(first, id)), id);
  const withoutId = ({ id, ...fault }: ActiveFault) => fault;
  t.strictSame(
    second.state.methods.faults().map(withoutId).slice(0, 3),
    state.methods.faults().map(withoutId).slice(0, 3),
  );
  const [submitted] = second.state.methods.links({ clientId: 'demo', state: 'submitted' });
  const [session] = second.state.methods.sessions({ clientId: 'demo', userId: 'ben' });
  t.equal(session?.link?.linkId, submitted?.linkId, 'a session names the new link');
  const { clients, faults } = state.methods.scenario({ clientId: 'other' });
  t.same([clients.map((client) => client.clientId), faults], [['other'], undefined]);
});

t.test(
  'a submitted link of a scenario has the reference and the session that the scenario names',
  async (t) => {
    const { state } = await openState({
      scenario: {
        clients: [
          {
            clientId: 'acme',
            apiKey: 'key',
            users: [{ userId: 'ada', sessions: [{ reference: 'R-1', status: 'paid' }] }],
            links: [
              { userId: 'ada', state: 'submitted', reference: 'R-1' },
              { userId: 'cy', state: 'submitted', reference: 'R-2' },
              {
                userId: 'ben',
                state: 'revoked',
                createdAt: '2026-01-05T10:00',
                revokedAt: '2026-01-06T10:00',
              },
            ],
          },
        ],
      },
    });
    const links = state.methods.links({ state: 'submitted' });
    t.same(links.map(({ reference }) => reference).sort(), ['R-1', 'R-2']);
    for (const [userId, reference, status] of [
      ['ada', 'R-1', 'paid'],
      ['cy', 'R-2', 'submitted'],
    ] as const) {
      const session = state.methods
        .sessions({ clientId: 'acme', userId })
        .find((each) => each.reference === reference);
      t.match(session, {
        status,
        link: { linkId: links.find((each) => each.reference === reference)?.linkId },
      });
    }
    t.match(state.methods.links({ userId: 'ben' }), [
      { createdAt: '2026-01-05T10:00Z', revokedAt: '2026-01-06T10:00Z' },
    ]);
  },
);
