// The privacy policy in a mock: sessions of scenarios, links of scenarios, and generated claims.
import t from 'tap';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { linkRequest, NOW, openState } from './set-up.js';

const URL = 'https://acme.example/privacy';
const CLIENT = { clientId: 'demo', apiKey: 'key-of-demo' };
const ADA = { clientId: 'demo', userId: 'ada' };

t.test('a session of a scenario has its notice, by default with its own date', async (t) => {
  const sessions = [
    { reference: 'S-1', date: '2026-01-02T03:04', notice: { url: URL } },
    { reference: 'S-2', notice: { url: URL, at: '2026-01-01T10:00', accepted: true } },
    { reference: 'S-3' },
  ] as const;
  const scenario = { clients: [{ ...CLIENT, users: [{ userId: 'ada', sessions }] }] };
  const { state } = await openState({ scenario });
  const noticeOf = (reference: string) =>
    state.methods.sessions(ADA).find((session) => session.reference === reference)?.notice;
  t.strictSame(noticeOf('S-1'), { url: URL, at: new Date('2026-01-02T03:04:00Z') });
  t.strictSame(noticeOf('S-2'), { url: URL, at: new Date('2026-01-01T10:00:00Z'), accepted: true });
  t.equal(noticeOf('S-3'), undefined);

  const exported = state.methods.scenario({});
  t.strictSame(checkScenario(exported), []);
  const again = await openState({ scenario: exported });
  t.strictSame(again.state.methods.sessions(ADA), state.methods.sessions(ADA));
});

t.test('setSessions takes the notices that sessions returned', async (t) => {
  const { state } = await openState();
  state.methods.addSession({ ...ADA, session: { reference: 'S-1', notice: { url: URL } } });
  const before = state.methods.sessions(ADA);
  state.methods.setSessions({ ...ADA, sessions: JSON.parse(JSON.stringify(before)) });
  t.strictSame(state.methods.sessions(ADA), before);
  t.match(
    before.find(({ reference }) => reference === 'S-1'),
    { notice: { url: URL } },
  );
});

t.test('a submitted link of a scenario with a privacy policy gives its session a notice', async (t) => {
  const link = { userId: 'ada', state: 'submitted', submittedAt: '2026-01-02T03:04' } as const;
  const links = [{ ...link, reference: 'S-1', config: { privacyPolicyUrl: URL } }];
  const { of } = await openState({ scenario: { clients: [{ ...CLIENT, links }] } });
  t.strictSame((await of('demo').findSession('demo', 'S-1'))?.notice, {
    url: URL,
    at: new Date('2026-01-02T03:04:00Z'),
  });
});

t.test('a generated claim confirms the privacy policy', async (t) => {
  const { state, of } = await openState();
  state.methods.updateClient({ clientId: 'demo', settings: { form: { noticeConfirmation: true } } });
  const request = linkRequest('ada');
  const config = { ...request.config, privacyPolicyUrl: URL };
  const { url } = await of('demo').createLink('demo', { ...request, config });
  const { reference } = await state.methods.submitLink({ link: url });
  t.strictSame((await of('demo').findSession('demo', reference))?.notice, {
    url: URL,
    at: NOW,
    accepted: true,
  });
});
