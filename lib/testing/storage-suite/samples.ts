// What the storage cases share: sample records, and assertions that say what differs.
import assert from 'node:assert/strict';
import type { ErrorCode } from '../../core/errors.js';
import type { AdminStorage, LinkId, SessionQuery, SessionRecord } from '../../core/storage.js';
import type { ApiKey, Link, Session } from '../../core/types.js';

/** A rule about a fresh, empty storage. */
export interface StorageCase {
  name: string;
  check(storage: AdminStorage): Promise<void>;
}

/** The moment that samples are made at; milliseconds on purpose. */
export const NOON = new Date('2026-03-02T12:00:00.123Z');

export const CLIENT_ID = 'acme';
export const USER_ID = 'user-1';

/** `NOON`, so many milliseconds later. */
export function later(milliseconds: number): Date {
  return new Date(NOON.getTime() + milliseconds);
}

/** A session with every member, optional ones included. */
export function sampleSession(changes: Partial<Session> = {}): Session {
  return {
    reference: 'S-1',
    date: later(7),
    camsReference: 'C-1',
    status: 'submitted',
    createdAt: NOON,
    selectedPolicy: {
      number: 'P-100',
      provider: 'Acme "Insurance" & Söhne',
      holder: {
        firstName: 'Ada',
        lastName: "O'Neill",
        id: '42',
        phone: '+44 20 7946 0000',
        email: 'ada@example.com',
      },
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      linkedContacts: [
        { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', phone: '+1 555 0100' },
        { firstName: 'Alan', lastName: 'Turing', email: 'alan@example.com' },
      ],
      vehicle: { licensePlate: 'B-CL 2026' },
    },
    incident: { date: '2026-02-27', description: 'Hail.\nTwo dents, one 🚗, a \\ and a %.' },
    ...changes,
  };
}

/** A session with its owner. */
export function sampleRecord(changes: Partial<SessionRecord> = {}): SessionRecord {
  return { clientId: CLIENT_ID, userId: USER_ID, ...sampleSession(), ...changes };
}

/** A link that ends a minute after `NOON`. */
export function sampleLink(changes: Partial<Link> = {}): Link {
  return {
    accessCodeHash: 'a'.repeat(64),
    clientId: CLIENT_ID,
    userId: USER_ID,
    callbackUrl: 'https://app.example.com/done?r={SESSION_REFERENCE}#top',
    callbackOnSubmit: false,
    config: { contact: { email: 'help@example.com', phone: '+44 1' }, currentUserId: USER_ID },
    createdAt: NOON,
    expiresAt: later(60_000),
    ...changes,
  };
}

/** What a link of `CLIENT_ID` is found by. */
export function linkId(accessCodeHash: string): LinkId {
  return { clientId: CLIENT_ID, accessCodeHash };
}

/** An API key of `CLIENT_ID`. */
export function sampleKey(changes: Partial<ApiKey> = {}): ApiKey {
  return { id: 'key-1', clientId: CLIENT_ID, hash: 'f'.repeat(64), createdAt: NOON, ...changes };
}

/** A storage with a client, and one link of its. */
export async function withLink(storage: AdminStorage, changes: Partial<Link> = {}): Promise<Link> {
  const link = sampleLink(changes);
  await storage.insertClient({ clientId: link.clientId });
  assert.equal(await storage.insertLink(link), true, 'a new link is inserted');
  return link;
}

/** The references that a user's listing holds, in its order. */
export async function referencesOf(
  storage: AdminStorage,
  query: Partial<SessionQuery> = {},
): Promise<string[]> {
  const { sessions } = await storage.listSessions({
    clientId: CLIENT_ID,
    userId: USER_ID,
    limit: 1000,
    ...query,
  });
  return sessions.map(({ reference }) => reference);
}

/** Asserts that a call throws or rejects with this error. */
export async function assertFails(code: ErrorCode, call: () => unknown): Promise<void> {
  await assert.rejects(async () => call(), { name: 'ClaimlinkError', code });
}

/** Asserts that every member is as expected. Members that the port does not know are the storage's own affair. */
export function assertHas<T extends object>(
  actual: T | undefined,
  expected: T,
  optional: readonly (keyof T)[],
): void {
  assert.ok(actual !== undefined, 'found');
  for (const key of Object.keys(expected) as (keyof T)[]) {
    assert.deepEqual(actual[key], expected[key], String(key));
  }
  for (const key of optional) {
    if (expected[key] === undefined) assert.equal(actual[key], undefined, `${String(key)} is absent`);
  }
}

/** Asserts that a session came back whole. */
export function assertSession(actual: Session | undefined, expected: Session): void {
  assertHas(actual, expected, ['incident']);
}

/** How many of the outcomes are this one. */
export function count<T>(values: readonly T[], isCounted: (value: T) => boolean): number {
  return values.filter(isCounted).length;
}

/** Runs a call many times at once. */
export function atOnce<T>(times: number, call: (index: number) => T): Promise<Awaited<T>[]> {
  return Promise.all(Array.from({ length: times }, async (_, index) => await call(index)));
}
