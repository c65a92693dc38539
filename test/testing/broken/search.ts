// Storages that break a rule of SearchStorage.
import type { BrokenStorages } from './types.js';

export const BROKEN_SEARCH: BrokenStorages = {
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
