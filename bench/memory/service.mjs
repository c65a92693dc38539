// The service that the memory benchmark measures, and what it puts to it: from dist, over memory storage.
import { createClaimlink, createLinkSigner, createMemoryStorage, hashApiKey } from '../../dist/lib/index.js';

const PUBLIC_URL = 'https://claims.example.com';
const CLIENT_ID = 'acme';
const API_KEY = 'clk_acme_good';
const START = Date.UTC(2026, 4, 4, 12);

const LINK_REQUEST = Buffer.from(
  JSON.stringify({
    callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}&status={STATUS}',
    config: {
      contact: { email: 'help@acme.example', phone: '+49 30 5678', link: 'https://acme.example/help' },
      currentUserId: 'user-10',
      policy: { number: 'P-77', provider: 'Acme', holder: { firstName: 'Ada', lastName: 'Lovelace' } },
      privacyPolicyUrl: 'https://acme.example/privacy',
    },
  }),
);

/** Headers of a client of the API. */
export const HEADERS = Object.freeze({
  host: 'claims.example.com',
  accept: 'application/json',
  'x-api-key': API_KEY,
});

/**
 * A service with one user for each of `users`, an object of session counts by user id.
 * `advance(milliseconds)` turns its clock; `countLinks()` is how many links its storage holds.
 */
export function createService({ users = {}, linkTtlSeconds = 60 } = {}) {
  let time = START;
  const storage = createMemoryStorage();
  storage.insertClient({ clientId: CLIENT_ID, name: 'Acme Insurance' });
  storage.insertApiKey({
    id: '1',
    clientId: CLIENT_ID,
    hash: hashApiKey(API_KEY),
    createdAt: new Date(START),
  });
  for (const [userId, count] of Object.entries(users)) {
    for (let n = 1; n <= count; n++) {
      storage.insertSession({ clientId: CLIENT_ID, userId, ...toSession(userId, n) });
    }
  }
  const claimlink = createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: '1', algorithm: 'HS256', secret: 'a secret of 32 bytes, or of more' }],
      issuer: PUBLIC_URL,
    }),
    publicUrl: PUBLIC_URL,
    linkTtlSeconds,
    now: () => new Date(time),
    onError: (error) => console.error(error),
  });
  return {
    claimlink,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    countLinks: () => storage.snapshot().links.length,
  };
}

/** A request for a user's sessions. */
export function listing(userId, headers = HEADERS) {
  return { method: 'GET', url: `/${CLIENT_ID}/sessions/${userId}`, headers };
}

/** A request for a link, its body given as adapters give it. */
export function link() {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return { method: 'POST', url: `/${CLIENT_ID}/link`, headers, body: () => LINK_REQUEST };
}

/** The request of a browser that follows a link. */
export function page(url) {
  return { method: 'GET', url: url.slice(PUBLIC_URL.length), headers: { accept: 'text/html' } };
}

/** Mints a link; resolves to its URL. */
export async function mint({ claimlink }) {
  const { status, body } = await claimlink.handle(link());
  if (status !== 200) throw new Error(`no link, but ${status}: ${body}`);
  return JSON.parse(body).data;
}

function toSession(userId, n) {
  return {
    reference: `S-${userId}-${n}`,
    date: new Date(START - n * 60_000),
    camsReference: `CAMS-${userId}-${n}`,
    status: 'submitted',
    createdAt: new Date(START - n * 60_000),
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
