// Any JSON for any argument of any method of the service: a result or a ClaimlinkError, and valid calls of the storage.
import { hash } from 'node:crypto';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import t from 'tap';
import { EVENT_TYPES, LINK_STATES } from '../../lib/core/types.js';
import { idProblem } from '../../lib/core/validators.js';
import { sessionListSchema } from '../../lib/http/response-schemas.js';
import { type Claimlink, isClaimlinkError } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import type { MemoryStorage } from '../../lib/storage/memory.js';
import { CLIENT_ID, claim, createWorld, linkRequest, START, storedSession, USER_ID } from '../core/world.js';
import { json, nearJson, text } from './arbitraries.js';
import { check, inputs } from './check.js';

/** Calls of one service, one after another. */
const CALLS_OF_HISTORY = 10;
const HISTORIES = inputs(1_000, 150);

type MethodName = {
  [K in keyof Claimlink]: Claimlink[K] extends (...args: never[]) => unknown ? K : never;
}[keyof Claimlink];

const mostly = (value: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: json },
  );
const near = (value: object) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(value) },
    { weight: 4, arbitrary: nearJson(value) },
    { weight: 1, arbitrary: json },
  );
/** Dates at any time, also invalid ones. */
const date = fc.oneof(fc.date({ noInvalidDate: false }), fc.constant(new Date('9999-12-31')), json);
const withDate = (value: object, name: string) =>
  fc.oneof(
    near(value),
    date.map((time) => ({ ...value, [name]: time })),
  );

const later = new Date(START.getTime() + 1000);
const clientId = mostly(CLIENT_ID);
const userId = mostly(USER_ID);
const page = { limit: 1, cursor: '@cursor' };
const client = {
  name: 'Acme',
  callbackOrigins: ['https://app.example.com'],
  locale: 'de',
  branding: { displayName: 'Acme', logoUrl: 'https://img.example/logo.svg', primaryColor: '#14508c' },
  frameAncestors: ['https://portal.example'],
  settings: { redirectAfterSeconds: 60 },
};
const session = {
  clientId: CLIENT_ID,
  userId: USER_ID,
  ...storedSession({
    reference: 'S-2',
    incident: { date: '2026-01-31', description: 'Hail' },
    extra: { a: [1] },
    link: { linkId: 'link-1', extra: { b: null } },
  }),
};
const request = { method: 'GET', url: '/acme/sessions/user-1?limit=1', headers: { 'x-api-key': '@apiKey' } };
const target = text.map(
  (value) => `/acme/sessions/user-1?cursor=${encodeURIComponent(value.toWellFormed())}`,
);

const PHOTO = Buffer.from('ffd8ffe1', 'hex');

/** A body that can be read more than once. */
const photoBody = {
  async *[Symbol.asyncIterator]() {
    yield PHOTO;
  },
};

/** The arguments of each method. Texts that begin with `@` stand for what the service created. */
const ARGUMENTS: Record<MethodName, fc.Arbitrary<unknown>[]> = {
  handle: [
    fc.oneof(
      near(request),
      target.map((url) => ({ ...request, url })),
    ),
  ],
  owns: [mostly('/acme/link')],
  redact: [near({ method: 'GET', url: '/acme/link' })],
  reportError: [mostly('failed'), near({ method: 'GET', url: '/acme/link' })],
  listSessions: [clientId, userId, near({ ...page, status: 'submitted' })],
  createLink: [clientId, near(linkRequest()), near({ ttlSeconds: 60 })],
  openLink: [mostly('@accessCode'), mostly('@token'), near({ recipientAnswer: 'B-CL 2026' })],
  submitClaim: [
    mostly('@accessCode'),
    mostly('@token'),
    near(claim()),
    near({ recipientAnswer: 'B-CL 2026' }),
  ],
  addPhoto: [
    mostly('@accessCode'),
    mostly('@token'),
    near({ size: PHOTO.length, body: '@photo', photoId: '@photoId' }),
    near({ recipientAnswer: 'B-CL 2026' }),
  ],
  listPhotos: [mostly('@accessCode'), mostly('@token'), near({ recipientAnswer: 'B-CL 2026' })],
  readPhoto: [mostly('@accessCode'), mostly('@token'), text, near({ recipientAnswer: 'B-CL 2026' })],
  removePhoto: [mostly('@accessCode'), mostly('@token'), text, near({ recipientAnswer: 'B-CL 2026' })],
  listClients: [],
  findClient: [clientId],
  listApiKeys: [clientId],
  findApiKey: [mostly('@keyId')],
  findLink: [clientId, mostly('@linkId')],
  linkHistory: [clientId, mostly('@linkId')],
  findLinks: [mostly('@linkId')],
  findSessions: [mostly('S-1')],
  qrCode: [
    mostly('https://claims.example.com/verify/a?token=b'),
    fc.oneof(near({ color: '#14508c', backgroundColor: '#ffffff' }), fc.constant({})),
  ],
  listEvents: [near({ state: 'pending', clientId: CLIENT_ID, kind: 'life', limit: 1 })],
  countEvents: [],
  retryEvents: [near({ clientId: CLIENT_ID, reference: 'S-1' })],
  deleteExpiredLinks: [date],
  reduceExpiredLinks: [date],
  deleteSessions: [date],
  revokeLink: [clientId, mostly('@linkId')],
  unlockLink: [clientId, mostly('@linkId')],
  revokeLinks: [clientId, near({ userId: USER_ID })],
  listLinks: [clientId, near({ limit: 1, userId: USER_ID, state: 'created' })],
  findSession: [clientId, mostly('S-1')],
  updateSession: [clientId, mostly('S-1'), near({ status: 'accepted', camsReference: 'C-2' })],
  listClientSessions: [clientId, withDate({ limit: 1, since: START }, 'since')],
  exportUser: [clientId, userId],
  deleteUser: [clientId, userId],
  deliverPending: [],
  idle: [],
  pageHeaders: [
    near({ nonce: 'bm9uY2U=', link: { callbackUrl: 'https://app.example', ...client }, sources: {} }),
  ],
  addClient: [near({ clientId: 'other', ...client })],
  updateClient: [near({ clientId: CLIENT_ID, ...client })],
  removeClient: [clientId],
  addApiKey: [clientId, withDate({ expiresAt: later }, 'expiresAt')],
  rotateApiKey: [
    mostly('@keyId'),
    fc.oneof(withDate({ expiresAt: later, oldKeyEndsAt: later }, 'oldKeyEndsAt'), fc.constant({})),
  ],
  updateApiKey: [mostly('@keyId'), withDate({ expiresAt: later }, 'expiresAt')],
  revokeApiKey: [mostly('@keyId')],
  addSession: [fc.oneof(withDate(session, 'createdAt'), withDate(session, 'date'))],
};

/** Fewer calls remove what the other ones need. */
const weightOf = (name: string) => (/^(?:remove|revoke|delete)/.test(name) ? 2 : 5);
const calls = Object.entries(ARGUMENTS).map(([name, args]) => ({
  weight: weightOf(name),
  arbitrary: fc.record({ name: fc.constant(name as MethodName), args: fc.tuple(...args) }),
}));

/** Replaces the texts that stand for a value. */
function filled(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') return Object.hasOwn(values, value) ? values[value] : value;
  if (Array.isArray(value)) return value.map((entry) => filled(entry, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, values)]));
}

type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
const isText: Check = (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed();
const isTextUpTo =
  (maximum: number): Check =>
  (value) =>
    isText(value) && (value as string).length >= 1 && (value as string).length <= maximum;
const isId: Check = (value) => isText(value) && idProblem(value as string) === undefined;
/** Years 1 to 9999: databases and drivers write other ones in forms of their own. */
const isDate: Check = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) && /^(?!0000)\d{4}-/.test(value.toISOString());
const isWhole: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isList: Check = (value) =>
  Array.isArray(value) && value.length <= 1000 && value.every(isTextUpTo(2048));
const isData: Check = (value) =>
  Array.isArray(value)
    ? value.every(isData)
    : isObject(value)
      ? Object.entries(value).every(([name, member]) => isText(name) && isData(member))
      : isText(value) || typeof value === 'boolean' || value === null || Number.isFinite(value);
const hasMembers: Check = (value) =>
  isObject(value) &&
  Object.entries(value).every(([name, member]) => Object.hasOwn(MEMBERS, name) && MEMBERS[name]?.(member));
const isOptional =
  (isValid: Check): Check =>
  (value) =>
    value === undefined || isValid(value);

/** What the port allows for each member of an argument. */
const MEMBERS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    ['clientId', 'userId', 'reference', 'camsReference', 'id', 'createdBy'].map((name) => [name, isId]),
  ),
  ...Object.fromEntries(
    ['at', 'date', 'createdAt', 'leaseUntil', 'nextAttemptAt'].map((name) => [name, isDate]),
  ),
  ...Object.fromEntries(['since', 'expiresAt', 'failedAt'].map((name) => [name, isOptional(isDate)])),
  ...Object.fromEntries(
    ['config', 'selectedPolicy'].map((name) => [name, (data) => isObject(data) && isData(data)]),
  ),
  ...Object.fromEntries(
    ['branding', 'settings', 'incident', 'extra', 'link'].map((name) => [
      name,
      isOptional((data) => isObject(data) && isData(data)),
    ]),
  ),
  ...Object.fromEntries(['accessCodeHash', 'apiKeyHash', 'hash'].map((name) => [name, isHash])),
  ...Object.fromEntries(['limit', 'attempts'].map((name) => [name, isWhole])),
  ...Object.fromEntries(['callbackOrigins', 'frameAncestors'].map((name) => [name, isOptional(isList)])),
  ...Object.fromEntries(['session', 'event', 'listing'].map((name) => [name, (value) => hasMembers(value)])),
  cursor: isTextUpTo(2048),
  callbackUrl: isTextUpTo(2048),
  callbackOnSubmit: (value) => typeof value === 'boolean',
  hint: isTextUpTo(100),
  kind: (value) => value === 'submission' || value === 'life',
  locale: isOptional(isTextUpTo(100)),
  name: isOptional(isTextUpTo(100)),
  reason: isTextUpTo(200),
  state: (value) => [...LINK_STATES, 'pending', 'failed'].includes(String(value)),
  status: isTextUpTo(100),
  moment: (value) => isObject(value) && hasMembers(value),
  set: (value) => isObject(value) && isData(value),
  remove: isList,
  type: (value) => MOMENT_TYPES.includes(String(value)),
  unchanged: (value) => typeof value === 'boolean',
  sequence: (value) => Number.isInteger(value) && Number(value) >= 1,
};

const MOMENT_TYPES = [...EVENT_TYPES, 'link.unlocked', 'claim.repeated'];

/** The checks of the methods whose arguments are not one object with members of a record. */
const POSITIONAL: Readonly<Record<string, readonly Check[]>> = {
  chooseEvents: [(choice) => isObject(choice) && isData(choice)],
  ...Object.fromEntries(['findClient', 'listApiKeys', 'findApiKey'].map((name) => [name, [isId]])),
  deleteClient: [isId, isDate],
  deleteExpiredLinks: [isDate, isDate],
  deleteSessions: [isDate, isDate],
  reduceExpiredLinks: [isDate],
  listClients: [],
  revokeApiKey: [isId, isDate],
  updateApiKey: [isId, hasMembers],
};

/** Returns a storage that records every call with an argument that the port excludes. */
function watched(storage: MemoryStorage, violations: string[]): MemoryStorage {
  const methods = Object.entries(storage).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      const checks = POSITIONAL[name] ?? [hasMembers];
      const isValid = args.length === checks.length && checks.every((isAllowed, at) => isAllowed(args[at]));
      if (!isValid) violations.push(`${name}(${show(args)})`);
      return method(...args);
    },
  ]);
  return Object.fromEntries(methods);
}

function show(args: readonly unknown[]): string {
  return JSON.stringify(args).slice(0, 500);
}

const isListing = new Ajv({ strict: false, validateFormats: false }).compile(sessionListSchema);

t.test(
  `${HISTORIES * CALLS_OF_HISTORY} calls with any JSON: a result or a ClaimlinkError, and valid calls of the storage`,
  async (t) => {
    const counts = Object.fromEntries(
      Object.keys(ARGUMENTS).map((name) => [name, { results: 0, errors: 0 }]),
    );
    await check(
      HISTORIES,
      fc.asyncProperty(
        fc.array(fc.oneof(...calls), { minLength: CALLS_OF_HISTORY, maxLength: CALLS_OF_HISTORY }),
        async (history) => {
          const violations: string[] = [];
          const world = await createWorld({
            photos: { store: createMemoryPhotoStore() },
            client: { settings: { form: { photos: { need: 'optional' } } } },
            wrapStorage: (storage) => watched(storage, violations),
          });
          const { claimlink, storage, apiKey } = world;
          for (const reference of ['S-0', 'S-1'])
            storage.insertSession({ clientId: CLIENT_ID, userId: USER_ID, ...storedSession({ reference }) });
          const { accessCode, token } = await world.mint();
          const { linkId } = await claimlink.createLink(CLIENT_ID, linkRequest());
          const { nextCursor = '' } = await claimlink.listSessions(CLIENT_ID, USER_ID, { limit: 1 });
          const values = {
            '@accessCode': accessCode,
            '@apiKey': apiKey,
            '@cursor': nextCursor,
            '@keyId': 'key-1',
            '@linkId': linkId,
            '@photo': photoBody,
            '@photoId': hash('sha256', PHOTO, 'hex'),
            '@token': token,
          };
          for (const { name, args } of history) {
            const count = counts[name] ?? { results: 0, errors: 0 };
            const passed = args.map((arg) => filled(arg, values));
            try {
              await (claimlink[name] as (...all: unknown[]) => unknown)(...passed);
              count.results++;
            } catch (error) {
              if (!isClaimlinkError(error))
                throw new Error(`${name}(${show(passed)}) threw ${(error as Error)?.stack}`, {
                  cause: error,
                });
              count.errors++;
            }
            if (violations.length > 0) throw new Error(`${name}(${show(passed)}) called ${violations[0]}`);
          }
          if (storage.findClient(CLIENT_ID) === undefined) return;
          const { body } = await world.send('GET', `/${CLIENT_ID}/sessions/${USER_ID}`, {
            headers: { 'x-api-key': await newKey(claimlink) },
          });
          if (!isListing(JSON.parse(body))) throw new Error(`the listing is ${body}`);
        },
      ),
    );
    t.comment(JSON.stringify(counts));
    const unused = Object.entries(counts).filter(([, { results }]) => results === 0);
    t.same(unused, [], 'each method has returned');
  },
);

/** The history may have revoked the first key. */
async function newKey({ addApiKey }: Claimlink): Promise<string> {
  return (await addApiKey(CLIENT_ID)).key;
}
