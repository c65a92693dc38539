// Storages that break a rule of CheckStorage.
import type { CheckStorage, LinkRef } from '../../../lib/core/storage.js';
import type { BrokenStorages } from './types.js';

/** Lets other calls run first, as a database does. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

export const BROKEN_CHECK: BrokenStorages = {
  'counts from 0': {
    replace: ({ takeAttempt }) => ({
      takeAttempt: async (query) => {
        const number = await takeAttempt(query);
        return number === undefined ? undefined : number - 1;
      },
    }),
    detectedBy: /^takeAttempt counts the attempts/,
  },
  'grants one attempt more': {
    replace: ({ takeAttempt }) => ({
      takeAttempt: ({ limit, ...id }) => takeAttempt({ ...id, limit: limit + 1 }),
    }),
    detectedBy: /^takeAttempt counts the attempts/,
  },
  'reads the number before it writes it': {
    replace: () =>
      ownCounter(async (read, write) => {
        const attempts = read();
        await pause();
        write(attempts + 1);
        return attempts + 1;
      }),
    detectedBy: /^of 50 concurrent attempts/,
  },
  'returns all attempts at once': {
    replace: ({ unlockLink }) => ({ returnAttempt: async (id) => void (await unlockLink(id)) }),
    detectedBy: /^of concurrent attempts of which every second is returned/,
  },
  'returns attempts below 0': {
    replace: () =>
      ownCounter(async (read, write) => {
        write(read() + 1);
        return read();
      }),
    detectedBy: /^returnAttempt gives one attempt back/,
  },
  'unlocks nothing': {
    replace: () => ({ unlockLink: () => true }),
    detectedBy: /^unlockLink sets the attempts/,
  },
  'unlocks links that do not exist': {
    replace: ({ unlockLink }) => ({ unlockLink: async (id) => (await unlockLink(id)) || true }),
    detectedBy: /^a link that does not exist/,
  },
  'forgets attempts when the link is opened': {
    replace: ({ markLinkOpened, unlockLink }) => ({
      async markLinkOpened(query) {
        await markLinkOpened(query);
        await unlockLink(query);
      },
    }),
    detectedBy: /^attempts change nothing else that findLink returns/,
  },
  'tells attempts that were returned': {
    replace: ({ findLink, takeAttempt }) => {
      let taken = 0;
      return {
        async takeAttempt(query) {
          taken++;
          return takeAttempt(query);
        },
        async findLink(id) {
          const stored = await findLink(id);
          return stored && { ...stored, checkAttempts: taken };
        },
      };
    },
    detectedBy: /^checkAttempts of findLink/,
  },
  'tells attempts as a text': {
    replace: ({ findLink }) => ({
      async findLink(id) {
        const stored = await findLink(id);
        return stored && { ...stored, checkAttempts: String(stored.checkAttempts ?? 0) as never };
      },
    }),
    detectedBy: /^checkAttempts of findLink/,
  },
  'keeps attempts of deleted links': {
    replace: () =>
      ownCounter(async (read, write) => {
        write(read() + 1);
        return read();
      }),
    detectedBy: /^a link that is inserted again/,
  },
};

/** Counts beside the links. */
function ownCounter(
  take: (read: () => number, write: (attempts: number) => void) => Promise<number>,
): Partial<CheckStorage> {
  const attempts = new Map<string, number>();
  const keyOf = ({ clientId, accessCodeHash }: LinkRef) => `${clientId} ${accessCodeHash}`;
  const read = (id: LinkRef) => attempts.get(keyOf(id)) ?? 0;
  const write = (id: LinkRef, number: number) => void attempts.set(keyOf(id), number);
  return {
    async takeAttempt({ limit, ...id }) {
      if (read(id) >= limit) return undefined;
      return take(
        () => read(id),
        (number) => write(id, number),
      );
    },
    returnAttempt: (id) => write(id, read(id) - 1),
  };
}
