// One client of a mock: a claimlink service over seeded memory storage, with its own clock, faults and settings.
import { composeClaimlink } from '../../lib/claimlink.js';
import { toSummary } from '../../lib/core/administration/links.js';
import {
  type ClaimlinkOptions,
  type Client,
  createMemoryStorage,
  hashAccessCode,
  hashApiKey,
  type LinkSigner,
  type MemoryStorage,
  type MemoryStorageSnapshot,
  type OutboxStorage,
  type Session,
  type SessionChanges,
  type SessionRecord,
  type Storage,
} from '../../lib/index.js';
import type {
  ActiveFault,
  ClientChange,
  MockClient,
  MockClientOptions,
  MockEvent,
  MockLink,
  MockLinkFilter,
} from '../control.js';
import { controlError } from '../control-problems.js';
import { SPECIAL_USERS } from '../defaults.js';
import { invalidValue } from '../problems.js';
import { settingsProblems } from '../scenario/scenario-check.js';
import type { MockSession } from '../scenario/session.js';
import type { Seeder } from '../seed/seed.js';
import { type ClockSetting, readClock } from './clock.js';
import { inOrder, type PlannedChange, withLater } from './later.js';

/** The members of a client that can be changed while the mock runs. */
type ChangeableMembers = Omit<Client, 'clientId'>;

/** A clock and faults: those of one client, or the defaults of all clients. */
export interface ClockAndFaults {
  clock: ClockSetting;
  faults: readonly ActiveFault[];
  /** Number of random numbers that faults have used. */
  randomCount: number;
}

/**
 * The state of a client, for reset, snapshots, the persist file and changes of stored data. Immutable. It has no data
 * that the seed gives again.
 */
export interface ClientState extends Readonly<ClockAndFaults> {
  readonly client: MockClientOptions;
  /** As in `MockClient`. */
  readonly isConfigured?: boolean;
  /** The settings, if they were changed while the mock runs. */
  readonly settings?: ChangeableMembers;
  /** Users whose sessions are all in `sessions`. Every other user has seeded sessions only. */
  readonly storedUsers: readonly string[];
  readonly sessions: readonly SessionRecord[];
  /** Changes of sessions that are still to come, earliest first. */
  readonly changes?: readonly PlannedChange[];
  readonly links: MemoryStorageSnapshot['links'];
  readonly submissions: MemoryStorageSnapshot['submissions'];
  /** Submissions that the webhook has not delivered. */
  readonly events?: MemoryStorageSnapshot['events'];
  readonly urls: Readonly<Record<string, string>>;
}

export interface InitialClient {
  client: MockClientOptions;
  userIds: readonly string[];
  /** Creates the state anew in each call, because its moments are relative to the clock. */
  createInitial: () => ClientState;
}

export type MockService = ReturnType<typeof composeClaimlink>;

export interface SharedParts {
  publicUrl: string;
  seeder: Seeder;
  signer: LinkSigner;
  systemNow: () => Date;
  emit(event: MockEvent): void;
  /** Marks the persist file as out of date, without an event. */
  changed(): void;
  serviceOptions: Omit<ClaimlinkOptions, 'storage' | 'signer' | 'publicUrl'>;
  /** Default: 10_000 seeded sessions in memory. */
  maxSeededSessions?: number;
}

/** A memory storage returns immediately: its port also allows promises. */
type Immediate<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> : T[K];
};

export const DEFAULT_LIMIT = 100;
const MAX_LINKS = 10_000;
/** Links beyond the maximum are removed together, because each removal copies the storage. */
const MAX_EXCESS_LINKS = 1000;
const MAX_SEEDED_SESSIONS = 10_000;

export type MockClientState = ReturnType<typeof createMockClient>;

export function createMockClient(
  { client, userIds, createInitial }: InitialClient,
  isConfigured: boolean,
  parts: SharedParts,
) {
  const { publicUrl, seeder, signer, systemNow, emit, changed, serviceOptions } = parts;
  const { maxSeededSessions = MAX_SEEDED_SESSIONS } = parts;
  const { clientId, apiKey, controlToken, ...initialSettings } = client;
  const listedUsers = Object.freeze(userIds.slice(0, 100));
  const likelyUsers = [...listedUsers, ...SPECIAL_USERS.map(({ id }) => id)];
  const clockAndFaults: ClockAndFaults = { clock: { offsetMs: 0 }, faults: [], randomCount: 0 };
  let settings: ChangeableMembers | undefined;
  let memory: Immediate<MemoryStorage>;
  let storedUsers: Set<string>;
  /** Users with their seeded sessions in memory. */
  let seededUsers: Set<string>;
  let seededSessions: number;
  let changes: readonly PlannedChange[];
  /** URLs by `linkId`, in the order of creation. */
  let urls: Map<string, string>;
  let service: MockService | undefined;

  const now = () => readClock(clockAndFaults.clock, systemNow()).now;

  /** Returns the state without the sessions that the seed gives again, and with the newest links only. */
  function save(): ClientState {
    applyDue();
    const { sessions, links, submissions, events } = memory.snapshot();
    const keptLinks = links.slice(-MAX_LINKS);
    return {
      client,
      isConfigured,
      ...(settings && { settings }),
      storedUsers: [...storedUsers],
      sessions: sessions.filter(({ userId }) => storedUsers.has(userId)),
      changes,
      links: keptLinks,
      submissions,
      events,
      urls: Object.fromEntries(
        keptLinks.flatMap(({ link: { accessCodeHash } }) => {
          const url = urls.get(accessCodeHash);
          return url === undefined ? [] : [[accessCodeHash, url]];
        }),
      ),
      ...clockAndFaults,
    };
  }

  /** Replaces the state. Changes nothing if it throws. @throws `already_exists` for a reference that occurs twice */
  function restore({ clock, faults, randomCount, ...state }: ClientState): void {
    const { sessions, links, submissions, events = [] } = state;
    memory = createMemoryStorage({
      clients: [{ clientId, ...(state.settings ?? initialSettings) }],
      apiKeys: [{ id: clientId, clientId, hash: hashApiKey(apiKey), createdAt: new Date(0) }],
      sessions,
      links,
      submissions,
      events,
    }) as Immediate<MemoryStorage>;
    settings = state.settings;
    storedUsers = new Set(state.storedUsers);
    seededUsers = new Set();
    seededSessions = 0;
    changes = state.changes ?? [];
    urls = new Map(Object.entries(state.urls));
    Object.assign(clockAndFaults, { clock, faults, randomCount });
  }

  /** Makes the changes of sessions that are due. */
  function applyDue(): void {
    const time = now();
    if (changes[0] === undefined || changes[0].at > time) return;
    const due = changes.filter(({ at }) => at <= time);
    changes = changes.slice(due.length);
    const userIds = new Set<string>();
    for (const { reference, at: _, ...change } of due) {
      const { userId } = memory.findSession({ clientId, reference }) ?? {};
      memory.updateSession({ clientId, reference, ...change });
      if (userId !== undefined) userIds.add(userId);
    }
    for (const userId of userIds) emit({ type: 'sessions', clientId, userId });
  }

  /** Drops the seeded sessions, which are generated again when they are needed, and the links beyond the maximum. */
  function dropExcess(): void {
    restore(save());
  }

  /** Fills the seeded sessions of a user into the memory storage. */
  function fill(userId: string): void {
    if (storedUsers.has(userId) || seededUsers.has(userId)) return;
    const sessions = seeder.sessionsOf(clientId, userId);
    if (seededSessions > 0 && seededSessions + sessions.length > maxSeededSessions) dropExcess();
    for (const session of sessions) {
      // A session that was set for another user may have the reference.
      if (memory.findSession({ clientId, reference: session.reference }) === undefined)
        memory.insertSession({ clientId, userId, ...session });
    }
    seededUsers.add(userId);
    seededSessions += sessions.length;
  }

  /** Keeps the sessions of a user: they are no longer those of the seed. */
  function store(userId: string): void {
    fill(userId);
    if (seededUsers.delete(userId)) storedUsers.add(userId);
  }

  function describe(linkId: string): MockLink | undefined {
    const url = urls.get(linkId);
    const stored = memory.findLink({ clientId, accessCodeHash: linkId });
    if (url === undefined || stored === undefined) return undefined;
    const { link, session } = stored;
    const record = { link, ...(session && { reference: session.reference }) };
    return { clientId, url, callbackUrl: link.callbackUrl, ...toSummary(record, now()) };
  }

  function emitLink(linkId: string): void {
    const link = describe(linkId);
    if (link) emit({ type: 'link', clientId, link });
  }

  function matching({ userId, state }: MockLinkFilter): MockLink[] {
    return [...urls.keys()]
      .reverse()
      .flatMap((linkId) => describe(linkId) ?? [])
      .filter(
        (link) => (userId === undefined || link.userId === userId) && (state ?? link.state) === link.state,
      );
  }

  /** Forwards to the current memory storage, which a reset replaces. */
  const storage: Storage & OutboxStorage = {
    findCredentials: (query) => memory.findCredentials(query),
    findClient: (id) => memory.findClient(id),
    listSessions(query) {
      applyDue();
      fill(query.userId);
      return memory.listSessions(query);
    },
    insertLink(link) {
      if (urls.size >= MAX_LINKS + MAX_EXCESS_LINKS) dropExcess();
      return memory.insertLink(link);
    },
    findLink(id) {
      applyDue();
      return memory.findLink(id);
    },
    markLinkOpened(query) {
      memory.markLinkOpened(query);
      emitLink(query.accessCodeHash);
    },
    submitLink(submission) {
      const userId = memory.findLink(submission)?.link.userId;
      if (userId !== undefined) fill(userId);
      const result = memory.submitLink(submission);
      if (userId !== undefined && result.outcome === 'submitted') {
        store(userId);
        emitLink(submission.accessCodeHash);
        emit({ type: 'sessions', clientId, userId });
      }
      return result;
    },
    revokeLink(query) {
      const isRevoked = memory.revokeLink(query);
      if (isRevoked) emitLink(query.accessCodeHash);
      return isRevoked;
    },
    deleteExpiredLinks: (before) => memory.deleteExpiredLinks(before),
    leaseEvents: (query) => memory.leaseEvents(query),
    settleEvent(key) {
      memory.settleEvent(key);
      changed();
    },
    postponeEvent: (failure) => memory.postponeEvent(failure),
    countEvents: (query) => memory.countEvents(query),
    listEvents: (query) => memory.listEvents(query),
    retryEvents: (query) => memory.retryEvents(query),
  };

  /** Remembers the URL of each link that it signs. */
  const rememberingSigner: LinkSigner = {
    ...signer,
    sign(claims) {
      const token = signer.sign(claims);
      const linkId = hashAccessCode(claims.accessCode);
      urls.set(linkId, `${publicUrl}/verify/${claims.accessCode}?token=${token}`);
      emitLink(linkId);
      return token;
    },
  };

  /** Returns the service at the time of this client. Creates it when it is first needed. */
  function getService(): MockService {
    service ??= composeClaimlink({
      storage,
      signer: rememberingSigner,
      publicUrl,
      allowLoopbackCallbacks: true,
      now,
      ...serviceOptions,
    });
    return service;
  }

  restore(createInitial());

  return {
    clientId,
    /** All users to start with. */
    userIds,
    /** SHA-256 of the control token, if it has one. */
    tokenHash: controlToken && hashApiKey(controlToken),
    now,
    storage,
    save,
    restore,
    reset: () => restore(createInitial()),
    clockAndFaults,
    applyDue,
    get service(): MockService {
      return getService();
    },
    /** Delivers the submissions that are due by the clock of this client. */
    async deliverPending(): Promise<void> {
      if (memory.countEvents({ limit: 1 }).pending > 0) await getService().claimlink.deliverPending();
    },
    /** Resolves when no delivery runs. */
    idle: async (): Promise<void> => service?.claimlink.idle(),
    get client(): MockClient {
      return { clientId, apiKey, ...(settings ?? initialSettings), userIds: listedUsers, isConfigured };
    },
    /** Changes the settings. @throws `request_invalid` */
    change(change: ClientChange) {
      const changed = mergePatch(settings ?? initialSettings, change) as ChangeableMembers;
      const problems = settingsProblems({ clientId, ...changed });
      if (problems.length > 0) throw invalidValue('The client', problems);
      restore({ ...save(), settings: changed });
    },

    /** Returns all sessions of a user, newest first. */
    sessions(userId: string): readonly MockSession[] {
      applyDue();
      fill(userId);
      const { sessions } = memory.listSessions({ clientId, userId, limit: Number.MAX_SAFE_INTEGER });
      return withLater(sessions, changes, now());
    },
    /** Replaces the sessions of a user, and their changes to come. @throws `already_exists` for a reference of another user */
    setSessions(userId: string, records: readonly SessionRecord[], planned: readonly PlannedChange[]): void {
      const state = save();
      const byReference = new Map(records.map((session) => [session.reference, session]));
      const kept = state.sessions.filter((session) => session.userId !== userId);
      const sessions = [...kept, ...records];
      const references = new Set(kept.map(({ reference }) => reference));
      restore({
        ...state,
        storedUsers: [...new Set([...state.storedUsers, userId])],
        sessions,
        changes: inOrder([...changes.filter(({ reference }) => references.has(reference)), ...planned]),
        events: (state.events ?? []).filter(({ reference }) =>
          sessions.some((session) => session.reference === reference),
        ),
        links: state.links.map((stored) => {
          if (stored.link.userId !== userId) return stored;
          const session = byReference.get(stored.session?.reference ?? '');
          return { link: stored.link, ...(session && { session }) };
        }),
      });
      emit({ type: 'sessions', clientId, userId });
    },
    /** Adds a session. @throws `already_exists` for a reference that the client has already */
    addSession(session: SessionRecord, planned: readonly PlannedChange[]): void {
      // Without the seeded sessions of other users: they do not take references.
      dropExcess();
      fill(session.userId);
      memory.insertSession(session);
      store(session.userId);
      changes = inOrder([...changes, ...planned]);
      emit({ type: 'sessions', clientId, userId: session.userId });
    },

    /**
     * Changes a session. Looks for it in the seeded sessions of the users to start with as well.
     * @throws `session_not_found`
     */
    updateSession(reference: string, change: SessionChanges): Session {
      applyDue();
      const key = { clientId, reference };
      for (const userId of likelyUsers) if (memory.findSession(key) === undefined) fill(userId);
      const { userId } = memory.findSession(key) ?? {};
      const session = memory.updateSession({ ...key, ...change });
      if (userId === undefined || session === undefined) throw controlError('session_not_found');
      store(userId);
      emit({ type: 'sessions', clientId, userId });
      return session;
    },

    /** Returns a link by its URL or `linkId`. */
    findLink(link: string): MockLink | undefined {
      const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
      return describe(code === undefined ? link : hashAccessCode(code));
    },
    links: ({ limit = DEFAULT_LIMIT, ...filter }: MockLinkFilter = {}) => matching(filter).slice(0, limit),
    countLinks: (filter: MockLinkFilter = {}) => matching(filter).length,
    /** Returns which of its user's links it is, from 1. */
    ordinalOf(linkId: string): number {
      const ofUser = matching({ userId: describe(linkId)?.userId ?? '' }).reverse();
      return ofUser.findIndex((link) => link.linkId === linkId) + 1;
    },
    expireLink(linkId: string): void {
      const state = save();
      const expiresAt = now();
      const links = state.links.map((stored) =>
        stored.link.accessCodeHash === linkId && stored.link.expiresAt > expiresAt
          ? { ...stored, link: { ...stored.link, expiresAt } }
          : stored,
      );
      restore({ ...state, links });
      emitLink(linkId);
    },
  };
}

/** Applies a JSON Merge Patch (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(Object(target)));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
