// The question of a host to the recipient of a link: what `checkRecipient` gets, what its answers do, and its failures.
import { inspect } from 'node:util';
import t from 'tap';
import type { CheckRecipient, GivenAnswer } from '../../lib/core/host-question.js';
import { createHostQuestion } from '../../lib/core/host-question.js';
import type { RecipientQuestion } from '../../lib/core/types.js';
import { skipPauses } from './skip-pauses.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  USER_ID,
  type World,
  type WorldOptions,
} from './world.js';

const BIRTHDAY: RecipientQuestion = {
  id: 'dateOfBirth',
  kind: 'date',
  texts: { en: { label: 'When were you born?' } },
};
const ROOM: RecipientQuestion = { id: 'room', kind: 'text', texts: { en: { label: 'Room' } } };
const POLICY = { holder: { lastName: 'Lovelace' } };

async function askingWorld(
  checkRecipient: CheckRecipient | undefined,
  { question = ROOM, ...options }: WorldOptions & { question?: RecipientQuestion } = {},
): Promise<{ world: World; link: MintedLink }> {
  const world = await createWorld({
    client: { settings: { recipientCheck: question } },
    ...(checkRecipient && { checkRecipient }),
    ...options,
  });
  return { world, link: await world.mint({ config: { ...linkRequest().config, policy: POLICY } }) };
}

/** Opens a link as a host does. */
const open = ({ claimlink }: World, { accessCode, token }: MintedLink, recipientAnswer?: string) =>
  claimlink.openLink(accessCode, token, recipientAnswer === undefined ? {} : { recipientAnswer });

/** Returns the code of the error of a call, or `opened`. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'opened',
    ({ code }: { code: string }) => code,
  );

t.test('the host gets link, client and answer; true opens the link with its prefill', async (t) => {
  const received: GivenAnswer[] = [];
  const { world, link } = await askingWorld((answer) => received.push(answer) > 0);
  const { linkId, config } = await open(world, link, '  42 b ');
  t.strictSame(config.policy, POLICY);
  t.match(received, [
    {
      link: { linkId, clientId: CLIENT_ID, userId: USER_ID, config: { policy: POLICY } },
      client: { clientId: CLIENT_ID, name: 'Acme Insurance', settings: { recipientCheck: ROOM } },
      answer: '42 b',
    },
  ]);
});

t.test('a link without prefill is asked as well', async (t) => {
  const { world } = await askingWorld(({ answer }) => answer === '42');
  const link = await world.mint();
  t.equal(await codeOf(open(world, link)), 'recipient_check_required');
  t.equal(await codeOf(open(world, link, '43')), 'recipient_check_failed');
  t.equal(await codeOf(open(world, link, '42')), 'opened');
});

t.test('the problem points to the answer', async (t) => {
  const { world, link } = await askingWorld(() => false, { question: BIRTHDAY });
  await t.rejects(open(world, link), {
    code: 'recipient_check_required',
    problems: [{ pointer: '/recipientAnswer', rule: 'recipient', detail: /YYYY-MM-DD/ }],
  });
  await t.rejects(open(world, link, '1990-01-31'), {
    code: 'recipient_check_failed',
    message: 'The answer does not match. Attempts left: 4.',
    problems: [{ pointer: '/recipientAnswer', rule: 'recipient', detail: 'is not the right answer' }],
  });
});

t.test('what is no answer does not reach the host and takes no attempt', async (t) => {
  const received: string[] = [];
  const note: CheckRecipient = ({ answer }) => received.push(answer) > 0;
  const { world, link } = await askingWorld(note);
  for (const answer of ['', ' \t ', '\u200b\u200d', 'x'.repeat(1001), 'a\0b', 'a\nb', 'a\ud800'])
    t.equal(await codeOf(open(world, link, answer)), 'recipient_check_required', JSON.stringify(answer));
  t.equal(await codeOf(open(world, link, ` ${'x'.repeat(1000)} `)), 'opened');
  const dated = await askingWorld(note, { question: BIRTHDAY });
  for (const answer of [
    '1899-12-31',
    '0090-01-31',
    '1990-02-30',
    '31.01.1990',
    '1990-1-31',
    '1990-01-31T00:00',
  ])
    t.equal(await codeOf(open(dated.world, dated.link, answer)), 'recipient_check_required', answer);
  t.equal(await codeOf(open(dated.world, dated.link, ' 1900-01-01 ')), 'opened');
  t.strictSame(received, ['x'.repeat(1000), '1900-01-01']);
});

t.test('while attempts are missing, the service asks for the time that the host has', async (t) => {
  const pauses: (number | undefined)[] = [];
  t.teardown(skipPauses(pauses));
  const { world, link } = await askingWorld(() => false);
  for (let count = 0; count < 5; count++) await codeOf(open(world, link, 'wrong'));
  // Each call of the host has a limit of 5,000 ms.
  const waits = pauses.flatMap((pause = 0) => (pause < 5000 ? [pause] : []));
  t.equal(
    waits.reduce((sum, pause) => sum + pause, 0),
    5000,
  );
});

t.test('of 50 concurrent wrong answers five reach the host', async (t) => {
  t.teardown(skipPauses());
  let calls = 0;
  const { world, link } = await askingWorld(async () => {
    calls++;
    return false;
  });
  await Promise.all(Array.from({ length: 50 }, () => codeOf(open(world, link, 'wrong'))));
  t.equal(calls, 5);
});

const FAILURES: Record<string, CheckRecipient> = {
  'an error': () => {
    throw new Error('no connection');
  },
  'a rejection': () => Promise.reject(new Error('no connection')),
  'a rejection without a reason': () => Promise.reject(),
  ...Object.fromEntries(
    [undefined, null, 1, 'true', {}, [true]].map((value) => [
      `the value ${JSON.stringify(value)}`,
      () => value as never,
    ]),
  ),
};

t.test('only true and false are answers: anything else is a 503 that takes no attempt', async (t) => {
  for (const [name, fail] of Object.entries(FAILURES)) {
    let isFailing = true;
    const { world, link } = await askingWorld((input) => (isFailing ? fail(input) : input.answer === '42'));
    for (let round = 0; round < 10; round++)
      await t.rejects(
        open(world, link, '42'),
        { code: 'recipient_check_unavailable', statusCode: 503 },
        name,
      );
    isFailing = false;
    await t.rejects(open(world, link, 'wrong'), { message: /left: 4\./ }, name);
    t.equal(await codeOf(open(world, link, '42')), 'opened', name);
  }
});

t.test('a function that does not end is a failure', async (t) => {
  const { isRight } = createHostQuestion(() => new Promise(() => {}), 0.01);
  await t.rejects(isRight({} as GivenAnswer), {
    code: 'recipient_check_unavailable',
    message: 'checkRecipient did not end within 0.01 s.',
  });
});

t.test('after 20 failures of a link in a process, each further one takes an attempt', async (t) => {
  t.teardown(skipPauses());
  let isFailing = true;
  const { world, link } = await askingWorld(() => {
    if (isFailing) throw new Error('no connection');
    return true;
  });
  const other = await world.mint();
  for (let round = 0; round < 25; round++)
    t.equal(await codeOf(open(world, link, '42')), 'recipient_check_unavailable', String(round));
  isFailing = false;
  t.equal(await codeOf(open(world, link, '42')), 'link_locked');
  t.equal(await codeOf(open(world, other, '42')), 'opened', 'another link');
});

t.test(
  'onError gets names, codes and places of the error, and neither the answer nor another text',
  async (t) => {
    const { world, link } = await askingWorld(function askPolicies({ answer, link: { userId } }) {
      throw Object.assign(
        new RangeError(`invalid input: "${answer}" of ${userId}\n    at ${answer} (x:1:1)`),
        {
          code: 'EPOLICY',
          detail: answer,
          cause: new Error(answer),
        },
      );
    });
    const response = await world.submitJson(link, { ...claim(), recipientAnswer: 'my secret' });
    t.equal(response.status, 503);
    t.equal(world.errors.length, 1);
    const [{ error } = {}] = world.errors;
    const text = inspect([error, world.errors], { depth: 9 });
    t.notMatch(text, /my secret|invalid input/);
    t.notMatch(text, 'user-1');
    t.match(text, /checkRecipient threw an error\..*RangeError EPOLICY, cause: Error.*at askPolicies /s);
  },
);

t.test('without the function nothing is opened or taken, also with an answer', async (t) => {
  const { world, link } = await askingWorld(undefined);
  const failure = {
    code: 'recipient_check_unavailable',
    message: /option checkRecipient of createClaimlink/,
  };
  await t.rejects(open(world, link), failure);
  await t.rejects(open(world, link, '42'), failure);
  const { accessCode, token } = link;
  await t.rejects(
    world.claimlink.submitClaim(accessCode, token, claim(), { recipientAnswer: '42' }),
    failure,
  );
});

t.test('without the function, addClient and updateClient reject a question and say what to do', async (t) => {
  const settings = { recipientCheck: ROOM };
  const { claimlink } = await createWorld();
  for (const call of [
    () => claimlink.addClient({ clientId: 'asking', settings }),
    () => claimlink.updateClient({ clientId: CLIENT_ID, settings }),
  ])
    await t.rejects(async () => void (await call()), {
      code: 'request_invalid',
      message:
        'The parameter settings.recipientCheck asks a question of the host, which needs the option checkRecipient of createClaimlink.',
    });
  const pageless = await createWorld({ widget: false });
  await t.rejects(pageless.claimlink.addClient({ clientId: 'asking', settings }), {
    code: 'request_invalid',
  });
  const asking = await createWorld({ checkRecipient: () => true });
  await asking.claimlink.addClient({ clientId: 'asking', settings });
  await asking.claimlink.updateClient({ clientId: CLIENT_ID, settings });
  t.strictSame((await asking.claimlink.findClient(CLIENT_ID))?.settings, settings);
});

t.test('a question has an id, a kind and texts', async (t) => {
  const { claimlink } = await createWorld({ checkRecipient: () => true });
  let count = 0;
  const add = (recipientCheck: object) =>
    claimlink.addClient({ clientId: `c${count++}`, settings: { recipientCheck: recipientCheck as never } });
  const label = (text: string, hint?: string) => ({
    en: { label: text, ...(hint !== undefined && { hint }) },
  });
  for (const valid of [ROOM, BIRTHDAY, { ...ROOM, id: `a${'-'.repeat(49)}` }]) await add(valid);
  await add({ ...ROOM, texts: label('x'.repeat(200), 'x'.repeat(500)) });
  const many = Object.fromEntries(
    Array.from({ length: 999 }, (_, index) => [`en-x-${index}`, { label: 'x'.repeat(100) }]),
  );
  for (const [path, question] of [
    ['.id', { kind: 'text', texts: ROOM.texts }],
    ['.kind', { id: 'a', texts: ROOM.texts }],
    ['.texts', { id: 'a', kind: 'text' }],
    ['.id', { ...ROOM, id: '/policy/number' }],
    ['.id', { ...ROOM, id: `a${'-'.repeat(50)}` }],
    ['.kind', { ...ROOM, kind: 'choice' }],
    ['.texts', { ...ROOM, texts: {} }],
    ['.texts', { ...ROOM, texts: { de_DE: { label: 'x' } } }],
    ['.texts.en', { ...ROOM, texts: { en: 'Room' } }],
    ['.texts.en.label', { ...ROOM, texts: { en: {} } }],
    ['.texts.en.label', { ...ROOM, texts: label('') }],
    ['.texts.en.label', { ...ROOM, texts: label('\u200b') }],
    ['.texts.en.label', { ...ROOM, texts: label('x'.repeat(201)) }],
    ['.texts.en.hint', { ...ROOM, texts: label('x', 'x'.repeat(501)) }],
    ['.required', { ...ROOM, required: true }],
    ['', { ...ROOM, texts: many }],
    ['', new Map()],
  ] as const)
    await t.rejects(add(question), {
      code: 'request_invalid',
      problems: [{ parameter: `settings.recipientCheck${path}` }],
    });
});

t.test('a question that this version does not know opens nothing', async (t) => {
  for (const question of [
    { ...ROOM, kind: 'choice' },
    { ...ROOM, later: true },
  ]) {
    const { world, link } = await askingWorld(() => true, { question: question as RecipientQuestion });
    t.equal(await codeOf(open(world, link, '42')), 'settings_unknown');
  }
});
