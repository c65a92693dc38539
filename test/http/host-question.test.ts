// The page of a question of the host, what its cookie and its proof cover, and what is sent when the host does not answer.
import t from 'tap';
import type { RecipientQuestion } from '../../lib/core/types.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  type World,
  type WorldOptions,
} from '../core/world.js';

const BIRTHDAY: RecipientQuestion = {
  id: 'dateOfBirth',
  kind: 'date',
  texts: {
    de: { label: 'Wann sind Sie geboren?', hint: 'Wie in Ihrer Police' },
    en: { label: 'When were you born?' },
  },
};
const RIGHT = '1990-01-31';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PROBE = 'claimlink_probe=1';

async function askingWorld(options: WorldOptions = {}): Promise<{ world: World; link: MintedLink }> {
  const world = await createWorld({
    client: { settings: { recipientCheck: BIRTHDAY } },
    checkRecipient: ({ answer }) => answer === RIGHT,
    ...options,
  });
  return { world, link: await world.mint() };
}

const post = (world: World, { target }: MintedLink, fields: Record<string, string>, cookie = PROBE) =>
  world.send('POST', target, {
    headers: { ...FORM, cookie },
    body: new URLSearchParams(fields).toString(),
  });

const answer = (world: World, link: MintedLink, text: string, cookie = PROBE) =>
  post(world, link, { action: 'check', answer: text }, cookie);

const cookieOf = ({ headers }: CoreResponse) => headers['set-cookie']?.split(';', 1)[0] ?? '';

t.test('the page asks the question, and a right answer redirects to the form', async (t) => {
  const { world, link } = await askingWorld();
  await world.open(link);
  t.equal((await answer(world, link, '')).status, 403);
  t.equal((await answer(world, link, '1990-02-01')).status, 403);
  t.match(world.widget.checks, [
    { question: BIRTHDAY, problem: undefined },
    { question: BIRTHDAY, problem: 'missing' },
    { question: BIRTHDAY, problem: 'wrong', attemptsLeft: 4 },
  ]);
  t.notOk('member' in (world.widget.checks[0] ?? {}));
  const right = await answer(world, link, RIGHT);
  t.equal(right.status, 303);
  await world.open(link, { cookie: cookieOf(right) });
  t.equal(world.widget.forms.length, 1);
});

t.test('an answer counts for the question with its id, and for no other', async (t) => {
  const { world, link } = await askingWorld();
  const cookie = cookieOf(await answer(world, link, RIGHT));
  await answer(world, link, RIGHT, '');
  const proof = world.widget.forms.at(-1)?.recipientProof ?? '';
  const set = (recipientCheck: RecipientQuestion | readonly ['/policy/number']) =>
    world.claimlink.updateClient({ clientId: CLIENT_ID, settings: { recipientCheck } });
  const isAsked = async () => {
    const count = world.widget.checks.length;
    await world.open(link, { cookie });
    return world.widget.checks.length > count;
  };
  await set({ ...BIRTHDAY, texts: { en: { label: 'Your birthday' } } });
  t.notOk(await isAsked());
  await set({ ...BIRTHDAY, id: 'dateOfContract' });
  t.ok(await isAsked());
  t.equal((await post(world, link, { claim: JSON.stringify(claim()), proof })).status, 403);
  await set(BIRTHDAY);
  t.equal((await post(world, link, { claim: JSON.stringify(claim()), proof })).status, 200);
});

t.test('a renderCheck that does not say that it knows questions is not called with one', async (t) => {
  const { renderCheck: _, ...widget } = (await askingWorld()).world.widget;
  const ownPage = () => ({ html: 'own page' });
  for (const [expected, renderCheck] of [
    ['name="answer"', ownPage],
    ['own page', Object.assign(() => ownPage(), { knowsQuestions: true })],
  ] as const) {
    for (const base of [widget, createStandaloneWidget()]) {
      const { world, link } = await askingWorld({ widget: { ...base, renderCheck } });
      t.match((await world.open(link)).body, expected);
      await world.claimlink.updateClient({
        clientId: CLIENT_ID,
        settings: { recipientCheck: ['/policy/number'] },
      });
      const { config } = linkRequest();
      const listed = await world.mint({ config: { ...config, policy: { number: 'P-77' } } });
      t.match((await world.open(listed)).body, 'own page', 'a member is asked by the own page');
    }
  }
});

t.test('the built-in page asks in its language, with the input of the kind', async (t) => {
  const { world, link } = await askingWorld({ widget: createStandaloneWidget() });
  const german = (await world.open(link, { 'accept-language': 'de' })).body;
  t.match(german, '<label for="answer">Wann sind Sie geboren?</label>');
  t.match(german, '<p class="hint" id="answer-hint">Wie in Ihrer Police</p>');
  t.match(german, /<input id="answer" name="answer" type="date" [^>]*min="1900-01-01"/);
  const french = (await world.open(link, { 'accept-language': 'fr' })).body;
  t.match(french, '<label for="answer" lang="en" dir="auto">When were you born?</label>');
  t.notMatch(french, 'class="hint"');
  t.match((await answer(world, link, '0090-01-31')).body, 'When were you born: enter a date that exists');
  const { world: other, link: text } = await askingWorld({
    widget: createStandaloneWidget(),
    client: {
      settings: { recipientCheck: { id: 'room', kind: 'text', texts: { en: { label: '<b>Room</b>:' } } } },
    },
  });
  const room = (await other.open(text)).body;
  t.match(room, '<label for="answer">&lt;b&gt;Room&lt;/b&gt;:</label>');
  t.match(room, /<input id="answer" name="answer" type="text" /);
  t.match((await answer(other, text, ' ')).body, '&lt;b&gt;Room&lt;/b&gt;: enter an answer');
  t.match((await answer(other, text, '7')).body, '&lt;b&gt;Room&lt;/b&gt;: this does not match what we have');
});

const fail = () => {
  throw new Error('no connection');
};

t.test('a function that fails is a 503 with a page that gives back what was typed', async (t) => {
  const { world, link } = await askingWorld({ checkRecipient: fail });
  const json = await world.submitJson(link, { ...claim(), recipientAnswer: RIGHT });
  t.equal(outcomeOf(json), '503 recipient_check_unavailable');
  const response = await post(world, link, { action: 'check', answer: RIGHT, claim: '{}' });
  t.equal(response.status, 503);
  t.equal(response.headers['retry-after'], '5');
  t.notOk(response.headers['set-cookie']);
  const [view] = world.widget.unavailables;
  t.equal(view?.code, 'recipient_check_unavailable');
  t.strictSame([...(view?.fields ?? [])], [['claim', '{}']]);
  t.equal(world.errors.length, 2);
});

t.test('a process without the function answers every request with a 503, and never the form', async (t) => {
  const { world: other, link } = await askingWorld();
  const cookie = cookieOf(await answer(other, link, RIGHT));
  const world = await createWorld({ storage: other.storage });
  for (const response of [
    await world.open(link),
    await world.open(link, { cookie }),
    await world.open(link, { accept: 'application/json' }),
    await answer(world, link, RIGHT),
    await answer(world, link, ''),
    await world.submitForm(link, claim(), { cookie }),
    await world.submitJson(link, { ...claim(), recipientAnswer: RIGHT }),
  ]) {
    t.equal(response.status, 503);
    t.notOk(response.headers['set-cookie']);
  }
  t.equal(world.errors.length, 7);
  t.strictSame([world.widget.forms, world.widget.checks, other.storage.snapshot().sessions], [[], [], []]);
  t.equal((await other.open(link, { cookie })).status, 200);
});
