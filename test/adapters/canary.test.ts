// Personal data and secrets of random requests are found only where the table allows them.
import { createHash } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import fastify, { type InjectOptions } from 'fastify';
import t from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { EVENT_TYPES } from '../../lib/core/types.js';
import {
  ClaimlinkError,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  hashAccessCode,
  issueApiKey,
  type LinkSignerOptions,
  type Storage,
  TRACING_CHANNELS,
} from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createDice } from '../mock-server/dice.js';
import { sized } from '../size.js';

/** Number of requests. */
const REQUESTS = sized(1000, 500);

/** The data that the requests contain. */
type Kind =
  | 'userId'
  | 'holder'
  | 'linkedContact'
  | 'policy'
  | 'vehicle'
  | 'incident'
  | 'extra'
  | 'contact'
  | 'callbackUrl'
  | 'query'
  | 'header'
  /** A client id that no key or token has proved. */
  | 'clientId'
  | 'apiKey'
  | 'accessCode'
  | 'token'
  /** Id or bytes of a photo. */
  | 'photo'
  /** Message of an error that the storage or `onSubmit` throws. */
  | 'ownError';

const CLAIM: readonly Kind[] = ['holder', 'linkedContact', 'policy', 'vehicle', 'incident', 'extra'];

/** The observers, and the data that each of them may see. */
const TABLE = {
  'log of the host': ['clientId'],
  'context of claimlink:request': [],
  'context of claimlink:storage': [],
  'request of onError': ['clientId'],
  // Of the storage and of onSubmit, in the words of the host.
  'error of onError': ['ownError'],
  'submission of onError': ['userId'],
  'event of a submission': ['userId', ...CLAIM],
  'event of a link or a deletion': ['userId'],
  'stored event': [],
  'stored event of a link or a deletion': ['userId'],
  'history of a link': ['callbackUrl', 'userId'],
  'event of onError': [],
  'claims of a JWS': ['accessCode'],
  'bytes of a compact token': [],
  problem: [],
  'page of an error': ['contact'],
} as const satisfies Record<string, readonly Kind[]>;
type Observer = keyof typeof TABLE;

const PUBLIC_URL = 'https://claims.example.com';
const DAY_MS = 24 * 60 * 60 * 1000;
const dice = createDice(20260302);

/** The values to look for that are not canaries: the secrets that claimlink creates. */
const secrets = new Map<string, Kind>();

/** How often each status was the response. */
const statuses: Record<string, number> = {};

let canaries = 0;
/** Returns a new text that shows what kind of data it stands for. */
function canary(kind: Kind): string {
  canaries++;
  return `canary-${kind}-${String(canaries).padStart(8, '0')}`;
}

/** What each observer saw: its number of texts, and an example of each kind of data in them. */
const observations = Object.fromEntries(
  Object.keys(TABLE).map((name) => [name, { texts: 0, examples: new Map<string, string>() }]),
) as Record<Observer, { texts: number; examples: Map<string, string> }>;

function observe(observer: Observer, value: unknown): void {
  const text = typeof value === 'string' ? value : inspect(value, { depth: null, showHidden: true });
  observations[observer].texts++;
  const { examples } = observations[observer];
  for (const [, kind = ''] of text.matchAll(/canary-([a-z]+)-\d{8}/gi)) examples.set(kind, text);
  for (const [secret, kind] of secrets) if (text.includes(secret)) examples.set(kind, text);
}

function policy() {
  const person = (kind: Kind) => ({
    firstName: canary(kind),
    lastName: canary(kind),
    phone: canary(kind),
    email: `${canary(kind)}@example.com`,
  });
  return {
    number: canary('policy'),
    provider: canary('policy'),
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: person('holder'),
    linkedContacts: [person('linkedContact')],
    vehicle: { licensePlate: canary('vehicle') },
  };
}

const extra = () => ({ [canary('extra')]: { [canary('extra')]: [canary('extra')] } });

function linkRequest() {
  return {
    callbackUrl: `https://app.example.com/${canary('callbackUrl')}?user=${canary('callbackUrl')}`,
    callbackOnSubmit: dice.chance(0.5),
    config: {
      contact: {
        email: `${canary('contact')}@example.com`,
        phone: canary('contact'),
        link: `https://acme.example/${canary('contact')}`,
      },
      currentUserId: canary('userId'),
      policy: policy(),
      extra: extra(),
    },
  };
}

const claim = () => ({
  policy: policy(),
  incident: { date: '2026-02-01', description: canary('incident') },
  extra: extra(),
});

/** Returns the fields of the built-in form: their names are JSON Pointers. */
function form(value: object, pointer = ''): string {
  return Object.entries(value)
    .filter(([name]) => name !== 'extra')
    .map(([name, member]) =>
      typeof member === 'object'
        ? form(member, `${pointer}/${name}`)
        : new URLSearchParams({ [`${pointer}/${name}`]: String(member) }).toString(),
    )
    .join('&');
}

/** Returns a copy with one member that is invalid, or not what it was. */
function corrupt(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !dice.chance(0.1)) {
    const [name, member] = dice.pick(Object.entries(value));
    if (Array.isArray(value)) return [corrupt(value[0])];
    return { ...value, [name]: corrupt(member) };
  }
  const text = String(value);
  return dice.pick<unknown>([`\0${text}`, text.repeat(200), [text], { [text]: text }, null, 4.5, '', text]);
}

/** The API of the mount. Each request has the canaries of the headers that hosts like to log. */
async function send(request: InjectOptions & { url: string }) {
  const headers = {
    'user-agent': canary('header'),
    cookie: `session=${canary('header')}`,
    'x-request-id': canary('header'),
    referer: `https://app.example.com/${canary('header')}`,
    ...request.headers,
  };
  const response = await app.inject({ ...request, headers });
  // onSubmit and onError are not awaited by the response.
  await setImmediate();
  statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
  // Not the form with problems and the text that was not taken, which show the user's own input.
  if (response.statusCode >= 400 && !/<form|data-entered/.test(response.body)) {
    const isPage = String(response.headers['content-type']).startsWith('text/html');
    observe(isPage ? 'page of an error' : 'problem', inspect(response.headers) + response.body);
  }
  return response;
}

let now = Date.parse('2026-03-02T10:00:00Z');
/** The storage method that fails for the current request. */
let failing: keyof Storage | undefined;
let doesSubmitFail = false;

const { key, hash } = issueApiKey();
secrets.set(key, 'apiKey');
const memory = createMemoryStorage({
  clients: [
    {
      clientId: 'acme',
      name: 'Acme Insurance',
      settings: { allowDecline: true, form: { photos: { need: 'optional' } } },
    },
  ],
  apiKeys: [{ id: 'key-1', clientId: 'acme', hash, createdAt: new Date(now) }],
});
const storage = new Proxy<Storage>(memory, {
  get: (target, name: keyof Storage) =>
    name !== failing
      ? target[name]
      : () => {
          if (dice.chance(0.3)) throw new ClaimlinkError('storage_unavailable', canary('ownError'));
          throw new Error(canary('ownError'), { cause: new Error(canary('ownError')) });
        },
});
const photoStore = createMemoryPhotoStore();
let doesStoreFail = false;
const failingStore = new Proxy(photoStore, {
  get: (target, name: keyof PhotoStore) =>
    doesStoreFail ? () => Promise.reject(new Error(canary('ownError'))) : target[name],
});
const signerOptions: LinkSignerOptions = {
  keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret for tests, of over 32 bytes' }],
  issuer: PUBLIC_URL,
};
let signed = 0;
const jws = createLinkSigner(signerOptions);
const compact = createLinkSigner({ ...signerOptions, format: 'compact' });
const claimlink = createClaimlink({
  storage,
  // Links of both formats in turn, as after a switch.
  signer: { ...jws, sign: (claims) => (signed++ % 2 === 0 ? jws : compact).sign(claims) },
  publicUrl: PUBLIC_URL,
  photos: { store: failingStore },
  now: () => new Date(now),
  events: EVENT_TYPES,
  onEvent(event) {
    observe(
      event.type === 'claim.submitted' ? 'event of a submission' : 'event of a link or a deletion',
      event,
    );
    if (doesSubmitFail) throw new Error(canary('ownError'));
  },
  onError(error, request, submission, event) {
    observe('error of onError', error);
    if (request) observe('request of onError', request);
    if (submission) observe('submission of onError', submission);
    if (event) observe('event of onError', event);
  },
});

// The settings of docs/mounting.md.
const app = fastify({
  logger: {
    level: 'debug',
    stream: { write: (line: string) => observe('log of the host', line) },
    serializers: {
      req: (request) => ({
        method: request.method,
        path: request.routeOptions?.url ?? claimlink.redact(request).path,
      }),
    },
  },
});
app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not Found' }));
app.register(claimlinkPlugin, { claimlink });

for (const name of ['request', 'storage'] as const) {
  const listen = (context: unknown) => observe(`context of claimlink:${name}`, context);
  const channel = tracingChannel(TRACING_CHANNELS[name]);
  const events = { start: listen, end: listen, asyncStart: listen, asyncEnd: listen, error: listen };
  channel.subscribe(events);
  t.teardown(() => channel.unsubscribe(events));
}

/** Sends a listing with a right or wrong key, of a known or unknown client, and with a query. */
async function list(): Promise<void> {
  const clientId = dice.chance(0.6) ? 'acme' : canary('clientId');
  const apiKey = dice.chance(0.8) ? key : canary('apiKey');
  const path = dice.chance(0.9) ? 'sessions' : canary('query');
  const query = dice.pick([
    '',
    `?cursor=${canary('query')}`,
    `?limit=${canary('query')}`,
    `?${canary('query')}`,
  ]);
  const status = dice.pick(['', `status=${canary('query')}`]);
  const url = `/${clientId}/${path}/${canary('userId')}${query}${query ? '&' : '?'}${status}`;
  await send({ method: dice.pick(['GET', 'HEAD', 'PUT']), url, headers: { 'x-api-key': apiKey } });
}

async function createLink(isValid: boolean): Promise<string | undefined> {
  const request = linkRequest();
  const json = JSON.stringify(isValid ? request : corrupt(request));
  const response = await send({
    method: 'POST',
    url: '/acme/link',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: isValid || dice.chance(0.9) ? json : json.slice(0, -1),
  });
  if (response.statusCode !== 200) return undefined;
  const url = response.json().data.slice(PUBLIC_URL.length) as string;
  const [, accessCode = '', token = ''] = /^\/verify\/([^?]+)\?token=(.+)$/.exec(url) ?? [];
  secrets.set(accessCode, 'accessCode').set(token, 'token');
  const [, payload] = token.split('.');
  if (payload === undefined)
    observe('bytes of a compact token', Buffer.from(token, 'base64url').toString('latin1'));
  else observe('claims of a JWS', Buffer.from(payload, 'base64url').toString());
  return url;
}

async function open(url: string): Promise<void> {
  const [path = ''] = url.split('?');
  const target = dice.pick([
    url,
    url,
    `${path}?token=${canary('token')}`,
    `/verify/${canary('accessCode')}?token=${canary('token')}`,
    `/verify/${canary('accessCode')}/${canary('query')}?token=${canary('token')}`,
  ]);
  const headers = { accept: dice.pick(['text/html', 'application/json']) };
  await send({ method: dice.pick(['GET', 'GET', 'HEAD', 'DELETE']), url: target, headers });
}

async function submit(url: string): Promise<void> {
  const body = dice.chance(0.6) ? claim() : corrupt(claim());
  const headers = { accept: dice.pick(['text/html', 'application/json']) };
  const request = dice.chance(0.7)
    ? { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    : {
        body: dice.chance(0.5) ? form(claim()) : form({ incident: { description: canary('incident') } }),
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      };
  await send({ method: 'POST', url, ...request });
}

/** Sends what a page sends beside a claim. What a person adds to it is of no use. */
async function act(url: string): Promise<void> {
  const action = dice.pick(['start', 'start', 'decline', 'renew', canary('query')]);
  const why = dice.pick(['other', 'wrong_person', canary('query')]);
  if (dice.chance(0.1)) now += DAY_MS;
  const headers = {
    accept: dice.pick(['text/html', 'application/json']),
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = new URLSearchParams({ action, why, [canary('query')]: canary('incident') }).toString();
  await send({ method: 'POST', url, headers, body });
}

/** Sends, lists, reads and removes a photo. */
async function photo(url: string): Promise<void> {
  const [path = '', query = ''] = url.split('?');
  const start = dice.chance(0.6) ? 'ffd8ffe1' : '3c737667';
  const payload = Buffer.concat([Buffer.from(start, 'hex'), Buffer.from(canary('photo').repeat(20))]);
  const hash = createHash('sha256').update(payload).digest('hex');
  secrets.set(hash, 'photo');
  const id = dice.pick([hash, hash, hash, canary('photo'), `${hash}/${canary('photo')}`]);
  const target = `${path}/photos/${id}?${query}`;
  const headers = {
    accept: dice.pick(['text/html', 'application/json']),
    'claimlink-proof': canary('token'),
    'content-type': dice.pick(['image/jpeg', 'application/json']),
  };
  doesStoreFail = dice.chance(0.2);
  await send({ method: 'POST', url: target, headers, payload });
  await send({ method: 'GET', url: dice.pick([target, `${path}/photos?${query}`]), headers });
  const parameters = dice.pick([
    'action=remove',
    'id=random',
    `action=${canary('query')}`,
    `id=${canary('query')}`,
  ]);
  await send({ method: dice.pick(['POST', 'PUT']), url: `${target}&${parameters}`, headers });
  doesStoreFail = false;
}

/** Does what an operator does with a link and its user. */
async function operate(url: string): Promise<void> {
  const [, accessCode = ''] = /^\/verify\/([^?]+)/.exec(url) ?? [];
  const linkId = hashAccessCode(accessCode);
  const shown = await claimlink.linkHistory('acme', linkId);
  observe('history of a link', shown);
  for (const stored of await claimlink.listEvents({ state: 'pending', kind: 'life' }))
    observe('stored event of a link or a deletion', stored);
  if (dice.chance(0.3)) await claimlink.revokeLink('acme', linkId);
  if (dice.chance(0.1) && shown) await claimlink.deleteUser('acme', shown.userId);
}

/** The kinds of requests, with the storage calls that may fail. */
const ACTIONS: readonly { run(link: string): Promise<unknown>; calls: readonly (keyof Storage)[] }[] = [
  { run: list, calls: ['findCredentials', 'listSessions'] },
  { run: () => createLink(false), calls: ['findCredentials', 'insertLink'] },
  { run: open, calls: ['findLink', 'markLinkOpened'] },
  { run: submit, calls: ['findLink', 'submitLink'] },
  { run: act, calls: ['findLink'] },
  { run: photo, calls: ['findLink'] },
  { run: operate, calls: [] },
];

t.test(`${REQUESTS} random requests`, async (t) => {
  const links: string[] = [];
  let requests = 0;
  while (requests < REQUESTS) {
    // Before the failures are set, so that there are links.
    if (links.length < 3 || dice.chance(0.3)) links.push((await createLink(true)) ?? '');
    const link = links[dice.upTo(links.length - 1)] ?? '';
    const { run, calls } = dice.pick(ACTIONS);
    failing = calls.length > 0 && dice.chance(0.25) ? dice.pick(calls) : undefined;
    doesSubmitFail = dice.chance(0.5);
    const [accessCode = ''] = link.slice('/verify/'.length).split('?');
    if (dice.chance(0.02)) await claimlink.revokeLink('acme', hashAccessCode(accessCode));
    const time = now;
    // The link has expired at the time of this request.
    if (dice.chance(0.1)) now += DAY_MS;
    await run(link);
    now = time;
    failing = undefined;
    requests++;
  }
  await claimlink.idle();
  // Of the deliveries that failed.
  for (const event of memory.snapshot().events)
    observe('reference' in event ? 'stored event' : 'stored event of a link or a deletion', event);
  t.comment(`${canaries} canaries; responses by status: ${JSON.stringify(statuses)}`);
  t.same(Object.keys(statuses), [
    '200',
    '204',
    '303',
    '400',
    '401',
    '404',
    '405',
    '410',
    '411',
    '415',
    '500',
    '503',
  ]);
});

for (const [observer, allowed] of Object.entries(TABLE) as [Observer, readonly Kind[]][])
  t.test(`${observer}: ${allowed.join(', ') || 'none'}`, async (t) => {
    const { texts, examples } = observations[observer];
    t.ok(texts > 0, `${texts} texts`);
    for (const [kind, text] of examples)
      t.ok(
        allowed.some((name) => name === kind),
        kind,
        { text: text.slice(0, 2000) },
      );
    // Otherwise the table allows more than there is, or the requests are too few.
    for (const kind of allowed) t.ok(examples.has(kind), `${kind} was found`);
  });
