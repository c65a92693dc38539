// The text of a persist file: a whole world as JSON that a person can read and edit, without loss.
import { hashAccessCode, hashApiKey, type SessionRecord, type StoredLink } from '../../lib/index.js';
import { toScenarioSession, writeMoment } from '../scenario/scenario-sessions.js';
import {
  PERSIST_VERSION,
  type PersistedApiKey,
  type PersistedClient,
  type PersistedClock,
  type PersistedLink,
  type PersistedUser,
  type PersistedWorld,
} from './persist-schema.js';
import type { ClientSnapshot, ClockSetting, LinkRecord, WorldSnapshot } from './world-snapshot.js';

/** What a persist file holds. */
export interface WorldFile {
  /** The data of users who are not named derives from it, and from `refDate`. */
  seed: string;
  refDate: Date;
  /** At least 32 bytes. */
  linkSecret: Uint8Array;
  snapshot: WorldSnapshot;
}

/** Writes a world as the text of a persist file. It holds secrets: keys, links, and what signs them. */
export function writeWorldFile({ seed, refDate, linkSecret, snapshot }: WorldFile): string {
  const world: PersistedWorld = {
    claimlink: 'world',
    version: PERSIST_VERSION,
    seed,
    refDate: writeMoment(refDate),
    linkSecret: Buffer.from(linkSecret).toString('base64url'),
    ...persistClock(snapshot.clock),
    clients: snapshot.clients.map(persistClient),
  };
  return `${JSON.stringify(world, null, 2)}\n`;
}

function persistClient(snapshot: ClientSnapshot): PersistedClient {
  const { client, isConfigured, storage, clock } = snapshot;
  const configuredHash = hashApiKey(client.apiKey);
  const links = storage.links ?? [];
  const records = new Map(snapshot.links.map((record) => [record.accessCodeHash, record]));
  return {
    clientId: client.clientId,
    apiKey: client.apiKey,
    ...(client.name !== undefined && { name: client.name }),
    ...(client.callbackOrigins && { callbackOrigins: [...client.callbackOrigins] }),
    ...(!isConfigured && { added: true }),
    ...persistClock(clock),
    apiKeys: (storage.apiKeys ?? []).map(
      ({ id, hash, hint, createdAt, ...moments }): PersistedApiKey => ({
        id,
        ...(hash !== configuredHash && { hash }),
        ...(hint !== undefined && { hint }),
        createdAt: writeMoment(createdAt),
        ...momentsOf(moments, ['expiresAt', 'revokedAt']),
      }),
    ),
    users: persistUsers(snapshot.namedUsers, withSubmitted(storage.sessions ?? [], links)),
    ...(links.length > 0 && {
      links: links.map((stored) => persistLink(stored, records.get(stored.link.accessCodeHash))),
    }),
  };
}

/** Nothing for a clock at the real time. */
function persistClock(clock: ClockSetting): { clock?: PersistedClock } {
  if (clock.offsetMs === 0 && clock.frozenAt === undefined) return {};
  return { clock: { offsetMs: clock.offsetMs, ...momentsOf(clock, ['frozenAt']) } };
}

/** Named users first, then those whose sessions come on top of seeded ones. */
function persistUsers(namedUsers: readonly string[], sessions: readonly SessionRecord[]): PersistedUser[] {
  const users = new Map<string, PersistedUser>();
  for (const userId of namedUsers) users.set(userId, { userId, sessions: [] });
  for (const session of sessions) {
    const { userId } = session;
    const user = users.get(userId) ?? { userId, seeded: true, sessions: [] };
    user.sessions.push(toScenarioSession(session));
    users.set(userId, user);
  }
  return [...users.values()];
}

/** With the sessions of submitted links that are not among them: a storage inserts those. */
function withSubmitted(
  sessions: readonly SessionRecord[],
  links: readonly StoredLink[],
): readonly SessionRecord[] {
  const references = new Set(sessions.map(({ reference }) => reference));
  const missing = links.flatMap(({ link: { clientId, userId }, session }) =>
    session === undefined || references.has(session.reference) ? [] : [{ clientId, userId, ...session }],
  );
  return missing.length === 0 ? sessions : [...sessions, ...missing];
}

function persistLink({ link, session }: StoredLink, record: LinkRecord | undefined): PersistedLink {
  const { accessCodeHash, userId, callbackUrl, callbackOnSubmit, config } = link;
  const url = record?.url === '' ? undefined : record?.url;
  const isDerived = url !== undefined && hashOfUrl(url) === accessCodeHash;
  return {
    ...(url !== undefined && { url }),
    ...(!isDerived && { accessCodeHash }),
    userId,
    callbackUrl,
    callbackOnSubmit,
    config,
    createdAt: writeMoment(link.createdAt),
    expiresAt: writeMoment(link.expiresAt),
    ...momentsOf(link, ['openedAt', 'revokedAt', 'submittedAt']),
    ...(session && { reference: session.reference }),
    ...(record && momentsOf(record, ['expiredAt'])),
  };
}

/** The hash of the access code in the URL of a link; undefined for another URL. */
export function hashOfUrl(url: string): string | undefined {
  const code = /\/verify\/([\w-]+)\?/.exec(url)?.[1];
  return code === undefined ? undefined : hashAccessCode(code);
}

/** The named moments that are there, as text. */
function momentsOf<K extends string>(
  source: Partial<Record<K, Date | undefined>>,
  names: readonly K[],
): Partial<Record<K, string>> {
  const moments: Partial<Record<K, string>> = {};
  for (const name of names) {
    const moment = source[name];
    if (moment !== undefined) moments[name] = writeMoment(moment);
  }
  return moments;
}
