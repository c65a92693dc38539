// What the use cases of an operator share: the storage, the clock, and the records of a client.
import { type GuardedStorage, type Interfaces, implementing } from '../guarded-storage.js';
import type { LinkSigner } from '../link-signer.js';
import type { ResolvedOptions } from '../options.js';
import { findClient } from '../service.js';
import type { RecordStorage, SearchStorage } from '../storage.js';
import type { Awaitable } from '../types.js';

/** What the use cases work with. */
export interface AdministrationContext extends Pick<ResolvedOptions, 'now' | 'maxPageSize'> {
  storage: GuardedStorage;
  /** The signer of a service with pages. Absent in commands, which do not know it. */
  signer?: Pick<LinkSigner, 'derive'> | undefined;
  /** false: the service has no `checkRecipient`. Absent in commands, which do not know it. */
  asksHost?: boolean;
  /** Whether the service has the option `photos`. Absent: not known here. */
  takesPhotos?: boolean;
  /** What needs a method that the storage lacks, for messages. Default: `this call`. */
  cause?: string;
  /** Called after a call that may have recorded events. */
  onRecorded?: () => void;
}

/** Returns the result of a call that records events, and begins to deliver them. */
export async function recorded<T>({ onRecorded }: AdministrationContext, call: Awaitable<T>): Promise<T> {
  const result = await call;
  onRecorded?.();
  return result;
}

/** Returns the storage as one that implements an interface. @throws `options_invalid` if it lacks methods. */
export function storageWith<N extends keyof Interfaces>(
  { storage, cause }: AdministrationContext,
  name: N,
): GuardedStorage & Interfaces[N] {
  return implementing(storage, name, cause);
}

/** Returns the storage of a client's records. @throws `options_invalid` unless it is a `RecordStorage`, `client_not_found`. */
export async function recordsOf(context: AdministrationContext, clientId: string): Promise<RecordStorage> {
  const records = storageWith(context, 'RecordStorage');
  await findClient(context.storage, clientId);
  return records;
}

/** Returns the storage that finds records of all clients. @throws `options_invalid` unless it is a `SearchStorage`. */
export function searchOf({ storage }: AdministrationContext): SearchStorage {
  return implementing(storage, 'SearchStorage', 'a search without a client');
}

/** Reads all pages of a list. */
export async function readAll<T>(
  readPage: (cursor: { cursor?: string }) => Promise<{ items: readonly T[]; nextCursor: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor === undefined ? {} : { cursor });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

/** Returns records in the order of their client ids. */
export function byClient<T extends { clientId: string }>(records: readonly T[]): T[] {
  return records.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1));
}
