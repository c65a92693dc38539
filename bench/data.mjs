// The data and the requests of the benchmark: the same for every server and in every run.
import { randomBytes } from 'node:crypto';

export const PUBLIC_URL = 'https://claims.example.com';
export const CLIENT = Object.freeze({
  clientId: 'demo',
  name: 'Nordlicht Versicherung',
  callbackOrigins: ['https://app.example.com'],
});
export const API_KEY = 'clk_bench_Jv3sQ0mY8dT5kX2pR7wN9aZ4cF6hB1gL';
export const SECRET = 'a secret for the benchmark, at least 32 bytes long';
/** By default the shortest life that claimlink accepts, so that the links of a measurement do not fill the memory. */
export const LINK_TTL_SECONDS = Number(process.env.LINK_TTL_SECONDS ?? 60);

export const USER_ID = 'user-10';
const FIRST_NAMES = ['Anna', 'Jürgen', 'Maria', 'Paul', 'Zoë', 'Lukas', 'Emilia', 'Friedrich', 'Ida', 'Max'];
const LAST_NAMES = ['Müller', 'Schmidt', 'Weiß', 'Fischer', 'Wagner', 'Becker', 'Hoffmann'];
const PROVIDERS = ['Nordlicht Versicherung', 'Alpenschutz AG', 'Hanseatische Allgemeine'];
const MINUTE_MS = 60_000;
const NEWEST = Date.UTC(2026, 5, 1, 9, 30);

/** The sessions of the one user, newest first. Dates are Date objects, as every storage holds them. */
export function createSessions() {
  return Array.from({ length: 10 }, (_, index) => {
    const number = String(100_000 + index);
    const createdAt = new Date(NEWEST - index * 977 * MINUTE_MS);
    return {
      reference: `S-10-${number}`,
      date: new Date(createdAt.getTime() + 11 * MINUTE_MS),
      camsReference: `CAMS-${number}`,
      status: 'submitted',
      createdAt,
      selectedPolicy: {
        number: `KFZ-${number}-${index % 7}`,
        provider: PROVIDERS[index % PROVIDERS.length],
        holder: {
          firstName: FIRST_NAMES[index % FIRST_NAMES.length],
          lastName: LAST_NAMES[index % LAST_NAMES.length],
          id: USER_ID,
          phone: `+49 30 ${number}`,
          email: `claims.${number}@example.com`,
        },
        validFrom: '2025-01-01',
        validTo: '2026-12-31',
        linkedContacts: LAST_NAMES.slice(0, (index + 1) % 3).map((lastName, position) => ({
          firstName: FIRST_NAMES[position],
          lastName,
          email: `contact.${position}.${number}@example.com`,
        })),
        vehicle: { licensePlate: `B-CL ${1000 + index}` },
      },
    };
  });
}

const { holder, ...policy } = createSessions()[3].selectedPolicy;
const { id: _id, ...person } = holder;

/** A link request that prefills every field of the policy. */
export const LINK_BODY = JSON.stringify({
  callbackUrl: 'https://app.example.com/claims/done?reference={SESSION_REFERENCE}',
  callbackOnSubmit: true,
  config: {
    contact: {
      email: 'claims@nordlicht.example',
      phone: '+49 30 123456',
      link: 'https://nordlicht.example/help',
    },
    currentUserId: USER_ID,
    policy: { ...policy, holder: person },
    initialStepKey: 'policy',
    privacyPolicyUrl: 'https://nordlicht.example/privacy',
  },
});

/** A claim with the prefilled policy. */
export const CLAIM_BODY = JSON.stringify({ policy: JSON.parse(LINK_BODY).config.policy });

/** The link of such a request, as storages hold it. It lives for a day. */
export function createStoredLink(owner, createdAt) {
  const accessCodeHash = randomBytes(32).toString('hex');
  const expiresAt = new Date(createdAt.getTime() + 24 * 60 * MINUTE_MS);
  return { ...JSON.parse(LINK_BODY), ...owner, accessCodeHash, createdAt, expiresAt };
}

const HEADERS = Object.freeze({ 'x-api-key': API_KEY, 'content-type': 'application/json' });

/** The measured requests. */
export const REQUESTS = Object.freeze({
  listing: { method: 'GET', path: `/${CLIENT.clientId}/sessions/${USER_ID}`, headers: HEADERS },
  link: { method: 'POST', path: `/${CLIENT.clientId}/link`, headers: HEADERS, body: LINK_BODY },
});

/** A link request with three mistakes: the response is a 400. */
export const INVALID_LINK_REQUEST = Object.freeze({
  ...REQUESTS.link,
  body: JSON.stringify({ callbackUrl: 42, config: { contact: { email: 'claims@nordlicht.example' } } }),
});
