// The privacy policy of a link: what a session keeps of it, and when a claim must confirm it.
import t from 'tap';
import type { ClientForm, Session, SubmissionEvent } from '../../lib/core/types.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  problemOf,
  START,
  storedLink,
  storedSession,
  USER_ID,
  type World,
} from './world.js';

const URL = 'https://acme.example/privacy?v=2';
const MINUTE = 60_000;
const CONFIRMED = { noticeAccepted: true };

async function worldWith(form: ClientForm = {}): Promise<World> {
  return createWorld({ client: { name: 'Acme Insurance', settings: { form } } });
}

function mintWithNotice(world: World): Promise<MintedLink> {
  return world.mint({ config: { ...linkRequest().config, privacyPolicyUrl: URL } });
}

async function sessionOf({ claimlink }: World): Promise<Session | undefined> {
  return (await claimlink.listSessions(CLIENT_ID, USER_ID)).sessions[0];
}

t.test('a session keeps the privacy policy of its link with the time of the submission', async (t) => {
  const world = await createWorld();
  const link = await mintWithNotice(world);
  world.advance(MINUTE);
  await world.open(link);
  t.equal((await storedLink(world, link))?.session, undefined, 'a GET records nothing');
  world.advance(MINUTE);
  await world.submitForm(link);
  const at = new Date(START.getTime() + 2 * MINUTE);
  t.strictSame((await sessionOf(world))?.notice, { url: URL, at });
  t.equal((await storedLink(world, link))?.link.config.privacyPolicyUrl, undefined, 'the link has lost it');
});

t.test('a session of a link without a privacy policy has no notice', async (t) => {
  const world = await worldWith({ noticeConfirmation: true });
  t.equal((await world.submitJson(await world.mint(), claim(CONFIRMED))).status, 200);
  t.notOk('notice' in ((await sessionOf(world)) ?? {}));
});

t.test('without noticeConfirmation, a claim says nothing of a confirmation', async (t) => {
  for (const form of [{}, { noticeConfirmation: false }]) {
    const world = await worldWith(form);
    t.equal((await world.submitJson(await mintWithNotice(world), claim(CONFIRMED))).status, 200);
    t.strictSame((await sessionOf(world))?.notice, { url: URL, at: START });
  }
});

t.test('with noticeConfirmation, a session says that the user confirmed', async (t) => {
  for (const send of ['submitJson', 'submitForm'] as const) {
    const world = await worldWith({ noticeConfirmation: true });
    t.equal((await world[send](await mintWithNotice(world), claim(CONFIRMED))).status, 200, send);
    t.strictSame((await sessionOf(world))?.notice, { url: URL, at: START, accepted: true });
  }
});

const UNCONFIRMED: readonly [value: unknown, rule: string][] = [
  [undefined, 'accepted'],
  [false, 'accepted'],
  ['true', 'type'],
  [1, 'type'],
  [null, 'type'],
];
for (const [noticeAccepted, rule] of UNCONFIRMED) {
  t.test(`with noticeConfirmation, noticeAccepted ${JSON.stringify(noticeAccepted)} is a 400`, async (t) => {
    const world = await worldWith({ noticeConfirmation: true });
    const link = await mintWithNotice(world);
    const body = { ...claim(), noticeAccepted };
    const response = await world.submitJson(link, body);
    t.equal(outcomeOf(response), '400 request_invalid');
    t.match(problemOf(response).errors, [{ pointer: '/noticeAccepted', rule }]);
    t.equal(problemOf(response).errors?.length, 1);
    await world.submitForm(link, body);
    t.match(world.widget.forms[0]?.problems, [{ pointer: '/noticeAccepted', rule }]);
    await t.rejects(world.claimlink.submitClaim(link.accessCode, link.token, body), {
      code: 'request_invalid',
      problems: [{ pointer: '/noticeAccepted', rule }],
    });
    t.equal(await sessionOf(world), undefined);
    t.equal((await world.submitJson(link, claim(CONFIRMED))).status, 200, 'the link stays usable');
  });
}

t.test('a missing confirmation is reported with the other problems', async (t) => {
  const world = await worldWith({ noticeConfirmation: true });
  const response = await world.submitJson(await mintWithNotice(world), {});
  t.strictSame(
    problemOf(response).errors?.map(({ pointer }) => pointer),
    ['/policy', '/noticeAccepted'],
  );
});

t.test('a repetition needs no confirmation, and does not change the notice', async (t) => {
  const world = await worldWith({ noticeConfirmation: true });
  const link = await mintWithNotice(world);
  await world.submitJson(link, claim(CONFIRMED));
  world.advance(MINUTE);
  t.match(JSON.parse((await world.submitJson(link, claim())).body), {
    data: { repeated: true, unchanged: true },
  });
  t.strictSame((await sessionOf(world))?.notice, { url: URL, at: START, accepted: true });
});

t.test('the event and the export have the notice, the documented listing does not', async (t) => {
  const world = await createWorld();
  await world.submitJson(await mintWithNotice(world));
  await world.claimlink.idle();
  const notice = { url: URL, at: START };
  t.strictSame(
    world.events.map(({ session }: SubmissionEvent) => session.notice),
    [notice],
  );
  const exported = await world.claimlink.exportUser(CLIENT_ID, USER_ID);
  t.strictSame(exported.sessions[0]?.notice, notice);
  t.match(JSON.stringify(exported), `"notice":{"url":"${URL}","at":"${START.toISOString()}"}`);
  t.notMatch((await world.list()).body, 'notice');
});

t.test('deleteUser deletes the notice with its session', async (t) => {
  const world = await createWorld();
  await world.submitJson(await mintWithNotice(world));
  await world.claimlink.deleteUser(CLIENT_ID, USER_ID);
  t.notMatch(JSON.stringify(world.storage.snapshot()), URL);
});

t.test('a host may add a session with a notice', async (t) => {
  const { claimlink } = await createWorld();
  const notice = { url: URL, at: new Date('2025-01-02T03:04:05.678Z'), accepted: true } as const;
  const session = { clientId: CLIENT_ID, userId: USER_ID, ...storedSession({ notice }) };
  await claimlink.addSession({ ...session, notice: { ...notice, unknown: 1 } as typeof notice });
  t.strictSame((await claimlink.findSession(CLIENT_ID, 'S-1'))?.notice, notice);
  const bad: readonly [changes: object, pointer: object][] = [
    [{ url: undefined }, { pointer: '/notice/url', rule: 'required' }],
    [{ url: 'privacy.html' }, { pointer: '/notice/url', rule: 'url' }],
    [{ url: `${URL}${'x'.repeat(2048)}` }, { pointer: '/notice/url', rule: 'maxLength' }],
    [{ accepted: false }, { pointer: '/notice/accepted' }],
    [{ at: undefined }, { parameter: 'notice.at' }],
    [{ at: '2025-01-02T03:04:05.678Z' }, { parameter: 'notice.at' }],
    [{ at: new Date(Number.NaN) }, { parameter: 'notice.at' }],
  ];
  for (const [changes, problem] of bad) {
    const added = { ...session, reference: 'S-2', notice: { ...notice, ...changes } as typeof notice };
    await t.rejects(claimlink.addSession(added), { code: 'request_invalid', problems: [problem] });
  }
});
