// The rules of IdempotencyStorage detect each kind of broken storage.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import type { IdempotencyStorage, IdempotentLink } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
const BROKEN: Record<
  string,
  { replace: (working: MemoryStorage) => Partial<IdempotencyStorage & MemoryStorage>; detectedBy: RegExp }
> = {
  'returns the values with each link': {
    replace: ({ findLink, insertLinkOnce }) => {
      const values = new Map<string, unknown>();
      return {
        insertLinkOnce(link, idempotency) {
          values.set(link.accessCodeHash, idempotency);
          return insertLinkOnce(link, idempotency);
        },
        async findLink(id) {
          const stored = await findLink(id);
          return stored && { ...stored, link: Object.assign({}, stored.link, values.get(id.accessCodeHash)) };
        },
      };
    },
    detectedBy: /^insertLinkOnce inserts a link that findLink returns/,
  },
  'changes the sealed text': {
    replace: ({ findIdempotentLink }) => ({
      findIdempotentLink: async (query) => change(await findIdempotentLink(query), { sealed: 'sealed' }),
    }),
    detectedBy: /^findIdempotentLink returns hash, end and the three values/,
  },
  'inserts a second link with a key': {
    replace: ({ insertLink, insertLinkOnce }) => ({
      insertLinkOnce: async (link, values) => (await insertLinkOnce(link, values)) || insertLink(link),
    }),
    detectedBy: /^insertLinkOnce returns false and changes nothing if the client has a link with that keyMac/,
  },
  'keeps the values of a link that it did not insert': {
    replace: ({ insertLinkOnce, findIdempotentLink }) => {
      const refused: IdempotentLink[] = [];
      return {
        async insertLinkOnce(link, values) {
          const isInserted = await insertLinkOnce(link, values);
          if (!isInserted) refused.push({ ...values, ...link });
          return isInserted;
        },
        findIdempotentLink: async (query) =>
          (await findIdempotentLink(query)) ?? refused.find(({ keyMac }) => query.keyMacs.includes(keyMac)),
      };
    },
    detectedBy: /^insertLinkOnce returns false and changes nothing if the client has a link with that hash/,
  },
  'has one link for a key of all clients': {
    replace: ({ findIdempotentLink }) => ({
      findIdempotentLink: async (query) =>
        (await findIdempotentLink(query)) ?? (await findIdempotentLink({ ...query, clientId: 'acme' })),
    }),
    detectedBy: /^two clients have a link each with one keyMac/,
  },
  'compares keys without case': {
    replace: ({ insertLinkOnce }) => ({
      insertLinkOnce: (link, values) =>
        insertLinkOnce(link, { ...values, keyMac: values.keyMac.toLowerCase() }),
    }),
    detectedBy: /^keyMacs are compared by each code unit/,
  },
  'returns any of the links': {
    replace: ({ findIdempotentLink }) => ({
      findIdempotentLink: (query) =>
        findIdempotentLink({ ...query, keyMacs: [...query.keyMacs].sort().reverse() }),
    }),
    detectedBy: /^findIdempotentLink returns the link whose keyMac comes first/,
  },
  'finds usable links only': {
    replace: ({ findIdempotentLink, findLink }) => ({
      async findIdempotentLink(query) {
        const former = await findIdempotentLink(query);
        const stored = former && (await findLink({ ...query, ...former }));
        return stored?.link.submittedAt ? undefined : former;
      },
    }),
    detectedBy: /^a link keeps its values after/,
  },
  'never frees a key': {
    replace: ({ findIdempotentLink, insertLinkOnce }) => {
      const used: IdempotentLink[] = [];
      const isUsed = (keyMac: string) => used.some((other) => other.keyMac === keyMac);
      return {
        insertLinkOnce(link, values) {
          if (isUsed(values.keyMac)) return false;
          used.push({ ...values, ...link });
          return insertLinkOnce(link, values);
        },
        findIdempotentLink,
      };
    },
    detectedBy: /^a key is free again/,
  },
  'looks the key up before it inserts': {
    replace: ({ insertLink, insertLinkOnce, findIdempotentLink }) => ({
      async insertLinkOnce(link, values) {
        const { clientId } = link;
        if (findIdempotentLink({ clientId, keyMacs: [values.keyMac] })) return false;
        await setImmediate();
        return (await insertLinkOnce(link, values)) || insertLink(link);
      },
    }),
    detectedBy: /^of 100 concurrent insertions with one keyMac/,
  },
  'cuts long texts': {
    replace: ({ insertLinkOnce }) => ({
      insertLinkOnce: (link, values) =>
        insertLinkOnce(link, { ...values, sealed: values.sealed.slice(0, 4096) }),
    }),
    detectedBy: /^the longest values are stored unchanged/,
  },
};

function change(
  link: IdempotentLink | undefined,
  changes: Partial<IdempotentLink>,
): IdempotentLink | undefined {
  return link && { ...link, ...changes };
}

const rules = storageSuite(() => createMemoryStorage()).filter(({ needs }) => needs === 'IdempotencyStorage');

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

t.test('a storage without the methods passes the cases about them', async (t) => {
  const cases = storageSuite(() => {
    const { insertLinkOnce: _, findIdempotentLink: __, ...others } = createMemoryStorage();
    return others;
  }).filter(({ needs }) => needs === 'IdempotencyStorage');
  t.equal(cases.length, rules.length);
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
