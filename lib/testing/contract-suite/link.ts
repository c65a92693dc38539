// Rules about the link endpoint, its request and the URL in its response.

import type { ErrorRule } from '../../core/errors.js';
import { parseUrl } from '../../core/url.js';
import { type Deployment, isCallbackRejected, LINK_RULE, OPEN_RULE, referenceIn } from './deployment.js';
import {
  bodyKind,
  errorPlaces,
  expect,
  expectErrorsAt,
  expectMediaType,
  expectProblem,
  expectRejection,
  expectStatus,
  expectSuccess,
  fail,
  jsonOf,
  kindOf,
  memberOf,
  NotApplicableError,
  objectOf,
  statusLine,
} from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { LINK_SAMPLE, problemSample } from './sample-responses.js';
import { FULL_CONFIG, randomUserNumber, WANTS_PAGE } from './samples.js';
import { randomName } from './target.js';

/** Sends a minimal link request. Does not apply if the client does not allow the callback. */
async function postMinimalRequest(deployment: Deployment): Promise<TextResponse> {
  const response = await deployment.postLink(deployment.linkRequest());
  if (isCallbackRejected(response))
    throw new NotApplicableError('the client does not allow this callbackUrl: pass --callback-url');
  return response;
}

/** Returns a link request with these members in its config. */
function changed(deployment: Deployment, config: Readonly<Record<string, unknown>>): object {
  const request = deployment.linkRequest();
  return { ...request, config: { ...request.config, ...config } };
}

/** A link request that the deployment must accept. */
function accepted(name: string, make: (deployment: Deployment) => object): ContractRule {
  return {
    name,
    async check(deployment) {
      await deployment.createLink();
      const response = await deployment.postLink(make(deployment));
      expectSuccess(response);
      const data = memberOf(response, 'data');
      expect(typeof data === 'string', response, `data that is ${kindOf(data)}`, 'a URL in data');
    },
  };
}

const LINK_PLACE = 'data of POST /:clientId/link';

export const linkSection: ContractSection = {
  section: 'Contract: POST /:clientId/link',
  advice: 'Return an object with the URL of a new link in data.',
  rules: [
    {
      name: LINK_RULE,
      sample: LINK_SAMPLE,
      async check(deployment) {
        const response = await postMinimalRequest(deployment);
        expectSuccess(response);
        expectMediaType(response, 'application/json');
        const link = objectOf(jsonOf(response));
        expect(link !== undefined, response, bodyKind(response), 'an object with data');
        const { data } = link;
        expect(typeof data === 'string', response, bodyKind(response), 'an object with data, a string');
        expect(parseUrl(data) !== undefined, response, 'data that is no URL', 'an absolute URL in data');
        const names = Object.keys(link);
        expect(names.length === 1, response, bodyKind(response), 'data and nothing else');
      },
    },
    {
      name: 'the URL has the shape {base_url}/verify/<access_code>?token=<encoded_token>',
      sample: LINK_SAMPLE,
      async check(deployment) {
        const { url } = await deployment.createLink();
        const { baseUrl } = deployment.target;
        const shown = deployment.redact(url).slice(0, 200);
        expect(url.startsWith(`${baseUrl}/`), LINK_PLACE, shown, `a URL that starts with ${baseUrl}/`);
        const isShape = /^\/verify\/[^/?#]+\?token=[^&#?]+$/.test(url.slice(baseUrl.length));
        expect(isShape, LINK_PLACE, shown, `${baseUrl}/verify/<access_code>?token=<encoded_token>`);
      },
    },
    {
      name: OPEN_RULE,
      advice:
        'Show a page at the URL of a link. If the deployment has none, respond with 404 there: then this rule does not apply.',
      async check(deployment) {
        const link = await deployment.createLink();
        // An origin that the suite may not request fails the rule.
        const reason = deployment.mayRequest(link.url) ? await deployment.unservedReason() : undefined;
        if (reason !== undefined) throw new NotApplicableError(reason);
        const response = await deployment.open(link, WANTS_PAGE);
        expectStatus(response, 200);
        expectMediaType(response, 'text/html');
        expect(response.body !== '', response, 'an empty page', 'the widget');
      },
    },
    accepted('callbackOnSubmit may be given', (deployment) => ({
      ...deployment.linkRequest(),
      callbackOnSubmit: true,
    })),
  ],
};

/** Members that every link request needs, as JSON Pointers. */
export const REQUIRED_MEMBERS = [
  '/callbackUrl',
  '/config',
  '/config/contact',
  '/config/contact/email',
  '/config/contact/phone',
  '/config/currentUserId',
];

/** Returns a link request with another value at this pointer; `undefined` removes the member. */
export function withMember(deployment: Deployment, pointer: string, value: unknown): object {
  const request = deployment.linkRequest();
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let parent: object = request;
  for (const name of names) parent = Reflect.get(parent, name);
  Reflect.set(parent, last, value);
  return request;
}

/** A value that the deployment must reject with an error for its pointer. */
function rejected(name: string, pointer: string, value: unknown, rule: ErrorRule = 'type'): ContractRule {
  return {
    name,
    sample: problemSample('request_invalid', [pointer], rule),
    async check(deployment) {
      expectErrorsAt(await deployment.postLink(withMember(deployment, pointer, value)), [pointer]);
    },
  };
}

export const configSection: ContractSection = {
  section: 'Contract: Link request configuration',
  advice: 'Accept every documented member of the link request, and reject a request without a required one.',
  rules: [
    ...REQUIRED_MEMBERS.map(
      (pointer): ContractRule => ({
        name: `${pointer} is required: a link request without it is rejected`,
        check: async (deployment) =>
          expectRejection(await deployment.postLink(withMember(deployment, pointer, undefined)), 400),
      }),
    ),
    accepted('policy may be empty: all of its members are optional', (deployment) =>
      changed(deployment, { policy: { holder: {}, vehicle: {}, linkedContacts: [{}] } }),
    ),
    accepted(
      'every documented member of policy, contact.link and privacyPolicyUrl are accepted',
      (deployment) => {
        const { contact } = deployment.linkRequest().config;
        return changed(deployment, {
          ...FULL_CONFIG,
          contact: { ...contact, link: 'https://example.com/help' },
        });
      },
    ),
    {
      name: 'initialStepKey may be a string',
      async check(deployment) {
        await deployment.createLink();
        const response = await deployment.postLink(changed(deployment, { initialStepKey: 'policy' }));
        const places = errorPlaces(response);
        // The contract does not show the allowed values, nor a body that names the member.
        if (response.status === 400 && (places.length === 0 || places.includes('/config/initialStepKey')))
          throw new NotApplicableError('the deployment does not allow the initialStepKey "policy"');
        expectSuccess(response);
      },
    },
    accepted('currentUserId may be a number', (deployment) =>
      changed(deployment, { currentUserId: randomUserNumber() }),
    ),
  ],
};

const WRONG_TYPES: Readonly<Record<string, unknown>> = {
  '/callbackUrl': 7,
  '/callbackOnSubmit': 'true',
  '/config/contact/email': 7,
  '/config/contact/phone': 30123456,
  '/config/contact/link': true,
  '/config/currentUserId': true,
  '/config/policy': 'none',
  '/config/initialStepKey': 1,
  '/config/privacyPolicyUrl': [],
};

const MANY_PROBLEMS = [
  '/callbackUrl',
  '/callbackOnSubmit',
  '/config/contact/email',
  '/config/contact/phone',
  '/config/currentUserId',
  '/config/policy/linkedContacts',
];

export const requestSection: ContractSection = {
  section: 'Decision: ids, unknown members, types',
  advice: 'Validate the link request without type conversion, and report every problem.',
  rules: [
    ...Object.entries(WRONG_TYPES).map(([pointer, value]) =>
      rejected(`${pointer} of a wrong type is rejected, never coerced`, pointer, value),
    ),
    {
      name: 'all problems of a link request are in one response',
      sample: problemSample('request_invalid', MANY_PROBLEMS),
      async check(deployment) {
        const body = {
          callbackUrl: 7,
          callbackOnSubmit: 'yes',
          config: { contact: { email: 7, phone: 7 }, currentUserId: true, policy: { linkedContacts: {} } },
        };
        expectErrorsAt(await deployment.postLink(body), MANY_PROBLEMS);
      },
    },
    accepted('unknown members are ignored, at the top and in config', (deployment) => ({
      ...changed(deployment, { theme: { color: 'red' }, locale: 7 }),
      claimlinkCheck: true,
    })),
    rejected('a currentUserId that is not a whole number is rejected', '/config/currentUserId', 1.5),
    rejected(
      'a currentUserId that is not a safe integer is rejected',
      '/config/currentUserId',
      2 ** 53,
      'maximum',
    ),
    rejected('an empty currentUserId is rejected', '/config/currentUserId', '', 'minLength'),
    rejected(
      'a contact.link with a script is rejected',
      '/config/contact/link',
      'javascript:alert(1)',
      'url',
    ),
    rejected(
      'a privacyPolicyUrl with a script is rejected',
      '/config/privacyPolicyUrl',
      'javascript:alert(1)',
      'url',
    ),
    {
      name: 'a currentUserId that is a number is the user whose id is its digits',
      async check(deployment) {
        const userNumber = randomUserNumber();
        const config = { ...deployment.linkRequest().config, currentUserId: userNumber };
        const { response, claim } = await deployment.submitNewClaim({ config });
        const [session] = await deployment.findSessionsOf(claim, { userId: String(userNumber) });
        const where = 'the listing of the digits';
        if (session === undefined) fail(where, 'not the session', 'the session of the link for the number');
        const isSame = session['reference'] === referenceIn(response);
        expect(isSame, where, 'another reference', `that of the submission, ${statusLine(response)}`);
      },
    },
  ],
};

/** Callback URLs that a browser must not be sent to, and the rule that each breaks. */
const FORBIDDEN_CALLBACKS: Readonly<Record<string, readonly [url: string, rule: ErrorRule]>> = {
  'with the scheme javascript:': ['javascript:alert(1)', 'callback_scheme'],
  'with the scheme data:': ['data:text/html,claimlink-check', 'callback_scheme'],
  'with http: and no loopback host': ['http://example.com/claimlink-check', 'callback_scheme'],
  'with a user name and password': ['https://user:password@example.com/claimlink-check', 'url_credentials'],
  'that is a path': ['/claimlink-check', 'url'],
  'without a scheme': ['//example.com/claimlink-check', 'url'],
  'with a line break': ['https://example.com/claimlink\r\n-check', 'url'],
  'with a backslash': ['https://example.com\\claimlink-check', 'url'],
  'with a placeholder in its host': ['https://{STATUS}.example.com/claimlink-check', 'callback_placeholder'],
};

export const callbackSection: ContractSection = {
  section: 'Decision: callbackUrl',
  advice: 'Reject callback URLs that are not absolute https URLs with a host.',
  rules: Object.entries(FORBIDDEN_CALLBACKS).map(([what, [url, rule]]) =>
    rejected(`a callbackUrl ${what} is rejected`, '/callbackUrl', url, rule),
  ),
};

/** Returns an Idempotency-Key, and the response to the request that used it first. Does not apply if it is ignored. */
async function useIdempotencyKey(deployment: Deployment) {
  await deployment.createLink();
  const key = { 'idempotency-key': randomName() };
  const first = await deployment.postLink(deployment.linkRequest(), key);
  expectSuccess(first);
  const repeated = await deployment.postLink(deployment.linkRequest(), key);
  if (repeated.status === first.status && repeated.body !== first.body)
    throw new NotApplicableError('the deployment ignores the header Idempotency-Key');
  return { key, first, repeated };
}

export const idempotencySection: ContractSection = {
  section: 'Decision: Idempotency-Key',
  advice:
    'Return the URL of the first request for each repetition with its Idempotency-Key, or ignore the header.',
  rules: [
    {
      name: 'a link request that is repeated with its Idempotency-Key gets the same URL',
      sample: LINK_SAMPLE,
      check: async (deployment) => expectSuccess((await useIdempotencyKey(deployment)).repeated),
    },
    {
      name: 'another link request with the same Idempotency-Key is 422',
      sample: problemSample('idempotency_key_reused'),
      async check(deployment) {
        const { key } = await useIdempotencyKey(deployment);
        const other = { ...deployment.linkRequest(), callbackOnSubmit: true };
        expectProblem(await deployment.postLink(other, key), 422, 'idempotency_key_reused');
      },
    },
    {
      name: 'an Idempotency-Key of 256 characters is 400',
      async check(deployment) {
        await useIdempotencyKey(deployment);
        const key = { 'idempotency-key': 'a'.repeat(256) };
        expectStatus(await deployment.postLink(deployment.linkRequest(), key), 400);
      },
    },
  ],
};
