// The rules of KeyUseStorage detect each kind of broken storage.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import type { KeyUseStorage } from '../../lib/core/storage.js';
import type { ApiKey } from '../../lib/core/types.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

/** Returns a storage whose `lastUsedAt` of a hash is what `next` returns. */
function withUses(
  working: MemoryStorage,
  next: (last: Date | undefined, at: Date) => Date | undefined | Promise<Date | undefined>,
): Partial<MemoryStorage> {
  const uses = new Map<string, Date>();
  const show = (apiKey: ApiKey): ApiKey => {
    const lastUsedAt = uses.get(apiKey.hash);
    return lastUsedAt === undefined ? apiKey : { ...apiKey, lastUsedAt };
  };
  return {
    async recordKeyUse({ apiKeyHash, at }) {
      const use = await next(uses.get(apiKeyHash), at);
      if (use !== undefined) uses.set(apiKeyHash, use);
    },
    listApiKeys: async (clientId) => (await working.listApiKeys(clientId)).map(show),
    async findApiKey(id) {
      const apiKey = await working.findApiKey(id);
      return apiKey && show(apiKey);
    },
  };
}

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
const BROKEN: Record<
  string,
  { replace: (working: MemoryStorage) => Partial<KeyUseStorage & MemoryStorage>; detectedBy: RegExp }
> = {
  'records nothing': {
    replace: () => ({ recordKeyUse() {} }),
    detectedBy: /^recordKeyUse sets lastUsedAt of the key/,
  },
  'cuts the milliseconds': {
    replace: ({ recordKeyUse }) => ({
      recordKeyUse: ({ apiKeyHash, at }) =>
        recordKeyUse({ apiKeyHash, at: new Date(Math.floor(at.getTime() / 1000) * 1000) }),
    }),
    detectedBy: /^recordKeyUse sets lastUsedAt of the key/,
  },
  'returns the time from findApiKey only': {
    replace: ({ listApiKeys }) => ({
      listApiKeys: async (clientId) =>
        (await listApiKeys(clientId)).map(({ lastUsedAt: _, ...apiKey }) => apiKey),
    }),
    detectedBy: /^recordKeyUse sets lastUsedAt of the key/,
  },
  'sets any later call': {
    replace: (working) => withUses(working, (_, at) => at),
    detectedBy: /^recordKeyUse moves lastUsedAt forward only/,
  },
  'sets the first call only': {
    replace: (working) => withUses(working, (last, at) => last ?? at),
    detectedBy: /^recordKeyUse moves lastUsedAt forward only/,
  },
  'rejects an unknown key': {
    replace: ({ recordKeyUse, findCredentials }) => ({
      async recordKeyUse(use) {
        const { apiKey } = await findCredentials({ ...use, clientId: '' });
        if (apiKey === undefined) throw new Error('There is no such key.');
        await recordKeyUse(use);
      },
    }),
    detectedBy: /^recordKeyUse ignores an unknown key/,
  },
  'compares hashes without case': {
    replace: ({ recordKeyUse }) => ({
      recordKeyUse: ({ apiKeyHash, at }) => recordKeyUse({ apiKeyHash: apiKeyHash.toLowerCase(), at }),
    }),
    detectedBy: /^recordKeyUse ignores an unknown key/,
  },
  'loses the time when a key is revoked': {
    replace: ({ findApiKey }) => ({
      async findApiKey(id) {
        const { lastUsedAt, ...apiKey } = (await findApiKey(id)) as ApiKey;
        return apiKey.revokedAt || lastUsedAt === undefined ? apiKey : { ...apiKey, lastUsedAt };
      },
    }),
    detectedBy: /^lastUsedAt stays when the key is changed and revoked/,
  },
  'records no key that has ended': {
    replace: ({ recordKeyUse, findCredentials }) => ({
      async recordKeyUse(use) {
        const { apiKey } = await findCredentials({ ...use, clientId: '' });
        if (apiKey?.revokedAt === undefined) await recordKeyUse(use);
      },
    }),
    detectedBy: /^lastUsedAt stays when the key is changed and revoked/,
  },
  'reads the time before it writes': {
    replace: (working) =>
      withUses(working, async (last, at) => {
        await setImmediate();
        return last === undefined || last < at ? at : last;
      }),
    detectedBy: /^of 50 concurrent calls of recordKeyUse/,
  },
};

const rules = storageSuite(() => createMemoryStorage()).filter(({ needs }) => needs === 'KeyUseStorage');

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
    const { recordKeyUse: _, ...others } = createMemoryStorage();
    return others;
  }).filter(({ needs }) => needs === 'KeyUseStorage');
  t.equal(cases.length, rules.length);
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
