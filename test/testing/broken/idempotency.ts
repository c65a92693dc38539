// Storages that break a rule of IdempotencyStorage.
import { setImmediate } from 'node:timers/promises';
import type { IdempotentLink } from '../../../lib/core/storage.js';
import type { BrokenStorages } from './types.js';

export const BROKEN_IDEMPOTENCY: BrokenStorages = {
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
