// The rules of ClientStorage detect each kind of broken storage.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { changedClient } from '../../lib/core/client-change.js';
import type { ClientStorage, NamedChange } from '../../lib/core/storage.js';
import type { Client } from '../../lib/core/types.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

type Replace = (working: MemoryStorage) => Partial<ClientStorage & MemoryStorage>;

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

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
const BROKEN: Record<string, { replace: Replace; detectedBy: RegExp }> = {
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

const rules = storageSuite(() => createMemoryStorage()).filter(({ needs }) => needs === 'ClientStorage');

t.test('each rule detects a broken storage', async (t) => {
  for (const { name } of rules)
    t.ok(
      Object.values(BROKEN).some(({ detectedBy }) => detectedBy.test(name)),
      name,
    );
});

for (const [defect, { replace, detectedBy }] of Object.entries(BROKEN))
  t.test(`a storage that ${defect} fails the case about it`, async (t) => {
    const [rule] = storageSuite(() => {
      const working = createMemoryStorage();
      return { ...working, ...replace(working) };
    }).filter(({ name }) => detectedBy.test(name));
    await t.rejects(rule?.run() ?? Promise.resolve());
  });

t.test('a storage without the method passes the cases about it', async (t) => {
  const cases = storageSuite(() => {
    const { changeClient: _, ...others } = createMemoryStorage();
    return others;
  }).filter(({ needs }) => needs === 'ClientStorage');
  t.equal(cases.length, rules.length);
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
