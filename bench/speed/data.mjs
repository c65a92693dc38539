// The data and the requests of the speed benchmarks: the same for every server, the same in every run.

export const PUBLIC_URL = 'https://claims.example.com';
export const CLIENT = Object.freeze({
  clientId: 'demo',
  name: 'Nordlicht Versicherung',
  callbackOrigins: ['https://app.example.com'],
});
export const API_KEY = 'clk_bench_Jv3sQ0mY8dT5kX2pR7wN9aZ4cF6hB1gL';
export const WRONG_KEY = API_KEY.toLowerCase();
export const SECRET = 'a secret of the benchmarks, 32 bytes or more';
/** The shortest that claimlink takes: what the link cases mint must not pile up, in any server. */
export const LINK_TTL_SECONDS = 60;

/** How many sessions the users `user-0`, `user-10`, ... have. */
export const LISTING_SIZES = [0, 10, 100, 1000];

const FIRST_NAMES = ['Anna', 'Jürgen', 'Maria', 'Paul', 'Zoë', 'Lukas', 'Emilia', 'Friedrich', 'Ida', 'Max'];
const LAST_NAMES = [
  'Müller',
  'Schmidt',
  'Weiß',
  'Fischer',
  'Wagner',
  'Becker',
  'Hoffmann',
  'Schäfer',
  'Koch',
];
const PROVIDERS = ['Nordlicht Versicherung', 'Alpenschutz AG', 'Hanseatische Allgemeine'];
const MINUTE = 60_000;
const LATEST = Date.UTC(2026, 5, 1, 9, 30);

/** The sessions of `user-<size>`, newest first, as storages hold them: dates at full precision. */
export function sessionsOf(size) {
  return Array.from({ length: size }, (_, index) => {
    const firstName = FIRST_NAMES[index % FIRST_NAMES.length];
    const lastName = LAST_NAMES[index % LAST_NAMES.length];
    const number = String(100_000 + index);
    const createdAt = new Date(LATEST - index * 977 * MINUTE);
    return {
      reference: `S-${size}-${number}`,
      date: new Date(createdAt.getTime() + 11 * MINUTE),
      camsReference: `CAMS-${number}`,
      status: 'submitted',
      createdAt,
      selectedPolicy: {
        number: `KFZ-${number}-${index % 7}`,
        provider: PROVIDERS[index % PROVIDERS.length],
        holder: {
          firstName,
          lastName,
          id: `user-${size}`,
          phone: `+49 30 ${number}`,
          email: `claims.${number}@example.com`,
        },
        validFrom: '2025-01-01',
        validTo: '2026-12-31',
        linkedContacts: LAST_NAMES.slice(0, index % 3).map((name, position) => ({
          firstName: FIRST_NAMES[position],
          lastName: name,
          email: `contact.${position}.${number}@example.com`,
        })),
        vehicle: { licensePlate: `B-CL ${1000 + (index % 9000)}` },
      },
    };
  });
}

/** What a caller sends who prefills what it knows. */
export const LINK_BODY = JSON.stringify({
  callbackUrl: 'https://app.example.com/claims/done?reference={SESSION_REFERENCE}',
  callbackOnSubmit: true,
  config: {
    contact: {
      email: 'claims@nordlicht.example',
      phone: '+49 30 123456',
      link: 'https://nordlicht.example/help',
    },
    currentUserId: 'user-10',
    policy: {
      provider: 'Nordlicht Versicherung',
      number: 'KFZ-100003-3',
      validFrom: '2025-01-01',
      validTo: '2026-12-31',
      holder: {
        firstName: 'Jürgen',
        lastName: 'Schäfer',
        email: 'j.schaefer@example.com',
        phone: '+49 30 998877',
      },
      vehicle: { licensePlate: 'B-CL 4711' },
      linkedContacts: [{ firstName: 'Zoë', lastName: 'Weiß', email: 'zoe@example.com', phone: '+49 30 55' }],
    },
    initialStepKey: 'policy',
    privacyPolicyUrl: 'https://nordlicht.example/privacy',
  },
});

const JSON_HEADERS = Object.freeze({ 'x-api-key': API_KEY, 'content-type': 'application/json' });

export function listingRequest(size) {
  return { method: 'GET', path: `/${CLIENT.clientId}/sessions/user-${size}`, headers: JSON_HEADERS };
}

export const LINK_REQUEST = Object.freeze({
  method: 'POST',
  path: `/${CLIENT.clientId}/link`,
  headers: JSON_HEADERS,
  body: LINK_BODY,
});

/** A user of its own, so that a server of constants knows the request by its path. */
export const UNAUTHORIZED_REQUEST = Object.freeze({
  method: 'GET',
  path: `/${CLIENT.clientId}/sessions/user-401`,
  headers: { ...JSON_HEADERS, 'x-api-key': WRONG_KEY },
});

/** A link request with three mistakes: 400, and nothing else. */
export const INVALID_LINK_REQUEST = Object.freeze({
  ...LINK_REQUEST,
  body: JSON.stringify({ callbackUrl: 42, config: { contact: { email: 'claims@nordlicht.example' } } }),
});

/** The request that opens what a link request was answered. */
export function verifyRequest(url) {
  if (!url.startsWith(`${PUBLIC_URL}/verify/`)) throw new Error(`no URL of a link: ${url}`);
  return { method: 'GET', path: url.slice(PUBLIC_URL.length), headers: { accept: 'text/html' } };
}
