// The one service that every mount of the HTTP suite serves: two clients, keys in every state, a clock to turn.
import { randomBytes } from 'node:crypto';
import {
  type AdminStorage,
  type Awaitable,
  type Claimlink,
  type ClaimlinkOptions,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  type FailedRequest,
  hashApiKey,
  type LinkFormat,
  type LinkRequest,
  type Storage,
} from '../../lib/index.js';

export const PUBLIC_URL = 'https://claims.example.com';
export const NOW = new Date('2026-05-04T12:30:45.678Z');

export const KEYS = {
  good: 'clk_acme_good',
  expired: 'clk_acme_expired',
  revoked: 'clk_acme_revoked',
  /** Of the client `other`. */
  foreign: 'clk_other_good',
} as const;

export interface TestService {
  claimlink: Claimlink;
  storage: AdminStorage;
  clock: { now: Date };
  /** What onError was given. */
  failures: { error: unknown; request: FailedRequest | undefined }[];
}

/** How a test service differs from the usual one: options of its storage and of createClaimlink. */
export interface TestServiceOptions extends Partial<Omit<ClaimlinkOptions, 'storage' | 'signer'>> {
  /** Format of the tokens of links. */
  format?: LinkFormat;
  /** An empty storage. Default: memory. */
  createStorage?: () => Awaitable<AdminStorage>;
  /** Puts a faulty storage around the good one. */
  wrap?: (storage: AdminStorage) => Storage;
}

/** Builds the service. */
export async function createTestService({
  format = 'jws',
  createStorage = createMemoryStorage,
  wrap = (good) => good,
  publicUrl = PUBLIC_URL,
  ...options
}: TestServiceOptions = {}): Promise<TestService> {
  const storage = await createStorage();
  const clock = { now: NOW };
  const failures: TestService['failures'] = [];
  await storage.insertClient({ clientId: 'acme', name: 'Acme Insurance' });
  await storage.insertClient({ clientId: 'other' });
  const createdAt = new Date('2026-01-01T00:00:00Z');
  const key = (id: string, clientId: string, value: string) => ({
    id,
    clientId,
    hash: hashApiKey(value),
    createdAt,
  });
  await storage.insertApiKey(key('good', 'acme', KEYS.good));
  await storage.insertApiKey({ ...key('expired', 'acme', KEYS.expired), expiresAt: NOW });
  await storage.insertApiKey(key('revoked', 'acme', KEYS.revoked));
  await storage.revokeApiKey('revoked', createdAt);
  await storage.insertApiKey(key('foreign', 'other', KEYS.foreign));
  for (let n = 1; n <= 3; n++) {
    await storage.insertSession({ clientId: 'acme', userId: 'user-1', ...sampleSession(n) });
  }
  const claimlink = createClaimlink({
    storage: wrap(storage),
    signer: createLinkSigner({
      keys: [{ kid: 'k1', algorithm: 'HS256', secret: randomBytes(32) }],
      issuer: publicUrl,
      format,
    }),
    publicUrl,
    now: () => clock.now,
    onError: (error, request) => failures.push({ error, request }),
    ...options,
  });
  return { claimlink, storage, clock, failures };
}

/** The n-th session of a user, a day later each. */
export function sampleSession(n: number) {
  return {
    reference: `S-${n}`,
    date: new Date(Date.UTC(2026, 0, n, 10, 5, 59, 999)),
    camsReference: `CAMS-${n}`,
    status: 'submitted',
    createdAt: new Date(Date.UTC(2026, 0, n, 9, 30, 15, 250)),
    selectedPolicy: {
      number: `P-${n}`,
      provider: 'Näıve & Söhne "Versicherung" 🚗',
      holder: {
        firstName: 'Zoë',
        lastName: "O'Hara",
        id: 'user-1',
        phone: '+49 30 1234',
        email: 'zoe@example.com',
      },
      validFrom: '2025-01-01',
      validTo: '2026-12-31',
      linkedContacts: [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com', phone: '112' }],
      vehicle: { licensePlate: 'B-AB 123' },
    },
  };
}

/** A link request with every member. */
export function linkRequest(overrides: Partial<LinkRequest> = {}): LinkRequest {
  return {
    callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}&status={STATUS}#end',
    callbackOnSubmit: true,
    config: {
      contact: { email: 'help@acme.example', phone: '+49 30 5678', link: 'https://acme.example/help' },
      currentUserId: 'user-1',
      policy: {
        provider: 'Acme',
        number: 'P-77',
        holder: { firstName: 'Zoë' },
        linkedContacts: [{ phone: '1' }],
      },
      initialStepKey: 'contact',
      privacyPolicyUrl: 'https://acme.example/privacy',
    },
    ...overrides,
  };
}

/** A complete claim. */
export const CLAIM = {
  policy: {
    number: 'P-77',
    provider: 'Acme',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: { firstName: 'Zoë', lastName: 'Muster', phone: '+49 30 1234', email: 'zoe@example.com' },
    linkedContacts: [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com' }],
    vehicle: { licensePlate: 'B-AB 123' },
  },
  incident: { date: '2026-05-01', description: 'A stone hit the windscreen.' },
};

/** The same claim as the fields of the built-in form. */
export function claimFields(): URLSearchParams {
  const fields = new URLSearchParams();
  const add = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') fields.append(pointer, value);
    else for (const [name, member] of Object.entries(value as object)) add(member, `${pointer}/${name}`);
  };
  add(CLAIM, '');
  return fields;
}

/** Path and query of a new link of user-1. */
export async function mintLink(service: TestService, overrides?: Partial<LinkRequest>): Promise<string> {
  const { url } = await service.claimlink.createLink('acme', linkRequest(overrides));
  return url.slice(PUBLIC_URL.length);
}
