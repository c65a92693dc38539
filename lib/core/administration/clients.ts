// The use cases of clients: list, find, add, change and remove them. They validate; a storage only stores.
import { namedChange } from '../client-change.js';
import { assertClient, assertClientSettings } from '../client-settings.js';
import { invalidParameter } from '../errors.js';
import { implementing } from '../guarded-storage.js';
import { NEEDS_CHECK_RECIPIENT } from '../host-question.js';
import { NEEDS_PHOTOS } from '../photo-settings.js';
import { assertDerives } from '../prove-recipient.js';
import { SETTINGS, settingCause } from '../settings.js';
import type { Client, ClientUpdate } from '../types.js';
import { assertClientId, assertId, parseId } from '../validators.js';
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
   * @throws `already_exists` for a taken id, `request_invalid` for an invalid id or setting, and for a question in `recipientCheck`
   * if the service has no `checkRecipient`, and for a form that takes photos if it has no `photos`; `options_invalid` for a `recipientCheck` or an `allowDecline` that the storage or the signer does not support.
   */
  addClient(client: Client): Promise<void>;
  /**
   * Changes the settings of a client that the change names. A member that is absent stays, and null removes a member, also of
   * `branding` and `settings`. Lists and the form are replaced as a whole. Returns false for an unknown client. Changes of
   * several processes do not undo each other over a storage that implements `ClientStorage`, as the built-in ones do.
   * @throws the errors of `addClient` but `already_exists`, for what the change names; `request_invalid` for a member that is
   * undefined.
   */
  updateClient(change: ClientUpdate): Promise<boolean>;
  /** Deletes a client with its API keys, links and sessions. Returns false for an unknown client. */
  removeClient(clientId: string): Promise<boolean>;
}

/** Creates the use cases of clients. */
export function createClientAdministration(context: AdministrationContext): ClientAdministration {
  const admin = () => storageWith(context, 'AdminStorage');

  /** Checks what settings need of the storage, the signer and the host. */
  function checkNeeds({ settings = {} }: Pick<Client, 'settings'>): void {
    for (const [name, { needs }] of Object.entries(SETTINGS)) {
      const value: unknown = Reflect.get(settings, name);
      if (needs === undefined || value === undefined || value === false) continue;
      if (needs.checkRecipient?.(value) && context.asksHost === false)
        throw invalidParameter(`settings.${name}`, 'combination', NEEDS_CHECK_RECIPIENT);
      if (needs.photos?.(value) && context.takesPhotos === false)
        throw invalidParameter(`settings.${name}.photos`, 'combination', NEEDS_PHOTOS);
      const cause = settingCause(name);
      if (needs.storage) implementing(context.storage, needs.storage, cause);
      if (needs.signer && context.signer) assertDerives(context.signer, cause);
    }
  }

  return {
    listClients: async () => byClient(await admin().listClients()),

    findClient: async (clientId) => context.storage.findClient(parseId(clientId, 'clientId')),

    async addClient(client) {
      assertClient(client);
      checkNeeds(client);
      await admin().insertClient(client);
    },

    async updateClient(change) {
      const named = namedChange(change);
      assertClientId(named.clientId);
      assertClientSettings(named.set);
      checkNeeds(named.set);
      const storage = admin();
      if (Object.keys(named.set).length === 0 && named.remove.length === 0)
        return (await storage.findClient(named.clientId)) !== undefined;
      return storageWith(context, 'ClientStorage').changeClient(named);
    },

    async removeClient(clientId) {
      assertId(clientId, 'clientId');
      return recorded(context, admin().deleteClient(clientId, context.now()));
    },
  };
}
