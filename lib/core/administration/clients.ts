// The use cases of clients: list, find, add, change and remove them. They validate; a storage only stores.
import { assertClient } from '../client-settings.js';
import { implementing } from '../guarded-storage.js';
import { ALLOW_DECLINE, assertDerives, RECIPIENT_CHECK } from '../service.js';
import type { Client } from '../types.js';
import { assertId, parseId } from '../validators.js';
import { type AdministrationContext, byClient, recorded, storageWith } from './context.js';

/**
 * Lists, adds, changes and removes clients. Every method but `findClient` needs an `AdminStorage`, and throws
 * `options_invalid` without one, and `request_invalid` for invalid arguments.
 */
export interface ClientAdministration {
  /** Returns all clients, by their id. */
  listClients(): Promise<readonly Client[]>;
  /** Returns a client with all its settings, or undefined if there is none. */
  findClient(clientId: string): Promise<Client | undefined>;
  /**
   * Adds a client.
   * @throws `already_exists` for a taken id, `request_invalid` for an invalid id or setting, `options_invalid` for a
   * `recipientCheck` or an `allowDecline` that the storage or the signer does not support.
   */
  addClient(client: Client): Promise<void>;
  /**
   * Replaces all settings of a client. A setting that is absent is removed. Returns false for an unknown client.
   * @throws the errors of `addClient` but `already_exists`.
   */
  updateClient(client: Client): Promise<boolean>;
  /** Deletes a client with its API keys, links and sessions. Returns false for an unknown client. */
  removeClient(clientId: string): Promise<boolean>;
}

/** Creates the use cases of clients. */
export function createClientAdministration(context: AdministrationContext): ClientAdministration {
  const admin = () => storageWith(context, 'AdminStorage');

  function check(client: Client): void {
    assertClient(client);
    if (client.settings?.allowDecline === true) implementing(context.storage, 'LifeStorage', ALLOW_DECLINE);
    if (client.settings?.recipientCheck === undefined) return;
    implementing(context.storage, 'CheckStorage', RECIPIENT_CHECK);
    if (context.signer !== undefined) assertDerives(context.signer);
  }

  return {
    listClients: async () => byClient(await admin().listClients()),

    findClient: async (clientId) => context.storage.findClient(parseId(clientId, 'clientId')),

    async addClient(client) {
      check(client);
      await admin().insertClient(client);
    },

    async updateClient(client) {
      check(client);
      return admin().updateClient(client);
    },

    async removeClient(clientId) {
      assertId(clientId, 'clientId');
      return recorded(context, admin().deleteClient(clientId, context.now()));
    },
  };
}
