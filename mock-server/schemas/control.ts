// JSON Schemas of the inputs and results of control methods, for their checks, their document and the Dates of results.
import { PHOTO_TYPES } from '../../lib/core/photo-types.js';
import { EVENT_TYPES, LINK_STATES } from '../../lib/core/types.js';
import { MOMENT } from './dates.js';
import { DEFAULT_LIMIT } from './defaults.js';
import { faultSchema, nextFaultsSchema, ROUTE_NAMES } from './fault.js';
import { closed, idSchema as id, userIdSchema as userId, wholeNumber } from './parts.js';
import { clientMembers, recipientAnswerSchema, settingMembers } from './scenario.js';
import { scenarioSessionSchema, sessionsSchema } from './session.js';

/** A photo of 10 MiB in base64 fits. */
const photoSchema = { type: 'string', minLength: 1, maxLength: 16 * 1024 * 1024 };

/** Selects one client. Without it, a method applies to all. */
const clientId = { ...id, description: 'Only for this client' };

export const selectionSchema = closed({ clientId });

export const members = {
  clientId: id,
  userId,
  name: { ...id, description: 'Name of a snapshot' },
  faultId: { type: 'string', description: 'Only the fault with this id' },
  link: { type: 'string', minLength: 1, maxLength: 4096, description: 'URL or linkId of a link' },
  claim: { type: 'object', description: 'Default: generated' },
  photo: { ...photoSchema, description: 'A photo in base64, or as a data URL. Default: generated' },
  photos: { type: 'array', maxItems: 50, items: photoSchema, description: 'Photos to add, each as text' },
  request: { type: 'object', description: 'The body of a link request' },
  recipientAnswer: recipientAnswerSchema,
  milliseconds: { type: 'integer', description: 'Milliseconds; negative: back' },
  reference: { ...id, description: 'Reference of a session' },
  session: scenarioSessionSchema,
  sessionChange: { ...closed({ status: id, camsReference: id }), minProperties: 1 },
  sessions: sessionsSchema,
  scenario: { type: 'object', description: 'In the form of a scenario file' },
  limit: { ...wholeNumber(1, 1000), default: DEFAULT_LIMIT },
  count: { ...wholeNumber(1, 1000), default: 1, description: 'Number of requests or events to wait for' },
  timeoutMs: { ...wholeNumber(1, 60_000), default: 5000, description: 'Milliseconds, 1 to 60000' },
};

export const requestFilter = {
  clientId,
  userId: { ...userId, description: 'Only requests of this user' },
  linkId: { ...id, description: 'Only requests to the pages of this link' },
  route: { enum: ROUTE_NAMES, description: 'Only requests of this route' },
  method: { type: 'string', pattern: '^[A-Za-z]{1,20}$', description: 'A method of HTTP' },
  status: {
    type: ['integer', 'string'],
    minimum: 100,
    maximum: 599,
    pattern: '^(?:[1-5](?:\\d\\d|xx)|failed)$',
    description: 'A status, a class such as 4xx, or failed',
  },
  after: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER), description: 'Only requests with a greater id' },
};

export const eventFilter = {
  clientId,
  userId: { ...userId, description: 'Only events of this user' },
  type: { enum: EVENT_TYPES, description: 'Only events of this kind' },
  linkId: { ...id, description: 'Only events of this link' },
  after: { ...wholeNumber(0, Number.MAX_SAFE_INTEGER), description: 'Only events with a greater id' },
};

export const linkFilter = {
  clientId,
  userId: { ...userId, description: 'Only links of this user' },
  state: { enum: LINK_STATES, description: 'Only links in this state' },
};

interface MemberSchema {
  readonly type: string | readonly string[];
  readonly properties?: MemberSchemas;
  readonly enum?: readonly string[];
}
type MemberSchemas = Readonly<Record<string, MemberSchema>>;

/** In a merge patch null removes a member, also one of an object. */
function removable(members: MemberSchemas): Record<string, object> {
  return Object.fromEntries(
    Object.entries(members).map(([name, { type, properties, enum: values, ...schema }]) => [
      name,
      {
        ...schema,
        ...(properties && { properties: removable(properties) }),
        ...(values && { enum: [...values, null] }),
        type: [type, 'null'].flat(),
      },
    ]),
  );
}

export const inputs = {
  newClient: closed(clientMembers),
  clientChange: closed({ clientId: id, ...removable(settingMembers) }, ['clientId']),
  fault: faultSchema,
  nextFaults: nextFaultsSchema,
  clockChange: {
    ...closed({
      now: { type: 'string', description: 'A moment, ISO 8601; without a zone it is UTC' },
      isFrozen: { type: 'boolean' },
      clientId,
    }),
    anyOf: [{ required: ['now'] }, { required: ['isFrozen'] }],
    description: 'A change of the clock, with now or isFrozen',
  },
};

const orNull = (type: string) => ({ type: [type, 'null'] });
/** Results may get more members. */
const open = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});
/** Returns members with the same schema. */
const each = (schema: object, ...names: string[]) => Object.fromEntries(names.map((name) => [name, schema]));
const string = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const boolean = { type: 'boolean' };
const object = { type: 'object' };

export function listOf(items: object) {
  return { type: 'array', items };
}

const clientMembersOfResult = {
  ...each(string, 'clientId', 'apiKey'),
  userIds: listOf(string),
  isConfigured: boolean,
};
const clock = open({ now: MOMENT, isFrozen: boolean, offsetMs: { type: 'integer' } });
const loggedBody = open({ text: string, bytes: count, isTruncated: boolean }, { json: {} });
const loggedRequest = open(
  {
    id: count,
    time: MOMENT,
    ...each(string, 'method', 'path'),
    route: { enum: [...ROUTE_NAMES, null] },
    ...each(orNull('string'), 'clientId', 'userId'),
    status: orNull('integer'),
    durationMs: { type: 'number' },
    headers: object,
  },
  {
    ...each(string, 'linkId', 'code', 'detail'),
    problems: listOf(object),
    responseHeaders: object,
    ...each(loggedBody, 'requestBody', 'responseBody'),
    upload: open({ type: { enum: [...PHOTO_TYPES, null] }, bytes: count }),
    fault: object,
  },
);
const link = open(
  {
    ...each(string, 'linkId', 'clientId', 'userId', 'url', 'callbackUrl'),
    state: { enum: LINK_STATES },
    ...each(MOMENT, 'createdAt', 'expiresAt'),
  },
  {
    ...each(MOMENT, 'openedAt', 'submittedAt', 'revokedAt'),
    ...each(string, 'reference', 'recipientAnswer'),
  },
);

const loggedEvent = open(
  { id: count, ...each(string, 'eventId', 'clientId'), type: { enum: EVENT_TYPES }, at: MOMENT },
  {
    ...each(string, 'userId', 'linkId', 'reference', 'why'),
    sequence: count,
    expiresAt: MOMENT,
    ...each(listOf(string), 'linkIds', 'references'),
  },
);
const historyEntry = open(
  { type: string, at: MOMENT },
  { ...each(string, 'why', 'apiKeyId'), unchanged: boolean, attempts: count },
);

export const results = {
  boolean,
  count,
  clock,
  link,
  loggedRequest,
  loggedEvent,
  historyEntry,
  client: open(clientMembersOfResult, settingMembers),
  fault: open({ id: string, hits: count }, { ...faultSchema.properties, id: string }),
  session: open(
    {
      ...each(string, 'reference', 'camsReference', 'status'),
      ...each(MOMENT, 'date', 'createdAt'),
      selectedPolicy: object,
    },
    {
      incident: object,
      extra: object,
      link: object,
      notice: open({ url: string, at: MOMENT }, { accepted: boolean }),
      later: listOf(object),
    },
  ),
  snapshot: open({ name: string, clientId: orNull('string'), takenAt: MOMENT }),
  scenario: object,
  photo: open({
    ...each(string, 'id'),
    type: { enum: PHOTO_TYPES },
    size: count,
    isMissing: boolean,
  }),
  linkSubmission: open({ reference: string, repeated: boolean }, { redirectUrl: string, unchanged: boolean }),
  state: open({
    publicUrl: string,
    seed: { type: ['integer', 'string'] },
    refDate: MOMENT,
    clock,
    clients: listOf(open({ ...clientMembersOfResult, clock, links: count, requests: count }, settingMembers)),
  }),
};

/** JSON Schema of an event. Its parts depend on its type. */
export const eventSchema = {
  type: 'object',
  properties: { request: loggedRequest, link, event: loggedEvent },
};

/** JSON Schema of a problem (RFC 9457). */
export const problemSchema = open(
  { ...each(string, 'type', 'title', 'detail', 'code'), status: { type: 'integer' } },
  { errors: listOf(object) },
);
