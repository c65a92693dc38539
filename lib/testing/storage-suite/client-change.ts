// Rules of ClientStorage: a change of some settings of a client.

import type { ClientStorage, NamedChange } from '../../core/storage.js';
import type { Client, ClientSettings } from '../../core/types.js';
import assert from './assert.js';
import type { ProvisionedStorage } from './provisioning.js';
import {
  assertCount,
  CLIENT_ID,
  concurrently,
  linkId,
  type StorageRule,
  sampleKey,
  sampleLink,
} from './samples.js';

/** A storage that changes some settings of a client. */
export type ProvisionedClients = ProvisionedStorage & ClientStorage;

const MANY = 20;
const KEY = sampleKey();
const FORM = { contacts: 'email', texts: { de: { introduction: '"Überall"' } } } as const;
/** A member that a later version may add. */
const LATER = { later: { texts: ['Überall', ''], none: null, count: 0 } };
/** Another one. */
const ADDED = { added: true };

const FULL: Client = {
  clientId: CLIENT_ID,
  name: 'Acme',
  callbackOrigins: ['https://app.example.com', 'app:'],
  locale: 'de',
  branding: { displayName: 'Acme', primaryColor: '#7a1f5c' },
  frameAncestors: ['https://portal.example.com'],
  settings: { redirectAfterSeconds: 30, form: FORM, ...LATER } as ClientSettings,
};
const EMPTY: Client = { clientId: CLIENT_ID };
const LISTS = { callbackOrigins: [], frameAncestors: ['https://a.example', 'https://b.example'] };

type Change = Partial<Pick<NamedChange, 'set' | 'remove'>>;

/** A client, a change, and the members that the client has after it. Undefined: it does not have the member. */
const CHANGES: [change: string, before: Client, named: Change, after: { [K in keyof Client]?: unknown }][] = [
  [
    'sets texts',
    FULL,
    { set: { name: 'O\'Brien "Ltd"', locale: 'fr' } },
    { name: 'O\'Brien "Ltd"', locale: 'fr' },
  ],
  ['sets lists as a whole', FULL, { set: LISTS }, LISTS],
  ['sets what the client does not have', EMPTY, { set: { ...FULL, ...EMPTY } }, FULL],
  [
    'sets members of branding',
    FULL,
    { set: { branding: { displayName: 'New', supportUrl: 'https://example.com' } } },
    { branding: { displayName: 'New', primaryColor: '#7a1f5c', supportUrl: 'https://example.com' } },
  ],
  [
    'sets members of settings, and the form as a whole',
    FULL,
    { set: { settings: { ...ADDED, form: { noticeConfirmation: true } } } },
    { settings: { ...FULL.settings, ...ADDED, form: { noticeConfirmation: true } } },
  ],
  [
    'removes settings',
    FULL,
    { remove: ['name', 'callbackOrigins', 'locale', 'branding', 'frameAncestors', 'settings'] },
    {
      name: undefined,
      callbackOrigins: undefined,
      locale: undefined,
      branding: undefined,
      frameAncestors: undefined,
      settings: undefined,
    },
  ],
  [
    'sets and removes members at once',
    FULL,
    {
      set: { name: 'New', settings: ADDED as ClientSettings },
      remove: ['branding.displayName', 'settings.form'],
    },
    {
      name: 'New',
      branding: { primaryColor: '#7a1f5c' },
      settings: { redirectAfterSeconds: 30, ...LATER, ...ADDED },
    },
  ],
  [
    'removes branding with its last member',
    FULL,
    { remove: ['branding.displayName', 'branding.primaryColor'] },
    { branding: undefined },
  ],
  ['removes what the client does not have', EMPTY, { remove: ['name', 'branding', 'settings.form'] }, {}],
];

export const clientRules: readonly StorageRule<ProvisionedClients>[] = [
  ...CHANGES.map(([change, before, { set = {}, remove = [] }, after]): StorageRule<ProvisionedClients> => {
    const { clientId: _, ...settings } = set as Client;
    return {
      name: `changeClient ${change}, and changes nothing else`,
      async check(storage) {
        await storage.insertClient(before);
        await storage.insertClient({ ...FULL, clientId: 'other' });
        await storage.insertLink(sampleLink());
        assert.equal(await storage.changeClient({ clientId: CLIENT_ID, set: settings, remove }), true);
        await assertClient(storage, without({ ...before, ...after }));
        assert.deepEqual(await storage.findClient('other'), { ...FULL, clientId: 'other' });
      },
    };
  }),
  {
    name: 'changeClient returns false for an unknown client, and adds none',
    async check(storage) {
      await storage.insertClient(EMPTY);
      for (const clientId of ['other', CLIENT_ID.toUpperCase(), `${CLIENT_ID} `]) {
        assert.equal(await storage.changeClient({ clientId, set: { name: 'New' }, remove: [] }), false);
        assert.equal(await storage.findClient(clientId), undefined);
      }
      assert.deepEqual(await storage.findClient(CLIENT_ID), EMPTY);
    },
  },
  {
    name: 'findCredentials returns the callback origins after changeClient',
    async check(storage) {
      await storage.insertClient(FULL);
      await storage.insertApiKey(KEY);
      const query = { apiKeyHash: KEY.hash, clientId: CLIENT_ID };
      await storage.changeClient({ clientId: CLIENT_ID, set: LISTS, remove: [] });
      assert.deepEqual((await storage.findCredentials(query)).client?.callbackOrigins, []);
      await storage.changeClient({ clientId: CLIENT_ID, set: {}, remove: ['callbackOrigins'] });
      assert.equal((await storage.findCredentials(query)).client?.callbackOrigins, undefined);
    },
  },
  {
    name: `of ${MANY} concurrent changes of one client none undoes what another one sets or removes`,
    isRace: true,
    async check(storage) {
      const numbered = (values: (index: number) => unknown) =>
        Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`member${index}`, values(index)]));
      const settings = numbered(() => 'old') as ClientSettings;
      await storage.insertClient({ ...FULL, settings });
      const changes: Change[] = Array.from({ length: MANY - 4 }, (_, index) =>
        index % 2 === 0
          ? { set: { settings: { [`member${index}`]: index } as ClientSettings } }
          : { remove: [`settings.member${index}` as 'settings.form'] },
      );
      changes.push(
        { set: { name: 'New' } },
        { remove: ['locale'] },
        { set: { branding: { displayName: 'New' } } },
        { remove: ['branding.primaryColor'] },
      );
      const results = await concurrently(MANY, (index) => {
        const { set = {}, remove = [] } = changes[index] ?? {};
        return storage.changeClient({ clientId: CLIENT_ID, set, remove });
      });
      assertCount(MANY, results, (isChanged) => isChanged);
      const member = (index: number) => {
        if (index >= MANY - 4) return 'old';
        return index % 2 === 0 ? index : undefined;
      };
      await assertClient(storage, {
        ...without({ ...FULL, name: 'New', locale: undefined, branding: { displayName: 'New' } }),
        settings: without(numbered(member)),
      });
    },
  },
];

/** Asserts a client, also the one of its link. */
async function assertClient(storage: ProvisionedClients, expected: object): Promise<void> {
  assert.deepEqual(await storage.findClient(CLIENT_ID), expected);
  const stored = await storage.findLink(linkId(sampleLink().accessCodeHash));
  if (stored !== undefined) assert.deepEqual(stored.client, expected);
}

/** Returns an object without the members that are undefined. */
function without(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
