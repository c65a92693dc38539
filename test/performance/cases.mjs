// The requests whose work is counted, and the service that they are put to: from dist, as users have it.
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from 'claimlink';
import { waste } from './waste.mjs';

const PUBLIC_URL = 'https://claims.example.com';
const CLIENT_ID = 'acme';
const API_KEY = 'clk_acme_good';
const NOW = Date.UTC(2026, 4, 4, 12, 30, 45, 678);

/** What a frontend's backend sends: everything that is required, and a policy to fill in. */
const LINK_REQUEST = JSON.stringify({
  callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}&status={STATUS}',
  config: {
    contact: { email: 'help@acme.example', phone: '+49 30 5678', link: 'https://acme.example/help' },
    currentUserId: 'user-10',
    policy: { number: 'P-77', provider: 'Acme', holder: { firstName: 'Ada', lastName: 'Lovelace' } },
    privacyPolicyUrl: 'https://acme.example/privacy',
  },
});

const CLAIM = JSON.stringify({
  policy: {
    number: 'P-77',
    provider: 'Acme',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: { firstName: 'Ada', lastName: 'Lovelace', phone: '+49 30 1234', email: 'ada@example.com' },
    vehicle: { licensePlate: 'B-CL 2026' },
  },
});

/** What a client of the API sends, as node:http gives it. */
const HEADERS = Object.freeze({
  host: 'claims.example.com',
  'user-agent': 'backend/1.0',
  accept: 'application/json',
  'x-api-key': API_KEY,
});
const JSON_HEADERS = Object.freeze({ ...HEADERS, 'content-type': 'application/json' });
const BROWSER_HEADERS = Object.freeze({
  host: 'claims.example.com',
  'user-agent': 'Mozilla/5.0',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
});

/**
 * Each case: `status`, which the answer must have; `prepare(world, count)`, if it needs anything; and
 * `request(index, prepared)`, the CoreRequest of one run. `mint` gives so many links, as targets.
 */
export const CASES = {
  'listing of 0 sessions': { status: 200, request: () => listing('user-0') },
  'listing of 10 sessions': { status: 200, request: () => listing('user-10') },
  'listing of 10 sessions, the first time': {
    status: 200,
    prepare: (world, count) => {
      for (let i = 0; i < count; i++) world.insertSessions(`new-${i}`, 10);
    },
    request: (index) => listing(`new-${index}`),
  },
  'listing of 100 sessions': { status: 200, request: () => listing('user-100') },
  'listing, a page of 10 of 100': { status: 200, request: () => listing('user-100', '?limit=10') },
  link: { status: 200, request: () => link() },
  'verify page, the first time': {
    status: 200,
    prepare: mint,
    request: (index, targets) => page(targets[index]),
  },
  'verify page, again': {
    status: 200,
    prepare: async (world) => {
      const targets = await mint(world, 1);
      await world.handle(page(targets[0]));
      return targets;
    },
    request: (_index, targets) => page(targets[0]),
  },
  'claim, as JSON': {
    status: 200,
    prepare: mint,
    request: (index, targets) => ({
      method: 'POST',
      url: targets[index],
      headers: { ...BROWSER_HEADERS, accept: 'application/json', 'content-type': 'application/json' },
      body: asBody(CLAIM),
    }),
  },
  'API key that is wrong': {
    status: 401,
    request: () => ({ ...listing('user-10'), headers: { ...HEADERS, 'x-api-key': 'clk_acme_wrong' } }),
  },
  'API key that is missing': {
    status: 401,
    request: () => ({ ...listing('user-10'), headers: BROWSER_HEADERS }),
  },
  'token that is forged': {
    status: 404,
    prepare: async (world) => {
      const [target = ''] = await mint(world, 1);
      const last = target.lastIndexOf('.') + 1;
      return [target.slice(0, last) + [...target.slice(last)].reverse().join('')];
    },
    request: (_index, targets) => page(targets[0]),
  },
};

/**
 * A service over memory storage with users of 0, 10 and 100 sessions, `user-0` and so on.
 * `wrapStorage` puts something between the two.
 */
export function createWorld({ wrapStorage = (storage) => storage } = {}) {
  const memory = createMemoryStorage();
  const storage = wrapStorage(memory);
  memory.insertClient({ clientId: CLIENT_ID, name: 'Acme Insurance' });
  memory.insertApiKey({
    id: 'key-1',
    clientId: CLIENT_ID,
    hash: hashApiKey(API_KEY),
    createdAt: new Date(NOW),
  });
  const insertSessions = (userId, count) => {
    for (let n = 1; n <= count; n++)
      memory.insertSession({ clientId: CLIENT_ID, userId, ...session(userId, n) });
  };
  insertSessions('user-10', 10);
  insertSessions('user-100', 100);
  const service = createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret of 32 bytes, or of more' }],
      issuer: PUBLIC_URL,
    }),
    publicUrl: PUBLIC_URL,
    now: () => new Date(NOW),
    onError: (error) => process.stderr.write(`${error?.stack ?? error}\n`),
  });
  const claimlink = process.argv.includes('--waste') ? waste(service, storage) : service;
  return { claimlink, insertSessions, handle: (request) => claimlink.handle(request) };
}

function listing(userId, query = '') {
  return { method: 'GET', url: `/${CLIENT_ID}/sessions/${userId}${query}`, headers: HEADERS };
}

function link() {
  return {
    method: 'POST',
    url: `/${CLIENT_ID}/link`,
    headers: JSON_HEADERS,
    body: asBody(LINK_REQUEST),
  };
}

function page(target) {
  return { method: 'GET', url: target, headers: BROWSER_HEADERS };
}

async function mint(world, count) {
  const targets = [];
  for (let i = 0; i < count; i++) {
    const { status, body } = await world.handle(link());
    if (status !== 200) throw new Error(`No link, but ${status}: ${body}`);
    targets.push(JSON.parse(body).data.slice(PUBLIC_URL.length));
  }
  return targets;
}

/** Adapters give the body as a function to bytes. */
function asBody(text) {
  const bytes = Buffer.from(text);
  return () => bytes;
}

function session(userId, n) {
  return {
    reference: `S-${userId}-${n}`,
    date: new Date(Date.UTC(2026, 0, n, 10, 5)),
    camsReference: `CAMS-${userId}-${n}`,
    status: 'submitted',
    createdAt: new Date(Date.UTC(2026, 0, n, 9, 30)),
    selectedPolicy: {
      number: `P-${n}`,
      provider: 'Acme',
      holder: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        id: userId,
        phone: '+49 30 1234',
        email: 'ada@example.com',
      },
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' }],
      vehicle: { licensePlate: 'B-CL 2026' },
    },
  };
}
