// Marks the state of a client as changed by each call of its storage, but those that only read.
import type { StorageMethod } from '../../lib/core/guarded-storage.js';

/** The methods of the storage port that only read. Every other one marks the state as changed. */
export const READING_METHODS = [
  'findCredentials',
  'findClient',
  'listSessions',
  'findLink',
  'countEvents',
  'listEvents',
  'findSession',
  'listLinks',
  'listClientSessions',
  'findSessions',
  'findLinks',
  'findIdempotentLink',
  'listMoments',
  'listClients',
  'listApiKeys',
  'findApiKey',
] as const satisfies readonly StorageMethod[];

/**
 * Returns the methods of a storage in memory, which call `changed` when they return.
 * @param changed Not called by a method that only reads.
 */
export function markChanges<S extends object>(storage: S, changed: () => void): S {
  const reading = new Set<string>(READING_METHODS);
  const marking = Object.entries(storage).map(([name, method]) => [
    name,
    reading.has(name)
      ? method
      : (...parameters: unknown[]) => {
          const result = method(...parameters);
          changed();
          return result;
        },
  ]);
  return Object.fromEntries(marking);
}
