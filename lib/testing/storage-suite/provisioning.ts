// Creates the records that a case starts from, in an AdminStorage or in a plain Storage of a host.
import { type HostStorage, STORAGE_METHODS } from '../../core/guarded-storage.js';
import type { AdminStorage, Storage } from '../../core/storage.js';
import type { ApiKey, Awaitable, Client, SessionRecord } from '../../core/types.js';

/** Records to create: first the clients, then their API keys and sessions. */
export interface StorageRecords {
  readonly clients: readonly Client[];
  readonly apiKeys: readonly ApiKey[];
  readonly sessions: readonly SessionRecord[];
}

/** Creates records in a storage. A case may call it several times, also after it called the storage. */
export type Provision<S extends Storage> = (storage: S, records: StorageRecords) => Awaitable<void>;

/** A storage with the methods that create the records of a case. */
export type ProvisionedStorage = HostStorage &
  Pick<AdminStorage, 'insertClient' | 'insertApiKey' | 'insertSession'>;

const NO_RECORDS: StorageRecords = { clients: [], apiKeys: [], sessions: [] };

/** Adds the methods that create records. */
export function withProvisioning<S extends Storage>(storage: S, provision: Provision<S>): ProvisionedStorage {
  const create = (records: Partial<StorageRecords>) => provision(storage, { ...NO_RECORDS, ...records });
  return {
    ...bindMethods(storage),
    insertClient: (client) => create({ clients: [client] }),
    insertApiKey: (apiKey) => create({ apiKeys: [apiKey] }),
    insertSession: (session) => create({ sessions: [session] }),
  };
}

/** Returns the methods of a storage as functions. `bind` keeps the private members of a class reachable. */
function bindMethods(storage: HostStorage): Storage {
  const { AdminStorage: _, ...interfaces } = STORAGE_METHODS;
  const names = Object.values(interfaces).flat();
  const bound = names.map((name) => [name, storage[name]?.bind(storage)]);
  return Object.fromEntries(bound);
}
