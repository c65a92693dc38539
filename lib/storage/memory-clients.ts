// The clients and API keys of the storage in memory.
import { changedClient } from '../core/client-change.js';
import { ClaimlinkError } from '../core/errors.js';
import type { AdminStorage, ClientStorage, Credentials, KeyUseStorage } from '../core/storage.js';
import type { ApiKey, Client } from '../core/types.js';
import { alreadyExists, toFrozen } from './memory-values.js';

type ClientMethods = Pick<
  AdminStorage,
  | 'findCredentials'
  | 'findClient'
  | 'insertClient'
  | 'listClients'
  | 'updateClient'
  | 'insertApiKey'
  | 'listApiKeys'
  | 'revokeApiKey'
  | 'findApiKey'
  | 'updateApiKey'
> &
  ClientStorage &
  KeyUseStorage;

/** Creates a memory without clients. */
export function createMemoryClients() {
  const clients = new Map<string, Client>();
  const apiKeysByHash = new Map<string, ApiKey>();

  function findApiKey(id: string): ApiKey | undefined {
    return [...apiKeysByHash.values()].find((apiKey) => apiKey.id === id);
  }

  /** Changes an API key. Returns false for one that is unknown or revoked. */
  function changeApiKey(id: string, change: (apiKey: ApiKey) => ApiKey): boolean {
    const apiKey = findApiKey(id);
    if (apiKey === undefined || apiKey.revokedAt !== undefined) return false;
    apiKeysByHash.set(apiKey.hash, toFrozen(change(apiKey)));
    return true;
  }

  const storage: ClientMethods = {
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      const client = clients.get(clientId);
      const credentials: Credentials = {};
      if (apiKey) credentials.apiKey = apiKey;
      if (client) credentials.client = client;
      return credentials;
    },

    findClient: (clientId) => clients.get(clientId),

    insertClient(client) {
      if (clients.has(client.clientId)) throw alreadyExists('A client with this id');
      clients.set(client.clientId, toFrozen(client));
    },

    listClients: () => [...clients.values()],

    updateClient(client) {
      if (!clients.has(client.clientId)) return false;
      clients.set(client.clientId, toFrozen(client));
      return true;
    },

    changeClient(change) {
      const client = clients.get(change.clientId);
      if (client === undefined) return false;
      clients.set(change.clientId, toFrozen(changedClient(client, change)));
      return true;
    },

    insertApiKey(apiKey) {
      if (!clients.has(apiKey.clientId)) throw new ClaimlinkError('client_not_found');
      if (findApiKey(apiKey.id)) throw alreadyExists('An API key with this id');
      if (apiKeysByHash.has(apiKey.hash)) throw alreadyExists('This API key');
      apiKeysByHash.set(apiKey.hash, toFrozen(apiKey));
    },

    listApiKeys: (clientId) =>
      [...apiKeysByHash.values()]
        .filter((apiKey) => apiKey.clientId === clientId)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    revokeApiKey: (id, at) => changeApiKey(id, (apiKey) => ({ ...apiKey, revokedAt: at })),

    findApiKey,

    updateApiKey: (id, { expiresAt }) =>
      changeApiKey(id, ({ expiresAt: _, ...others }) => ({ ...others, ...(expiresAt && { expiresAt }) })),

    recordKeyUse({ apiKeyHash, at }) {
      const apiKey = apiKeysByHash.get(apiKeyHash);
      if (apiKey === undefined || (apiKey.lastUsedAt !== undefined && apiKey.lastUsedAt >= at)) return;
      apiKeysByHash.set(apiKeyHash, toFrozen({ ...apiKey, lastUsedAt: at }));
    },
  };

  return {
    storage,

    find: (clientId: string): Client | undefined => clients.get(clientId),

    list: (): Client[] => [...clients.values()],

    listKeys: (): ApiKey[] => [...apiKeysByHash.values()],

    /** Deletes a client with its keys. Returns false for an unknown one. */
    delete(clientId: string): boolean {
      if (!clients.delete(clientId)) return false;
      for (const [hash, apiKey] of apiKeysByHash)
        if (apiKey.clientId === clientId) apiKeysByHash.delete(hash);
      return true;
    },

    content: [clients, apiKeysByHash] as readonly Map<string, unknown>[],
  };
}
