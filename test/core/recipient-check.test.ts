// The question to the recipient of a link: which member it asks, which answers are right, and when the link is locked.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { recipientQuestion } from '../../lib/core/recipient-check.js';
import type { LinkWithClient } from '../../lib/core/storage.js';
import {
  type ClientSettings,
  type PolicyPrefill,
  RECIPIENT_MEMBERS,
  type RecipientMember,
} from '../../lib/core/types.js';
import { skipPauses } from './skip-pauses.js';
import { CLIENT_ID, claim, createWorld, linkRequest, type MintedLink, type World } from './world.js';

const POLICY: PolicyPrefill = {
  number: 'P-2026/77',
  holder: { firstName: 'Ada', lastName: "O'Neill", email: 'ada@example.com', phone: '+49 (30) 123-4567' },
  vehicle: { licensePlate: 'B-CL 2026' },
};
const PLATE = '/policy/vehicle/licensePlate';

function questionFor(policy: PolicyPrefill | undefined, recipientCheck: readonly RecipientMember[]) {
  const { config } = linkRequest();
  const link = { config: { ...config, ...(policy && { policy }) } };
  return recipientQuestion({
    link,
    client: { clientId: CLIENT_ID, settings: { recipientCheck } },
  } as unknown as LinkWithClient);
}

t.test('the question is the first member of the setting that the link prefills', async (t) => {
  const memberOf = (policy?: PolicyPrefill, members: readonly RecipientMember[] = RECIPIENT_MEMBERS) =>
    questionFor(policy, members)?.asked.member;
  t.equal(memberOf(POLICY), PLATE);
  t.equal(memberOf(POLICY, ['/policy/holder/email', PLATE]), '/policy/holder/email');
  t.equal(memberOf({ ...POLICY, vehicle: {} }), '/policy/number');
  t.equal(memberOf({ holder: POLICY.holder ?? {} }), '/policy/holder/lastName');
  for (const policy of [undefined, {}, { provider: 'Acme' }, { holder: { firstName: 'Ada' } }])
    t.equal(memberOf(policy), undefined);
});

t.test('a value with fewer than three characters after normalising is not asked', async (t) => {
  for (const lastName of ['', '-', ' . - ', 'Li', 'L-i', 'ß.', '\u200b\u200b\u200b'])
    t.equal(questionFor({ holder: { lastName } }, ['/policy/holder/lastName']), undefined, lastName);
  t.ok(questionFor({ holder: { lastName: 'L-i.u' } }, ['/policy/holder/lastName']));
  t.ok(questionFor({ holder: { phone: '+49 (1' } }, ['/policy/holder/phone']));
  t.equal(questionFor({ holder: { phone: 'ring me: 12' } }, ['/policy/holder/phone']), undefined);
});

const CHECKED: ClientSettings = { recipientCheck: [PLATE, '/policy/holder/phone'] };

async function checkedWorld(policy: PolicyPrefill = POLICY): Promise<{ world: World; link: MintedLink }> {
  const world = await createWorld({ client: { settings: CHECKED } });
  return { world, link: await mintPrefilled(world, policy) };
}

const mintPrefilled = (world: World, policy = POLICY) =>
  world.mint({ config: { ...linkRequest().config, policy } });

async function momentsOf({ storage }: World, { accessCode }: MintedLink): Promise<string[] | undefined> {
  const moments = await storage.listMoments({
    clientId: CLIENT_ID,
    accessCodeHash: hashAccessCode(accessCode),
  });
  return moments?.map(({ type }) => type);
}

/** Opens a link as a host does. */
const open = ({ claimlink }: World, { accessCode, token }: MintedLink, recipientAnswer?: string) =>
  claimlink.openLink(accessCode, token, recipientAnswer === undefined ? {} : { recipientAnswer });

t.test('openLink needs the answer, and says what to ask, without a value of the prefill', async (t) => {
  const { world, link } = await checkedWorld();
  for (const answer of [undefined, '', ' - . ']) {
    const error = await open(world, link, answer).then(t.fail, (error: unknown) => error);
    t.match(error, {
      code: 'recipient_check_required',
      statusCode: 403,
      problems: [{ pointer: PLATE, rule: 'recipient' }],
    });
  }
  await t.rejects(open(world, link, 'B-CL 2027'), {
    code: 'recipient_check_failed',
    message: 'The answer does not match. Attempts left: 4.',
  });
  t.strictSame((await open(world, link, 'bcl2026')).config.policy, POLICY);
});

t.test('a link is not opened before its question is answered', async (t) => {
  const { world, link } = await checkedWorld();
  const openedAt = () =>
    world.storage.findLink({ clientId: CLIENT_ID, accessCodeHash: hashAccessCode(link.accessCode) });
  await open(world, link).catch(() => undefined);
  await open(world, link, 'wrong').catch(() => undefined);
  t.equal((await openedAt())?.link.openedAt, undefined);
  await open(world, link, 'BCL2026');
  t.ok((await openedAt())?.link.openedAt);
});

t.test('five wrong answers lock the link, also for the right answer; unlockLink opens it', async (t) => {
  t.teardown(skipPauses());
  const { world, link } = await checkedWorld();
  for (let left = 4; left >= 0; left--)
    await t.rejects(open(world, link, `wrong ${left}`), { message: new RegExp(`left: ${left}\\.`) });
  for (const answer of ['BCL2026', 'wrong'])
    await t.rejects(open(world, link, answer), { code: 'link_locked', statusCode: 423 });
  await t.rejects(open(world, link), { code: 'link_locked' });
  const linkId = hashAccessCode(link.accessCode);
  t.equal(await world.claimlink.unlockLink('other', linkId), false);
  t.equal(await world.claimlink.unlockLink(CLIENT_ID, 'a'.repeat(64)), false);
  t.equal(await world.claimlink.unlockLink(CLIENT_ID, linkId), true);
  t.ok((await open(world, link, 'BCL2026')).config.policy);
});

t.test('a right answer takes no attempt, and brings no wrong one back', async (t) => {
  t.teardown(skipPauses());
  const { world, link } = await checkedWorld();
  for (let round = 0; round < 20; round++) await open(world, link, 'BCL2026');
  for (let round = 0; round < 4; round++) {
    await t.rejects(open(world, link, 'wrong'), { code: 'recipient_check_failed' });
    await open(world, link, 'BCL2026');
  }
  await t.rejects(open(world, link, 'wrong'), { message: /left: 0\./ });
  await t.rejects(open(world, link, 'BCL2026'), { code: 'link_locked' });
});

t.test('of 50 concurrent wrong answers five are compared', async (t) => {
  t.teardown(skipPauses());
  const { world, link } = await checkedWorld();
  const codes = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      open(world, link, `wrong ${index}`).catch(({ code }: { code: string }) => code),
    ),
  );
  t.equal(codes.filter((code) => code === 'recipient_check_failed').length, 5);
  t.equal(codes.filter((code) => code === 'link_locked').length, 45);
});

t.test('right answers at once all pass, however many, and lock nothing', async (t) => {
  const { world, link } = await checkedWorld();
  const opened = await Promise.all(Array.from({ length: 50 }, () => open(world, link, 'BCL2026')));
  t.equal(opened.length, 50);
  t.same(await momentsOf(world, link), []);
  await t.rejects(open(world, link, 'wrong'), { message: /left: 4\./ });
});

t.test('the attempts of right answers that are compared at the moment do not lock a link', async (t) => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const world = await createWorld({
    client: { settings: CHECKED },
    wrapStorage: (storage) => ({
      ...storage,
      async takeAttempt(query: Parameters<typeof storage.takeAttempt>[0]) {
        const number = storage.takeAttempt(query);
        // None is left: the right answers give their attempts back.
        if (number === undefined) release();
        return number;
      },
      async returnAttempt(id: Parameters<typeof storage.returnAttempt>[0]) {
        await released;
        storage.returnAttempt(id);
      },
    }),
  });
  const link = await mintPrefilled(world);
  const right = Array.from({ length: 4 }, () => open(world, link, 'BCL2026'));
  await t.rejects(open(world, link, 'wrong'), { message: /left: 4\./ });
  await Promise.all(right);
  t.same(await momentsOf(world, link), []);
  for (let left = 3; left > 0; left--)
    await t.rejects(open(world, link, 'wrong'), { message: new RegExp(`left: ${left}\\.`) });
});

t.test(
  'while attempts are missing, the service asks for two seconds; of a link known to be locked, once',
  async (t) => {
    const pauses: number[] = [];
    t.teardown(skipPauses(pauses));
    const { world, link } = await checkedWorld();
    for (let count = 0; count < 5; count++) await open(world, link, 'wrong').catch(() => undefined);
    const waits = pauses.length;
    t.equal(
      pauses.reduce((sum = 0, pause = 0) => sum + pause, 0),
      2000,
    );
    t.same(await momentsOf(world, link), ['link.locked']);
    await t.rejects(open(world, link, 'BCL2026'), { code: 'link_locked' });
    t.equal(pauses.length, waits);
  },
);

t.test('an answer that waits for an attempt gets it after unlockLink', async (t) => {
  const { world, link } = await checkedWorld();
  const id = { clientId: CLIENT_ID, accessCodeHash: hashAccessCode(link.accessCode) };
  for (let count = 0; count < 5; count++) world.storage.takeAttempt({ ...id, limit: 5 });
  const opened = open(world, link, 'BCL2026');
  await world.claimlink.unlockLink(CLIENT_ID, id.accessCodeHash);
  t.ok((await opened).config.policy);
});

t.test('an attempt is reserved before its answer is compared', async (t) => {
  t.teardown(skipPauses());
  const world = await createWorld({
    client: { settings: CHECKED },
    wrapStorage: (storage) => ({ ...storage, takeAttempt: () => undefined }),
  });
  const link = await mintPrefilled(world);
  await t.rejects(open(world, link, 'BCL2026'), { code: 'link_locked' });
});

t.test('a claim needs the answer as well; its repetition does not', async (t) => {
  const { world, link } = await checkedWorld();
  const { accessCode, token } = link;
  const submit = (recipientAnswer?: string) =>
    world.claimlink.submitClaim(
      accessCode,
      token,
      claim(),
      recipientAnswer === undefined ? {} : { recipientAnswer },
    );
  await t.rejects(submit(), { code: 'recipient_check_required' });
  await t.rejects(submit('wrong'), { code: 'recipient_check_failed' });
  t.equal((await submit('bcl 2026')).repeated, false);
  t.match(await submit(), { repeated: true, unchanged: true });
});

t.test('a link that prefills none of the members shows no prefill, and asks nothing', async (t) => {
  const { world, link } = await checkedWorld({ provider: 'Acme', holder: { lastName: 'Lovelace' } });
  const { config } = await open(world, link);
  t.strictSame(config, linkRequest().config);
  t.equal((await world.claimlink.submitClaim(link.accessCode, link.token, claim())).repeated, false);
});

t.test('another answer than a text is rejected', async (t) => {
  const { world, link } = await checkedWorld();
  for (const proof of [{ recipientAnswer: 1 }, { answer: 'x' }, null])
    await t.rejects(world.claimlink.openLink(link.accessCode, link.token, proof as never), {
      code: 'options_invalid',
    });
});

t.test('clients without the setting ask nothing, and their answer is ignored', async (t) => {
  const world = await createWorld();
  const link = await mintPrefilled(world);
  t.strictSame((await open(world, link)).config.policy, POLICY);
  t.strictSame((await open(world, link, 'wrong')).config.policy, POLICY);
});

t.test(
  'addClient and updateClient reject the setting over a storage or a signer that lacks what it needs',
  async (t) => {
    const client = { clientId: 'checked', settings: CHECKED };
    const plain = await createWorld({
      wrapStorage: ({ takeAttempt: _, ...storage }) => storage,
    });
    const { sign, verify } = plain.signer;
    const unsigned = await createWorld({ signer: { sign, verify } });
    for (const [world, message] of [
      [
        plain,
        /storage must implement CheckStorage, which the client setting recipientCheck needs; it lacks takeAttempt/,
      ],
      [unsigned, /signer must have the method derive, which the client setting recipientCheck needs/],
    ] as const) {
      await t.rejects(world.claimlink.addClient(client), { code: 'options_invalid', message });
      await t.rejects(world.claimlink.updateClient({ ...client, clientId: CLIENT_ID }), {
        code: 'options_invalid',
        message,
      });
      await world.claimlink.addClient({ clientId: 'other', settings: { redirectAfterSeconds: 5 } });
    }
    const pageless = await createWorld({ signer: { sign, verify }, widget: false });
    await pageless.claimlink.addClient(client);
  },
);

t.test(
  'a storage that cannot count attempts opens and takes nothing, also with the right answer',
  async (t) => {
    const world = await createWorld({
      client: { settings: CHECKED },
      wrapStorage: ({ takeAttempt: _, ...storage }) => storage,
    });
    const link = await mintPrefilled(world);
    await t.rejects(open(world, link, 'BCL2026'), { code: 'options_invalid', message: /CheckStorage/ });
    await t.rejects(
      world.claimlink.submitClaim(link.accessCode, link.token, claim(), { recipientAnswer: 'BCL2026' }),
      { code: 'options_invalid' },
    );
  },
);

t.test('a check that this version does not know opens nothing', async (t) => {
  for (const recipientCheck of [['/policy/holder/firstName'], [], 'all', [PLATE, '/later']]) {
    const world = await createWorld({
      client: { settings: { recipientCheck } as unknown as ClientSettings },
    });
    const link = await mintPrefilled(world);
    await t.rejects(open(world, link, 'BCL2026'), { code: 'settings_unknown' });
  }
});

t.test('the setting is a list of different members', async (t) => {
  const { claimlink } = await createWorld();
  const add = (recipientCheck: unknown) =>
    claimlink.addClient({ clientId: 'c', settings: { recipientCheck } as ClientSettings });
  for (const setting of [[], [PLATE, PLATE], ['/policy/provider'], PLATE, null, [1]])
    await t.rejects(add(setting), {
      code: 'request_invalid',
      message:
        /settings\.recipientCheck must be a list of different members: \/policy\/vehicle\/licensePlate,/,
    });
  await add(RECIPIENT_MEMBERS);
});
