// Reads the text of a persist file back into a world, or says what is wrong with it, line by line.
import {
  type ErrorDetail,
  hashApiKey,
  type Link,
  type SessionRecord,
  type StoredLink,
} from '../../lib/index.js';
import { readJsonText } from '../scenario/json-text.js';
import { clientProblems } from '../scenario/scenario-check.js';
import { isMoment, readMoment, toSessions } from '../scenario/scenario-sessions.js';
import { checkWith } from '../scenario/schema-check.js';
import { hashOfUrl, type WorldFile } from './persist-format.js';
import {
  PERSIST_VERSION,
  type PersistedApiKey,
  type PersistedClient,
  type PersistedClock,
  type PersistedLink,
  type PersistedWorld,
  persistedWorldSchema,
} from './persist-schema.js';
import { refusal, refuseText, refuseValue } from './world-file-text.js';
import type { ClientSnapshot, ClockSetting, LinkRecord } from './world-snapshot.js';

/** By this a file is known as one of ours. */
interface Header {
  claimlink?: unknown;
  version?: unknown;
}

/**
 * Reads a persist file, which `path` names in errors.
 * @throws `options_invalid` with a detail for each problem: `world.json:12:7 /clients/0/links/1/url is required`.
 */
export function readWorldFile(text: string, path: string): WorldFile {
  const read = readJsonText(text);
  if (read.problems.length > 0) throw refuseText('persistFile', path, text, read.problems);
  assertOurs(read.value, path);
  const problems = checkWith(persistedWorldSchema, read.value);
  const all = [...problems, ...clientProblems(read.value, problems)];
  // What follows from one member to the next can only be asked of members that are of the right type.
  if (problems.length === 0) all.push(...worldProblems(read.value as PersistedWorld));
  if (all.length > 0) throw refuseValue('persistFile', path, text, read, all);
  return toWorld(read.value as PersistedWorld);
}

function assertOurs(value: unknown, path: string): void {
  const { claimlink, version }: Header = Object(value);
  if (claimlink !== 'world') {
    const sentence = `${path} is no world of claimlink, which begins with "claimlink": "world"; name another file`;
    throw refusal('persistFile', [sentence]);
  }
  if (typeof version === 'number' && version > PERSIST_VERSION) {
    const sentence = `${path} has the format ${version}, and this version of claimlink knows ${PERSIST_VERSION}; update claimlink, or name another file`;
    throw refusal('persistFile', [sentence]);
  }
}

function worldProblems({ refDate, linkSecret, clock, clients }: PersistedWorld): ErrorDetail[] {
  const problems = [...dayProblems('', { refDate }), ...dayProblems('/clock', { frozenAt: clock?.frozenAt })];
  if (Buffer.from(linkSecret, 'base64url').toString('base64url') !== linkSecret)
    problems.push({
      pointer: '/linkSecret',
      rule: 'value',
      detail: 'must be at least 32 bytes in base64url',
    });
  const keyHashes = new Set<string>();
  for (const [index, client] of clients.entries()) {
    const at = `/clients/${index}`;
    problems.push(...dayProblems(`${at}/clock`, { frozenAt: client.clock?.frozenAt }));
    problems.push(...keyProblems(client, refDate, `${at}/apiKeys`, keyHashes));
    problems.push(...linkProblems(client, `${at}/links`));
  }
  return problems;
}

function keyProblems(
  client: PersistedClient,
  refDate: string,
  at: string,
  hashes: Set<string>,
): ErrorDetail[] {
  const ids = new Set<string>();
  return keysOf(client, refDate).flatMap((key, index) => {
    const { id, hash = hashApiKey(client.apiKey), createdAt, expiresAt, revokedAt } = key;
    const moments = client.apiKeys && { createdAt, expiresAt, revokedAt };
    const problems = dayProblems(`${at}/${index}`, moments ?? {});
    if (isRepeated(ids, id))
      problems.push({ pointer: `${at}/${index}/id`, rule: 'unique', detail: "is another key's already" });
    if (isRepeated(hashes, hash))
      problems.push({ pointer: `${at}/${index}`, rule: 'unique', detail: 'is the same key as another one' });
    return problems;
  });
}

function linkProblems({ users, links = [] }: PersistedClient, at: string): ErrorDetail[] {
  const owners = new Map(
    users.flatMap(({ userId, sessions }) => sessions.map(({ reference }) => [reference, userId] as const)),
  );
  const hashes = new Set<string>();
  const submissions = new Set<string>();
  return links.flatMap((link, index) => {
    const { userId, reference, createdAt, expiresAt, openedAt, revokedAt, submittedAt, expiredAt } = link;
    const moments = { createdAt, expiresAt, openedAt, revokedAt, submittedAt, expiredAt };
    const problems = dayProblems(`${at}/${index}`, moments);
    const report = (name: string, detail: string) =>
      problems.push({ pointer: `${at}/${index}${name}`, rule: 'value', detail });
    const hash = hashOfLink(link);
    if (hash === undefined && link.url === undefined) report('/url', 'is required, or an accessCodeHash');
    else if (hash === undefined) report('/url', 'must be that of a link: …/verify/<access_code>?token=…');
    else if (isRepeated(hashes, hash)) report('', 'is the same link as another one');
    if (reference !== undefined && submittedAt === undefined)
      report('/submittedAt', 'is required beside reference');
    else if (submittedAt !== undefined && reference === undefined)
      report('/reference', 'is required beside submittedAt');
    else if (reference !== undefined && owners.get(reference) !== userId)
      report('/reference', 'must be that of a session of the same user in this file');
    else if (reference !== undefined && isRepeated(submissions, reference))
      report('/reference', 'must not be that of two links');
    return problems;
  });
}

function isRepeated(seen: Set<string>, value: string): boolean {
  return seen.has(value) || !seen.add(value);
}

function dayProblems(at: string, moments: Readonly<Record<string, string | undefined>>): ErrorDetail[] {
  return Object.entries(moments).flatMap(([name, moment]) =>
    moment === undefined || isMoment(moment)
      ? []
      : [{ pointer: `${at}/${name}`, rule: 'value', detail: 'must be on a day that there is' }],
  );
}

/** The given hash, or that of the code in the URL. */
function hashOfLink({ url, accessCodeHash }: PersistedLink): string | undefined {
  return accessCodeHash ?? (url === undefined ? undefined : hashOfUrl(url));
}

/** The keys in the file, or else the one that the client shows. */
function keysOf({ apiKey, apiKeys }: PersistedClient, createdAt: string): readonly PersistedApiKey[] {
  // Named as a key of a new client is.
  return apiKeys ?? [{ id: `mock_${hashApiKey(apiKey).slice(0, 12)}`, createdAt }];
}

function toWorld({ seed, refDate, linkSecret, clock, clients }: PersistedWorld): WorldFile {
  return {
    seed,
    refDate: readMoment(refDate),
    linkSecret: new Uint8Array(Buffer.from(linkSecret, 'base64url')),
    snapshot: { clients: clients.map((client) => toClient(client, refDate)), clock: toClock(clock) },
  };
}

function toClient(persisted: PersistedClient, refDate: string): ClientSnapshot {
  const { clientId, apiKey, name, callbackOrigins, clock, users, links = [] } = persisted;
  const client = {
    clientId,
    ...(name !== undefined && { name }),
    ...(callbackOrigins && { callbackOrigins }),
  };
  const sessions = users.flatMap(({ userId, sessions }) =>
    toSessions(sessions).map((session): SessionRecord => ({ clientId, userId, ...session })),
  );
  const byReference = new Map(sessions.map((session) => [session.reference, session]));
  return {
    client: { ...client, apiKey },
    isConfigured: persisted.added !== true,
    storage: {
      clients: [client],
      apiKeys: keysOf(persisted, refDate).map(({ id, hash, hint, createdAt, ...moments }) => ({
        id,
        clientId,
        hash: hash ?? hashApiKey(apiKey),
        ...(hint !== undefined && { hint }),
        createdAt: readMoment(createdAt),
        ...readMoments(moments, ['expiresAt', 'revokedAt']),
      })),
      sessions,
      links: links.map((link) => toStoredLink(clientId, link, byReference)),
    },
    namedUsers: users.flatMap(({ userId, seeded }) => (seeded ? [] : [userId])),
    clock: toClock(clock),
    links: links.flatMap(toRecord),
  };
}

function toClock(clock: PersistedClock | undefined): ClockSetting {
  return { offsetMs: clock?.offsetMs ?? 0, ...readMoments(clock ?? {}, ['frozenAt']) };
}

function toStoredLink(
  clientId: string,
  persisted: PersistedLink,
  sessions: ReadonlyMap<string, SessionRecord>,
): StoredLink {
  const { userId, callbackUrl, callbackOnSubmit, config, createdAt, expiresAt, reference } = persisted;
  const link: Link = {
    accessCodeHash: hashOfLink(persisted) ?? '',
    clientId,
    userId,
    callbackUrl,
    callbackOnSubmit,
    config,
    createdAt: readMoment(createdAt),
    expiresAt: readMoment(expiresAt),
    ...readMoments(persisted, ['openedAt', 'revokedAt', 'submittedAt']),
  };
  const record = sessions.get(reference ?? '');
  if (record === undefined) return { link };
  const { clientId: _, userId: __, ...session } = record;
  return { link, session };
}

/** What is known of a link besides what the storage holds. */
function toRecord(link: PersistedLink): LinkRecord[] {
  const moments = readMoments(link, ['expiredAt']);
  if (link.url === undefined && moments.expiredAt === undefined) return [];
  return [{ accessCodeHash: hashOfLink(link) ?? '', url: link.url ?? '', ...moments }];
}

function readMoments<K extends string>(
  source: Partial<Record<K, string>>,
  names: readonly K[],
): Partial<Record<K, Date>> {
  const moments: Partial<Record<K, Date>> = {};
  for (const name of names) {
    const moment = source[name];
    if (moment !== undefined) moments[name] = readMoment(moment);
  }
  return moments;
}
