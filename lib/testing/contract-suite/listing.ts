// Contract rules: the listing endpoint, and the members of its sessions.
import {
  expect,
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
import { JSON_TYPE } from './samples.js';
import { whileStill } from './still.js';
import type { ContractRule, ContractSection, ContractWorld, WireSession } from './world.js';

export const listingSection: ContractSection = {
  section: 'Contract: GET /:clientId/sessions/:userId',
  rules: [
    {
      name: 'a listing is answered 200',
      async check(world) {
        expectStatus(await world.send({ url: world.listingPath(), headers: JSON_TYPE }), 200);
      },
    },
    {
      name: 'a listing is a top-level JSON array of objects',
      async check(world) {
        const answer = await world.send({ url: world.listingPath(), headers: JSON_TYPE });
        expectMediaType(answer, 'application/json');
        const list = jsonOf(answer);
        expect(Array.isArray(list), answer.title, kindOf(list), 'a top-level array');
        const stranger = list.find((session: unknown) => objectOf(session) === undefined);
        expect(stranger === undefined, answer.title, `an element that is ${kindOf(stranger)}`, 'objects');
      },
    },
    {
      name: 'a listing is the same with Content-Type: application/json and no body, and without the header',
      async check(world) {
        const url = world.listingPath();
        await whileStill(world, async () => {
          const withType = await world.send({
            url,
            headers: JSON_TYPE,
            title: `GET ${url} with Content-Type`,
          });
          const without = await world.send({ url, title: `GET ${url} without Content-Type` });
          expectStatus(withType, 200);
          expectStatus(without, 200);
          expect(withType.body === without.body, without.title, 'another listing', 'the same one');
        });
      },
    },
    {
      name: 'a user whom nobody has heard of has a listing, too: 200 and an array',
      async check(world) {
        const answer = await world.send({ url: world.listingPath(`${world.target.userId}-nobody`) });
        expectStatus(answer, 200);
        expect(Array.isArray(jsonOf(answer)), answer.title, kindOf(jsonOf(answer)), 'an array');
      },
    },
    {
      name: 'HEAD of a listing answers like GET, without a body',
      async check(world) {
        const get = await world.send({ url: world.listingPath() });
        const head = await world.send({ method: 'HEAD', url: world.listingPath() });
        expect(head.status === get.status, head.title, statusLine(head), `${get.status}, as GET`);
        expect(head.body === '', head.title, 'a body', 'none');
        const types = [get, head].map(({ headers }) => headers.get('content-type'));
        expect(types[0] === types[1], head.title, `the content type ${types[1]}`, `${types[0]}, as GET`);
      },
    },
    {
      name: 'a user id is percent-decoded once',
      async check(world) {
        const { userId, clientId } = world.target;
        const encoded = [...new TextEncoder().encode(userId)]
          .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
          .join('');
        const url = `/${encodeURIComponent(clientId)}/sessions/${encoded}`;
        await whileStill(world, async (listing) => {
          const answer = await world.send({ url });
          expectStatus(answer, 200);
          const isSame = JSON.stringify(jsonOf(answer)) === JSON.stringify(listing);
          expect(isSame, answer.title, 'another listing', 'that of the user whose id this encodes');
        });
      },
    },
  ],
};

type Kind = 'string' | 'array' | 'object';
type Members = Readonly<Record<string, Kind>>;

/** Contract, "Resources and their fields", in its order. */
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

/** One kind of object in a listing: how it is called, its members, and where to find all of them. */
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

/** Every such object of the listing, with its place; asserts that they are objects. */
async function found(world: ContractWorld, { name, find }: Resource): Promise<[string, WireSession][]> {
  const places: [string, WireSession][] = [];
  for (const [index, session] of (await world.sampleSessions()).entries()) {
    for (const value of find(session)) {
      const place = `${name.replace('every', 'the')} of session ${index}`;
      places.push([place, objectOf(value) ?? fail(place, kindOf(value), 'an object')]);
    }
  }
  if (places.length === 0) throw new NotApplicableError(`the sessions of the user have none: ${name}`);
  return places;
}

function memberRules(resource: Resource): ContractRule[] {
  const { name, members } = resource;
  const names = Object.keys(members);
  return [
    {
      name: `${name} has exactly the documented members: ${names.join(', ')}`,
      async check(world) {
        for (const [place, object] of await found(world, resource)) {
          const seen = Object.keys(object);
          const missing = names.filter((member) => !seen.includes(member));
          const extra = seen.filter((member) => !names.includes(member));
          expect(missing.length === 0, place, `no ${missing.join(', ')}`, `it has ${listed(names)}`);
          expect(
            extra.length === 0,
            place,
            `also ${extra.join(', ')}`,
            `it has ${listed(names)}, and no more`,
          );
        }
      },
    },
    {
      name: `${name} has members of the documented types`,
      async check(world) {
        for (const [place, object] of await found(world, resource)) {
          for (const [member, kind] of Object.entries(members)) {
            const value = object[member];
            const seen = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
            // That it is missing is for the rule above.
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
  // A Date makes 2 March out of 30 February.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function dateRule(member: string, shape: RegExp, find: (session: WireSession) => unknown): ContractRule {
  const shown = shape === DAY ? 'YYYY-MM-DD' : 'YYYY-MM-DDTHH:MM';
  return {
    name: `${member} has the shape ${shown}`,
    async check(world) {
      for (const [index, session] of (await world.sampleSessions()).entries()) {
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
  rules: [
    ...RESOURCES.flatMap(memberRules),
    dateRule('date', MINUTE, (session) => session['date']),
    dateRule('createdAt', MINUTE, (session) => session['createdAt']),
    dateRule('validFrom', DAY, (session) => policyOf(session)?.['validFrom']),
    dateRule('validTo', DAY, (session) => policyOf(session)?.['validTo']),
    {
      name: 'the reference of a session is unique',
      async check(world) {
        const references = (await world.sampleSessions()).map((session) => session['reference']);
        const repeated = references.filter((reference, index) => references.indexOf(reference) !== index);
        expect(repeated.length === 0, 'the listing', `${repeated.length} repeated references`, 'unique ones');
      },
    },
  ],
};

export const memberOrderSection: ContractSection = {
  section: 'Decision: session fields',
  rules: RESOURCES.map((resource) => ({
    name: `${resource.name} has its members in the documented order`,
    async check(world) {
      const names = Object.keys(resource.members);
      for (const [place, object] of await found(world, resource)) {
        const seen = Object.keys(object).filter((member) => names.includes(member));
        const expected = names.filter((member) => seen.includes(member));
        expect(seen.join() === expected.join(), place, listed(seen), `the order ${listed(expected)}`);
      }
    },
  })),
};
