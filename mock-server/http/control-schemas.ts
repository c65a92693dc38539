// JSON Schemas of the control API: requests are checked with them, and the OpenAPI document shows them.
import { LINK_STATES, ROUTE_NAMES } from '../control.js';
import { faultSchema, idSchema as id } from '../fault-schema.js';
import { closed, wholeNumber } from '../option-schemas.js';
import { clientMembers, settingMembers } from '../scenario/scenario.js';
import { scenarioSessionSchema, sessionsSchema } from '../scenario/session.js';

/** Query parameters. Whole numbers arrive as text. */
const client = { ...id, description: 'Only for this client' };
const requestFilter = {
  client,
  user: { ...id, description: 'Only requests of this user' },
  route: { enum: ROUTE_NAMES, description: 'Only requests of this route' },
  method: { type: 'string', pattern: '^[A-Za-z]{1,20}$', description: 'A method of HTTP' },
  status: {
    type: 'string',
    pattern: '^[1-5](?:\\d\\d|xx)$',
    description: 'A status, or a class such as 4xx',
  },
  after: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER), description: 'Only requests with a greater id' },
};
const linkFilter = {
  client,
  user: { ...id, description: 'Only links of this user' },
  state: { enum: LINK_STATES, description: 'Only links in this state' },
};
const limit = { ...wholeNumber(1, 1000), default: 100 };

export const QUERIES = {
  none: closed({}),
  scope: closed({ client }),
  requests: closed({ ...requestFilter, limit }),
  requestCount: closed(requestFilter),
  requestWait: closed({
    ...requestFilter,
    limit,
    count: { ...wholeNumber(1, 1_000_000), default: 1, description: 'Number of requests to wait for' },
    timeout: { ...wholeNumber(1, 60_000), default: 5000, description: 'Milliseconds, 1 to 60000' },
  }),
  links: closed({ ...linkFilter, limit }),
  linkCount: closed(linkFilter),
};

const link = { type: 'string', minLength: 1, maxLength: 4096, description: 'URL or id of a link' };

const { branding, ...otherSettings } = settingMembers;

/** In a merge patch null removes a member. */
function removable(properties: Readonly<Record<string, { type: string }>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { ...schema, type: [schema.type, 'null'] }]),
  );
}

export const BODIES = {
  // The state checks the members of clients, faults and sessions with the same schemas.
  client: closed(clientMembers),
  clientChange: closed({
    ...removable(otherSettings),
    ...removable({ branding: { ...branding, ...closed(removable(branding.properties)) } }),
  }),
  fault: faultSchema,
  session: scenarioSessionSchema,
  sessions: sessionsSchema,
  link: closed({ link }, ['link']),
  submission: closed({ link, claim: { type: 'object', description: 'Default: generated' } }, ['link']),
  newLink: closed({ clientId: id, request: { type: 'object' } }, ['clientId', 'request']),
  clock: closed({
    now: { type: 'string', description: 'A moment, ISO 8601; without a zone it is UTC' },
    isFrozen: { type: 'boolean' },
  }),
  advance: closed({ ms: { type: 'integer', description: 'Milliseconds; negative: back' } }, ['ms']),
};

const moment = { type: 'string', format: 'date-time' } as const;
const orNull = (type: string) => ({ type: [type, 'null'] });
const list = (items: object) => ({ type: 'array', items });
/** Responses may get more members. */
const open = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** Returns members with the same schema. */
const each = (schema: object, ...names: string[]) => Object.fromEntries(names.map((name) => [name, schema]));
const string = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const boolean = { type: 'boolean' };
const object = { type: 'object' };

/** Components of the OpenAPI document. */
export const COMPONENTS = {
  MockClient: open(
    { ...each(string, 'clientId', 'apiKey'), userIds: list(string), userCount: count, isConfigured: boolean },
    settingMembers,
  ),
  Clock: open({ now: moment, isFrozen: boolean, offsetMs: { type: 'integer' } }),
  Fault: open({ id: string, hits: count }, faultSchema.properties),
  LoggedBody: open({ text: string, bytes: count, isTruncated: boolean }),
  LoggedRequest: open(
    {
      id: count,
      time: moment,
      ...each(string, 'method', 'path'),
      route: { enum: [...ROUTE_NAMES, null] },
      ...each(orNull('string'), 'clientId', 'userId'),
      status: orNull('integer'),
      durationMs: { type: 'number' },
      headers: object,
    },
    {
      ...each(string, 'code', 'detail'),
      problems: list(object),
      ...each(named('LoggedBody'), 'requestBody', 'responseBody'),
      fault: object,
    },
  ),
  Link: open(
    {
      ...each(string, 'id', 'clientId', 'userId', 'url', 'callbackUrl'),
      state: { enum: LINK_STATES },
      ...each(moment, 'createdAt', 'expiresAt'),
    },
    { ...each(moment, 'openedAt', 'submittedAt', 'revokedAt'), reference: string },
  ),
  Session: open(
    {
      ...each(string, 'reference', 'camsReference', 'status'),
      ...each(moment, 'date', 'createdAt'),
      selectedPolicy: object,
    },
    { incident: object, extra: object },
  ),
  Snapshot: open({ name: string, clientId: orNull('string'), takenAt: moment }),
  State: open({
    publicUrl: string,
    seed: { type: ['integer', 'string'] },
    refDate: moment,
    isPersistent: boolean,
    clock: named('Clock'),
    clients: list(object),
  }),
  Problem: open(
    { ...each(string, 'type', 'title', 'detail', 'code'), status: { type: 'integer' } },
    { errors: list(object) },
  ),
};

export function component(name: keyof typeof COMPONENTS): object {
  return named(name);
}

export function listOf(name: keyof typeof COMPONENTS): object {
  return list(named(name));
}

export const RESPONSES = {
  count: open({ count }),
  cleared: open({ cleared: count }),
  submission: open({ reference: string, repeated: boolean }, { redirectUrl: string }),
  health: open({ status: string }),
  document: object,
};
