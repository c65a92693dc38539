// The storage of a mock, which hands each call to its client and adds seeded sessions, and what sets sessions.
import { parseId } from '../../lib/core/validators.js';
import type { SessionRecord, Storage } from '../../lib/index.js';
import { invalidValue } from '../problems.js';
import type { ScenarioSession } from '../scenario/scenario.js';
import { checkSessions } from '../scenario/scenario-check.js';
import type { Seeder } from '../seed/seed.js';
import { createSeededSessions } from '../seed/seeded-storage.js';
import { completeSession } from './initial.js';
import { alreadyExists, type Tenants } from './tenants.js';

export function createStateStorage(tenants: Tenants, seeder: Seeder) {
  const { find, need } = tenants;

  const stored: Storage & { insertSession(session: SessionRecord): void } = {
    findCredentials({ apiKeyHash, clientId }) {
      const owner = tenants.keyOwner(apiKeyHash);
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
    deleteExpiredLinks: (before) =>
      tenants.all().reduce((deleted, { links }) => deleted + links.deleteExpiredLinks(before), 0),
    insertSession: (session) => need(session.clientId).addSession(session),
  };
  const seeded = createSeededSessions({
    storage: stored,
    seeder,
    isExact: (clientId, userId) => find(clientId)?.exactUsers.has(userId) === true,
  });
  return { ...stored, ...seeded };
}

/** Creates the methods of the state for sessions. Members that a session leaves out come from the seed. */
export function createSessionControl(tenants: Tenants, seeder: Seeder) {
  return {
    /** Replaces the sessions of a user. @throws `request_invalid` */
    setSessions(clientId: string, userId: string, sessions: readonly ScenarioSession[]): void {
      const tenant = tenants.need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions(sessions);
      if (problems.length > 0) throw invalidValue('The list of sessions', problems);
      const records = sessions.map((session, index) => ({
        clientId,
        userId,
        ...completeSession(session, seeder.extraSessionOf(clientId, userId, index + 1)),
      }));
      tenant.setSessions(userId, records);
    },

    /** Adds a session and returns its reference. @throws `request_invalid`, `already_exists` */
    addSession(clientId: string, userId: string, session: ScenarioSession): string {
      const tenant = tenants.need(clientId);
      parseId(userId, 'userId');
      const problems = checkSessions([session]).map((problem) => ({
        ...problem,
        pointer: problem.pointer?.replace(/^\/0/, '') ?? '',
      }));
      if (problems.length > 0) throw invalidValue('The session', problems);
      const seeded = tenant.exactUsers.has(userId) ? [] : seeder.sessionsOf(clientId, userId);
      const taken = [...tenant.sessions.snapshot().sessions, ...seeded];
      const references = new Set(taken.map(({ reference }) => reference));
      let ordinal = 1;
      let extra = seeder.extraSessionOf(clientId, userId, ordinal);
      while (references.has(extra.reference)) extra = seeder.extraSessionOf(clientId, userId, ++ordinal);
      const complete = completeSession(session, extra);
      if (references.has(complete.reference)) throw alreadyExists('A session with this reference');
      tenant.addSession({ clientId, userId, ...complete });
      return complete.reference;
    },
  };
}
