// Storages that break a rule of ClientStorage.
import { setImmediate } from 'node:timers/promises';
import { changedClient } from '../../../lib/core/client-change.js';
import type { NamedChange } from '../../../lib/core/storage.js';
import type { Client } from '../../../lib/core/types.js';
import type { BrokenStorages, Replace } from './types.js';

/** Changes the argument of `changeClient`. */
function withChange(replace: (change: NamedChange) => NamedChange): Replace {
  return ({ changeClient }) => ({ changeClient: (change) => changeClient(replace(change)) });
}

/** Stores what `changed` returns as the client after a change. */
function withClient(changed: (client: Client, change: NamedChange) => Client | Promise<Client>): Replace {
  return ({ findClient, updateClient }) => ({
    async changeClient(change) {
      const client = await findClient(change.clientId);
      return client !== undefined && updateClient(await changed(client, change));
    },
  });
}

export const BROKEN_CLIENT: BrokenStorages = {
  'replaces the client': {
    replace: withClient((_, { clientId, set }) => ({ clientId, ...set })),
    detectedBy: /^changeClient sets texts/,
  },
  'adds the entries of lists': {
    replace: withClient((client, change) => {
      const { callbackOrigins = [], ...others } = changedClient(client, change);
      return {
        ...others,
        callbackOrigins: [...new Set([...(client.callbackOrigins ?? []), ...callbackOrigins])],
      };
    }),
    detectedBy: /^changeClient sets lists as a whole/,
  },
  'sets members of branding only if there is one': {
    replace: withClient((client, { clientId, set: { branding, ...set }, remove }) => {
      const named = { clientId, set: { ...set, ...(client.branding && branding && { branding }) }, remove };
      return changedClient(client, named);
    }),
    detectedBy: /^changeClient sets what the client does not have/,
  },
  'replaces branding': {
    replace: withClient((client, change) => ({ ...changedClient(client, change), ...change.set })),
    detectedBy: /^changeClient sets members of branding/,
  },
  'merges the form': {
    replace: withClient((client, change) => {
      const changed = changedClient(client, change);
      const form = { ...client.settings?.form, ...change.set.settings?.form };
      return Object.keys(form).length === 0
        ? changed
        : { ...changed, settings: { ...changed.settings, form } };
    }),
    detectedBy: /^changeClient sets members of settings, and the form as a whole/,
  },
  'ignores what is to be removed': {
    replace: withChange((change) => ({ ...change, remove: [] })),
    detectedBy: /^changeClient removes settings/,
  },
  'removes nothing if it sets something': {
    replace: withChange((change) =>
      Object.keys(change.set).length > 0 ? { ...change, remove: [] } : change,
    ),
    detectedBy: /^changeClient sets and removes members at once/,
  },
  'keeps empty branding': {
    replace: withClient((client, change) => {
      const changed = changedClient(client, change);
      return client.branding && !changed.branding ? { ...changed, branding: {} } : changed;
    }),
    detectedBy: /^changeClient removes branding with its last member/,
  },
  'creates empty settings to remove one of them': {
    replace: withClient((client, change) => {
      const changed = changedClient(client, change);
      return change.remove.includes('settings.form')
        ? { ...changed, settings: { ...changed.settings } }
        : changed;
    }),
    detectedBy: /^changeClient removes what the client does not have/,
  },
  'adds an unknown client': {
    replace: ({ changeClient, insertClient }) => ({
      changeClient(change) {
        if (changeClient(change)) return true;
        insertClient({ clientId: change.clientId, ...change.set });
        return true;
      },
    }),
    detectedBy: /^changeClient returns false for an unknown client/,
  },
  'changes the client of pages only': {
    replace: ({ findCredentials }) => {
      const first = new Map<string, unknown>();
      return {
        async findCredentials(query) {
          const credentials = await findCredentials(query);
          const { client } = credentials;
          if (client === undefined) return credentials;
          if (!first.has(client.clientId)) first.set(client.clientId, client.callbackOrigins);
          return {
            ...credentials,
            client: { ...client, callbackOrigins: first.get(client.clientId) as string[] },
          };
        },
      };
    },
    detectedBy: /^findCredentials returns the callback origins after changeClient/,
  },
  'reads the client before it writes': {
    replace: withClient(async (client, change) => {
      await setImmediate();
      return changedClient(client, change);
    }),
    detectedBy: /^of 20 concurrent changes of one client/,
  },
};
