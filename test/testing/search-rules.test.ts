// The rules of SearchStorage detect each kind of broken storage.
import t from 'tap';
import type { SearchStorage } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
const BROKEN: Record<
  string,
  { replace: (working: MemoryStorage) => Partial<SearchStorage>; detectedBy: RegExp }
> = {
  'finds the session of one client only': {
    replace: ({ findSessions }) => ({
      findSessions: async (query) => (await findSessions(query)).slice(0, 1),
    }),
    detectedBy: /^findSessions returns the sessions of all clients/,
  },
  'returns sessions without their client': {
    replace: ({ findSessions }) => ({
      findSessions: async (query) =>
        (await findSessions(query)).map((session) => ({ ...session, clientId: 'acme' })),
    }),
    detectedBy: /^findSessions returns the sessions of all clients/,
  },
  'compares references without case': {
    replace: ({ findSessions }) => ({
      findSessions: ({ reference }) => findSessions({ reference: reference.toUpperCase() }),
    }),
    detectedBy: /^findSessions compares references/,
  },
  'finds sessions of clients that were deleted': {
    replace: ({ findSessions }) => {
      const earlier: Awaited<ReturnType<typeof findSessions>>[0][] = [];
      return {
        async findSessions(query) {
          earlier.push(...(await findSessions(query)));
          return earlier;
        },
      };
    },
    detectedBy: /^findSessions returns the session of a submission, and none after/,
  },
  'finds the link of one client only': {
    replace: ({ findLinks }) => ({ findLinks: async (query) => (await findLinks(query)).slice(0, 1) }),
    detectedBy: /^findLinks returns the links of all clients/,
  },
  'returns links without their sessions': {
    replace: ({ findLinks }) => ({
      findLinks: async (query) => (await findLinks(query)).map(({ link, client }) => ({ link, client })),
    }),
    detectedBy: /^findLinks returns the links of all clients/,
  },
  'finds usable links only': {
    replace: ({ findLinks }) => ({
      findLinks: async (query) =>
        (await findLinks(query)).filter(({ link }) => link.submittedAt === undefined),
    }),
    detectedBy: /^findLinks returns the links of all clients/,
  },
  'compares hashes without case': {
    replace: ({ findLinks }) => ({
      findLinks: ({ accessCodeHash }) => findLinks({ accessCodeHash: accessCodeHash.toLowerCase() }),
    }),
    detectedBy: /^findLinks compares hashes/,
  },
  'returns links whose client does not exist': {
    replace: ({ listLinks }) => ({
      async findLinks() {
        const at = new Date();
        const { links } = await listLinks({ clientId: 'other', at, limit: 10 });
        return links.map(({ link }) => ({ link, client: { clientId: link.clientId } }));
      },
    }),
    detectedBy: /^findLinks returns no link whose client does not exist/,
  },
};

const rules = storageSuite(() => createMemoryStorage()).filter(({ needs }) => needs === 'SearchStorage');

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

t.test('a storage without the methods passes the cases about them', async (t) => {
  const cases = storageSuite(() => {
    const { findSessions: _, findLinks: __, ...others } = createMemoryStorage();
    return others;
  }).filter(({ needs }) => needs === 'SearchStorage');
  t.equal(cases.length, rules.length);
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
