// Rules about the listing endpoint and the members of its sessions.

import type { Deployment } from './deployment.js';
import {
  bodyKind,
  expect,
  expectArray,
  expectMediaType,
  expectStatus,
  expectSuccess,
  fail,
  jsonOf,
  kindOf,
  listed,
  NotApplicableError,
  objectOf,
  statusLine,
} from './expect.js';
import type { WireSession } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { EMPTY_LISTING_SAMPLE, LINK_SAMPLE, LISTING_SAMPLE, SAMPLE_SESSION } from './sample-responses.js';
import { JSON_TYPE } from './samples.js';
import { whileUnchanged } from './unchanged-listing.js';

export const listingSection: ContractSection = {
  section: 'Contract: GET /:clientId/sessions/:userId',
  advice: 'Return the sessions of the user as a top-level JSON array.',
  rules: [
    {
      name: 'a listing is answered with a success',
      sample: LISTING_SAMPLE,
      async check(deployment) {
        expectSuccess(await deployment.send({ url: deployment.listingPath(), headers: JSON_TYPE }));
      },
    },
    {
      name: 'a listing is a top-level JSON array of objects',
      sample: LISTING_SAMPLE,
      async check(deployment) {
        const response = await deployment.send({ url: deployment.listingPath(), headers: JSON_TYPE });
        expectMediaType(response, 'application/json');
        const list = expectArray(response);
        const element = list.find((session: unknown) => objectOf(session) === undefined);
        expect(element === undefined, response, `an element that is ${kindOf(element)}`, 'objects only');
      },
    },
    {
      name: 'the listing of a user without sessions is an array as well',
      sample: EMPTY_LISTING_SAMPLE,
      async check(deployment) {
        const url = deployment.listingPath(`${deployment.target.userId}-unknown`);
        const response = await deployment.send({ url, headers: JSON_TYPE });
        expectSuccess(response);
        expectArray(response);
      },
    },
    {
      name: 'a user id is percent-decoded once',
      advice: 'Decode each %XX of the user id in the path, once: %61 is a, and %2561 is the text %61.',
      async check(deployment) {
        const { userId, clientId } = deployment.target;
        const encoded = [...new TextEncoder().encode(userId)]
          .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
          .join('');
        const url = `/${encodeURIComponent(clientId)}/sessions/${encoded}`;
        await whileUnchanged(deployment, async (listing) => {
          const response = await deployment.send({ url, headers: JSON_TYPE });
          expectSuccess(response);
          const isSame = JSON.stringify(jsonOf(response)) === JSON.stringify(listing);
          const expected = `the listing of the user ${userId}: %XX in the path is decoded once`;
          expect(isSame, response, `another listing, ${bodyKind(response)}`, expected);
        });
      },
    },
  ],
};

export const successSection: ContractSection = {
  section: 'Decision: success, HEAD',
  advice: 'Return 200 on success, with and without a content type, and support HEAD.',
  rules: [
    {
      name: 'a listing is answered 200',
      sample: LISTING_SAMPLE,
      check: async (deployment) => expectStatus(await deployment.getListing(), 200),
    },
    {
      name: 'a link request is answered 200',
      sample: LINK_SAMPLE,
      async check(deployment) {
        await deployment.createLink();
        expectStatus(await deployment.postLink(deployment.linkRequest()), 200);
      },
    },
    {
      name: 'a listing is the same with Content-Type: application/json and no body, and without the header',
      async check(deployment) {
        const url = deployment.listingPath();
        await whileUnchanged(deployment, async () => {
          const withType = await deployment.send({
            url,
            headers: JSON_TYPE,
            title: `GET ${url} with Content-Type`,
          });
          const without = await deployment.send({ url, title: `GET ${url} without Content-Type` });
          expectSuccess(withType);
          expectSuccess(without);
          expect(withType.body === without.body, without, 'another listing', 'the same listing');
        });
      },
    },
    {
      name: 'HEAD of a listing answers like GET, without a body',
      async check(deployment) {
        const get = await deployment.getListing();
        const head = await deployment.send({ method: 'HEAD', url: deployment.listingPath() });
        expect(head.status === get.status, head, statusLine(head), `${get.status}, as GET`);
        expect(head.body === '', head, 'a body', 'none');
        const types = [get, head].map(({ headers }) => headers.get('content-type'));
        expect(types[0] === types[1], head, `the content type ${types[1]}`, `${types[0]}, as GET`);
      },
    },
  ],
};

type Kind = 'string' | 'array' | 'object';
const TYPES: Readonly<Record<Kind, string>> = { string: 'a string', array: 'an array', object: 'an object' };
type Members = Readonly<Record<string, Kind>>;

/** Members in the order of the contract, "Resources and their fields". */
const SESSION: Members = {
  reference: 'string',
  date: 'string',
  camsReference: 'string',
  status: 'string',
  createdAt: 'string',
  selectedPolicy: 'object',
};
const POLICY: Members = {
  number: 'string',
  provider: 'string',
  holder: 'object',
  validFrom: 'string',
  validTo: 'string',
  linkedContacts: 'array',
  vehicle: 'object',
};
const HOLDER: Members = {
  firstName: 'string',
  lastName: 'string',
  id: 'string',
  phone: 'string',
  email: 'string',
};
const CONTACT: Members = { firstName: 'string', lastName: 'string', email: 'string' };
const VEHICLE: Members = { licensePlate: 'string' };

/** One kind of object in a listing: its name, its members, and a function that finds it. */
interface Resource {
  name: string;
  members: Members;
  find(session: WireSession): readonly unknown[];
}

const policyOf = (session: WireSession) => objectOf(session['selectedPolicy']);

const RESOURCES: readonly Resource[] = [
  { name: 'every session', members: SESSION, find: (session) => [session] },
  { name: 'every selectedPolicy', members: POLICY, find: (session) => [policyOf(session)] },
  { name: 'every holder', members: HOLDER, find: (session) => [policyOf(session)?.['holder']] },
  {
    name: 'every element of linkedContacts',
    members: CONTACT,
    find: (session) => {
      const contacts = policyOf(session)?.['linkedContacts'];
      return Array.isArray(contacts) ? contacts : [];
    },
  },
  { name: 'every vehicle', members: VEHICLE, find: (session) => [policyOf(session)?.['vehicle']] },
];

/** Names a session of the listing in messages. */
function placeOf(deployment: Deployment, index: number): string {
  return `session ${index} of GET ${deployment.listingPath()}`;
}

/** Returns every object of this kind with its place. Asserts that they are objects. */
async function findAll(deployment: Deployment, { name, find }: Resource): Promise<[string, WireSession][]> {
  const places: [string, WireSession][] = [];
  for (const [index, session] of (await deployment.sampleSessions()).entries()) {
    for (const value of find(session)) {
      const part = name === 'every session' ? '' : `${name.replace('every', 'the')} of `;
      const place = part + placeOf(deployment, index);
      places.push([place, objectOf(value) ?? fail(place, kindOf(value), 'an object')]);
    }
  }
  if (places.length === 0)
    throw new NotApplicableError(
      `no session of this user has ${name.replace('every ', 'this: ')}; pass another --user-id`,
    );
  return places;
}

function memberRules(resource: Resource): ContractRule[] {
  const { name, members } = resource;
  const names = Object.keys(members);
  const sample = JSON.stringify(resource.find(SAMPLE_SESSION)[0]);
  return [
    {
      name: `${name} has exactly the documented members: ${names.join(', ')}`,
      sample,
      async check(deployment) {
        for (const [place, object] of await findAll(deployment, resource)) {
          const actual = Object.keys(object);
          const missing = names.filter((member) => !actual.includes(member));
          const extra = actual.filter((member) => !names.includes(member));
          expect(missing.length === 0, place, `no ${missing.join(', ')}`, `the members ${listed(names)}`);
          expect(extra.length === 0, place, `also ${extra.join(', ')}`, `only the members ${listed(names)}`);
        }
      },
    },
    {
      name: `${name} has members of the documented types`,
      sample,
      async check(deployment) {
        for (const [place, object] of await findAll(deployment, resource)) {
          for (const [member, kind] of Object.entries(members)) {
            const value = object[member];
            const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
            // The rule above reports missing members.
            if (value !== undefined)
              expect(type === kind, `${member} of ${place}`, kindOf(value), TYPES[kind]);
          }
        }
      },
    },
  ];
}

const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function isDate(value: string, shape: RegExp): boolean {
  if (!shape.test(value)) return false;
  const date = new Date(shape === DAY ? `${value}T00:00Z` : `${value}Z`);
  // Date turns 30 February into 2 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function dateRule(member: string, shape: RegExp, find: (session: WireSession) => unknown): ContractRule {
  const shown = shape === DAY ? 'YYYY-MM-DD' : 'YYYY-MM-DDTHH:MM';
  return {
    sample: JSON.stringify(find(SAMPLE_SESSION)),
    name: `${member} has the shape ${shown}`,
    async check(deployment) {
      for (const [index, session] of (await deployment.sampleSessions()).entries()) {
        const value = find(session);
        const actual = typeof value === 'string' ? value.slice(0, 40) : kindOf(value);
        const isRight = typeof value === 'string' && isDate(value, shape);
        const expected = `a date of the shape ${shown}`;
        // The form of a client may let its users leave out the days of their cover.
        const reason =
          value === '' ? ', which the contract documents; require it in the form of the client' : '';
        expect(
          isRight,
          `${member} of ${placeOf(deployment, index)}`,
          value === '' ? 'an empty text' : actual,
          expected + reason,
        );
      }
    },
  };
}

export const sessionSection: ContractSection = {
  section: 'Contract: Session, selectedPolicy, holder, linkedContacts, vehicle',
  advice: 'Return exactly the documented members, with the types and formats of the sample.',
  rules: [
    ...RESOURCES.flatMap(memberRules),
    dateRule('date', MINUTE, (session) => session['date']),
    dateRule('createdAt', MINUTE, (session) => session['createdAt']),
    dateRule('validFrom', DAY, (session) => policyOf(session)?.['validFrom']),
    dateRule('validTo', DAY, (session) => policyOf(session)?.['validTo']),
    {
      name: 'the reference of a session is unique',
      async check(deployment) {
        const references = (await deployment.sampleSessions()).map((session) => session['reference']);
        const repeated = references.length - new Set(references).size;
        expect(repeated === 0, 'the listing', `${repeated} repeated references`, 'unique references');
      },
    },
  ],
};

export const memberOrderSection: ContractSection = {
  section: 'Decision: session fields',
  advice: 'Write the members in the order of the sample.',
  rules: RESOURCES.map((resource) => ({
    name: `${resource.name} has its members in the documented order`,
    sample: JSON.stringify(resource.find(SAMPLE_SESSION)[0]),
    async check(deployment) {
      const names = Object.keys(resource.members);
      for (const [place, object] of await findAll(deployment, resource)) {
        const actual = Object.keys(object).filter((member) => names.includes(member));
        const expected = names.filter((member) => actual.includes(member));
        expect(actual.join() === expected.join(), place, listed(actual), `the order ${listed(expected)}`);
      }
    },
  })),
};
