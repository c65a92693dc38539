// The page that asks the recipient of a link, its cookie, and what JSON callers get.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { createMac } from '../../lib/core/mac.js';
import type { LinkRef, LinkWithClient } from '../../lib/core/storage.js';
import type { ClientSettings, PolicyPrefill } from '../../lib/core/types.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { createFakeWidget } from '../core/fake-widget.js';
import { skipPauses } from '../core/skip-pauses.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  problemOf,
  type World,
  type WorldOptions,
} from '../core/world.js';

const PLATE = '/policy/vehicle/licensePlate';
const SETTINGS: ClientSettings = { recipientCheck: [PLATE] };
const POLICY: PolicyPrefill = { number: 'P-77', vehicle: { licensePlate: 'B-CL 2026' } };
const JSON_WANTED = { accept: 'application/json' };
/** The cookie that the page of the question sets. */
const PROBE = 'claimlink_probe=1';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function checkedWorld({
  client,
  ...options
}: WorldOptions = {}): Promise<{ world: World; link: MintedLink }> {
  const world = await createWorld({ client: { settings: SETTINGS, ...client }, ...options });
  return { world, link: await mintPrefilled(world) };
}

const mintPrefilled = (world: World) => world.mint({ config: { ...linkRequest().config, policy: POLICY } });

const answer = (world: World, { target }: MintedLink, text: string, headers: Record<string, string> = {}) =>
  world.send('POST', target, {
    headers: { ...FORM, cookie: PROBE, ...headers },
    body: new URLSearchParams({ action: 'check', answer: text }).toString(),
  });

const cookieOf = ({ headers }: CoreResponse) => headers['set-cookie']?.split(';', 1)[0] ?? '';

t.test('the page asks before it shows the form, and a right answer redirects to the form', async (t) => {
  const { world, link } = await checkedWorld();
  const question = await world.open(link);
  t.equal(question.status, 200);
  t.strictSame(world.widget.forms, []);
  t.match(world.widget.checks, [
    {
      member: PLATE,
      problem: undefined,
      attemptsLeft: undefined,
      clientName: 'Acme Insurance',
      contact: { email: 'help@example.com' },
    },
  ]);
  const right = await answer(world, link, 'b cl 2026');
  t.equal(right.status, 303);
  t.equal(right.headers['location'], link.target.slice(link.target.indexOf('?')));
  t.equal(right.headers['referrer-policy'], 'no-referrer');
  const form = await world.open(link, { cookie: cookieOf(right) });
  t.equal(form.status, 200);
  t.strictSame(world.widget.forms[0]?.link.config.policy, POLICY);
});

t.test(
  'the cookie is for this link and this browser session; no script and no other site gets it',
  async (t) => {
    const { world, link } = await checkedWorld();
    t.match(
      (await answer(world, link, 'BCL2026')).headers['set-cookie'],
      new RegExp(
        `^claimlink_answer=\\d+\\.[\\w-]{43}; Path=/base/verify/${link.accessCode}; HttpOnly; Secure; SameSite=Strict$`,
      ),
    );
  },
);

t.test('on http the cookie is not Secure', async (t) => {
  const { world, link } = await checkedWorld({ publicUrl: 'http://127.0.0.1:4010' });
  const target = link.url.slice('http://127.0.0.1:4010'.length);
  t.match(
    (await answer(world, { ...link, target }, 'BCL2026')).headers['set-cookie'],
    /; HttpOnly; SameSite=Strict$/,
  );
});

t.test('where other sites may frame the page, their frame gets its cookie back', async (t) => {
  const { world, link } = await checkedWorld({ client: { frameAncestors: ['https://portal.example'] } });
  t.match(
    (await answer(world, link, 'BCL2026')).headers['set-cookie'],
    /; Secure; SameSite=None; Partitioned$/,
  );
});

t.test('a wrong answer goes back into its field, but not to a form of another site', async (t) => {
  const { world, link } = await checkedWorld();
  await answer(world, link, 'B-CL 2027', { 'sec-fetch-site': 'same-origin' });
  t.equal(world.widget.checks.at(-1)?.answer, 'B-CL 2027');
  await answer(world, link, 'a text of another site', { 'sec-fetch-site': 'cross-site' });
  t.equal(world.widget.checks.at(-1)?.problem, 'wrong');
  t.notOk('answer' in (world.widget.checks.at(-1) ?? {}));
  await world.open(link);
  t.notOk('answer' in (world.widget.checks.at(-1) ?? {}));
});

t.test('a wrong answer and none are a page with the problem and a 403, and prove nothing', async (t) => {
  const { world, link } = await checkedWorld();
  for (const [text, expected] of [
    ['', { problem: 'missing', attemptsLeft: undefined }],
    ['B-CL 2027', { problem: 'wrong', attemptsLeft: 4 }],
    ['2026', { problem: 'wrong', attemptsLeft: 3 }],
  ] as const) {
    const response = await answer(world, link, text);
    t.equal(response.status, 403);
    t.match(response.headers['set-cookie'], /^claimlink_probe=1;/);
    t.match(world.widget.checks.at(-1), { member: PLATE, ...expected });
  }
});

t.test('the sixth answer is a 423, also if it is right; a browser with the cookie goes on', async (t) => {
  t.teardown(skipPauses());
  const { world, link } = await checkedWorld();
  const cookie = cookieOf(await answer(world, link, 'BCL2026'));
  for (let count = 0; count < 5; count++) t.equal((await answer(world, link, 'wrong')).status, 403);
  const locked = await answer(world, link, 'BCL2026');
  t.equal(locked.status, 423);
  t.notOk(locked.headers['set-cookie']);
  const { fields, ...view } = world.widget.unavailables.at(-1) ?? {};
  t.match(view, { code: 'link_locked', status: 423, contact: { email: 'help@example.com' } });
  t.equal(fields, undefined, 'the page has no answer');
  t.equal(outcomeOf(await answer(world, link, 'BCL2026', JSON_WANTED)), '423 link_locked');
  t.equal((await world.open(link, { cookie })).status, 200);
  t.equal((await world.submitForm(link, claim(), { cookie })).status, 200);
});

t.test(
  'a locked link does not ask again: its page is that of a 423, and a browser with the cookie goes on',
  async (t) => {
    t.teardown(skipPauses());
    const { world, link } = await checkedWorld();
    const cookie = cookieOf(await answer(world, link, 'BCL2026'));
    for (let count = 0; count < 5; count++) await answer(world, link, 'wrong');
    const asked = world.widget.checks.length;
    const locked = await world.open(link);
    t.equal(locked.status, 423);
    t.notOk(locked.headers['set-cookie']);
    t.match(world.widget.unavailables.at(-1), {
      code: 'link_locked',
      status: 423,
      contact: { email: 'help@example.com' },
    });
    t.match(await world.send('HEAD', link.target), { status: 423, body: '' });
    t.equal(outcomeOf(await world.open(link, JSON_WANTED)), '423 link_locked');
    t.equal(outcomeOf(await world.submitJson(link)), '423 link_locked');
    t.equal(outcomeOf(await answer(world, link, '', JSON_WANTED)), '423 link_locked');
    const sent = await world.submitForm(link);
    t.equal(sent.status, 423);
    t.ok(world.widget.unavailables.at(-1)?.fields?.has('claim'), 'the claim comes back');
    t.equal(world.widget.checks.length, asked);
    t.equal((await world.open(link, { cookie })).status, 200);
    t.equal(world.storage.snapshot().sessions.length, 0);
    await world.claimlink.unlockLink(CLIENT_ID, hashAccessCode(link.accessCode));
    t.equal((await world.open(link)).status, 200);
    t.equal(world.widget.checks.length, asked + 1);
  },
);

t.test('over a storage that does not tell the attempts, a locked link asks as before', async (t) => {
  t.teardown(skipPauses());
  const { world, link } = await checkedWorld({
    wrapStorage: (storage) => ({
      ...storage,
      findLink(id: LinkRef) {
        const stored = storage.findLink(id) as LinkWithClient;
        return { link: stored.link, client: stored.client };
      },
    }),
  });
  for (let count = 0; count < 5; count++) await answer(world, link, 'wrong');
  const { status } = await world.open(link);
  t.equal(status, 200);
  t.equal((await answer(world, link, 'BCL2026')).status, 423);
});

t.test('a GET while right answers have all attempts asks as usual', async (t) => {
  const { world, link } = await checkedWorld();
  const id = { clientId: CLIENT_ID, accessCodeHash: hashAccessCode(link.accessCode) };
  for (let count = 0; count < 5; count++) world.storage.takeAttempt({ ...id, limit: 5 });
  const opened = world.open(link);
  world.storage.returnAttempt(id);
  t.equal((await opened).status, 200);
  t.equal(world.widget.checks.length, 1);
  t.match(world.storage.findLink(id), { checkAttempts: 4 });
});

t.test('JSON callers get problems that say what to ask, without personal data', async (t) => {
  const { world, link } = await checkedWorld();
  for (const response of [
    await world.open(link, JSON_WANTED),
    await world.submitJson(link),
    await world.submitJson(link, { ...claim(), recipientAnswer: '-' }),
    await world.submitForm(link, claim(), JSON_WANTED),
    await answer(world, link, '', JSON_WANTED),
  ]) {
    t.equal(outcomeOf(response), '403 recipient_check_required');
    t.match(problemOf(response).errors, [{ pointer: PLATE, rule: 'recipient' }]);
    t.notMatch(response.body, /2026|P-77/);
  }
  for (const response of [
    await world.submitJson(link, { ...claim(), recipientAnswer: 'wrong' }),
    await answer(world, link, 'wrong', JSON_WANTED),
  ])
    t.equal(outcomeOf(response), '403 recipient_check_failed');
  const wrongType = await world.submitJson(link, { ...claim(), recipientAnswer: 1 });
  t.match(problemOf(wrongType).errors, [{ pointer: '/recipientAnswer', rule: 'type' }]);
  const right = await world.submitJson(link, { ...claim(), recipientAnswer: 'B-CL 2026' });
  t.equal(right.status, 200);
  t.notMatch(JSON.stringify(world.storage.snapshot().sessions), 'recipientAnswer');
});

t.test(
  'a claim of a form needs the cookie; without it, the page asks again and gives the text back',
  async (t) => {
    const { world, link } = await checkedWorld();
    const cookie = cookieOf(await answer(world, link, 'BCL2026'));
    const asked = await world.submitForm(link);
    t.equal(asked.status, 403);
    t.ok(world.widget.checks.at(-1)?.fields?.has('claim'));
    await world.submitForm(link, claim(), { 'sec-fetch-site': 'cross-site' });
    t.equal(world.widget.checks.at(-1)?.fields, undefined, 'a form of another site gets no text back');
    t.equal(world.storage.snapshot().sessions.length, 0);
    t.equal((await world.submitForm(link, claim({ policy: {} as never }), { cookie })).status, 400);
    t.equal((await world.submitForm(link, claim(), { cookie })).status, 200);
    t.equal((await world.submitForm(link)).status, 200, 'a repetition has the first result');
  },
);

t.test('no other cookie is accepted', async (t) => {
  const { world, link } = await checkedWorld();
  const cookie = cookieOf(await answer(world, link, 'BCL2026'));
  const [, end = '', mac = ''] = /=(\d+)\.(.*)$/.exec(cookie) ?? [];
  const linkId = hashAccessCode(link.accessCode);
  const [key = new Uint8Array(), receiptKey = new Uint8Array()] = ['answer', 'receipt'].flatMap(
    (purpose) => world.signer.derive?.(purpose) ?? [],
  );
  const signed = (parts: string[], secret = key) => createMac(secret, parts).toString('base64url');
  const otherCookie = cookieOf(await answer(world, await mintPrefilled(world), 'BCL2026'));
  const values = {
    'a later end': `${Number(end) + 1}.${mac}`,
    'a shorter code': `${end}.${mac.slice(0, 42)}`,
    'no code': `${end}.`,
    'the cookie of another link': otherCookie.slice(otherCookie.indexOf('=') + 1),
    'a code of a receipt': `${end}.${signed(['receipt', linkId, PLATE, end], receiptKey)}`,
    'a code under the key of receipts': `${end}.${signed(['answer', linkId, PLATE, end], receiptKey)}`,
    'a code without its link': `${end}.${signed(['answer', '', PLATE, end])}`,
    'a code without a question': `${end}.${signed(['answer', linkId, end])}`,
    'a code of another question': `${end}.${signed(['answer', linkId, '/policy/number', end])}`,
  };
  const isAsked = async (value: string) => {
    const count = world.widget.checks.length;
    await world.open(link, { cookie: value });
    return world.widget.checks.length > count;
  };
  for (const [name, value] of Object.entries(values)) {
    t.ok(await isAsked(`claimlink_answer=${value}`), name);
    t.equal(
      (await world.submitForm(link, claim(), { cookie: `claimlink_answer=${value}` })).status,
      403,
      name,
    );
  }
  t.ok(await isAsked(cookie.replace('claimlink_answer', 'claimlink_receipt')));
  t.notOk(await isAsked(`claimlink_answer=${end}.${signed(['answer', linkId, PLATE, end])}`));
  t.notOk(await isAsked(cookie));
});

t.test('the cookie ends after four hours by the clock of the service', async (t) => {
  const { world, link } = await checkedWorld();
  const cookie = cookieOf(await answer(world, link, 'BCL2026'));
  world.advance(4 * 3_600_000 - 1000);
  await world.open(link, { cookie });
  t.equal(world.widget.forms.length, 1);
  world.advance(1000);
  await world.open(link, { cookie });
  t.equal(world.widget.forms.length, 1);
});

t.test('the member action selects what a form does; another value is a 400', async (t) => {
  const { world, link } = await checkedWorld({ client: { settings: {} } });
  const post = (fields: Record<string, string>, headers = JSON_WANTED) =>
    world.send('POST', link.target, {
      headers: { ...FORM, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  for (const action of ['', 'Submit', 'withdraw', '__proto__']) {
    const response = await post({ action, claim: JSON.stringify(claim()) });
    t.equal(outcomeOf(response), '400 request_invalid');
    t.match(problemOf(response).errors, [
      { pointer: '/action', rule: 'choice', detail: 'must be one of: submit, check' },
    ]);
  }
  t.equal((await post({ action: 'check', answer: 'x' })).status, 303, 'there is no question to answer');
  t.equal((await post({ action: 'submit', claim: JSON.stringify(claim()) })).status, 200);
  t.equal(
    (await post({ action: 'check', answer: 'x' })).status,
    303,
    'the page of a submitted link asks nothing',
  );
});

t.test('answers to a link that cannot be used are rejected before they are read', async (t) => {
  const { world, link } = await checkedWorld({ linkTtlSeconds: 60 });
  world.advance(60_000);
  t.equal(outcomeOf(await answer(world, link, 'BCL2026', JSON_WANTED)), '410 link_expired');
});

t.test('HEAD asks like GET, without a body', async (t) => {
  const { world, link } = await checkedWorld();
  const response = await world.send('HEAD', link.target);
  t.equal(response.status, 200);
  t.equal(response.body, '');
});

t.test('a widget without renderCheck gets the built-in page', async (t) => {
  const { renderCheck: _, ...widget } = createFakeWidget();
  const { world, link } = await checkedWorld({ widget });
  const { status, body } = await world.open(link, { 'accept-language': 'de' });
  t.equal(status, 200);
  t.match(body, '<input type="hidden" name="action" value="check">');
});

t.test('a widget that is an instance of a class renders the question as its method', async (t) => {
  class OwnWidget {
    heading = 'Is it you?';
    renderCheck() {
      return { html: this.heading };
    }
  }
  const widget = Object.assign(new OwnWidget(), {
    ...createFakeWidget(),
    renderCheck: OwnWidget.prototype.renderCheck,
  });
  const { world, link } = await checkedWorld({ widget });
  t.equal((await world.open(link)).body, 'Is it you?');
});

t.test('a storage or a signer that lacks what the check needs fails closed and reports it', async (t) => {
  const { signer } = await createWorld();
  const { sign, verify } = signer;
  const broken: WorldOptions[] = [
    { wrapStorage: ({ takeAttempt: _, ...storage }) => storage },
    { signer: { sign, verify } },
  ];
  for (const options of broken) {
    const { world, link } = await checkedWorld(options);
    for (const response of [
      await world.open(link),
      await answer(world, link, 'BCL2026'),
      await world.submitForm(link),
      await world.submitJson(link, { ...claim(), recipientAnswer: 'BCL2026' }),
    ])
      t.equal(response.status, 500);
    t.equal(world.errors.length, 4);
    for (const { error } of world.errors)
      t.match(error, { code: 'options_invalid', message: /the client setting recipientCheck needs/ });
    t.strictSame([world.widget.forms, world.widget.checks], [[], []]);
  }
});

t.test('a storage that fails while it counts an attempt compares nothing', async (t) => {
  const { world, link } = await checkedWorld({
    wrapStorage: (storage) => ({
      ...storage,
      takeAttempt: () => Promise.reject(new Error('The connection ended.')),
    }),
  });
  const response = await answer(world, link, 'BCL2026');
  t.equal(response.status, 500);
  t.notOk(response.headers['set-cookie']);
});

t.test('a change of the setting applies to links that exist', async (t) => {
  const world = await createWorld();
  const link = await mintPrefilled(world);
  await world.claimlink.updateClient({ clientId: CLIENT_ID, settings: SETTINGS });
  await world.open(link);
  t.equal(world.widget.checks.length, 1, 'a change of the setting applies at once');
  await world.claimlink.updateClient({ clientId: CLIENT_ID, settings: null });
  await world.open(link);
  t.equal(world.widget.forms.length, 1);
});

t.test('an answer proves nothing but the answer to the question that was asked', async (t) => {
  const NAME = '/policy/holder/lastName';
  const settings = { recipientCheck: [NAME] } as const;
  const world = await createWorld({ client: { settings } });
  const policy = { ...POLICY, holder: { lastName: 'Li' } };
  const link = await world.mint({ config: { ...linkRequest().config, policy } });
  const unasked = await answer(world, link, 'anything');
  t.equal(unasked.status, 303);
  t.notOk(unasked.headers['set-cookie'], 'a link without a question sets no cookie');
  await world.claimlink.updateClient({ clientId: CLIENT_ID, settings: SETTINGS });
  const cookie = cookieOf(await answer(world, link, 'BCL2026'));
  await world.open(link, { cookie });
  t.equal(world.widget.forms.length, 1);
  await world.claimlink.updateClient({
    clientId: CLIENT_ID,
    settings: { recipientCheck: ['/policy/number'] },
  });
  await world.open(link, { cookie });
  t.equal(world.widget.forms.length, 1, 'the cookie of another question opens nothing');
  t.equal((await world.submitForm(link, claim(), { cookie })).status, 403);
});

t.test('the cookies of 0.2 are neither read nor changed', async (t) => {
  const { world, link } = await checkedWorld();
  const [key = new Uint8Array()] = world.signer.derive?.('check') ?? [];
  const end = String(Math.floor(world.now().getTime() / 1000) + 60);
  const mac = createMac(key, ['check', hashAccessCode(link.accessCode), end]).toString('base64url');
  const earlier = `claimlink_check=${end}.${mac}`;
  t.match((await world.open(link, { cookie: earlier })).headers['set-cookie'], /^claimlink_probe=1;/);
  t.match(
    (await answer(world, link, 'BCL2026', { cookie: `${PROBE}; ${earlier}` })).headers['set-cookie'],
    /^claimlink_answer=/,
  );
});

t.test('a check that this version does not know opens nothing, and sets no cookie', async (t) => {
  const { world, link } = await checkedWorld({
    client: { settings: { recipientCheck: 'all' } as unknown as ClientSettings },
  });
  for (const response of [
    await world.open(link, JSON_WANTED),
    await answer(world, link, 'x', JSON_WANTED),
    await world.submitJson(link, claim()),
  ]) {
    t.equal(outcomeOf(response), '503 settings_unknown');
    t.notOk(response.headers['set-cookie']);
  }
});
