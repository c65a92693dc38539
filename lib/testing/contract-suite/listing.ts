// Rules about the listing endpoint and the members of its sessions.

import type { Deployment } from './deployment.js';
import {
  expect,
  expectArray,
  expectMediaType,
  expectStatus,
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
import { JSON_TYPE } from './samples.js';
import { whileUnchanged } from './unchanged-listing.js';

export const listingSection: ContractSection = {
  section: 'Contract: GET /:clientId/sessions/:userId',
  advice: 'Correct the listing as in the contract, GET /:clientId/sessions/:userId.',
  rules: [
    {
      name: 'a listing is answered 200',
      async check(deployment) {
        expectStatus(await deployment.send({ url: deployment.listingPath(), headers: JSON_TYPE }), 200);
      },
    },
    {
      name: 'a listing is a top-level JSON array of objects',
      async check(deployment) {
        const response = await deployment.send({ url: deployment.listingPath(), headers: JSON_TYPE });
        expectMediaType(response, 'application/json');
        const list = expectArray(response);
        const element = list.find((session: unknown) => objectOf(session) === undefined);
        expect(element === undefined, response, `an element that is ${kindOf(element)}`, 'objects only');
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
          expectStatus(withType, 200);
          expectStatus(without, 200);
          expect(withType.body === without.body, without, 'another listing', 'the same listing');
        });
      },
    },
    {
      name: 'the listing of an unknown user is 200 and an array',
      async check(deployment) {
        const response = await deployment.send({
          url: deployment.listingPath(`${deployment.target.userId}-unknown`),
        });
        expectStatus(response, 200);
        expect(Array.isArray(jsonOf(response)), response, kindOf(jsonOf(response)), 'an array');
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
    {
      name: 'a user id is percent-decoded once',
      async check(deployment) {
        const { userId, clientId } = deployment.target;
        const encoded = [...new TextEncoder().encode(userId)]
          .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
          .join('');
        const url = `/${encodeURIComponent(clientId)}/sessions/${encoded}`;
        await whileUnchanged(deployment, async (listing) => {
          const response = await deployment.send({ url });
          expectStatus(response, 200);
          const isSame = JSON.stringify(jsonOf(response)) === JSON.stringify(listing);
          expect(isSame, response, 'another listing', 'the listing of the user with this id');
        });
      },
    },
  ],
};

type Kind = 'string' | 'array' | 'object';
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

/** Returns every object of this kind with its place. Asserts that they are objects. */
async function findAll(deployment: Deployment, { name, find }: Resource): Promise<[string, WireSession][]> {
  const places: [string, WireSession][] = [];
  for (const [index, session] of (await deployment.sampleSessions()).entries()) {
    for (const value of find(session)) {
      const place = `${name.replace('every', 'the')} of session ${index}`;
      places.push([place, objectOf(value) ?? fail(place, kindOf(value), 'an object')]);
    }
  }
  if (places.length === 0) throw new NotApplicableError(`the sessions of the user do not have this: ${name}`);
  return places;
}

function memberRules(resource: Resource): ContractRule[] {
  const { name, members } = resource;
  const names = Object.keys(members);
  return [
    {
      name: `${name} has exactly the documented members: ${names.join(', ')}`,
      async check(deployment) {
        for (const [place, object] of await findAll(deployment, resource)) {
          const seen = Object.keys(object);
          const missing = names.filter((member) => !seen.includes(member));
          const extra = seen.filter((member) => !names.includes(member));
          expect(missing.length === 0, place, `no ${missing.join(', ')}`, `the members ${listed(names)}`);
          expect(extra.length === 0, place, `also ${extra.join(', ')}`, `only the members ${listed(names)}`);
        }
      },
    },
    {
      name: `${name} has members of the documented types`,
      async check(deployment) {
        for (const [place, object] of await findAll(deployment, resource)) {
          for (const [member, kind] of Object.entries(members)) {
            const value = object[member];
            const seen = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
            // The rule above reports missing members.
            if (value !== undefined) expect(seen === kind, `${member} of ${place}`, seen, kind);
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
    name: `${member} has the shape ${shown}`,
    async check(deployment) {
      for (const [index, session] of (await deployment.sampleSessions()).entries()) {
        const value = find(session);
        const seen = typeof value === 'string' ? value.slice(0, 40) : kindOf(value);
        const isRight = typeof value === 'string' && isDate(value, shape);
        expect(isRight, `${member} of session ${index}`, seen, `a date of the shape ${shown}`);
      }
    },
  };
}

export const sessionSection: ContractSection = {
  section: 'Contract: Session, selectedPolicy, holder, linkedContacts, vehicle',
  advice: 'Return exactly the members and formats that the contract documents, "Resources and their fields".',
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
        const repeated = references.filter((reference, index) => references.indexOf(reference) !== index);
        expect(
          repeated.length === 0,
          'the listing',
          `${repeated.length} repeated references`,
          'unique references',
        );
      },
    },
  ],
};

export const memberOrderSection: ContractSection = {
  section: 'Decision: session fields',
  advice: 'Write the members in the order of the contract.',
  rules: RESOURCES.map((resource) => ({
    name: `${resource.name} has its members in the documented order`,
    async check(deployment) {
      const names = Object.keys(resource.members);
      for (const [place, object] of await findAll(deployment, resource)) {
        const seen = Object.keys(object).filter((member) => names.includes(member));
        const expected = names.filter((member) => seen.includes(member));
        expect(seen.join() === expected.join(), place, listed(seen), `the order ${listed(expected)}`);
      }
    },
  })),
};
