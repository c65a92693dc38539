// One client of a mock: a claimlink service over seeded memory storage, with its own clock, faults and settings.
import { composeClaimlink } from '../../lib/claimlink.js';
import { toSummary } from '../../lib/core/administration/links.js';
import { changedClient, namedChange } from '../../lib/core/client-change.js';
import { isUsable, linkState } from '../../lib/core/link-state.js';
import { recipientQuestion } from '../../lib/core/recipient-check.js';
import { linkUrl } from '../../lib/core/url.js';
import {
  type ClaimlinkEvent,
  type ClaimlinkOptions,
  type Client,
  createMemoryStorage,
  type EventChoice,
  hashAccessCode,
  hashApiKey,
  isSameAnswer,
  type LinkSigner,
  type MemoryStorage,
  type MemoryStorageSnapshot,
  type RecipientProof,
  type RecipientQuestion,
  type Session,
  type SessionChanges,
  type SessionRecord,
} from '../../lib/index.js';
import { controlError, invalidValue, problemAt } from '../control/errors.js';
import type { MockSession } from '../control/scenario.js';
import type {
  ActiveFault,
  ClientChange,
  MockClient,
  MockClientOptions,
  MockEvent,
  MockLink,
  MockLinkFilter,
} from '../control/types.js';
import { settingsProblems } from '../scenario/scenario-check.js';
import { SPECIAL_USERS } from '../schemas/defaults.js';
import type { Seeder } from '../seed/seed.js';
import { createController, untilAborted } from './abort.js';
import { type ClockSetting, readClock } from './clock.js';
import { type JsonPieces, sizeOf, toJson } from './json-pieces.js';
import { inOrder, type PlannedChange, withLater } from './later.js';
import { markChanges } from './mark-changes.js';
import { createSpace } from './space.js';

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
export interface ClientState extends ClientRecords, Readonly<ClockAndFaults> {}

/** The stored data of a client. */
interface ClientRecords {
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
  /** Events of links that are not handled yet. */
  readonly lifeEvents?: MemoryStorageSnapshot['life']['events'];
  readonly urls: Readonly<Record<string, string>>;
  /** What recipients answer to a question of their client, by `linkId`. */
  readonly answers?: Readonly<Record<string, string>>;
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
  /** @param epoch aborted when the state that has the event is replaced */
  handleEvent(event: ClaimlinkEvent, epoch: AbortSignal): Promise<void>;
  serviceOptions: Omit<ClaimlinkOptions, 'storage' | 'signer' | 'publicUrl' | 'onEvent'>;
  /** Default: 10_000 seeded sessions in memory. */
  maxSeededSessions?: number;
}

/** A memory storage returns immediately: its port also allows promises. */
type Immediate<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> : T[K];
};

export const DEFAULT_LIMIT = 100;
const EXPIRY_NOTICE_SECONDS = 14_400;
/** The answers to a question of a client for links that have none of their own. */
const DEFAULT_ANSWERS = { text: 'answer', date: '1990-01-31' } as const;
const MAX_LINKS = 10_000;
/** Links beyond the maximum are removed together, because each removal copies the storage. */
const MAX_EXCESS_LINKS = 1000;
/** The URL of a link, with its linkId. */
const URL_BYTES = 600;
/** A full client drops half of its links for a new one. Of fewer links, that would free too little. */
const MIN_DROPPED_LINKS = 10;
const MAX_SEEDED_SESSIONS = 10_000;
/** Each due change is made within one request. */
const MAX_CHANGES = 10_000;

export type MockClientState = ReturnType<typeof createMockClient>;

export function createMockClient(
  { client, userIds, createInitial }: InitialClient,
  isConfigured: boolean,
  parts: SharedParts,
) {
  const { publicUrl, seeder, signer, systemNow, serviceOptions } = parts;
  const { maxSeededSessions = MAX_SEEDED_SESSIONS } = parts;
  const { clientId, apiKey, controlToken, ...initialSettings } = client;
  const listedUsers = Object.freeze(userIds.slice(0, 100));
  const likelyUsers = [...listedUsers, ...SPECIAL_USERS.map(({ id }) => id)];
  const clockAndFaults: ClockAndFaults = { clock: { offsetMs: 0 }, faults: [], randomCount: 0 };
  const memory = createMemoryStorage() as Immediate<MemoryStorage>;
  let settings: ChangeableMembers | undefined;
  let storedUsers: Set<string>;
  /** Users with their seeded sessions in memory. */
  let seededUsers: Set<string>;
  let seededSessions: number;
  let changes: readonly PlannedChange[];
  /** URLs by `linkId`, in the order of creation. */
  let urls: Map<string, string>;
  let answers: Map<string, string>;
  /** Ordinal of the last extra session of each user. Those before it are stored. */
  let lastExtra: Map<string, number>;
  /** Aborted when the state is replaced: that ends what began before. */
  let epoch = createController();
  /** The service of the epoch. */
  let service: MockService | undefined;
  /** JSON of the records, until one of them changes. */
  let json: Buffer | undefined;
  const { events: chosen = [] } = serviceOptions;
  const choice: EventChoice = {
    types: chosen.filter((type) => type !== 'claim.submitted'),
    expiryNoticeSeconds: EXPIRY_NOTICE_SECONDS,
  };
  const space = createSpace(clientId, () => sizeOf(recordsJson()), systemNow);

  function emit(event: MockEvent): void {
    json = undefined;
    parts.emit(event);
  }

  /** Notes a change of the records without an event. */
  function changed(): void {
    json = undefined;
    parts.changed();
  }

  const now = () => readClock(clockAndFaults.clock, systemNow()).now;

  /** Returns the records without the sessions that the seed gives again, and with the newest links only. */
  function records(maxLinks = MAX_LINKS): ClientRecords {
    applyDue();
    const { sessions, links, submissions, events, life } = memory.snapshot();
    const keptLinks = maxLinks === 0 ? [] : links.slice(-maxLinks);
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
      ...(life.events.length > 0 && { lifeEvents: life.events }),
      urls: ofLinks(urls, keptLinks),
      answers: ofLinks(answers, keptLinks),
    };
  }

  const save = (maxLinks?: number): ClientState => ({ ...records(maxLinks), ...clockAndFaults });

  function recordsJson(): Buffer {
    applyDue();
    json ??= toJson(records());
    return json;
  }

  /** Replaces the state. Changes nothing if it throws. @throws `already_exists` for a reference that occurs twice */
  function restore({ clock, faults, randomCount, ...state }: ClientState): void {
    const { sessions, links, submissions, events = [], lifeEvents = [] } = state;
    memory.restore({
      clients: [{ clientId, ...(state.settings ?? initialSettings) }],
      apiKeys: [{ id: clientId, clientId, hash: hashApiKey(apiKey), createdAt: new Date(0) }],
      sessions,
      links,
      submissions,
      events,
      // The choice is one of the options: a restored state has that of this mock.
      life: { choice, events: lifeEvents },
    });
    settings = state.settings;
    storedUsers = new Set(state.storedUsers);
    seededUsers = new Set();
    seededSessions = 0;
    changes = state.changes ?? [];
    urls = new Map(Object.entries(state.urls));
    answers = new Map(Object.entries(state.answers ?? {}));
    lastExtra = new Map();
    json = undefined;
    Object.assign(clockAndFaults, { clock, faults, randomCount });
  }

  function replace(state: ClientState): void {
    restore(state);
    space.measure();
    endEpoch();
    epoch = createController();
    service = undefined;
  }

  /** Ends the requests and deliveries of the state: their storage calls throw, and what waits ends. */
  function endEpoch(): void {
    epoch.abort(controlError('state_replaced'));
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
  function dropExcess(maxLinks?: number): void {
    restore(save(maxLinks));
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
    // A user without sessions takes space as well.
    seededSessions += Math.max(1, sessions.length);
  }

  /** Returns the size of what `store` adds to the state. */
  function bytesToStore(userId: string): number {
    if (storedUsers.has(userId)) return 0;
    const sessions = sessionsOf(userId).map((session) => ({ clientId, userId, ...session }));
    return sizeOfValue(userId) + sizeOfValue(sessions);
  }

  function sessionsOf(userId: string): readonly Session[] {
    fill(userId);
    return memory.listSessions({ clientId, userId, limit: Number.MAX_SAFE_INTEGER }).sessions;
  }

  /** Adds changes of sessions to those that are to come. @throws `request_invalid` if they are too many */
  function withPlanned(others: readonly PlannedChange[], planned: readonly PlannedChange[]) {
    if (planned.length === 0) return others;
    if (others.length + planned.length > MAX_CHANGES)
      throw invalidValue('The input', [
        problemAt('', 'value', `has too many changes to come: a client may have ${MAX_CHANGES}`),
      ]);
    return inOrder([...others, ...planned]);
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

  /** Returns what the recipient of a link has to answer, if anything: the mock plays the recipient. */
  function proofOf(linkId: string): RecipientProof {
    const stored = memory.findLink({ clientId, accessCodeHash: linkId });
    const question = stored && recipientQuestion(stored);
    if (question === undefined) return {};
    const { asked, expected = answerOf(linkId, asked.question) } = question;
    return { recipientAnswer: expected };
  }

  const answerOf = (linkId: string, question?: RecipientQuestion): string =>
    answers.get(linkId) ?? DEFAULT_ANSWERS[question?.kind ?? 'text'];

  const withAnswer = (link: MockLink): MockLink => ({ ...link, ...proofOf(link.linkId) });

  /** Reserves space for a link to insert. Drops old links if there are too many. @throws `storage_unavailable` */
  function reserveLink(size: number): void {
    if (urls.size >= MAX_LINKS + MAX_EXCESS_LINKS) dropExcess();
    space.reserve(size + URL_BYTES, () => {
      if (urls.size >= MIN_DROPPED_LINKS) dropExcess(Math.floor(urls.size / 2));
    });
  }

  // Nothing in a mock shows when its API key was last used.
  const { recordKeyUse: _, ...withoutKeyUse } = memory;

  /** The memory storage, with what a mock does beside it: it fills in the seed, and reports what it changes. */
  const overlay = {
    ...withoutKeyUse,
    listSessions(query) {
      applyDue();
      fill(query.userId);
      return memory.listSessions(query);
    },
    insertLink(link) {
      reserveLink(sizeOfValue(link));
      return memory.insertLink(link);
    },
    insertLinkOnce(link, idempotency) {
      const { clientId, accessCodeHash } = link;
      // The token is signed before the insertion: the URL is that of a link only afterwards.
      const url = urls.get(accessCodeHash);
      urls.delete(accessCodeHash);
      if (memory.findIdempotentLink({ clientId, keyMacs: [idempotency.keyMac] })) return false;
      reserveLink(sizeOfValue(link) + sizeOfValue(idempotency));
      const isInserted = memory.insertLinkOnce(link, idempotency);
      if (isInserted && url !== undefined) {
        urls.set(accessCodeHash, url);
        emitLink(accessCodeHash);
      }
      return isInserted;
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
      const { link } = memory.findLink(submission) ?? {};
      const userId = link?.userId;
      if (userId !== undefined) fill(userId);
      if (link !== undefined && isUsable(linkState(link, submission.at)))
        // The state has the session twice: its link has it as well.
        space.reserve(2 * sizeOfValue(submission) + bytesToStore(link.userId));
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
    addMoment(query) {
      const isAdded = memory.addMoment(query);
      if (isAdded) emitLink(query.accessCodeHash);
      return isAdded;
    },
  } satisfies Partial<MemoryStorage>;
  const storage = markChanges(overlay, changed);

  /** Remembers the URL of each link that it signs. */
  const rememberingSigner: LinkSigner = {
    ...signer,
    sign(claims) {
      const token = signer.sign(claims);
      const linkId = hashAccessCode(claims.accessCode);
      urls.set(linkId, linkUrl(publicUrl, claims.accessCode, token));
      emitLink(linkId);
      return token;
    },
  };

  /** Returns the service at the time of this client. Creates it when it is first needed in an epoch. */
  function getService(): MockService {
    const { signal } = epoch;
    service ??= composeClaimlink({
      publicUrl,
      allowLoopbackCallbacks: true,
      now,
      checkRecipient({ link: { linkId, settings }, answer }) {
        const { recipientCheck } = settings ?? {};
        const question = recipientCheck && 'id' in recipientCheck ? recipientCheck : undefined;
        return isSameAnswer(answerOf(linkId, question), answer);
      },
      ...serviceOptions,
      storage: untilAborted(signal, storage),
      signer: untilAborted(signal, rememberingSigner),
      async onEvent(event) {
        signal.throwIfAborted();
        await parts.handleEvent(event, signal);
      },
      onError(error, ...context) {
        if (!signal.aborted) serviceOptions.onError?.(error, ...context);
      },
    });
    return service;
  }

  replace(createInitial());

  return {
    clientId,
    /** All users to start with. */
    userIds,
    /** SHA-256 of the control token, if it has one. */
    tokenHash: controlToken && hashApiKey(controlToken),
    now,
    storage,
    save,
    /** Returns the JSON of `save()`. What did not change since the last call is not written again. */
    toJson(): JsonPieces {
      const members = toJson(clockAndFaults).subarray(1);
      return [recordsJson().subarray(0, -1), Buffer.from(','), members];
    },
    restore: replace,
    reset: () => replace(createInitial()),
    /** Aborted when the state of this moment is replaced. */
    get epoch(): AbortSignal {
      return epoch.signal;
    },
    endEpoch,
    clockAndFaults,
    applyDue,
    get service(): MockService {
      return getService();
    },
    /** Handles the events that are due by the clock of this client. */
    async deliverPending(): Promise<void> {
      if (choice.types.length > 0 || memory.countEvents({ limit: 1 }).pending > 0)
        await getService().claimlink.deliverPending();
    },
    /** Resolves when no delivery runs. */
    idle: async (): Promise<void> => service?.claimlink.idle(),
    get client(): MockClient {
      return { clientId, apiKey, ...(settings ?? initialSettings), userIds: listedUsers, isConfigured };
    },
    /** Changes the settings. @throws `request_invalid`; `storage_unavailable` for too much */
    change(change: ClientChange) {
      const { clientId: _, ...changed } = changedClient(
        { clientId, ...(settings ?? initialSettings) },
        namedChange({ clientId, ...change }),
      );
      const problems = settingsProblems({ clientId, ...changed });
      if (problems.length > 0) throw invalidValue('The client', problems);
      space.reserve(sizeOfValue(changed) - sizeOfValue(settings ?? {}));
      settings = changed;
      storage.updateClient({ clientId, ...changed });
    },

    /** Returns all sessions of a user, newest first. */
    sessions(userId: string): readonly MockSession[] {
      applyDue();
      return withLater(sessionsOf(userId), changes, now());
    },
    /** Returns a seeded session that the client does not have, for members that a session to add leaves out. */
    extraSession(userId: string): Session {
      applyDue();
      fill(userId);
      const create = seeder.extraSessionsOf(clientId, userId);
      let ordinal = lastExtra.get(userId) ?? 1;
      let session = create(ordinal);
      while (memory.findSession({ clientId, reference: session.reference }) !== undefined)
        session = create(++ordinal);
      lastExtra.set(userId, ordinal);
      return session;
    },
    /**
     * Replaces the sessions of a user, and their changes to come.
     * @throws `already_exists` for a reference of another user; `request_invalid`, `storage_unavailable` for too much
     */
    setSessions(userId: string, records: readonly SessionRecord[], planned: readonly PlannedChange[]): void {
      const state = save();
      const byReference = new Map(records.map((session) => [session.reference, session]));
      const kept = state.sessions.filter((session) => session.userId !== userId);
      const sessions = [...kept, ...records];
      const references = new Set(kept.map(({ reference }) => reference));
      const later = withPlanned(
        changes.filter(({ reference }) => references.has(reference)),
        planned,
      );
      const former = state.sessions.filter((session) => session.userId === userId);
      const added =
        sizeOfValue(records) + sizeOfValue(later) + (storedUsers.has(userId) ? 0 : sizeOfValue(userId));
      space.reserve(added - sizeOfValue(former) - sizeOfValue(changes));
      restore({
        ...state,
        storedUsers: [...new Set([...state.storedUsers, userId])],
        sessions,
        changes: later,
        events: (state.events ?? []).filter(({ reference }) =>
          sessions.some((session) => session.reference === reference),
        ),
        links: state.links.map((stored) => {
          if (stored.link.userId !== userId) return stored;
          const session = byReference.get(stored.session?.reference ?? '');
          const { session: _, ...others } = stored;
          return { ...others, ...(session && { session }) };
        }),
      });
      emit({ type: 'sessions', clientId, userId });
    },
    /**
     * Adds a session.
     * @throws `already_exists` for a reference that the client has already; `request_invalid`, `storage_unavailable` for too much
     */
    addSession(session: SessionRecord, planned: readonly PlannedChange[]): void {
      applyDue();
      const owner = memory.findSession(session)?.userId;
      // The seeded sessions of other users do not take references.
      if (owner !== undefined && owner !== session.userId && seededUsers.has(owner)) dropExcess();
      const later = withPlanned(changes, planned);
      space.reserve(sizeOfValue(session) + sizeOfValue(planned) + bytesToStore(session.userId));
      memory.insertSession(session);
      store(session.userId);
      changes = later;
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
      if (userId !== undefined) space.reserve(sizeOfValue(change) + bytesToStore(userId));
      const session = memory.updateSession({ ...key, ...change });
      if (userId === undefined || session === undefined) throw controlError('session_not_found');
      store(userId);
      emit({ type: 'sessions', clientId, userId });
      return session;
    },

    /** Returns a link by its URL or `linkId`. */
    findLink(link: string): MockLink | undefined {
      const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
      const described = describe(code === undefined ? link : hashAccessCode(code));
      return described && withAnswer(described);
    },
    proofOf,
    /** Sets what the recipient of a link answers to a question of the client. @throws `storage_unavailable` for too much */
    setAnswer(linkId: string, answer: string): void {
      space.reserve(sizeOfValue(answer) + URL_BYTES);
      answers.set(linkId, answer);
      emitLink(linkId);
    },
    links: ({ limit = DEFAULT_LIMIT, ...filter }: MockLinkFilter = {}) =>
      matching(filter).slice(0, limit).map(withAnswer),
    countLinks: (filter: MockLinkFilter = {}) => matching(filter).length,
    /** Returns which of its user's links it is, from 1. */
    ordinalOf(linkId: string): number {
      const ofUser = matching({ userId: describe(linkId)?.userId ?? '' }).reverse();
      return ofUser.findIndex((link) => link.linkId === linkId) + 1;
    },
    expireLink(linkId: string): void {
      memory.expireLink({ clientId, accessCodeHash: linkId, at: now() });
      emitLink(linkId);
    },
  };
}

/** Returns the entries of these links. */
function ofLinks(
  entries: ReadonlyMap<string, string>,
  links: MemoryStorageSnapshot['links'],
): Record<string, string> {
  return Object.fromEntries(
    links.flatMap(({ link: { accessCodeHash } }) => {
      const entry = entries.get(accessCodeHash);
      return entry === undefined ? [] : [[accessCodeHash, entry]];
    }),
  );
}

function sizeOfValue(value: unknown): number {
  return sizeOf(toJson(value));
}
