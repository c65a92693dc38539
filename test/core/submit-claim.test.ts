// POST of a claim: once, with the session that comes of it, and where the user goes next.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import type { Session } from '../../lib/core/types.js';
import {
  claim,
  createWorld,
  type MintedLink,
  outcomeOf,
  problemOf,
  referencesOf,
  START,
  storedLink,
  storedSession,
  type World,
} from './world.js';

const MINUTE = 60_000;

t.test('the clock of the service decides which incidents are in the future', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const tomorrow = claim({ incident: { date: '2026-03-04' } });
  for (const response of [await world.submitJson(link, tomorrow), await world.submitForm(link, tomorrow)]) {
    t.equal(response.status, 400);
  }
  t.match(world.widget.forms[0]?.problems, [{ pointer: '/incident/date', rule: 'date_future' }]);
  world.advance(14 * 3_600_000);
  t.equal((await world.submitJson(link, tomorrow)).status, 200);
});

t.test('a claim posted as JSON is answered { data: { reference, date, redirectUrl } }', async (t) => {
  const world = await createWorld({ newReference: (kind) => `${kind}-1` });
  const response = await world.submitJson(await world.mint());
  t.equal(response.status, 200);
  t.equal(
    response.body,
    '{"data":{"reference":"session-1","date":"2026-03-02T10:00","redirectUrl":"https://app.example.com/done"}}',
  );
  t.match(response.headers, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
});

t.test('the session is what the claim says, with what claimlink adds', async (t) => {
  const world = await createWorld({ newReference: (kind) => `${kind}-1` });
  const link = await world.mint();
  world.advance(MINUTE);
  await world.open(link);
  world.advance(MINUTE);
  const incident = { date: '2026-02-28', description: 'Hail' };
  await world.submitJson(link, claim({ incident }));
  const { sessions } = await world.claimlink.listSessions('acme', 'user-1');
  t.strictSame(sessions, [
    {
      reference: 'session-1',
      date: new Date(START.getTime() + 2 * MINUTE),
      camsReference: 'cams-1',
      status: 'submitted',
      createdAt: new Date(START.getTime() + MINUTE),
      selectedPolicy: {
        ...claim().policy,
        holder: { ...claim().policy.holder, id: 'user-1' },
        linkedContacts: [],
      },
      incident,
      link: { linkId: hashAccessCode(link.accessCode) },
    } satisfies Session,
  ]);
});

t.test('a link that was never opened gives the moment of submission as createdAt', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  world.advance(MINUTE);
  await world.submitJson(link);
  const [session] = (await world.claimlink.listSessions('acme', 'user-1')).sessions;
  t.strictSame(session?.createdAt, new Date(START.getTime() + MINUTE));
});

t.test('holder.id is the claim’s when it says one', async (t) => {
  const world = await createWorld();
  const { policy } = claim();
  await world.submitJson(
    await world.mint(),
    claim({ policy: { ...policy, holder: { ...policy.holder, id: 'h-7' } } }),
  );
  const [session] = (await world.claimlink.listSessions('acme', 'user-1')).sessions;
  t.equal(session?.selectedPolicy.holder.id, 'h-7');
});

t.test('references are random by default and easy to read out', async (t) => {
  const world = await createWorld();
  await world.submitJson(await world.mint());
  const [session] = (await world.claimlink.listSessions('acme', 'user-1')).sessions;
  t.match(session?.reference, /^S-[0-9A-HJKMNP-TV-Z]{16}$/);
  t.match(session?.camsReference, /^C-[0-9A-HJKMNP-TV-Z]{16}$/);
});

t.test('a JSON repeat gets the first outcome, and learns whether its claim is stored', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const { data: first } = JSON.parse((await world.submitJson(link)).body);
  const repeat = async (body?: unknown) => JSON.parse((await world.submitJson(link, body)).body).data;
  const { policy, ...others } = claim();
  const reordered = JSON.parse(
    JSON.stringify({ ...others, policy: Object.fromEntries(Object.entries(policy).reverse()) }),
  );
  t.strictSame(await repeat(), { ...first, repeated: true, unchanged: true });
  t.strictSame(await repeat(reordered), { ...first, repeated: true, unchanged: true });
  t.strictSame(await repeat({ ...claim(), unknown: 1 }), { ...first, repeated: true, unchanged: true });
  for (const other of [
    { not: 'a claim' },
    null,
    { ...claim(), incident: { description: 'Corrected.' } },
    { ...claim(), extra: { photos: 1 } },
    { ...claim(), policy: { ...policy, number: 'corrected' } },
  ]) {
    t.strictSame(await repeat(other), { ...first, repeated: true, unchanged: false });
  }
  t.equal(referencesOf(await world.list()).length, 1);
});

t.test(
  'a repetition is the stored claim, also if an older version stored invisible characters in its codes',
  async (t) => {
    const pasted = (code: string) => `\u202d${code}\u202c`;
    const world = await createWorld({
      wrapStorage: ({ submitLink, ...storage }) => ({
        ...storage,
        submitLink(submission) {
          const { session } = submission;
          const { number, vehicle, ...policy } = session.selectedPolicy;
          const selectedPolicy = {
            ...policy,
            number: pasted(number),
            vehicle: { licensePlate: pasted(vehicle.licensePlate) },
          };
          const incident = { ...session.incident, policeReference: '\u200b' };
          return submitLink({ ...submission, session: { ...session, selectedPolicy, incident } });
        },
      }),
    });
    const { accessCode, token } = await world.mint();
    const submit = (policy: object, incident: object) =>
      world.claimlink.submitClaim(accessCode, token, { policy: { ...claim().policy, ...policy }, incident });
    const number = claim().policy.number ?? '';
    await submit({}, {});
    for (const [policy, incident] of [
      [{}, {}],
      [{ number: pasted(number) }, { policeReference: '\u2060' }],
    ] as const)
      t.match(await submit(policy, incident), { repeated: true, unchanged: true });
    t.match(await submit({ number: `${number}1` }, {}), { repeated: true, unchanged: false });
  },
);

t.test('of two concurrent submissions with two claims, one learns that it is not stored', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const claims = ['first', 'second'].map((number) => ({
    ...claim(),
    policy: { ...claim().policy, number },
  }));
  const responses = await Promise.all(claims.map((body) => world.submitJson(link, body)));
  const outcomes = responses.map(({ body }) => JSON.parse(body).data.unchanged);
  t.strictSame(outcomes.filter((unchanged) => unchanged === false).length, 1);
  const stored = (await world.claimlink.listSessions('acme', 'user-1')).sessions[0]?.selectedPolicy.number;
  t.equal(stored, claims[outcomes.indexOf(undefined)]?.policy.number);
});

t.test('a form repeat gets the first reference and creates nothing', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  await world.submitForm(link);
  t.equal((await world.submitForm(link)).status, 200);
  const [first, second] = world.widget.successes;
  t.equal(first?.reference, second?.reference);
  t.equal(referencesOf(await world.list()).length, 1);
});

t.test('of 100 concurrent submissions one creates the session, and all get its reference', async (t) => {
  const world = await createWorld();
  const { accessCode, token } = await world.mint();
  const submissions = await Promise.all(
    Array.from({ length: 100 }, () => world.claimlink.submitClaim(accessCode, token, claim())),
  );
  t.equal(new Set(submissions.map(({ reference }) => reference)).size, 1);
  t.equal(submissions.filter(({ repeated }) => !repeated).length, 1);
  t.equal(referencesOf(await world.list()).length, 1);
  t.equal(world.events.length, 1);
});

t.test('onSubmit gets the id of the event, client, user, link and session, once', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  await world.submitJson(link);
  await world.submitJson(link);
  const { sessions } = await world.claimlink.listSessions('acme', 'user-1');
  const [{ id = '' } = {}] = world.events;
  t.match(id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  const linkId = hashAccessCode(link.accessCode);
  t.strictSame(world.events, [
    {
      type: 'claim.submitted',
      id,
      attempt: 1,
      clientId: 'acme',
      userId: 'user-1',
      linkId,
      session: sessions[0],
    },
  ]);
});

t.test('a bad claim as JSON is 400 with a pointer for each problem, and the link stays usable', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const response = await world.submitJson(link, { policy: { ...claim().policy, validTo: 'x', number: '' } });
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame(
    problemOf(response)
      .errors?.map(({ pointer }) => pointer)
      .sort(),
    ['/policy/number', '/policy/validTo'],
  );
  t.equal((await world.submitJson(link)).status, 200);
});

t.test('a bad claim as a form shows the form again, with what was typed and what is wrong', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const response = await world.submitForm(link, { policy: claim().policy, incident: { date: 'x' } });
  t.equal(response.status, 400);
  t.match(
    response.headers['content-security-policy'],
    'https://app.example.com',
    'the callback is in the policy again',
  );
  const [form] = world.widget.forms;
  t.strictSame(form?.problems, [
    { pointer: '/incident/date', rule: 'format', detail: 'must be a date, YYYY-MM-DD' },
  ]);
  t.match(form?.fields?.get('claim'), '"date":"x"');
  t.equal((await storedLink(world, link))?.link.openedAt, undefined, 'posting is not opening');
  t.equal((await world.submitForm(link)).status, 200);
});

type Ending = (world: World, link: MintedLink) => unknown;
const ENDINGS: Record<string, [code: string, end: Ending]> = {
  expired: ['link_expired', (world) => world.advance(86_400_000)],
  revoked: [
    'link_revoked',
    (world, { accessCode }) => world.claimlink.revokeLink('acme', hashAccessCode(accessCode)),
  ],
};

for (const [what, [code, end]] of Object.entries(ENDINGS)) {
  t.test(`a claim on a link that is ${what}is 410 ${code} before its body is read`, async (t) => {
    const world = await createWorld();
    const link = await world.mint();
    await end(world, link);
    const body = () => Promise.reject(new Error('read'));
    const headers = { 'content-type': 'application/json' };
    t.equal(outcomeOf(await world.send('POST', link.target, { headers, body })), `410 ${code}`);
    t.equal((await world.submitForm(link)).status, 410);
    t.equal(world.widget.unavailables[0]?.code, code);
    t.equal(referencesOf(await world.list()).length, 0);
    t.equal(world.errors.length, 0);
  });

  t.test(`a claim on a link that is ${what} while it is under way is 410 ${code}`, async (t) => {
    const world: World = await createWorld({
      wrapStorage: (storage) => ({
        ...storage,
        submitLink: (submission) => storage.submitLink({ ...submission, at: world.now() }),
      }),
    });
    const link = await world.mint();
    const headers = { 'content-type': 'application/json' };
    const body = async () => {
      await end(world, link);
      return JSON.stringify(claim());
    };
    t.equal(outcomeOf(await world.send('POST', link.target, { headers, body })), `410 ${code}`);
  });
}

t.test('a link that is deleted while its claim is under way is 404', async (t) => {
  const world = await createWorld({
    wrapStorage: (storage) => ({ ...storage, submitLink: () => ({ outcome: 'not_found' }) }),
  });
  t.equal(outcomeOf(await world.submitJson(await world.mint())), '404 link_not_found');
});

t.test('a repeat after the end of a link gets the first outcome while the link is stored', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const { data: first } = JSON.parse((await world.submitJson(link)).body);
  world.advance(86_400_000);
  const { data: repeat } = JSON.parse((await world.submitJson(link)).body);
  t.strictSame(repeat, { ...first, repeated: true, unchanged: true });
  t.equal(outcomeOf(await world.open(link, { accept: 'application/json' })), '410 link_submitted');
  await world.storage.deleteExpiredLinks(world.now());
  world.advance(1);
  await world.storage.deleteExpiredLinks(world.now());
  t.equal(outcomeOf(await world.submitJson(link)), '410 link_expired');
});

const BODIES: Record<string, [contentType: string | undefined, status: number]> = {
  'no content type': [undefined, 415],
  'text/plain': ['text/plain', 415],
  'a multipart form': ['multipart/form-data; boundary=x', 415],
  'a form in latin1': ['application/x-www-form-urlencoded; charset=latin1', 415],
  'an empty form': ['application/x-www-form-urlencoded', 400],
};

for (const [what, [contentType, status]] of Object.entries(BODIES)) {
  t.test(`a claim with ${what} is ${status}, as a page`, async (t) => {
    const world = await createWorld();
    const { target } = await world.mint();
    const response = await world.send('POST', target, { headers: { 'content-type': contentType }, body: '' });
    t.equal(response.status, status);
    t.match(response.headers['content-type'], 'text/html');
  });
}

t.test('a reference that is taken is generated again', async (t) => {
  const drawn = ['S-1', 'C-1', 'S-1', 'C-2', 'S-2', 'C-3'];
  const world = await createWorld({ newReference: () => drawn.shift() ?? '' });
  await world.storage.insertSession({
    clientId: 'acme',
    userId: 'user-2',
    ...storedSession({ reference: 'S-1' }),
  });
  t.match(JSON.parse((await world.submitJson(await world.mint())).body), { data: { reference: 'S-2' } });
});

t.test('a generator that always gives the same reference is a 500 that onError explains', async (t) => {
  const world = await createWorld({ newReference: () => 'S-1' });
  await world.submitJson(await world.mint());
  t.equal(outcomeOf(await world.submitJson(await world.mint())), '500 internal');
  t.match(world.errors[0]?.error, { message: /3 references of newReference in a row as taken/ });
});

t.test('submitClaim called directly tells a repeat, and rejects what HTTP rejects', async (t) => {
  const { claimlink, mint } = await createWorld({ widget: false });
  const { accessCode, token } = await mint({ callbackOnSubmit: true });
  await t.rejects(claimlink.submitClaim(accessCode, token, {} as never), { code: 'request_invalid' });
  await t.rejects(claimlink.submitClaim('x', token, claim()), { code: 'link_not_found' });
  const first = await claimlink.submitClaim(accessCode, token, claim());
  t.match(first, { repeated: false, callbackOnSubmit: true, redirectUrl: 'https://app.example.com/done' });
  const second = await claimlink.submitClaim(accessCode, token, claim());
  t.match(second, { repeated: true, reference: first.reference });
  t.strictSame(second.session, first.session);
});

const NO_REFERENCES: Record<string, unknown> = {
  undefined: undefined,
  'a number': 1,
  'an empty string': '',
  'a lone surrogate': '\ud800',
  'a line end': 'S-1\n',
  '101 characters': 'S'.repeat(101),
};

for (const [what, nothing] of Object.entries(NO_REFERENCES)) {
  t.test(`a generator that gives ${what}is a 500 that onError explains; nothing is stored`, async (t) => {
    const world = await createWorld({ newReference: () => nothing as string });
    const link = await world.mint();
    t.equal(outcomeOf(await world.submitJson(link)), '500 internal');
    t.match(world.errors[0]?.error, {
      message: /newReference\('session'\) returned an invalid reference: it must /,
    });
    t.equal((await storedLink(world, link))?.link.submittedAt, undefined);
    t.strictSame(referencesOf(await world.list()), []);
  });
}
