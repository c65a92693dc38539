// Changes of sessions that come later: by the clock of their client, from the moment at which the session was set.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ScenarioSession } from '../../../mock-server/control/scenario.js';
import type { MockEvent } from '../../../mock-server/control/types.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import { NOW, type OpenState, openState } from './set-up.js';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const ACME = { clientId: 'acme' };

const LATER = [
  { after: '3 days', status: 'paid', camsReference: 'C-2' },
  { after: '36 hours', status: 'accepted' },
];

/** Opens a mock whose user `ada` has a session that is accepted after 36 hours and paid after 3 days. */
function openLater(options: object = {}, session: ScenarioSession = {}) {
  const sessions = [
    { reference: 'R-1', status: 'in_review', later: LATER, ...session },
    { reference: 'R-2' },
  ];
  const users = [{ userId: 'ada', sessions }, { userId: 'ben' }];
  return openState({ scenario: { clients: [{ ...ACME, apiKey: 'key', users }] }, ...options });
}

/** Returns the status of a session in the listing of the API. */
async function statusOf({ of }: OpenState, reference = 'R-1'): Promise<string | undefined> {
  const { sessions } = await of('acme').listSessions('acme', 'ada');
  return sessions.find((session) => session.reference === reference)?.status;
}

t.test(
  'the listing has a change once the clock has passed its time, in the order of the times',
  async (t) => {
    const open = await openLater();
    t.equal(await statusOf(open), 'in_review');
    open.state.methods.advanceClock({ ms: 36 * HOUR - 1 });
    t.equal(await statusOf(open), 'in_review');
    open.state.methods.advanceClock({ ms: 1, ...ACME });
    t.equal(await statusOf(open), 'accepted');
    open.state.methods.advanceClock({ ms: 30 * DAY });
    const { sessions } = await open.of('acme').listSessions('acme', 'ada');
    t.match(
      sessions.find(({ reference }) => reference === 'R-1'),
      { status: 'paid', camsReference: 'C-2' },
    );
    t.notMatch(sessions, [{ later: Array }], 'the listing has the documented members');
    open.state.methods.resetClock();
    t.equal(await statusOf(open), 'paid', 'a change that was made stays');
  },
);

t.test('two changes that are due at once are made in their order', async (t) => {
  const open = await openLater();
  open.state.methods.advanceClock({ ms: 3 * DAY });
  t.equal(await statusOf(open), 'paid');
});

t.test('a clock that follows the system clock makes changes as well; a frozen one does not', async (t) => {
  const open = await openLater();
  open.system.now = new Date(NOW.getTime() + 2 * DAY);
  t.equal(await statusOf(open), 'accepted');
  open.state.methods.setClock({ isFrozen: true });
  open.system.now = new Date(NOW.getTime() + 9 * DAY);
  t.equal(await statusOf(open), 'accepted');
});

t.test('the time counts from the clock of the scenario, from a reset, and from the call', async (t) => {
  const open = await openState({
    scenario: {
      clients: [
        {
          ...ACME,
          apiKey: 'key',
          clock: { now: '2026-01-20T12:00', isFrozen: true },
          users: [
            { userId: 'ada', sessions: [{ reference: 'R-1', later: [{ after: '1 day', status: 'a' }] }] },
          ],
        },
      ],
    },
  });
  const { state } = open;
  state.methods.setClock({ now: '2026-01-21T11:59:59' });
  t.equal(await statusOf(open), 'submitted');
  state.methods.setClock({ now: '2026-01-21T12:00' });
  t.equal(await statusOf(open), 'a');
  state.methods.reset(ACME);
  t.equal(await statusOf(open), 'submitted');
  state.methods.advanceClock({ ms: DAY });
  t.equal(await statusOf(open), 'a');

  state.methods.setSessions({
    clientId: 'acme',
    userId: 'ada',
    sessions: [{ reference: 'R-1', later: [{ after: '30 minutes', status: 'b' }] }],
  });
  state.methods.addSession({
    clientId: 'acme',
    userId: 'ada',
    session: { reference: 'R-2', later: [{ after: '31 minutes', status: 'c' }] },
  });
  state.methods.advanceClock({ ms: 30 * 60_000 });
  t.same([await statusOf(open), await statusOf(open, 'R-2')], ['b', 'submitted']);
  state.methods.advanceClock({ ms: 60_000 });
  t.equal(await statusOf(open, 'R-2'), 'c');
});

t.test('the sessions of the control interface have the changes to come, and can be set again', async (t) => {
  const open = await openLater();
  const { state } = open;
  state.methods.advanceClock({ ms: 2 * DAY });
  const sessions = state.methods.sessions({ clientId: 'acme', userId: 'ada' });
  const paid = { after: '1 day', status: 'paid', camsReference: 'C-2' };
  const laterOf = () =>
    state.methods.sessions({ clientId: 'acme', userId: 'ada' }).find(({ reference }) => reference === 'R-1')
      ?.later;
  t.strictSame(laterOf(), [paid]);
  state.methods.setSessions({
    clientId: 'acme',
    userId: 'ada',
    sessions: JSON.parse(JSON.stringify(sessions)),
  });
  t.strictSame(laterOf(), [paid]);
  state.methods.setSessions({ clientId: 'acme', userId: 'ben', sessions: [{ reference: 'R-3' }] });
  t.strictSame(laterOf(), [paid], 'a list of another user leaves them');
  state.find('acme')?.updateSession('R-1', { status: 'on_hold' });
  t.equal(await statusOf(open), 'on_hold', 'a change by hand stays until the next one');
  state.methods.advanceClock({ ms: DAY });
  t.equal(await statusOf(open), 'paid');
  t.equal(laterOf(), undefined);

  state.methods.setSessions({
    clientId: 'acme',
    userId: 'ada',
    sessions: [{ reference: 'R-1', status: 'a', later: [{ after: '1 day', status: 'b' }] }],
  });
  state.methods.setSessions({
    clientId: 'acme',
    userId: 'ada',
    sessions: [{ reference: 'R-1', status: 'c' }],
  });
  state.methods.advanceClock({ ms: 2 * DAY });
  t.equal(await statusOf(open), 'c', 'a new list has its own changes only');
});

t.test('snapshots, the persist file and the exported scenario have the changes to come', async (t) => {
  const folder = t.testdir({});
  const persistFile = join(folder, 'mock.json');
  const first = await openLater({ persistFile });
  first.state.methods.advanceClock({ ms: 2 * DAY });
  first.state.methods.snapshot({ name: 'start' });
  const path = join(folder, 'scenario.json');
  await writeFile(path, JSON.stringify(first.state.methods.scenario()));
  first.state.methods.advanceClock({ ms: 2 * DAY });
  t.equal(await statusOf(first), 'paid');
  first.state.methods.restore({ name: 'start' });
  t.equal(await statusOf(first), 'accepted');
  await first.state.close();

  const second = await openLater({ persistFile });
  const exported = await openState({ scenario: await loadScenario(path) });
  for (const open of [second, exported]) {
    open.state.methods.advanceClock({ ms: DAY - 1 });
    t.equal(await statusOf(open), 'accepted');
    open.state.methods.advanceClock({ ms: 1 });
    t.equal(await statusOf(open), 'paid');
  }
  await second.state.close();
});

t.test('a change is an event of its user', async (t) => {
  const { state } = await openLater();
  const events: MockEvent[] = [];
  t.teardown(
    state.events.subscribe(
      {},
      (event) => events.push(event),
      () => {},
    ),
  );
  state.methods.advanceClock({ ms: 4 * DAY });
  t.match(events, [
    { type: 'sessions', ...ACME, userId: 'ada' },
    { type: 'changed', part: 'clock' },
  ]);
  t.equal(events.length, 2);
});

t.test('a repeated submission redirects with the changed status', async (t) => {
  const { state } = await openState({
    scenario: {
      clients: [
        {
          ...ACME,
          apiKey: 'key',
          users: [{ userId: 'ada', sessions: [{ reference: 'R-1', later: LATER }] }],
          links: [
            {
              userId: 'ada',
              state: 'submitted',
              reference: 'R-1',
              callbackUrl: 'https://app.example.com/?status={STATUS}',
            },
          ],
        },
      ],
    },
  });
  const [link] = state.methods.links();
  state.methods.advanceClock({ ms: 2 * DAY });
  t.match(await state.methods.submitLink({ link: link?.url ?? '' }), {
    reference: 'R-1',
    repeated: true,
    redirectUrl: 'https://app.example.com/?status=accepted',
  });
});
