// Contract rules: the link endpoint, its request and the URL it answers.
import { parseUrl } from '../../core/url.js';
import type { Answer } from './client.js';
import {
  expect,
  expectMediaType,
  expectPlaces,
  expectStatus,
  fail,
  jsonOf,
  kindOf,
  listed,
  NotApplicableError,
  objectOf,
  placesOf,
  statusLine,
} from './expect.js';
import { FULL_CONFIG, minimalLinkRequest, randomUserNumber, WANTS_PAGE } from './samples.js';
import {
  type ContractRule,
  type ContractSection,
  type ContractWorld,
  LINK_RULE,
  referenceIn,
} from './world.js';

/** POSTs a minimal link request; says nothing where the client forbids the callback. */
async function minimal(world: ContractWorld): Promise<Answer> {
  const answer = await world.postLink(minimalLinkRequest(world.target.callbackUrl, world.target.userId));
  const isForbidden = answer.status === 400 && placesOf(answer).join() === '/callbackUrl';
  if (isForbidden)
    throw new NotApplicableError('the client does not allow this callbackUrl: give --callback-url');
  return answer;
}

function changed(world: ContractWorld, config: Readonly<Record<string, unknown>>): object {
  const request = minimalLinkRequest(world.target.callbackUrl, world.target.userId);
  return { ...request, config: { ...request.config, ...config } };
}

/** A config that must be taken: the link is made. */
function accepted(name: string, make: (world: ContractWorld) => object): ContractRule {
  return {
    name,
    async check(world) {
      await world.mint();
      const answer = await world.postLink(make(world));
      expectStatus(answer, 200);
      const data = objectOf(jsonOf(answer))?.['data'];
      expect(typeof data === 'string', answer.title, `data that is ${kindOf(data)}`, 'a URL in data');
    },
  };
}

const LINK_PLACE = 'data of POST /:clientId/link';

export const linkSection: ContractSection = {
  section: 'Contract: POST /:clientId/link',
  rules: [
    {
      name: LINK_RULE,
      async check(world) {
        const answer = await minimal(world);
        expectStatus(answer, 200);
        expectMediaType(answer, 'application/json');
        const link = objectOf(jsonOf(answer));
        expect(link !== undefined, answer.title, kindOf(jsonOf(answer)), 'an object with data');
        const { data } = link;
        expect(typeof data === 'string', answer.title, `data that is ${kindOf(data)}`, 'data, a string');
        expect(parseUrl(data) !== undefined, answer.title, 'data that is no URL', 'an absolute URL in data');
        const names = Object.keys(link);
        expect(names.length === 1, answer.title, `an object with ${listed(names)}`, 'data and nothing else');
      },
    },
    {
      name: 'the URL has the shape {base_url}/verify/<access_code>?token=<encoded_token>',
      async check(world) {
        const { url } = await world.mint();
        const { baseUrl } = world.target;
        const shown = world.redact(url).slice(0, 200);
        expect(url.startsWith(`${baseUrl}/`), LINK_PLACE, shown, `a URL that starts with ${baseUrl}/`);
        const isShape = /^\/verify\/[^/?#]+\?token=[^&#?]+$/.test(url.slice(baseUrl.length));
        expect(isShape, LINK_PLACE, shown, `${baseUrl}/verify/<access_code>?token=<encoded_token>`);
      },
    },
    {
      name: 'a link opens a page in a browser: 200, text/html',
      async check(world) {
        const link = await world.mint();
        // Also where the host serves the pages itself; but what is out of reach from here says nothing.
        if (!link.url.startsWith(`${world.target.baseUrl}/`)) await world.openable();
        const answer = await world.open(link, WANTS_PAGE);
        expectStatus(answer, 200);
        expectMediaType(answer, 'text/html');
        expect(answer.body !== '', answer.title, 'an empty page', 'the widget');
      },
    },
    accepted('callbackOnSubmit may be given', (world) => ({
      ...minimalLinkRequest(world.target.callbackUrl, world.target.userId),
      callbackOnSubmit: true,
    })),
  ],
};

const MEMBERS: Readonly<Record<string, unknown>> = {
  '/callbackUrl': undefined,
  '/config': undefined,
  '/config/contact': undefined,
  '/config/contact/email': undefined,
  '/config/contact/phone': undefined,
  '/config/currentUserId': undefined,
};

/** A link request in which the member at this pointer is another value; undefined: is missing. */
function withMember(world: ContractWorld, pointer: string, value: unknown): unknown {
  const request = structuredClone(minimalLinkRequest(world.target.callbackUrl, world.target.userId));
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let parent: Record<string, unknown> = request as unknown as Record<string, unknown>;
  for (const name of names) {
    parent[name] ??= {};
    parent = parent[name] as Record<string, unknown>;
  }
  parent[last] = value;
  return request;
}

/** A member that must be refused, by its pointer. */
function refused(name: string, pointer: string, value: unknown): ContractRule {
  return {
    name,
    async check(world) {
      expectPlaces(await world.postLink(withMember(world, pointer, value)), [pointer]);
    },
  };
}

export const configSection: ContractSection = {
  section: 'Contract: Link request configuration',
  rules: [
    ...Object.entries(MEMBERS).map(([pointer, value]) =>
      refused(`${pointer} is required: without it, a 400 that names it`, pointer, value),
    ),
    accepted('policy may be empty: all of its members are optional', (world) =>
      changed(world, { policy: { holder: {}, vehicle: {}, linkedContacts: [{}] } }),
    ),
    accepted('every documented member of policy, contact.link and privacyPolicyUrl are taken', (world) => {
      const { contact } = minimalLinkRequest('', '').config;
      return changed(world, { ...FULL_CONFIG, contact: { ...contact, link: 'https://example.com/help' } });
    }),
    {
      name: 'initialStepKey may be a string',
      async check(world) {
        await world.mint();
        const answer = await world.postLink(changed(world, { initialStepKey: 'policy' }));
        if (answer.status === 400 && placesOf(answer).includes('/config/initialStepKey'))
          throw new NotApplicableError('the deployment has step keys of its own (stepKeys)');
        expectStatus(answer, 200);
      },
    },
    accepted('currentUserId may be a number', (world) =>
      changed(world, { currentUserId: randomUserNumber() }),
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
  rules: [
    ...Object.entries(WRONG_TYPES).map(([pointer, value]) =>
      refused(`${pointer} of a wrong type is refused, never coerced`, pointer, value),
    ),
    {
      name: 'all problems of a link request are told at once',
      async check(world) {
        const body = {
          callbackUrl: 7,
          callbackOnSubmit: 'yes',
          config: { contact: { email: 7 }, currentUserId: true, policy: { linkedContacts: {} } },
        };
        expectPlaces(await world.postLink(body), [
          '/callbackUrl',
          '/callbackOnSubmit',
          '/config/contact/email',
          '/config/contact/phone',
          '/config/currentUserId',
          '/config/policy/linkedContacts',
        ]);
      },
    },
    accepted('unknown members are ignored, at the top and in config', (world) => ({
      ...changed(world, { theme: { color: 'red' }, locale: 7 }),
      claimlinkCheck: true,
    })),
    refused('a currentUserId that is no whole number is refused', '/config/currentUserId', 1.5),
    refused('a currentUserId that is no safe integer is refused', '/config/currentUserId', 2 ** 53),
    refused('an empty currentUserId is refused', '/config/currentUserId', ''),
    refused('a contact.link with a script is refused', '/config/contact/link', 'javascript:alert(1)'),
    refused('a privacyPolicyUrl with a script is refused', '/config/privacyPolicyUrl', 'javascript:alert(1)'),
    {
      name: 'a currentUserId that is a number is the user whose id is its digits',
      async check(world) {
        const userNumber = randomUserNumber();
        const config = minimalLinkRequest('', userNumber).config;
        const { answer, claim } = await world.submitted({ config });
        const [session] = await world.sessionsOf(claim, String(userNumber));
        const where = 'the listing of the digits';
        if (session === undefined) fail(where, 'not the session', 'the session of the link for the number');
        const isSame = session['reference'] === referenceIn(answer);
        expect(isSame, where, 'another reference', `that of the submission, ${statusLine(answer)}`);
      },
    },
  ],
};

/** The decision on each kind of callback URL that nobody may be sent to. */
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
  rules: Object.entries(FORBIDDEN_CALLBACKS).map(([what, url]) =>
    refused(`a callbackUrl ${what} is refused`, '/callbackUrl', url),
  ),
};
