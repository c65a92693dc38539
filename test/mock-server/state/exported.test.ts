// The exported scenario: whatever the calls of a partner were, an operator can start a mock with it.
import t from 'tap';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { NOW, type OpenState, openState } from './set-up.js';

const ADA = { clientId: 'demo', userId: 'ada' };

/** Calls whose results are at the edge of what a scenario may have. */
const CALLS: Readonly<Record<string, (open: OpenState) => unknown>> = {
  'a session of the last moment': ({ state }) =>
    state.methods.addSession({ ...ADA, session: { createdAt: '9999-12-31T23:59:59.999Z' } }),
  'a session that ended in the first minute': ({ state }) =>
    state.methods.addSession({ ...ADA, session: { date: '0001-01-01T00:00' } }),
  'a change that the clock moved away from': ({ state }) => {
    state.methods.setClock({ clientId: 'demo', now: '9000-01-01T00:00:00Z' });
    const later = [{ after: '3652425 days', status: 'X' }];
    state.methods.addSession({ ...ADA, session: { later } });
    state.methods.setClock({ clientId: 'demo', now: '1980-01-01T00:00:00Z' });
  },
  'the most faults': ({ state }) => {
    for (let count = 0; count < 1000; count++) state.methods.addFault({ clientId: 'demo', status: 503 });
  },
  'a link of each state, and sessions that lost theirs': async ({ state, createLink }) => {
    for (const method of ['openLink', 'submitLink', 'expireLink', 'revokeLink'] as const)
      await state.methods[method]({ link: await createLink('demo', 'ada') });
    state.methods.setSessions({ ...ADA, sessions: [] });
  },
  'changed settings': ({ state }) =>
    state.methods.updateClient({
      clientId: 'demo',
      name: 'Changed',
      settings: { redirectAfterSeconds: 'never' },
    }),
};

for (const [name, call] of Object.entries(CALLS))
  t.test(`the export is a valid scenario after ${name}`, async (t) => {
    const open = await openState();
    await call(open);
    const scenario = open.state.methods.scenario({});
    t.same(checkScenario(scenario), []);
    const again = await openState({ scenario, now: () => NOW });
    t.same(
      again.state.methods.sessions(ADA).map(({ reference }) => reference),
      open.state.methods.sessions(ADA).map(({ reference }) => reference),
    );
  });

t.test('the export has the control tokens of clients, also of one whose settings changed', async (t) => {
  const controlToken = 'token-of-demo-alone';
  const { state } = await openState({ clients: [{ clientId: 'demo', apiKey: 'key-of-demo', controlToken }] });
  t.match(state.methods.scenario({}), { clients: [{ controlToken }] });
  state.methods.updateClient({ clientId: 'demo', name: 'Changed' });
  t.match(state.methods.scenario({}), { clients: [{ name: 'Changed', controlToken }] });
});
