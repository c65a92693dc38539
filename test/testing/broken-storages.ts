// Storages that break one rule each, and the case of the suite that is about the rule.
import { setImmediate } from 'node:timers/promises';
import type { AdminStorage, LinkSubmission, SessionQuery } from '../../lib/core/storage.js';
import type { Session } from '../../lib/core/types.js';

/** A working storage with some of its methods replaced. */
type Breakage = (working: AdminStorage) => Partial<AdminStorage>;

export const BROKEN: Record<string, { break: Breakage; caughtBy: RegExp }> = {
  'submits without consuming the link': {
    break: (working) => ({
      submitLink: async (submission) => {
        const found = await working.findLink(submission);
        if (!found) return { outcome: 'not_found' };
        const { clientId, userId } = found.link;
        await working.insertSession({ clientId, userId, ...submission.session });
        return { outcome: 'submitted', session: submission.session };
      },
    }),
    caughtBy: /^a repeat is already_submitted/,
  },
  'looks first and writes later, so that two callers can both win': {
    break: (working) => ({ submitLink: (submission) => lookThenWrite(working, submission) }),
    caughtBy: /concurrent submissions of one link exactly one/,
  },
  'revokes without looking at a submission that is under way': {
    break: (working) => ({
      revokeLink: async (query) => {
        const found = await working.findLink(query);
        if (found === undefined) return false;
        const { submittedAt, revokedAt, expiresAt } = found.link;
        if (submittedAt || revokedAt || query.at >= expiresAt) return false;
        await working.revokeLink(query);
        return true;
      },
    }),
    caughtBy: /concurrent revocations of one link/,
  },
  'lets a link be submitted at the moment of its expiry': {
    break: (working) => ({
      submitLink: (submission) =>
        working.submitLink({ ...submission, at: new Date(submission.at.getTime() - 1) }),
    }),
    caughtBy: /^a submission at the moment of expiry/,
  },
  'forgets milliseconds': {
    break: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, createdAt: toSeconds(record.createdAt) }),
    }),
    caughtBy: /^one millisecond decides the order/,
  },
  'pages by offset': {
    break: (working) => ({ listSessions: (query) => pageByOffset(working, query) }),
    caughtBy: /^while sessions are inserted/,
  },
  'filters the status after the page is cut': {
    break: (working) => ({
      listSessions: async ({ status, ...query }) => {
        const page = await working.listSessions(query);
        return { ...page, sessions: page.sessions.filter((session) => !status || session.status === status) };
      },
    }),
    caughtBy: /^the status filter is applied before/,
  },
  'always gives a cursor': {
    break: (working) => ({
      listSessions: async (query) => ({ nextCursor: 'more', ...(await working.listSessions(query)) }),
    }),
    caughtBy: /^nextCursor is present exactly/,
  },
  'takes any cursor': {
    break: (working) => ({
      listSessions: async (query) => {
        try {
          return await working.listSessions(query);
        } catch {
          return { sessions: [] };
        }
      },
    }),
    caughtBy: /^a cursor of another's making/,
  },
  'folds case in ids': {
    break: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, userId: record.userId.toLowerCase() }),
      listSessions: (query) => working.listSessions({ ...query, userId: query.userId.toLowerCase() }),
    }),
    caughtBy: /upper and lower case are two/,
  },
  'normalises Unicode': {
    break: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, userId: record.userId.normalize() }),
      listSessions: (query) => working.listSessions({ ...query, userId: query.userId.normalize() }),
    }),
    caughtBy: /composed and decomposed are two/,
  },
  'runs client and user together': {
    break: (working) => ({
      insertSession: (record) =>
        working.insertSession({
          ...record,
          reference: record.reference,
          userId: `${record.clientId}${record.userId}`,
        }),
      listSessions: (query) => listEveryClient(working, query),
    }),
    caughtBy: /^client and user are two strings/,
  },
  'hides expired keys': {
    break: (working) => ({
      findCredentials: async (query) => {
        const { apiKey, client } = await working.findCredentials(query);
        const isLive = apiKey && !apiKey.expiresAt && !apiKey.revokedAt;
        return { ...(isLive && { apiKey }), ...(client && { client }) };
      },
    }),
    caughtBy: /^findCredentials returns expired and revoked keys/,
  },
  "lists other clients' keys": {
    break: (working) => ({
      listApiKeys: async () => [
        ...(await working.listApiKeys('acme')),
        ...(await working.listApiKeys('other')),
      ],
    }),
    caughtBy: /^listApiKeys lists the client's keys/,
  },
  'overwrites the first opening': {
    break: (working) => {
      const opened = new Map<string, Date>();
      return {
        markLinkOpened: ({ accessCodeHash, at }) => void opened.set(accessCodeHash, at),
        findLink: async (id) => {
          const found = await working.findLink(id);
          const openedAt = opened.get(id.accessCodeHash);
          return found && openedAt ? { ...found, link: { ...found.link, openedAt } } : found;
        },
      };
    },
    caughtBy: /^markLinkOpened sets openedAt/,
  },
  "lets a client revoke another's link": {
    break: (working) => ({
      revokeLink: (query) => working.revokeLink({ ...query, clientId: 'acme' }),
    }),
    caughtBy: /^revokeLink is false for another client's link/,
  },
  'deletes links that end at the very moment': {
    break: (working) => ({
      deleteExpiredLinks: (before) => working.deleteExpiredLinks(new Date(before.getTime() + 1)),
    }),
    caughtBy: /^deleteExpiredLinks deletes links that ended before/,
  },
  'takes any client id and callback origin': {
    break: (working) => {
      const clients = new Set<string>();
      return {
        insertClient: ({ clientId }) => void clients.add(clientId),
        findClient: (clientId) => (clients.has(clientId) ? { clientId } : working.findClient(clientId)),
      };
    },
    caughtBy: /^insertClient refuses/,
  },
  'replaces a link whose access code hash is taken': {
    break: () => ({ insertLink: () => true }),
    caughtBy: /^insertLink is false for a taken access code hash/,
  },
  'drops what the listing does not show': {
    break: (working) => ({
      insertSession: ({ incident: _, ...record }) => working.insertSession(record),
    }),
    caughtBy: /^a session comes back with every member/,
  },
  'turns a numeric currentUserId into a string': {
    break: (working) => ({
      insertLink: (link) =>
        working.insertLink({
          ...link,
          config: { ...link.config, currentUserId: String(link.config.currentUserId) },
        }),
    }),
    caughtBy: /^a link comes back with every member/,
  },
};

async function lookThenWrite(working: AdminStorage, submission: LinkSubmission) {
  const { session } = submission;
  const found = await working.findLink(submission);
  if (found?.link.submittedAt) return working.submitLink(submission);
  await setImmediate();
  const result = await working.submitLink(submission);
  if (result.outcome !== 'already_submitted' || !found) return result;
  const { clientId, userId } = found.link;
  await working.insertSession({ clientId, userId, ...session });
  return { outcome: 'submitted' as const, session };
}

async function pageByOffset(working: AdminStorage, { cursor = '0', limit, ...query }: SessionQuery) {
  const { sessions: all } = await working.listSessions({ ...query, limit: 10_000 });
  const start = Number(cursor);
  if (!Number.isInteger(start)) return working.listSessions({ ...query, limit, cursor });
  const end = start + limit;
  return { sessions: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
}

async function listEveryClient(working: AdminStorage, query: SessionQuery) {
  const sessions: Session[] = [];
  for (const clientId of ['a', 'ab', 'a:b', 'a/b', 'a","b', 'a|', query.clientId]) {
    const page = await working.listSessions({
      ...query,
      clientId,
      userId: `${query.clientId}${query.userId}`,
    });
    sessions.push(...page.sessions);
  }
  return { sessions };
}

function toSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
