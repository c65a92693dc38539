// What a memory storage starts with and gives back, and how storages share what one of them has frozen.
import { deepFreeze } from '../core/freeze.js';
import type { AdminStorage, SessionRecord } from '../core/storage.js';
import type { ApiKey, Client, Link, Session } from '../core/types.js';

/** A link as a memory storage keeps it. */
export interface StoredLink {
  link: Link;
  /** The session that its submission inserted: there exactly when `link.submittedAt` is. */
  session?: Session;
}

/** What a memory storage starts with. The order of clients, keys and links is the order of their insertion. */
export interface MemoryStorageSeed {
  clients?: readonly Client[];
  apiKeys?: readonly ApiKey[];
  sessions?: readonly SessionRecord[];
  /**
   * In whatever state, expired ones too. The session of a submitted one is the one of `sessions` with that client,
   * user, `createdAt` and `reference`; where there is none, it is inserted.
   */
  links?: readonly StoredLink[];
}

/**
 * Everything that a memory storage holds, as a seed of an equal one. It is frozen and never changes, whatever happens
 * to the storage. Sessions are in the order of client id, user id and listing.
 *
 * Its clients, keys, sessions and links are the storage's own objects, and those of every storage that starts with
 * it. A seed of anything else, such as a copy of them, is cloned.
 */
export type MemoryStorageSnapshot = Readonly<Required<MemoryStorageSeed>>;

/** A storage that can be copied. */
export interface MemoryStorage extends AdminStorage {
  /** Everything that it holds now. Clones nothing: the cost is one small object for each session. */
  snapshot(): MemoryStorageSnapshot;
}

/** What a storage has frozen itself: nobody can change it, so that every storage may hold it. */
const frozenHere = new WeakSet<object>();

/** The session that a record of a snapshot was written from: restored, it is the same object, with its JSON. */
const sessionsOfRecords = new WeakMap<SessionRecord, Session>();

/** The value to store: frozen all the way down, and nobody else's object but a storage's. */
export function toStored<T extends object>(value: T): T {
  return frozenHere.has(value) ? value : own(deepFreeze(structuredClone(value)));
}

/** A stored value with some members changed. The changes become the storage's: give no object of a caller's. */
export function withChanges<T extends object>(value: T, changes: Partial<T>): T {
  return own(Object.freeze({ ...value, ...changes }));
}

/** A stored session with its owner. */
export function toRecord(clientId: string, userId: string, session: Session): SessionRecord {
  const record = Object.freeze({ clientId, userId, ...session });
  sessionsOfRecords.set(record, session);
  return record;
}

/** The session to store for a record. */
export function toSession(record: SessionRecord): Session {
  const known = sessionsOfRecords.get(record);
  if (known !== undefined) return known;
  const { clientId: _, userId: __, ...session } = record;
  return toStored(session);
}

function own<T extends object>(value: T): T {
  frozenHere.add(value);
  return value;
}
