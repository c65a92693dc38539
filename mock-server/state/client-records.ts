// The stored data of a client: its memory storage, and what the mock has beside it. Both are saved and restored together.
import type { PhotoEntry } from '../../lib/core/photo-store.js';
import {
  type Client,
  createMemoryStorage,
  type EventChoice,
  hashApiKey,
  type MemoryStorage,
  type MemoryStorageSnapshot,
  type SessionRecord,
} from '../../lib/index.js';
import type { ActiveFault, MockClientOptions, MockEvent } from '../control/types.js';
import { type ClockSetting, readClock } from './clock.js';
import { type JsonPieces, sizeOf, toJson } from './json-pieces.js';
import type { PlannedChange } from './later.js';

/** The members of a client that can be changed while the mock runs. */
export type ChangeableMembers = Omit<Client, 'clientId'>;

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
export interface ClientState extends SavedRecords, Readonly<ClockAndFaults> {}

/** A photo of a link. Its bytes are not part of the state. */
export interface SavedPhoto extends PhotoEntry {
  /** SHA-256 of its bytes: its id may be a random one. Absent: it is a note of claimlink, not a photo. */
  readonly hash?: string;
  /** What the note says. */
  readonly text?: string;
}

/** The stored data of a client. */
interface SavedRecords {
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
  /** Events that are not delivered yet. */
  readonly events?: MemoryStorageSnapshot['events'];
  /** Events of links as version 0.2 wrote them. Newer states have them among their `events`. */
  readonly lifeEvents?: MemoryStorageSnapshot['life']['events'];
  readonly urls: Readonly<Record<string, string>>;
  /** What recipients answer to a question of their client, by `linkId`. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Photos by `linkId`. */
  readonly photos?: Readonly<Record<string, readonly SavedPhoto[]>>;
}

/** What a client has beside its memory storage. A restored state replaces it. */
interface ClientData {
  /** The settings, if they were changed while the mock runs. */
  settings: ChangeableMembers | undefined;
  readonly storedUsers: Set<string>;
  changes: readonly PlannedChange[];
  /** URLs by `linkId`, in the order of creation. */
  readonly urls: Map<string, string>;
  readonly answers: Map<string, string>;
  /** By `linkId` and id. */
  readonly photos: Map<string, ReadonlyMap<string, SavedPhoto>>;
  readonly seeded: SeededInMemory;
}

/** What the seed gave, until it is dropped. */
interface SeededInMemory {
  /** Users with their seeded sessions in memory. */
  readonly users: Set<string>;
  sessions: number;
  /** Ordinal of the last extra session of each user. Those before it are stored. */
  readonly lastExtra: Map<string, number>;
}

/** A memory storage returns immediately: its port also allows promises. */
type Immediate<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> : T[K];
};

/** What the records report. */
interface RecordListeners {
  emit(event: MockEvent): void;
  /** The records changed without an event. */
  changed(): void;
}

export const MAX_LINKS = 10_000;

export type ClientRecords = ReturnType<typeof createClientRecords>;

/** Creates empty records. */
export function createClientRecords(
  client: MockClientOptions,
  isConfigured: boolean,
  choice: EventChoice,
  systemNow: () => Date,
  listeners: RecordListeners,
) {
  const { clientId, apiKey, controlToken: _, ...initialSettings } = client;
  const memory = createMemoryStorage() as Immediate<MemoryStorage>;
  const clockAndFaults: ClockAndFaults = { clock: { offsetMs: 0 }, faults: [], randomCount: 0 };
  let data = toData({ storedUsers: [], urls: {} });
  /** JSON of the records, until one of them changes. */
  let json: Buffer | undefined;

  const now = () => readClock(clockAndFaults.clock, systemNow()).now;

  function emit(event: MockEvent): void {
    json = undefined;
    listeners.emit(event);
  }

  /** Makes the changes of sessions that are due. */
  function applyDue(): void {
    const time = now();
    if (data.changes[0] === undefined || data.changes[0].at > time) return;
    const due = data.changes.filter(({ at }) => at <= time);
    data.changes = data.changes.slice(due.length);
    const userIds = new Set<string>();
    for (const { reference, at: _, ...change } of due) {
      const { userId } = memory.findSession({ clientId, reference }) ?? {};
      memory.updateSession({ clientId, reference, ...change });
      if (userId !== undefined) userIds.add(userId);
    }
    for (const userId of userIds) emit({ type: 'sessions', clientId, userId });
  }

  /** Returns the records without the sessions that the seed gives again, and with the newest links only. */
  function records(maxLinks = MAX_LINKS): SavedRecords {
    applyDue();
    const { settings, storedUsers, changes, urls, answers, photos } = data;
    const { sessions, links, submissions, events } = memory.snapshot();
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
      urls: ofLinks(urls, keptLinks),
      answers: ofLinks(answers, keptLinks),
      ...(photos.size > 0 && { photos: photosOfLinks(photos, keptLinks) }),
    };
  }

  function recordsJson(): Buffer {
    applyDue();
    json ??= toJson(records());
    return json;
  }

  const save = (maxLinks?: number): ClientState => ({ ...records(maxLinks), ...clockAndFaults });

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
    data = toData(state);
    json = undefined;
    Object.assign(clockAndFaults, { clock, faults, randomCount });
  }

  return {
    clientId,
    memory,
    clockAndFaults,
    now,
    emit,
    /** Notes a change of the records without an event. */
    changed(): void {
      json = undefined;
      listeners.changed();
    },
    applyDue,
    save,
    restore,
    /** Drops the seeded sessions, which are generated again when they are needed, and the links beyond the maximum. */
    dropExcess: (maxLinks?: number): void => restore(save(maxLinks)),
    /** Read it anew after each call that may replace it: `restore`, `dropExcess`. */
    get data(): ClientData {
      return data;
    },
    /** Returns the hashes of all photos. */
    photoHashes: (): ReadonlySet<string> =>
      new Set([...data.photos.values()].flatMap((each) => [...each.values()].map(({ hash = '' }) => hash))),
    get settings(): ChangeableMembers {
      return data.settings ?? initialSettings;
    },
    /** Returns the bytes that the client holds. */
    size: (): number => sizeOf(recordsJson()),
    /** Returns the JSON of `save()`. What did not change since the last call is not written again. */
    toJson(): JsonPieces {
      const members = toJson(clockAndFaults).subarray(1);
      return [recordsJson().subarray(0, -1), Buffer.from(','), members];
    },
  };
}

function toData({
  settings,
  storedUsers,
  changes = [],
  urls,
  answers = {},
  photos = {},
}: Pick<SavedRecords, 'settings' | 'storedUsers' | 'changes' | 'urls' | 'answers' | 'photos'>): ClientData {
  return {
    settings,
    storedUsers: new Set(storedUsers),
    changes,
    urls: new Map(Object.entries(urls)),
    answers: new Map(Object.entries(answers)),
    photos: new Map(
      Object.entries(photos).map(([linkId, list]) => [
        linkId,
        new Map(list.map((photo) => [photo.photoId, photo])),
      ]),
    ),
    seeded: { users: new Set(), sessions: 0, lastExtra: new Map() },
  };
}

/** Returns the photos of these links. */
function photosOfLinks(photos: ClientData['photos'], links: MemoryStorageSnapshot['links']) {
  const lists = new Map([...photos].map(([linkId, each]) => [linkId, [...each.values()]]));
  return ofLinks(lists, links);
}

/** Returns the entries of these links. */
function ofLinks<T>(
  entries: ReadonlyMap<string, T>,
  links: MemoryStorageSnapshot['links'],
): Record<string, T> {
  return Object.fromEntries(
    links.flatMap(({ link: { accessCodeHash } }) => {
      const entry = entries.get(accessCodeHash);
      return entry === undefined ? [] : [[accessCodeHash, entry]];
    }),
  );
}
