// Sample records and assertions that the rules share.

import type { ErrorCode } from '../../core/errors.js';
import type { LinkRef, LinkSubmission, PresentedKey, SessionQuery, Storage } from '../../core/storage.js';
import type { ApiKey, Awaitable, Link, Session, SessionRecord, WidgetConfig } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';

/** A rule; `check` gets a new, empty storage. */
export interface StorageRule<S = ProvisionedStorage> {
  name: string;
  /** true for a rule about concurrent calls: the suite first opens the connections of a pool. */
  isRace?: true;
  check(storage: S): Promise<void>;
}

/** Number of connections that a pool needs so that the calls of a rule about concurrent calls run at the same time. */
export const POOL_SIZE = 10;

/** When the samples are created. It has milliseconds because a storage must keep them. */
export const NOON = new Date('2026-03-02T12:00:00.123Z');

export const CLIENT_ID = 'acme';
export const USER_ID = 'user-1';

/** `expiresAt` of the sample link. */
export const END = later(60_000);
export const JUST_BEFORE_END = later(59_999);

/** Returns `NOON` plus some milliseconds. */
export function later(milliseconds: number): Date {
  return new Date(NOON.getTime() + milliseconds);
}

/** Returns a session with every member, the optional ones included. */
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
    extra: { ticket: 42, tags: ['a', '', null], nested: { deep: [{}, [], true, 1.5] } },
    link: { linkId: 'a'.repeat(64), extra: { case: 'K-7', parts: [1, { left: null }] } },
    notice: { url: 'https://example.com/privacy?v=2#data', at: later(7), accepted: true },
    ...changes,
  };
}

/** Returns a session with its client and user. */
export function sampleRecord(changes: Partial<SessionRecord> = {}): SessionRecord {
  return { clientId: CLIENT_ID, userId: USER_ID, ...sampleSession(), ...changes };
}

/** Returns a link that expires at `END`. */
export function sampleLink(changes: Partial<Link> = {}): Link {
  return {
    accessCodeHash: 'a'.repeat(64),
    clientId: CLIENT_ID,
    userId: USER_ID,
    callbackUrl: 'https://app.example.com/done?r={SESSION_REFERENCE}#top',
    callbackOnSubmit: false,
    config: { contact: { email: 'help@example.com', phone: '+44 1' }, currentUserId: USER_ID },
    createdAt: NOON,
    expiresAt: END,
    ...changes,
  };
}

/** The config of a link with prefilled personal data. */
export const PREFILLED: WidgetConfig = {
  contact: { email: 'help@example.com', phone: '+44 1', link: 'https://example.com/help' },
  currentUserId: 42,
  policy: { number: 'P-9', holder: { firstName: 'Ada', email: 'ada@example.com' } },
  initialStepKey: 'incident',
  privacyPolicyUrl: 'https://example.com/privacy',
  extra: { customer: 'Ada' },
};

/** The part of `PREFILLED` that a link keeps after its use. */
export const REDUCED: WidgetConfig = { contact: PREFILLED.contact, currentUserId: 42 };

/** Returns the id of a link of `CLIENT_ID`. */
export function linkId(accessCodeHash: string): LinkRef {
  return { clientId: CLIENT_ID, accessCodeHash };
}

/** Returns an access code hash. Hashes are ordered like their numbers. */
export function hashOf(number: number): string {
  return String(number).padStart(64, '0');
}

/** Returns the submission of a link of `CLIENT_ID`. */
export function sampleSubmission(
  accessCodeHash: string,
  changes: Partial<LinkSubmission> = {},
): LinkSubmission {
  return { ...linkId(accessCodeHash), at: NOON, session: sampleSession(), ...changes };
}

/** Returns an API key of `CLIENT_ID`. */
export function sampleKey(changes: Partial<ApiKey> = {}): ApiKey {
  return { id: 'key-1', clientId: CLIENT_ID, hash: 'f'.repeat(64), createdAt: NOON, ...changes };
}

/** Inserts a client and one of its links. */
export async function withLink(storage: ProvisionedStorage, changes: Partial<Link> = {}): Promise<Link> {
  const link = sampleLink(changes);
  await storage.insertClient({ clientId: link.clientId });
  assert.equal(await storage.insertLink(link), true, 'a new link is inserted');
  return link;
}

/** Inserts `CLIENT_ID`, and its sessions in this order. */
export async function withSessions(
  storage: ProvisionedStorage,
  ...sessions: Partial<SessionRecord>[]
): Promise<void> {
  await storage.insertClient({ clientId: CLIENT_ID });
  for (const changes of sessions) await storage.insertSession(sampleRecord(changes));
}

/** Inserts `CLIENT_ID` and one of its API keys. */
export async function withKey(storage: ProvisionedStorage, changes: Partial<ApiKey> = {}): Promise<ApiKey> {
  const key = sampleKey(changes);
  await storage.insertClient({ clientId: CLIENT_ID });
  await storage.insertApiKey(key);
  return key;
}

/** Returns the key with this hash that `findCredentials` finds for a request to `CLIENT_ID`. */
export async function presentedKey(storage: Storage, apiKeyHash: string): Promise<PresentedKey | undefined> {
  return (await storage.findCredentials({ apiKeyHash, clientId: CLIENT_ID })).apiKey;
}

/** Returns the link that `findLink` finds for `CLIENT_ID`. */
export async function linkOf(storage: Storage, accessCodeHash: string): Promise<Link | undefined> {
  return (await storage.findLink(linkId(accessCodeHash)))?.link;
}

/** Returns the first 1000 sessions in the listing of a user. */
export async function sessionsOf(
  storage: Storage,
  query: Partial<SessionQuery> = {},
): Promise<readonly Session[]> {
  const page = await storage.listSessions({ clientId: CLIENT_ID, userId: USER_ID, limit: 1000, ...query });
  return page.sessions;
}

/** Returns the references in the listing of a user, in their order. */
export async function referencesOf(storage: Storage, query: Partial<SessionQuery> = {}): Promise<string[]> {
  return (await sessionsOf(storage, query)).map(({ reference }) => reference);
}

/** Returns every page, from the first one to the one without a cursor. Calls `afterPage` with the number of pages. */
export async function followPages<P extends { nextCursor?: string }>(
  readPage: (cursor: { cursor?: string }) => Awaitable<P>,
  afterPage: (pageCount: number) => Promise<void> = async () => undefined,
): Promise<P[]> {
  const pages: P[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page.nextCursor;
    assert.ok(pages.length < 100, 'the last page has no cursor');
    await afterPage(pages.length);
  } while (cursor !== undefined);
  return pages;
}

/** Asserts that a call throws or rejects with this error. */
export async function assertFails(code: ErrorCode, call: () => unknown): Promise<void> {
  await assert.rejects(async () => call(), { name: 'ClaimlinkError', code });
}

/** Asserts that every expected member is equal. A storage may add members of its own. */
export function assertHas<T extends object>(
  actual: T | undefined,
  expected: T,
  optional: readonly (keyof T)[],
): void {
  assert.ok(actual !== undefined, 'the record exists');
  for (const key of Object.keys(expected) as (keyof T)[]) {
    assert.deepEqual(actual[key], expected[key], String(key));
  }
  for (const key of optional) {
    if (expected[key] === undefined) assert.equal(actual[key], undefined, `${String(key)} is absent`);
  }
}

/** Asserts that a session has all of its members. */
export function assertSession(actual: Session | undefined, expected: Session): void {
  assertHas(actual, expected, ['incident', 'extra', 'link', 'notice']);
}

/** Asserts how many of the results match. */
export function assertCount<T>(
  expected: number,
  results: readonly T[],
  matches: (result: T) => boolean,
): void {
  assert.equal(results.filter(matches).length, expected);
}

/** Starts a call many times without waiting, then waits for all results. */
export function concurrently<T>(times: number, call: (index: number) => T): Promise<Awaited<T>[]> {
  return Promise.all(Array.from({ length: times }, async (_, index) => await call(index)));
}
