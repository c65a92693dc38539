// Contract rules: submitting a claim, once, and where the user goes then.
import {
  expect,
  expectMediaType,
  expectPlaces,
  expectProblem,
  expectStatus,
  fail,
  header,
  jsonOf,
  kindOf,
  listed,
  objectOf,
  statusLine,
} from './expect.js';
import { expectedPolicy, sampleClaim, WANTS_JSON, WANTS_PAGE } from './samples.js';
import { issuedAtMs } from './token.js';
import {
  type ContractSection,
  type ContractWorld,
  referenceIn,
  type SentClaim,
  SUBMIT_RULE,
  type WireSession,
} from './world.js';

/** Clocks of several processes may differ by this much; time zones differ by more. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** How many submit one link at once. */
const MANY = 20;

/** The session that a claim became; asserts that there is exactly one. */
async function sessionOf(world: ContractWorld, { claim }: Pick<SentClaim, 'claim'>): Promise<WireSession> {
  const found = await world.sessionsOf(claim);
  const [session] = found;
  if (session === undefined || found.length > 1)
    return fail('the listing', `${found.length} sessions of one claim`, 'exactly one');
  return session;
}

/** The callback with its placeholders filled in; what is not ASCII as a URL writes it. */
function callbackFor(world: ContractWorld, reference: string, status: string): string {
  return world.target.callbackUrl
    .replaceAll('{SESSION_REFERENCE}', () => encodeURIComponent(reference))
    .replaceAll('{STATUS}', () => encodeURIComponent(status));
}

/** Form pages escape what they show. */
function inHtml(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
}

export const submissionSection: ContractSection = {
  section: 'Decision: submission',
  rules: [
    {
      name: SUBMIT_RULE,
      async check(world) {
        const link = await world.openable();
        await world.open(link);
        const answer = await world.submitJson(link, sampleClaim());
        expectStatus(answer, 200);
        expectMediaType(answer, 'application/json');
        const body = objectOf(jsonOf(answer)) ?? fail(answer.title, kindOf(jsonOf(answer)), 'an object');
        expect(Object.keys(body).join() === 'data', answer.title, listed(Object.keys(body)), 'data only');
        const data = objectOf(body['data']) ?? fail(answer.title, kindOf(body['data']), 'data, an object');
        const names = Object.keys(data).sort().join(', ');
        expect(names === 'redirectUrl, reference', answer.title, names, 'reference, redirectUrl');
        for (const name of ['reference', 'redirectUrl']) {
          const isText = typeof data[name] === 'string' && data[name] !== '';
          expect(isText, answer.title, `${name}: ${kindOf(data[name])}`, 'a text');
        }
      },
    },
    {
      name: 'a submitted claim is one session in the listing of its user, with the reference of the answer',
      async check(world) {
        const sent = await world.aSubmission();
        const session = await sessionOf(world, sent);
        const isSame = session['reference'] === referenceIn(sent.answer);
        expect(isSame, 'the listing', 'another reference', `that of the submission`);
      },
    },
    {
      name: 'the session of a submitted claim has the status submitted',
      async check(world) {
        const { status } = await sessionOf(world, await world.aSubmission());
        expect(status === 'submitted', 'the session', `the status ${kindOf(status)}`, 'submitted');
      },
    },
    {
      name: 'selectedPolicy is what the claim said, and holder.id the id of the user',
      async check(world) {
        const sent = await world.aSubmission();
        const seen = objectOf((await sessionOf(world, sent))['selectedPolicy']) ?? {};
        const expected = expectedPolicy(sent.claim, world.target.userId);
        for (const [name, value] of Object.entries(expected)) {
          const isSame = sorted(seen[name]) === sorted(value);
          expect(isSame, `${name} of the session`, 'something else', 'what the claim said');
        }
      },
    },
    {
      name: 'createdAt and date are the moments of opening and submission, in UTC',
      async check(world) {
        const sent = await world.aSubmission();
        const session = await sessionOf(world, sent);
        const issuedAt = issuedAtMs(sent.link);
        for (const name of ['createdAt', 'date']) {
          const moment = new Date(`${String(session[name]).slice(0, 16)}Z`).getTime();
          const isNear = Math.abs(moment - issuedAt) <= CLOCK_TOLERANCE_MS;
          const says = `within minutes of ${new Date(issuedAt).toISOString().slice(0, 16)}, iat of its link`;
          expect(isNear, name, String(session[name]).slice(0, 40), says);
        }
        const isOrdered = String(session['createdAt']) <= String(session['date']);
        expect(isOrdered, 'the session', 'a createdAt after its date', 'opened first, submitted then');
      },
    },
    {
      name: 'redirectUrl is the callbackUrl as given, its placeholders filled in, nothing appended',
      async check(world) {
        const sent = await world.aSubmission();
        const data = objectOf(objectOf(jsonOf(sent.answer))?.['data']);
        const expected = callbackFor(world, String(referenceIn(sent.answer)), 'submitted');
        const seen = String(data?.['redirectUrl']);
        expect(seen === expected, sent.answer.title, `redirectUrl ${seen.slice(0, 200)}`, expected);
      },
    },
    {
      name: 'a form with callbackOnSubmit: true is answered 303 to the callback',
      async check(world) {
        await world.aSubmission();
        const link = await world.openable({ callbackOnSubmit: true });
        const claim = sampleClaim();
        const answer = await world.submitForm(link, claim, WANTS_PAGE);
        expectStatus(answer, 303);
        const { reference } = await sessionOf(world, { claim });
        const expected = callbackFor(world, String(reference), 'submitted');
        const seen = header(answer, 'location');
        expect(seen === expected, answer.title, `Location: ${seen.slice(0, 200)}`, expected);
      },
    },
    {
      name: 'a form with callbackOnSubmit: false gets the success page, which leads on to the callback',
      async check(world) {
        await world.aSubmission();
        const link = await world.openable({ callbackOnSubmit: false });
        const claim = sampleClaim();
        const answer = await world.submitForm(link, claim, WANTS_PAGE);
        expectStatus(answer, 200);
        expectMediaType(answer, 'text/html');
        expect(header(answer, 'location') === '', answer.title, 'a Location', 'none: a page comes first');
        const { reference } = await sessionOf(world, { claim });
        const target = callbackFor(world, String(reference), 'submitted');
        const leadsOn = answer.body.includes(inHtml(target)) || answer.body.includes(target);
        expect(leadsOn, answer.title, 'a page without the callback', 'a way on to the callback');
      },
    },
    {
      name: 'without callbackOnSubmit the success page is shown: its default is false',
      async check(world) {
        await world.aSubmission();
        const answer = await world.submitForm(await world.openable(), sampleClaim(), WANTS_PAGE);
        expectStatus(answer, 200);
        expectMediaType(answer, 'text/html');
      },
    },
    {
      name: 'a form sent with Accept: application/json is answered as JSON',
      async check(world) {
        await world.aSubmission();
        const answer = await world.submitForm(await world.openable(), sampleClaim(), WANTS_JSON);
        expectStatus(answer, 200);
        const isText = typeof referenceIn(answer) === 'string';
        expect(isText, answer.title, kindOf(jsonOf(answer)), 'data.reference');
      },
    },
    {
      name: 'a claim that is not complete is 400, names every problem, and does not consume the link',
      async check(world) {
        const { policy } = sampleClaim();
        const { number: _, ...incomplete } = policy;
        const link = await world.openable();
        const answer = await world.submitJson(link, { policy: { ...incomplete, validTo: 'soon' } });
        expectPlaces(answer, ['/policy/number', '/policy/validTo']);
        expectStatus(await world.open(link, WANTS_PAGE), 200);
      },
    },
    {
      name: 'a claim of another content type is 415',
      async check(world) {
        const { url } = await world.openable();
        const title = 'POST /verify/<access_code>?token=<token> as text';
        const headers = { 'content-type': 'text/plain', ...WANTS_JSON };
        const answer = await world.send({ method: 'POST', url, title, headers, body: 'x' });
        expectProblem(answer, 415, 'content_type_unsupported');
      },
    },
  ],
};

/** JSON whose members are in a fixed order: the order has rules of its own. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    const object = objectOf(member);
    return object === undefined
      ? member
      : Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export const onceSection: ContractSection = {
  section: 'Decision: one session for each link',
  rules: [
    {
      name: `${MANY} submissions at once create one session, and all get its reference`,
      async check(world) {
        await world.aSubmission();
        const link = await world.openable();
        const claim = sampleClaim();
        const answers = await Promise.all(Array.from({ length: MANY }, () => world.submitJson(link, claim)));
        for (const answer of answers) expectStatus(answer, 200);
        const { reference } = await sessionOf(world, { claim });
        const strangers = answers.filter((answer) => referenceIn(answer) !== reference).length;
        expect(strangers === 0, `${MANY} submissions`, `${strangers} other references`, 'one for all');
      },
    },
    {
      name: 'a repeated submission gets the first outcome, and creates nothing',
      async check(world) {
        const { link, claim, answer: first } = await world.submitted();
        const repeat = await world.submitJson(link, claim);
        expectStatus(repeat, 200);
        expect(repeat.body === first.body, repeat.title, statusLine(repeat), 'the answer to the first one');
        await sessionOf(world, { claim });
      },
    },
    {
      name: 'a second submission with another claim gets the first outcome, too',
      async check(world) {
        const { link, claim, answer: first } = await world.submitted();
        const other = sampleClaim();
        const repeat = await world.submitJson(link, other);
        expectStatus(repeat, 200);
        expect(repeat.body === first.body, repeat.title, statusLine(repeat), 'the answer to the first one');
        const added = (await world.sessionsOf(other)).length;
        expect(added === 0, 'the listing', `${added} sessions of the second claim`, 'none');
        await sessionOf(world, { claim });
      },
    },
  ],
};
