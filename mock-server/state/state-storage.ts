// The storage of a mock: hands each call to its client, and adds seeded sessions.
import type { SessionRecord, Storage } from '../../lib/index.js';
import type { Seeder } from '../seed/seed.js';
import { createSeededSessions } from '../seed/seeded-storage.js';
import type { Tenants } from './tenants.js';
import type { ClientStorage } from './types.js';

/** Creates the storage. */
export function createStateStorage(tenants: Tenants, seeder: Seeder): ClientStorage {
  const { find, need } = tenants;

  const stored: Storage & { insertSession(session: SessionRecord): void } = {
    findCredentials({ apiKeyHash, clientId }) {
      const owner = tenants.keyHashOwner(apiKeyHash);
      const client = find(clientId)?.client;
      return { ...(owner !== undefined && { apiKey: { clientId: owner } }), ...(client && { client }) };
    },
    findClient: (clientId) => find(clientId)?.client,
    listSessions: (query) => find(query.clientId)?.sessions.listSessions(query) ?? { sessions: [] },
    insertLink: (link) => need(link.clientId).links.insertLink(link),
    findLink({ clientId, accessCodeHash }) {
      const tenant = find(clientId);
      const entry = tenant?.links.get(accessCodeHash);
      if (tenant === undefined || entry === undefined) return undefined;
      return { link: entry.link, client: tenant.client, ...(entry.session && { session: entry.session }) };
    },
    markLinkOpened: (query) => find(query.clientId)?.links.markLinkOpened(query),
    submitLink: (submission) =>
      find(submission.clientId)?.links.submitLink(submission) ?? { outcome: 'not_found' },
    revokeLink: (query) => find(query.clientId)?.links.revokeLink(query) ?? false,
    async deleteExpiredLinks(before) {
      let deleted = 0;
      for (const { links } of tenants.all()) deleted += await links.deleteExpiredLinks(before);
      return deleted;
    },
    insertSession: (session) => need(session.clientId).addSession(session),
  };
  const { listSessions, insertSession } = createSeededSessions({
    storage: stored,
    seeder,
    isExact: (clientId, userId) => find(clientId)?.exactUsers.has(userId) === true,
  });
  return { ...stored, listSessions, insertSession: async (session) => insertSession(session) };
}
