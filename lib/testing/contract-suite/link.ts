// Rules about the link endpoint, its request and the URL in its response.

import { parseUrl } from '../../core/url.js';
import { type Deployment, isCallbackRefused, LINK_RULE, OPEN_RULE, referenceIn } from './deployment.js';
import {
  errorPlaces,
  expect,
  expectErrorsAt,
  expectMediaType,
  expectStatus,
  fail,
  jsonOf,
  kindOf,
  listed,
  memberOf,
  NotApplicableError,
  objectOf,
  statusLine,
} from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { FULL_CONFIG, randomUserNumber, WANTS_PAGE } from './samples.js';

/** Sends a minimal link request. Does not apply if the client does not allow the callback. */
async function postMinimalRequest(deployment: Deployment): Promise<TextResponse> {
  const response = await deployment.postLink(deployment.linkRequest());
  if (isCallbackRefused(response))
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
      expectStatus(response, 200);
      const data = memberOf(response, 'data');
      expect(typeof data === 'string', response, `data that is ${kindOf(data)}`, 'a URL in data');
    },
  };
}

const LINK_PLACE = 'data of POST /:clientId/link';

export const linkSection: ContractSection = {
  section: 'Contract: POST /:clientId/link',
  advice: 'Correct the link endpoint as in the contract, POST /:clientId/link.',
  rules: [
    {
      name: LINK_RULE,
      async check(deployment) {
        const response = await postMinimalRequest(deployment);
        expectStatus(response, 200);
        expectMediaType(response, 'application/json');
        const link = objectOf(jsonOf(response));
        expect(link !== undefined, response, kindOf(jsonOf(response)), 'an object with data');
        const { data } = link;
        expect(typeof data === 'string', response, `data that is ${kindOf(data)}`, 'data, a string');
        expect(parseUrl(data) !== undefined, response, 'data that is no URL', 'an absolute URL in data');
        const names = Object.keys(link);
        expect(names.length === 1, response, `an object with ${listed(names)}`, 'data and nothing else');
      },
    },
    {
      name: 'the URL has the shape {base_url}/verify/<access_code>?token=<encoded_token>',
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
      async check(deployment) {
        const link = await deployment.createLink();
        // The rule also applies to pages of a host, but not to an allowed origin that is unreachable from here.
        const isBelowBaseUrl = link.url.startsWith(`${deployment.target.baseUrl}/`);
        if (!isBelowBaseUrl && deployment.mayRequest(link.url)) await deployment.createOpenableLink();
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

const REQUIRED_MEMBERS = [
  '/callbackUrl',
  '/config',
  '/config/contact',
  '/config/contact/email',
  '/config/contact/phone',
  '/config/currentUserId',
];

/** Returns a link request with another value at this pointer; `undefined` removes the member. */
function withMember(deployment: Deployment, pointer: string, value: unknown): object {
  const request = deployment.linkRequest();
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let parent: object = request;
  for (const name of names) parent = Reflect.get(parent, name);
  Reflect.set(parent, last, value);
  return request;
}

/** A value that the deployment must refuse with an error for its pointer. */
function refused(name: string, pointer: string, value: unknown): ContractRule {
  return {
    name,
    async check(deployment) {
      expectErrorsAt(await deployment.postLink(withMember(deployment, pointer, value)), [pointer]);
    },
  };
}

export const configSection: ContractSection = {
  section: 'Contract: Link request configuration',
  advice: 'Accept and validate the link request as the contract documents its configuration.',
  rules: [
    ...REQUIRED_MEMBERS.map((pointer) =>
      refused(`${pointer} is required: without it, a 400 that names it`, pointer, undefined),
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
        if (response.status === 400 && errorPlaces(response).includes('/config/initialStepKey'))
          throw new NotApplicableError('the deployment restricts initialStepKey (stepKeys)');
        expectStatus(response, 200);
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

export const requestSection: ContractSection = {
  section: 'Decision: ids, unknown members, types',
  advice: 'Validate the link request without type conversion, and report every problem.',
  rules: [
    ...Object.entries(WRONG_TYPES).map(([pointer, value]) =>
      refused(`${pointer} of a wrong type is refused, never coerced`, pointer, value),
    ),
    {
      name: 'all problems of a link request are in one response',
      async check(deployment) {
        const body = {
          callbackUrl: 7,
          callbackOnSubmit: 'yes',
          config: { contact: { email: 7 }, currentUserId: true, policy: { linkedContacts: {} } },
        };
        expectErrorsAt(await deployment.postLink(body), [
          '/callbackUrl',
          '/callbackOnSubmit',
          '/config/contact/email',
          '/config/contact/phone',
          '/config/currentUserId',
          '/config/policy/linkedContacts',
        ]);
      },
    },
    accepted('unknown members are ignored, at the top and in config', (deployment) => ({
      ...changed(deployment, { theme: { color: 'red' }, locale: 7 }),
      claimlinkCheck: true,
    })),
    refused('a currentUserId that is not a whole number is refused', '/config/currentUserId', 1.5),
    refused('a currentUserId that is not a safe integer is refused', '/config/currentUserId', 2 ** 53),
    refused('an empty currentUserId is refused', '/config/currentUserId', ''),
    refused('a contact.link with a script is refused', '/config/contact/link', 'javascript:alert(1)'),
    refused('a privacyPolicyUrl with a script is refused', '/config/privacyPolicyUrl', 'javascript:alert(1)'),
    {
      name: 'a currentUserId that is a number is the user whose id is its digits',
      async check(deployment) {
        const userNumber = randomUserNumber();
        const config = { ...deployment.linkRequest().config, currentUserId: userNumber };
        const { response, claim } = await deployment.submitNewClaim({ config });
        const [session] = await deployment.findSessionsOf(claim, String(userNumber));
        const where = 'the listing of the digits';
        if (session === undefined) fail(where, 'not the session', 'the session of the link for the number');
        const isSame = session['reference'] === referenceIn(response);
        expect(isSame, where, 'another reference', `that of the submission, ${statusLine(response)}`);
      },
    },
  ],
};

/** Callback URLs that a browser must not be sent to. */
const FORBIDDEN_CALLBACKS: Readonly<Record<string, string>> = {
  'with the scheme javascript:': 'javascript:alert(1)',
  'with the scheme data:': 'data:text/html,claimlink-check',
  'with http: and no loopback host': 'http://example.com/claimlink-check',
  'with a user name and password': 'https://user:password@example.com/claimlink-check',
  'that is a path': '/claimlink-check',
  'without a scheme': '//example.com/claimlink-check',
  'with a line break': 'https://example.com/claimlink\r\n-check',
  'with a backslash': 'https://example.com\\claimlink-check',
  'with a placeholder in its host': 'https://{STATUS}.example.com/claimlink-check',
};

export const callbackSection: ContractSection = {
  section: 'Decision: callbackUrl',
  advice: 'Refuse callback URLs that are not absolute https URLs with a host.',
  rules: Object.entries(FORBIDDEN_CALLBACKS).map(([what, url]) =>
    refused(`a callbackUrl ${what} is refused`, '/callbackUrl', url),
  ),
};
