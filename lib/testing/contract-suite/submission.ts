// Rules about submitting a claim: the response, the session, the redirect, and that it happens once.

import type { LinkRequest } from '../../core/types.js';
import { type Deployment, referenceIn, type SentClaim, SUBMIT_RULE } from './deployment.js';
import {
  bodyKind,
  errorPlaces,
  expect,
  expectErrorsAt,
  expectMediaType,
  expectProblem,
  expectStatus,
  fail,
  header,
  jsonOf,
  kindOf,
  listed,
  memberOf,
  objectOf,
} from './expect.js';
import type { TextResponse, WireSession } from './response.js';
import type { ContractSection } from './rule.js';
import { expectedPolicy, WANTS_JSON, WANTS_PAGE } from './samples.js';
import { issuedAtMs } from './token.js';

/** Allowed difference between clocks. It is smaller than the difference between time zones. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** Number of concurrent submissions of one link. */
const MANY = 20;

/** Returns the session of a claim. Asserts that there is exactly one. */
async function sessionOf(
  deployment: Deployment,
  { claim, response }: Pick<SentClaim, 'claim' | 'response'>,
): Promise<WireSession> {
  const [session, ...others] = await deployment.findSessionsOf(claim, { reference: referenceIn(response) });
  if (session === undefined || others.length > 0)
    return fail('the listing', `${session ? others.length + 1 : 0} sessions of one claim`, 'exactly one');
  return session;
}

/** Submits the form of a new link. */
async function submitNewForm(
  deployment: Deployment,
  accept: typeof WANTS_PAGE,
  changes: Partial<LinkRequest> = {},
): Promise<SentClaim> {
  await deployment.sharedSubmission();
  const link = await deployment.createOpenableLink(changes);
  const claim = deployment.newClaim();
  return { link, claim, response: await deployment.submitForm(link, claim, accept) };
}

/** Returns the callback URL of a submitted claim. */
function callbackFor(deployment: Deployment, reference: unknown): string {
  return deployment.target.callbackUrl
    .replaceAll('{SESSION_REFERENCE}', () => encodeURIComponent(String(reference)))
    .replaceAll('{STATUS}', 'submitted');
}

/** Expects the outcome of the first submission of the link. */
function expectSameOutcome(repeat: TextResponse, first: TextResponse): void {
  expectStatus(repeat, 200);
  const [repeated, expected] = [repeat, first].map((response) => objectOf(memberOf(response, 'data')) ?? {});
  const isSame = OUTCOME.every((name) => repeated?.[name] === expected?.[name]);
  expect(isSame, repeat, 'another outcome', 'reference, date and redirectUrl of the first submission');
}

const OUTCOME = ['reference', 'date', 'redirectUrl'] as const;

/** Expects a response that says whether the claim is the stored one. */
function expectRepeated(repeat: TextResponse, unchanged: boolean): void {
  const data = objectOf(memberOf(repeat, 'data')) ?? {};
  const members = `repeated ${String(data['repeated'])}, unchanged ${String(data['unchanged'])}`;
  const expected = `repeated true, unchanged ${unchanged}`;
  expect(members === expected, repeat, members, expected);
}

/** Escapes a URL as the success page does. */
function inHtml(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
}

export const submissionSection: ContractSection = {
  section: 'Decision: submission',
  advice: 'Accept a claim at the URL of the link, and send the user to the callback URL.',
  rules: [
    {
      name: SUBMIT_RULE,
      async check(deployment) {
        const link = await deployment.createOpenableLink();
        await deployment.open(link);
        const response = await deployment.submitJson(link, deployment.newClaim());
        deployment.assertKnownQuestions(response);
        expectStatus(response, 200);
        expectMediaType(response, 'application/json');
        const body = objectOf(jsonOf(response)) ?? fail(response, bodyKind(response), 'an object');
        expect(Object.keys(body).join() === 'data', response, listed(Object.keys(body)), 'data only');
        const data = objectOf(body['data']) ?? fail(response, kindOf(body['data']), 'data, an object');
        const names = Object.keys(data).sort().join(', ');
        expect(names === 'date, redirectUrl, reference', response, names, 'reference, date, redirectUrl');
        for (const name of ['reference', 'date', 'redirectUrl']) {
          const isText = typeof data[name] === 'string' && data[name] !== '';
          expect(isText, response, `${name}: ${kindOf(data[name])}`, 'a text');
        }
      },
    },
    {
      name: 'a submitted claim is one session in the listing of its user, with the reference of the response',
      async check(deployment) {
        const sent = await deployment.sharedSubmission();
        const session = await sessionOf(deployment, sent);
        const isSame = session['reference'] === referenceIn(sent.response);
        expect(isSame, 'the listing', 'another reference', 'the reference of the submission');
      },
    },
    {
      name: 'the session of a submitted claim has the status submitted',
      async check(deployment) {
        const { status } = await sessionOf(deployment, await deployment.sharedSubmission());
        expect(status === 'submitted', 'the session', `the status ${kindOf(status)}`, 'submitted');
      },
    },
    {
      name: 'selectedPolicy has the values of the claim, and holder.id is the id of the user if the claim has none',
      async check(deployment) {
        const sent = await deployment.sharedSubmission();
        const policy = objectOf((await sessionOf(deployment, sent))['selectedPolicy']) ?? {};
        const expected = expectedPolicy(sent.claim, deployment.target.userId);
        for (const [name, value] of Object.entries(expected)) {
          if (value === undefined) continue;
          const isSame = sorted(policy[name]) === sorted(value);
          expect(isSame, `${name} of the session`, 'another value', 'the value in the claim');
        }
      },
    },
    {
      name: 'createdAt and date are the times of opening and submission, in UTC',
      async check(deployment) {
        const sent = await deployment.sharedSubmission();
        const session = await sessionOf(deployment, sent);
        const isOrdered = String(session['createdAt']) <= String(session['date']);
        expect(isOrdered, 'the session', 'a createdAt after its date', 'createdAt not after date');
        const issuedAt = issuedAtMs(sent.link);
        for (const name of ['createdAt', 'date']) {
          const moment = new Date(`${String(session[name]).slice(0, 16)}Z`).getTime();
          const isNear = Math.abs(moment - issuedAt) <= CLOCK_TOLERANCE_MS;
          const expectedText = `within minutes of ${new Date(issuedAt).toISOString().slice(0, 16)}, iat of its link`;
          expect(isNear, name, String(session[name]).slice(0, 40), expectedText);
        }
      },
    },
    {
      name: 'redirectUrl is the callbackUrl as given, its placeholders filled in, nothing appended',
      async check(deployment) {
        const sent = await deployment.sharedSubmission();
        const expected = callbackFor(deployment, referenceIn(sent.response));
        const actual = String(objectOf(memberOf(sent.response, 'data'))?.['redirectUrl']);
        expect(actual === expected, sent.response.title, `redirectUrl ${actual.slice(0, 200)}`, expected);
      },
    },
    {
      name: 'a form with callbackOnSubmit: true is answered 303 to the callback',
      async check(deployment) {
        const sent = await submitNewForm(deployment, WANTS_PAGE, { callbackOnSubmit: true });
        const { response } = sent;
        expectStatus(response, 303);
        const { reference } = await sessionOf(deployment, sent);
        const expected = callbackFor(deployment, reference);
        const actual = header(response, 'location');
        expect(actual === expected, response, `Location: ${actual.slice(0, 200)}`, expected);
      },
    },
    {
      name: 'a form with callbackOnSubmit: false gets the success page, with a link to the callback',
      async check(deployment) {
        const sent = await submitNewForm(deployment, WANTS_PAGE, { callbackOnSubmit: false });
        const { response } = sent;
        expectStatus(response, 200);
        expectMediaType(response, 'text/html');
        expect(header(response, 'location') === '', response, 'a Location header', 'no Location header');
        const { reference } = await sessionOf(deployment, sent);
        const target = callbackFor(deployment, reference);
        const leadsOn = response.body.includes(inHtml(target)) || response.body.includes(target);
        expect(leadsOn, response, 'a page without the callback', 'a link to the callback');
      },
    },
    {
      name: 'without callbackOnSubmit the success page is shown: its default is false',
      async check(deployment) {
        const { response } = await submitNewForm(deployment, WANTS_PAGE);
        expectStatus(response, 200);
        expectMediaType(response, 'text/html');
      },
    },
    {
      name: 'a form sent with Accept: application/json is answered as JSON',
      async check(deployment) {
        const { response } = await submitNewForm(deployment, WANTS_JSON);
        expectStatus(response, 200);
        const isText = typeof referenceIn(response) === 'string';
        expect(isText, response, bodyKind(response), 'data.reference');
      },
    },
    {
      name: 'a claim that is not complete is 400, names every problem, and does not consume the link',
      async check(deployment) {
        const { policy, incident } = deployment.newClaim();
        const link = await deployment.createOpenableLink();
        const response = await deployment.submitJson(link, {
          policy: { ...policy, number: undefined, holder: {}, validTo: 'soon' },
          incident,
        });
        // The form of a client may let its users leave out the other members. One of these two is always required.
        const reachable = ['phone', 'email'].map((member) => `/policy/holder/${member}`);
        const required = reachable.find((place) => errorPlaces(response).includes(place));
        expectErrorsAt(response, [required ?? '/policy/holder/email', '/policy/validTo']);
        expectStatus(await deployment.open(link, WANTS_PAGE), 200);
      },
    },
    {
      name: 'a claim with an incident after today, or a phone number without three digits, is 400',
      async check(deployment) {
        const { policy } = deployment.newClaim();
        const link = await deployment.createOpenableLink();
        const response = await deployment.submitJson(link, {
          policy: { ...policy, holder: { ...policy.holder, phone: 'n/a' } },
          incident: { date: '9999-12-31' },
        });
        expectErrorsAt(response, ['/incident/date', '/policy/holder/phone']);
      },
    },
    {
      name: 'a claim of another content type is 415',
      async check(deployment) {
        const { url } = await deployment.createOpenableLink();
        const title = 'POST /verify/<access_code>?token=<token> as text';
        const headers = { 'content-type': 'text/plain', ...WANTS_JSON };
        const response = await deployment.send({ method: 'POST', url, title, headers, body: 'x' });
        expectProblem(response, 415, 'content_type_unsupported');
      },
    },
  ],
};

/** Returns JSON with sorted members, because other rules check the order. */
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
  advice: 'Consume the link and insert the session in one atomic storage call.',
  rules: [
    {
      name: `${MANY} submissions at once create one session, and all get its reference`,
      async check(deployment) {
        await deployment.sharedSubmission();
        const link = await deployment.createOpenableLink();
        const claim = deployment.newClaim();
        const responses = await Promise.all(
          Array.from({ length: MANY }, () => deployment.submitJson(link, claim)),
        );
        for (const response of responses) expectStatus(response, 200);
        const [response] = responses as [TextResponse];
        const { reference } = await sessionOf(deployment, { claim, response });
        const others = responses.filter((response) => referenceIn(response) !== reference).length;
        expect(others === 0, `${MANY} submissions`, `${others} other references`, 'one reference');
      },
    },
    {
      name: 'a repeated submission gets the first outcome, and creates nothing',
      async check(deployment) {
        const first = await deployment.submitNewClaim();
        const repeat = await deployment.submitJson(first.link, first.claim);
        expectSameOutcome(repeat, first.response);
        await sessionOf(deployment, first);
      },
    },
    {
      name: 'a second submission with another claim also gets the first outcome',
      async check(deployment) {
        const first = await deployment.submitNewClaim();
        const other = deployment.newClaim();
        const repeat = await deployment.submitJson(first.link, other);
        expectSameOutcome(repeat, first.response);
        const added = deployment.target.claim ? 0 : (await deployment.findSessionsOf(other)).length;
        expect(added === 0, 'the listing', `${added} sessions of the second claim`, 'no session');
        await sessionOf(deployment, first);
      },
    },
    {
      name: 'a repeated submission says that it is one, and whether its claim is the stored one',
      async check(deployment) {
        const { link, claim } = await deployment.submitNewClaim();
        expectRepeated(await deployment.submitJson(link, claim), true);
        expectRepeated(await deployment.submitJson(link, deployment.newClaim()), false);
        expectRepeated(await deployment.submitJson(link, {}), false);
      },
    },
  ],
};
