// The names of the methods of storages, and which of them a storage lacks.
import type { OutboxStorage, RecordStorage, Storage } from './storage.js';

/** The methods of a plain storage. */
export const STORAGE_METHODS = [
  'findCredentials',
  'findClient',
  'listSessions',
  'insertLink',
  'findLink',
  'markLinkOpened',
  'submitLink',
  'revokeLink',
  'deleteExpiredLinks',
] as const satisfies readonly (keyof Storage)[];

/** The methods of a storage that keeps the events of submissions. */
export const OUTBOX_METHODS = [
  'leaseEvents',
  'settleEvent',
  'postponeEvent',
  'countEvents',
  'listEvents',
  'retryEvents',
] as const satisfies readonly (keyof OutboxStorage)[];

/** The methods of a storage whose records can be searched, changed and deleted. */
export const RECORD_METHODS = [
  'updateSession',
  'listLinks',
  'revokeLinks',
  'listClientSessions',
  'deleteUser',
  'deleteSessions',
  'dropLinkData',
] as const satisfies readonly (keyof RecordStorage)[];

/** A storage of a host: it may lack the methods that its options do not need. */
export type HostStorage = Storage & Partial<OutboxStorage & RecordStorage>;

/** Returns the methods that a storage lacks. */
export function missingMethods(storage: unknown, names: readonly string[]): string[] {
  return names.filter((name) => typeof (storage as Record<string, unknown> | null)?.[name] !== 'function');
}
