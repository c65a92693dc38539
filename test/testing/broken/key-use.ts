// Storages that break a rule of KeyUseStorage.
import { setImmediate } from 'node:timers/promises';
import type { ApiKey } from '../../../lib/core/types.js';
import type { MemoryStorage } from '../../../lib/storage/memory.js';
import type { BrokenStorages } from './types.js';

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

export const BROKEN_KEY_USE: BrokenStorages = {
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
