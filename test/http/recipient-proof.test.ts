// A browser that keeps no cookies: its form carries the proof that its recipient has answered.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { createMac } from '../../lib/core/mac.js';
import type { PolicyPrefill } from '../../lib/core/types.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  storedLink,
  type World,
  type WorldOptions,
} from '../core/world.js';

const PLATE = '/policy/vehicle/licensePlate';
const POLICY: PolicyPrefill = { number: 'P-77', vehicle: { licensePlate: 'B-CL 2026' } };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function checkedWorld(options: WorldOptions = {}): Promise<{ world: World; link: MintedLink }> {
  const world = await createWorld({ client: { settings: { recipientCheck: [PLATE] } }, ...options });
  return { world, link: await mintPrefilled(world) };
}

const mintPrefilled = (world: World) => world.mint({ config: { ...linkRequest().config, policy: POLICY } });

/** Posts a form without any cookie. */
const post = (world: World, { target }: MintedLink, fields: Record<string, string>, headers = {}) =>
  world.send('POST', target, {
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  });

const answer = (world: World, link: MintedLink, fields: Record<string, string> = {}) =>
  post(world, link, { action: 'check', answer: 'b cl 2026', ...fields });

const CLAIM = JSON.stringify(claim());

/** Answers the question without cookies, and returns the proof of the form. */
async function proofFor(world: World, link: MintedLink): Promise<string> {
  await answer(world, link);
  return world.widget.forms.at(-1)?.recipientProof ?? '';
}

t.test(
  'every page of the question sets the probe cookie, with the attributes of the cookie of an answer',
  async (t) => {
    const { world, link } = await checkedWorld();
    const attributes = `Path=/base/verify/${link.accessCode}; HttpOnly; Secure; SameSite=Strict`;
    for (const response of [
      await world.open(link),
      await answer(world, link, { answer: '' }),
      await answer(world, link, { answer: 'wrong' }),
      await world.submitForm(link),
    ])
      t.equal(response.headers['set-cookie'], `claimlink_probe=1; ${attributes}`);
  },
);

t.test(
  'a right answer without the probe gets the form with a proof at once, and opens the link',
  async (t) => {
    const { world, link } = await checkedWorld();
    await world.open(link);
    await answer(world, link, { answer: 'wrong' });
    t.notOk((await storedLink(world, link))?.link.openedAt);
    const response = await answer(world, link);
    t.equal(response.status, 200);
    t.notOk(response.headers['location']);
    t.strictSame(world.widget.forms[0]?.link.config.policy, POLICY);
    t.equal(world.widget.forms[0]?.token, link.token, 'the language can be changed');
    t.ok((await storedLink(world, link))?.link.openedAt);
  },
);

t.test('a browser that keeps cookies gets a redirect and no proof', async (t) => {
  const { world, link } = await checkedWorld();
  const fields = { action: 'check', answer: 'BCL2026' };
  const first = await post(world, link, fields, { cookie: 'claimlink_probe=1' });
  t.equal(first.status, 303);
  const [cookie = ''] = first.headers['set-cookie']?.split(';', 1) ?? [];
  t.equal((await post(world, link, fields, { cookie })).status, 303, 'also by the cookie of an answer');
  await world.open(link, { cookie });
  t.equal(world.widget.forms[0]?.recipientProof, undefined);
});

t.test('a claim and a start with the proof need no cookie', async (t) => {
  const { world, link } = await checkedWorld({
    events: ['link.started'],
    onEvent: () => {},
    withoutOnSubmit: true,
  });
  const proof = await proofFor(world, link);
  t.equal((await post(world, link, { action: 'start', proof })).status, 204);
  t.equal((await post(world, link, { action: 'start' })).status, 403);
  t.equal((await post(world, link, { claim: CLAIM, proof })).status, 200);
  t.equal((await post(world, link, { claim: CLAIM, proof })).status, 200, 'a repetition finds the outcome');
  t.equal(world.storage.snapshot().sessions.length, 1);
});

t.test('an invalid claim gets its form back with the same proof', async (t) => {
  const { world, link } = await checkedWorld();
  const proof = await proofFor(world, link);
  t.equal((await post(world, link, { claim: '{}', proof })).status, 400);
  t.equal(world.widget.forms.at(-1)?.recipientProof, proof);
});

t.test('the proof ends after an hour, and the question keeps the text for the form', async (t) => {
  const { world, link } = await checkedWorld();
  const proof = await proofFor(world, link);
  world.advance(3_600_000);
  t.equal((await post(world, link, { claim: CLAIM, proof })).status, 403);
  t.strictSame([...(world.widget.checks.at(-1)?.fields ?? [])], [['claim', CLAIM]]);
  t.equal((await answer(world, link, { answer: 'wrong', claim: CLAIM })).status, 403);
  t.strictSame([...(world.widget.checks.at(-1)?.fields ?? [])], [['claim', CLAIM]], 'after a wrong answer');
  t.equal((await answer(world, link, { claim: CLAIM })).status, 200);
  const form = world.widget.forms.at(-1);
  t.strictSame([...(form?.fields ?? [])], [['claim', CLAIM]]);
  t.equal((await post(world, link, { claim: CLAIM, proof: form?.recipientProof ?? '' })).status, 200);
});

t.test('a page of another site gets no text into the form', async (t) => {
  const { world, link } = await checkedWorld();
  const fields = { action: 'check', answer: 'BCL2026', claim: CLAIM };
  await post(world, link, fields, { 'sec-fetch-site': 'cross-site' });
  t.equal(world.widget.forms.at(-1)?.fields, undefined);
});

t.test('no other proof is accepted', async (t) => {
  const { world, link } = await checkedWorld();
  const proof = await proofFor(world, link);
  const [end = '', mac = ''] = proof.split('.');
  const linkId = hashAccessCode(link.accessCode);
  const [key = new Uint8Array(), answerKey = new Uint8Array()] = ['proof', 'answer'].flatMap(
    (purpose) => world.signer.derive?.(purpose) ?? [],
  );
  const signed = (parts: string[], secret = key) => createMac(secret, parts).toString('base64url');
  const otherProof = await proofFor(world, await mintPrefilled(world));
  for (const [name, value] of Object.entries({
    none: '',
    'a later end': `${Number(end) + 1}.${mac}`,
    'the proof of another link': otherProof,
    'a cookie of an answer': `${end}.${signed(['answer', linkId, PLATE, end], answerKey)}`,
    'another question': `${end}.${signed(['proof', linkId, '/policy/number', end])}`,
    'no question': `${end}.${signed(['proof', linkId, end])}`,
  }))
    t.equal((await post(world, link, { claim: CLAIM, proof: value })).status, 403, name);
  t.equal((await world.open(link, { cookie: `claimlink_answer=${proof}` })).status, 200);
  t.equal(world.widget.checks.length, 7, 'a proof is no cookie');
  t.equal((await world.send('GET', `${link.target}&proof=${proof}`)).status, 200);
  t.equal(world.widget.checks.length, 8, 'a proof in the URL is not read');
});

t.test('the proof reaches no view but the form, no callback, no event and no session', async (t) => {
  const { world, link } = await checkedWorld();
  const proof = await proofFor(world, link);
  await post(world, link, { claim: '{}', proof });
  t.notOk(world.widget.forms.at(-1)?.fields?.has('proof'));
  await post(world, link, { claim: CLAIM, proof });
  await post(world, link, {
    claim: JSON.stringify(claim({ policy: { ...claim().policy, number: 'P-2' } })),
    proof,
  });
  const ended = await mintPrefilled(world);
  await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(ended.accessCode));
  await post(world, ended, { claim: CLAIM, proof });
  const unknown = { ...link, target: link.target.replace('token=', 'token=x') };
  await post(world, unknown, { claim: CLAIM, proof });
  const { unavailables, successes, checks } = world.widget;
  t.ok(unavailables.length >= 2);
  for (const view of [...unavailables, ...successes, ...checks])
    t.notOk('fields' in view && view.fields?.has('proof'), 'a view without the proof');
  t.notMatch(JSON.stringify([world.events, world.errors, world.storage.snapshot()]), proof);
});

t.test('a form with a field of that name of its own keeps it for clients without the check', async (t) => {
  const world = await createWorld({ client: {} });
  const link = await mintPrefilled(world);
  t.equal((await post(world, link, { claim: '{}', proof: 'of purchase' })).status, 400);
  t.equal(world.widget.forms.at(-1)?.fields?.get('proof'), 'of purchase');
});

t.test('a widget whose form has no proof gets the built-in page, which asks for cookies', async (t) => {
  const { world, link } = await checkedWorld();
  const { renderForm } = world.widget;
  world.widget.renderForm = ({ recipientProof: _, ...view }) => renderForm(view);
  const { status, body } = await answer(world, link);
  t.equal(status, 403);
  t.match(body, 'This browser keeps no cookies of this page');
  t.match(body, 'name="action" value="check"');
  t.notOk((await storedLink(world, link))?.link.openedAt);
  for (let round = 0; round < 6; round++) t.equal((await answer(world, link)).status, 403);
  const fields = { action: 'check', answer: 'BCL2026' };
  t.equal(
    (await post(world, link, fields, { cookie: 'claimlink_probe=1' })).status,
    303,
    'no attempt was taken',
  );
});

t.test('the built-in form sends the proof with the claim', async (t) => {
  const { world, link } = await checkedWorld({ widget: createStandaloneWidget() });
  const { body } = await answer(world, link);
  t.match(body, /<input type="hidden" name="proof" value="\d+\.[\w-]{43}">/);
  t.notMatch((await answer(world, link, { answer: '' })).body, 'name="proof"');
});

t.test(
  'the built-in page of the question sends the typed text again, and neither answer nor proof',
  async (t) => {
    const { world, link } = await checkedWorld({ widget: createStandaloneWidget() });
    const claimed = { '/incident/description': 'A <stone>', answer: 'mine', proof: 'old' };
    const { body } = await post(world, link, claimed);
    t.match(body, '<input type="hidden" name="/incident/description" value="A &lt;stone&gt;">');
    t.notMatch(body, /value="(?:mine|old)"/);
    const form = await answer(world, link, { ...claimed, answer: 'BCL2026' });
    t.match(form.body, 'A &lt;stone&gt;</textarea>');
  },
);
