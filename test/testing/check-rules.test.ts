// The rules of CheckStorage detect each kind of broken storage.
import t from 'tap';
import type { CheckStorage, LinkRef, LinkWithClient } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

/** Lets other calls run first, as a database does. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
const BROKEN: Record<
  string,
  { replace: (working: MemoryStorage) => Partial<MemoryStorage>; detectedBy: RegExp }
> = {
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

const rules = storageSuite(() => createMemoryStorage()).filter(({ needs }) => needs === 'CheckStorage');

t.test('each rule has a storage that breaks it', async (t) => {
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

t.test('a storage that does not tell the attempts passes', async (t) => {
  const cases = storageSuite(() => {
    const working = createMemoryStorage();
    return {
      ...working,
      async findLink(id: LinkRef) {
        const { checkAttempts: _, ...stored } = (await working.findLink(id)) ?? {};
        return 'link' in stored ? (stored as LinkWithClient) : undefined;
      },
    };
  }).filter(({ needs }) => needs === 'CheckStorage');
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});

t.test('a storage without the methods passes the cases about them', async (t) => {
  const cases = storageSuite(() => {
    const { takeAttempt: _, returnAttempt: __, unlockLink: ___, ...others } = createMemoryStorage();
    return others;
  }).filter(({ needs }) => needs === 'CheckStorage');
  t.equal(cases.length, rules.length);
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
