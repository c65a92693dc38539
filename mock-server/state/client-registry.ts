// The clients of a mock by their ids, their API keys and their control tokens: each of these is of one client.
import { ClaimlinkError, hashApiKey } from '../../lib/index.js';
import type { ClientSelection, MockClientOptions } from '../control/types.js';
import type { MockClientState } from './mock-client.js';

/** @param operatorToken The control token of the mock: no client may have it. */
export function createClientRegistry(operatorToken: string | undefined) {
  const clients = new Map<string, MockClientState>();
  const idsByKeyHash = new Map<string, string>();

  const find = (clientId: string) => clients.get(clientId);

  /** @throws `client_not_found` */
  function need(clientId: string): MockClientState {
    const client = find(clientId);
    if (client === undefined) throw new ClaimlinkError('client_not_found');
    return client;
  }

  /** Returns the selected client, or all. @throws `client_not_found` */
  const select = ({ clientId }: ClientSelection) =>
    clientId === undefined ? [...clients.values()] : [need(clientId)];

  /** Returns the client with this control token. */
  function findByToken(token: string): MockClientState | undefined {
    const hash = hashApiKey(token);
    return select({}).find(({ tokenHash }) => tokenHash === hash);
  }

  return {
    find,
    need,
    select,
    findByToken,
    /** Returns the id of the client with this key. */
    findId: (apiKeyHash: string) => idsByKeyHash.get(apiKeyHash),
    count: () => clients.size,
    /** Returns why a client cannot be added, if another one has its id, its key or its token. */
    conflictOf({ clientId, apiKey, controlToken }: MockClientOptions): string | undefined {
      if (clients.has(clientId)) return 'A client with this id exists already';
      if (idsByKeyHash.has(hashApiKey(apiKey))) return 'A client with this API key exists already';
      if (controlToken === undefined) return undefined;
      const isTaken = controlToken === operatorToken || findByToken(controlToken) !== undefined;
      return isTaken ? 'This control token exists already' : undefined;
    },
    register(client: MockClientState): MockClientState {
      clients.set(client.clientId, client);
      idsByKeyHash.set(hashApiKey(client.client.apiKey), client.clientId);
      return client;
    },
    /** Removes a client, and ends what began in its state. */
    drop({ client: { clientId, apiKey }, endEpoch }: MockClientState): void {
      clients.delete(clientId);
      idsByKeyHash.delete(hashApiKey(apiKey));
      endEpoch();
    },
  };
}
