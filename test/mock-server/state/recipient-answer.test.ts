// The question of a client in a mock: what recipients of its links have to answer.
import t from 'tap';
import type { RecipientQuestion } from '../../../lib/index.js';
import type { ScenarioLink } from '../../../mock-server/control/scenario.js';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { linkRequest, openState } from './set-up.js';

const BIRTHDAY: RecipientQuestion = {
  id: 'dateOfBirth',
  kind: 'date',
  texts: { en: { label: 'When were you born?' } },
};
const DEMO = { clientId: 'demo' };

const scenarioOf = (links: readonly ScenarioLink[], recipientCheck = BIRTHDAY) => ({
  clients: [{ ...DEMO, apiKey: 'key-of-demo', settings: { recipientCheck }, links }],
});

const parts = (url: string): [accessCode: string, token: string] => {
  const { pathname, searchParams } = new URL(url);
  return [pathname.slice(pathname.lastIndexOf('/') + 1), searchParams.get('token') ?? ''];
};

t.test('a link of a scenario is opened by its recipientAnswer, and by no other one', async (t) => {
  const scenario = scenarioOf([{ userId: 'ada', recipientAnswer: '2001-02-03' }, { userId: 'ben' }]);
  t.strictSame(checkScenario(scenario), []);
  const { state, of } = await openState({ scenario });
  for (const [userId, right] of [
    ['ada', '2001-02-03'],
    ['ben', '1990-01-31'],
  ] as const) {
    const [link] = state.methods.links({ ...DEMO, userId });
    t.equal(link?.recipientAnswer, right);
    const open = (recipientAnswer: string) =>
      of('demo').openLink(...parts(link?.url ?? ''), { recipientAnswer });
    await t.rejects(open('2001-02-04'), { code: 'recipient_check_failed' });
    t.equal((await open(right)).userId, userId);
  }
});

t.test('an answer of a scenario is a text of 1 to 1,000 UTF-16 code units', async (t) => {
  for (const recipientAnswer of ['', 'x'.repeat(1001), 1])
    t.match(checkScenario(scenarioOf([{ userId: 'ada', recipientAnswer: recipientAnswer as string }])), [
      { pointer: '/clients/0/links/0/recipientAnswer' },
    ]);
  t.match(checkScenario(scenarioOf([], { ...BIRTHDAY, kind: 'choice' as 'text' })), [
    { pointer: '/clients/0/settings/recipientCheck/kind' },
  ]);
});

t.test('createLink sets the answer; openLink and submitLink give it', async (t) => {
  const { state } = await openState();
  const question: RecipientQuestion = { ...BIRTHDAY, id: 'room', kind: 'text' };
  state.methods.updateClient({ ...DEMO, settings: { recipientCheck: question } });
  const create = (options: object = {}) =>
    state.methods.createLink({ ...DEMO, request: linkRequest('ada'), ...options });
  const { url, recipientAnswer } = await create({ recipientAnswer: 'Room 42' });
  t.equal(recipientAnswer, 'Room 42');
  t.equal((await state.methods.openLink({ link: url })).state, 'opened');
  t.equal((await state.methods.submitLink({ link: url })).repeated, false);
  t.equal((await create()).recipientAnswer, 'answer');
  state.methods.updateClient({ ...DEMO, settings: { recipientCheck: null } });
  t.notOk('recipientAnswer' in (await create()));
});

t.test('answers are in snapshots and exported scenarios, and a reset restores them', async (t) => {
  const { state } = await openState({
    scenario: scenarioOf([{ userId: 'ada', recipientAnswer: '2001-02-03' }]),
  });
  const answers = () => state.methods.links(DEMO).map(({ recipientAnswer }) => recipientAnswer);
  await state.methods.createLink({
    ...DEMO,
    request: linkRequest('ben'),
    recipientAnswer: '2002-03-04',
  });
  state.methods.snapshot({ name: 'two' });
  const exported = state.methods.scenario({});
  t.strictSame(checkScenario(exported), []);
  await state.methods.reset({});
  t.strictSame(answers(), ['2001-02-03']);
  state.methods.restore({ name: 'two' });
  t.strictSame(answers(), ['2002-03-04', '2001-02-03']);
  const again = await openState({ scenario: exported });
  t.strictSame(
    again.state.methods
      .links(DEMO)
      .map(({ recipientAnswer }) => recipientAnswer)
      .sort(),
    ['2001-02-03', '2002-03-04'],
  );
});
