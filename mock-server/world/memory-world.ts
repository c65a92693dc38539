// A world in memory: a storage for each client, so that one can be reset, copied and removed without the others.
import {
  type AdminStorage,
  type ApiKey,
  ClaimlinkError,
  type Client,
  createMemoryStorage,
  hashApiKey,
  type MemoryStorage,
  type MemoryStorageSeed,
  type Session,
} from '../../lib/index.js';
import type { MockClientOptions } from '../options.js';
import type { ClientSnapshot } from './world-snapshot.js';

/** What the world keeps of a client. */
export type StoredClient = Pick<ClientSnapshot, 'storage' | 'namedUsers'>;

/** A world in memory. */
export interface MemoryWorld {
  /** All clients' storages as one. */
  readonly storage: AdminStorage;
  /** Adds a client, or puts another state in the place of the one it has. @throws `already_exists` for a taken key */
  put(clientId: string, stored: StoredClient): void;
  remove(clientId: string): void;
  /** @throws `client_not_found` */
  copyOf(clientId: string): StoredClient;
  /** Whether a user has exactly what is stored. */
  isNamed(clientId: string, userId: string): boolean;
  /**
   * Gives a user exactly these sessions. The links that the user has submitted go with their sessions.
   * @throws `client_not_found`, `already_exists`
   */
  setSessions(clientId: string, userId: string, sessions: readonly Session[]): void;
}

interface Held {
  /** As stored, at the time it was put. */
  client: Client | undefined;
  storage: MemoryStorage;
  namedUsers: ReadonlySet<string>;
}

/** What a client that has just been made has: itself and its key. */
export function storageOfNew({ apiKey, ...client }: MockClientOptions, createdAt: Date): MemoryStorageSeed {
  const hash = hashApiKey(apiKey);
  // Named after its hash, so that the same key has the same id in every process.
  const id = `mock_${hash.slice(0, 12)}`;
  return { clients: [client], apiKeys: [{ id, clientId: client.clientId, hash, createdAt }] };
}

/** Makes an empty world. */
export function createMemoryWorld(): MemoryWorld {
  const worlds = new Map<string, Held>();
  // A key names its client, and the client in the URL may be another one: keys are looked up across all.
  const apiKeys = new Map<string, ApiKey>();
  const nothing = createMemoryStorage();

  const storageOf = (clientId: string): MemoryStorage => worlds.get(clientId)?.storage ?? nothing;

  function heldOf(clientId: string): Held {
    const found = worlds.get(clientId);
    if (found === undefined) throw new ClaimlinkError('client_not_found');
    return found;
  }

  function put(clientId: string, { storage: seed, namedUsers }: StoredClient): void {
    const isTaken = seed.apiKeys?.some(({ hash }) => (apiKeys.get(hash)?.clientId ?? clientId) !== clientId);
    if (isTaken) throw taken('The API key of another client');
    hold(clientId, createMemoryStorage(seed), new Set(namedUsers));
  }

  function hold(clientId: string, storage: MemoryStorage, namedUsers: ReadonlySet<string>): void {
    const { clients, apiKeys: keys } = storage.snapshot();
    forgetKeys(clientId);
    for (const apiKey of keys) apiKeys.set(apiKey.hash, apiKey);
    worlds.set(clientId, { client: clients[0], storage, namedUsers });
  }

  function forgetKeys(clientId: string): void {
    for (const [hash, apiKey] of apiKeys) if (apiKey.clientId === clientId) apiKeys.delete(hash);
  }

  const storage: AdminStorage = {
    findCredentials({ apiKeyHash, clientId }) {
      const apiKey = apiKeys.get(apiKeyHash);
      const client = worlds.get(clientId)?.client;
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },
    findClient: (clientId) => worlds.get(clientId)?.client,
    listSessions: (query) => storageOf(query.clientId).listSessions(query),
    insertLink: (link) => heldOf(link.clientId).storage.insertLink(link),
    findLink: (id) => storageOf(id.clientId).findLink(id),
    markLinkOpened: (query) => storageOf(query.clientId).markLinkOpened(query),
    submitLink: (submission) => storageOf(submission.clientId).submitLink(submission),
    revokeLink: (query) => storageOf(query.clientId).revokeLink(query),
    async deleteExpiredLinks(before) {
      let deleted = 0;
      for (const { storage: each } of worlds.values()) deleted += await each.deleteExpiredLinks(before);
      return deleted;
    },
    insertClient(client) {
      if (worlds.has(client.clientId)) throw taken('A client with this id');
      put(client.clientId, { storage: { clients: [client] }, namedUsers: [] });
    },
    async insertApiKey(apiKey) {
      for (const { id, hash } of apiKeys.values()) {
        if (hash === apiKey.hash) throw taken('This API key');
        if (id === apiKey.id) throw taken('An API key with this id');
      }
      const { storage: own, namedUsers } = heldOf(apiKey.clientId);
      await own.insertApiKey(apiKey);
      hold(apiKey.clientId, own, namedUsers);
    },
    listApiKeys: (clientId) => storageOf(clientId).listApiKeys(clientId),
    async revokeApiKey(id, at) {
      const clientId = [...apiKeys.values()].find((apiKey) => apiKey.id === id)?.clientId;
      if (clientId === undefined) return false;
      const { storage: own, namedUsers } = heldOf(clientId);
      const isRevoked = await own.revokeApiKey(id, at);
      hold(clientId, own, namedUsers);
      return isRevoked;
    },
    insertSession: (session) => heldOf(session.clientId).storage.insertSession(session),
  };

  return {
    storage,
    put,
    remove(clientId) {
      forgetKeys(clientId);
      worlds.delete(clientId);
    },
    copyOf(clientId) {
      const { storage: own, namedUsers } = heldOf(clientId);
      return { storage: own.snapshot(), namedUsers: [...namedUsers] };
    },
    isNamed: (clientId, userId) => worlds.get(clientId)?.namedUsers.has(userId) === true,
    setSessions(clientId, userId, sessions) {
      const { storage: own, namedUsers } = heldOf(clientId);
      const before = own.snapshot();
      const seed: MemoryStorageSeed = {
        ...before,
        sessions: [
          ...before.sessions.filter((session) => session.userId !== userId),
          ...sessions.map((session) => ({ clientId, userId, ...session })),
        ],
        links: before.links.filter(({ link, session }) => link.userId !== userId || session === undefined),
      };
      hold(clientId, createMemoryStorage(seed), new Set([...namedUsers, userId]));
    },
  };
}

function taken(what: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${what} exists already.`);
}
