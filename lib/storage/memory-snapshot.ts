// What a memory storage starts with and gives back, and how storages share what one of them has frozen.
import { frozenCopy, isDeepFrozen } from '../core/freeze.js';
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
 * Its clients, keys and sessions are the storage's own objects, and those of every storage that starts with it;
 * what is not frozen all the way down is cloned when it is used as a seed.
 */
export type MemoryStorageSnapshot = Readonly<Required<MemoryStorageSeed>>;

/** A storage that can be copied. */
export interface MemoryStorage extends AdminStorage {
  /** Everything that it holds now. Sessions are not cloned: each costs one small object, and each link its own. */
  snapshot(): MemoryStorageSnapshot;
}

/** The session that a record of a snapshot was written from: restored, it is the same object, with its JSON. */
const sessionsOfRecords = new WeakMap<SessionRecord, Session>();

/** The value to store: what is frozen all the way down, as another storage's or claimlink's own; else a copy that is. */
export function toStored<T extends object>(value: T): T {
  return isDeepFrozen(value) ? value : frozenCopy(value);
}

/** A stored value with some members changed. The changes become the storage's: give no object of a caller's. */
export function withChanges<T extends object>(value: T, changes: Partial<T>): T {
  return Object.freeze({ ...value, ...changes });
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
