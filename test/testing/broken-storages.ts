// Broken storages: each breaks one rule of the storage port, which a case of the suite must detect.
import { setImmediate } from 'node:timers/promises';
import { decodeLinkCursor, encodeLinkCursor } from '../../lib/core/cursor.js';
import type {
  AdminStorage,
  LinkSubmission,
  OutboxStorage,
  RecordStorage,
  SessionQuery,
} from '../../lib/core/storage.js';
import type { ApiKey, Session, SessionRecord, WidgetConfig } from '../../lib/core/types.js';

/** Returns replacements for some methods of a working storage. */
type CompleteStorage = AdminStorage & OutboxStorage & RecordStorage;
type Replace = (working: CompleteStorage) => Partial<CompleteStorage>;

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case. */
export const BROKEN_STORAGES: Record<string, { replace: Replace; detectedBy: RegExp }> = {
  'submits without consuming the link': {
    replace: (working) => ({
      submitLink: async (submission) => {
        const stored = await working.findLink(submission);
        if (!stored) return { outcome: 'not_found' };
        const { clientId, userId } = stored.link;
        await working.insertSession({ clientId, userId, ...submission.session });
        return { outcome: 'submitted', session: submission.session };
      },
    }),
    detectedBy: /^a second submission returns already_submitted/,
  },
  'reads the link before it writes, so that two submissions succeed': {
    replace: (working) => ({ submitLink: (submission) => lookThenWrite(working, submission) }),
    detectedBy: /concurrent submissions of one link exactly one/,
  },
  'reads the link before it revokes it, so that two revocations succeed': {
    replace: (working) => ({
      revokeLink: async (query) => {
        const stored = await working.findLink(query);
        if (stored === undefined) return false;
        const { submittedAt, revokedAt, expiresAt } = stored.link;
        if (submittedAt || revokedAt || query.at >= expiresAt) return false;
        await working.revokeLink(query);
        return true;
      },
    }),
    detectedBy: /concurrent revocations of one link/,
  },
  'accepts a submission at expiresAt': {
    replace: (working) => ({
      submitLink: (submission) =>
        working.submitLink({ ...submission, at: new Date(submission.at.getTime() - 1) }),
    }),
    detectedBy: /^submitLink returns expired at expiresAt/,
  },
  'drops the milliseconds of createdAt': {
    replace: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, createdAt: toSeconds(record.createdAt) }),
    }),
    detectedBy: /^a difference of one millisecond/,
  },
  'pages by offset': {
    replace: (working) => ({ listSessions: (query) => pageByOffset(working, query) }),
    detectedBy: /^while sessions are inserted/,
  },
  'filters by status after the limit': {
    replace: (working) => ({
      listSessions: async ({ status, ...query }) => {
        const page = await working.listSessions(query);
        return { ...page, sessions: page.sessions.filter((session) => !status || session.status === status) };
      },
    }),
    detectedBy: /^the status filter applies before the limit/,
  },
  'always returns a cursor': {
    replace: (working) => ({
      listSessions: async (query) => ({ nextCursor: 'more', ...(await working.listSessions(query)) }),
    }),
    detectedBy: /^nextCursor is present if and only if/,
  },
  'accepts any cursor': {
    replace: (working) => ({
      listSessions: async (query) => {
        try {
          return await working.listSessions(query);
        } catch {
          return { sessions: [] };
        }
      },
    }),
    detectedBy: /^listSessions throws request_invalid for a cursor that no storage returned/,
  },
  'ignores case in ids': {
    replace: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, userId: record.userId.toLowerCase() }),
      listSessions: (query) => working.listSessions({ ...query, userId: query.userId.toLowerCase() }),
    }),
    detectedBy: /^ids and references are different strings: upper and lower case/,
  },
  'normalises Unicode': {
    replace: (working) => ({
      insertSession: (record) => working.insertSession({ ...record, userId: record.userId.normalize() }),
      listSessions: (query) => working.listSessions({ ...query, userId: query.userId.normalize() }),
    }),
    detectedBy: /^ids and references are different strings: composed and decomposed/,
  },
  'joins the client id and the user id': {
    replace: (working) => ({
      insertSession: (record) =>
        working.insertSession({
          ...record,
          reference: record.reference,
          userId: `${record.clientId}${record.userId}`,
        }),
      listSessions: (query) => listEveryClient(working, query),
    }),
    detectedBy: /^client and user are separate/,
  },
  'does not return expired keys': {
    replace: (working) => ({
      findCredentials: async (query) => {
        const { apiKey, client } = await working.findCredentials(query);
        const isLive = apiKey && !apiKey.expiresAt && !apiKey.revokedAt;
        return { ...(isLive && { apiKey }), ...(client && { client }) };
      },
    }),
    detectedBy: /^findCredentials returns expired and revoked keys/,
  },
  'extends revoked keys': {
    replace: (working) => ({
      updateApiKey: async (id, settings) =>
        (await working.updateApiKey(id, settings)) || (await working.findApiKey(id)) !== undefined,
    }),
    detectedBy: /^updateApiKey returns false for an unknown or revoked key/,
  },
  'cannot remove the expiry of a key': {
    replace: (working) => ({
      updateApiKey: async (id, settings) => !settings.expiresAt || working.updateApiKey(id, settings),
    }),
    detectedBy: /^updateApiKey sets, changes and removes the expiry/,
  },
  'writes back a key that was revoked after it read it': {
    replace: (working) => {
      const written = new Map<string, ApiKey>();
      const findApiKey = async (id: string) => written.get(id) ?? working.findApiKey(id);
      return {
        findApiKey,
        updateApiKey: async (id, { expiresAt }) => {
          const key = await findApiKey(id);
          if (key === undefined || key.revokedAt !== undefined) return false;
          written.set(id, { ...key, ...(expiresAt && { expiresAt }) });
          return true;
        },
      };
    },
    detectedBy: /^a key that is revoked while its expiry is changed stays revoked/,
  },
  'lists the keys of other clients': {
    replace: (working) => ({
      listApiKeys: async () => [
        ...(await working.listApiKeys('acme')),
        ...(await working.listApiKeys('other')),
      ],
    }),
    detectedBy: /^listApiKeys returns the keys of one client only/,
  },
  'overwrites openedAt': {
    replace: (working) => {
      const opened = new Map<string, Date>();
      return {
        markLinkOpened: ({ accessCodeHash, at }) => void opened.set(accessCodeHash, at),
        findLink: async (id) => {
          const stored = await working.findLink(id);
          const openedAt = opened.get(id.accessCodeHash);
          return stored && openedAt ? { ...stored, link: { ...stored.link, openedAt } } : stored;
        },
      };
    },
    detectedBy: /^markLinkOpened stores openedAt/,
  },
  'lets a client revoke the link of another client': {
    replace: (working) => ({
      revokeLink: (query) => working.revokeLink({ ...query, clientId: 'acme' }),
    }),
    detectedBy: /^revokeLink returns false for a link of another client/,
  },
  'finds a link by its hash only': {
    replace: (working) => ({
      findLink: async ({ accessCodeHash }) =>
        (await working.findLink({ clientId: 'acme', accessCodeHash })) ??
        (await working.findLink({ clientId: 'other', accessCodeHash })),
    }),
    detectedBy: /^findLink returns undefined for the hash of another client/,
  },
  'finds the session of a link by its reference only': {
    replace: (working) => {
      const sessions = new Map<string, Session>();
      return {
        submitLink: async (submission) => {
          const { reference } = submission.session;
          if (!sessions.has(reference)) sessions.set(reference, submission.session);
          return working.submitLink(submission);
        },
        findLink: async (id) => {
          const stored = await working.findLink(id);
          const session = stored?.session && sessions.get(stored.session.reference);
          return stored && session ? { ...stored, session } : stored;
        },
      };
    },
    detectedBy: /^two clients submit the same reference/,
  },
  'lists the session of another client with the same reference': {
    replace: (working) => ({
      listSessions: (query) => working.listSessions({ ...query, clientId: 'acme' }),
    }),
    detectedBy: /^two clients submit the same reference/,
  },
  'deletes links with expiresAt at the date': {
    replace: (working) => ({
      deleteExpiredLinks: (before) => working.deleteExpiredLinks(new Date(before.getTime() + 1)),
    }),
    detectedBy: /^deleteExpiredLinks deletes and counts/,
  },
  'keeps the callback origins when a client is updated without them': {
    replace: (working) => ({
      updateClient: async (client) =>
        working.updateClient({ ...(await working.findClient(client.clientId)), ...client }),
    }),
    detectedBy: /^updateClient replaces all settings/,
  },
  'stores only the settings that it knows': {
    replace: (working) => ({
      insertClient: ({ settings, ...client }) => {
        const stored = settings && JSON.parse(JSON.stringify(settings, ['redirectAfterSeconds']));
        return working.insertClient({ ...client, ...(stored && { settings: stored }) });
      },
    }),
    detectedBy: /^listClients returns all clients/,
  },
  'returns the link of a client without its settings': {
    replace: (working) => ({
      findLink: async (id) => {
        const stored = await working.findLink(id);
        if (stored === undefined) return undefined;
        const { settings: _, ...client } = stored.client;
        return { ...stored, client };
      },
    }),
    detectedBy: /^updateClient replaces all settings/,
  },
  'keeps the API keys of a deleted client': {
    replace: (working) => ({
      deleteClient: async (clientId) => {
        const apiKeys = await working.listApiKeys(clientId);
        const isDeleted = await working.deleteClient(clientId);
        if (!isDeleted) return false;
        await working.insertClient({ clientId });
        for (const apiKey of apiKeys) await working.insertApiKey(apiKey);
        return true;
      },
    }),
    detectedBy: /^deleteClient deletes a client with its keys, links and sessions/,
  },
  'fails with the error of its foreign key if the client of a link was deleted': {
    replace: (working) => ({
      insertLink: async (link) => {
        if ((await working.findClient(link.clientId)) === undefined)
          throw new Error('violates foreign key constraint');
        return working.insertLink(link);
      },
    }),
    detectedBy: /^insertLink returns true or throws client_not_found for an unknown client/,
  },
  'submits the link of an unknown client': {
    replace: (working) => ({
      submitLink: async (submission) => {
        const result = await working.submitLink(submission);
        const { session } = submission;
        return result.outcome === 'not_found' ? { outcome: 'submitted', session } : result;
      },
    }),
    detectedBy: /^insertLink returns true or throws client_not_found for an unknown client/,
  },
  'replaces a link with the same access code hash': {
    replace: () => ({ insertLink: () => true }),
    detectedBy: /^insertLink returns false if the access code hash exists/,
  },
  'does not store the incident': {
    replace: (working) => ({
      insertSession: ({ incident: _, ...record }) => working.insertSession(record),
    }),
    detectedBy: /^a listing returns every member of a session/,
  },
  'does not store the link of a session': {
    replace: (working) => ({
      submitLink: ({ session: { link: _, ...session }, ...submission }) =>
        working.submitLink({ ...submission, session }),
    }),
    detectedBy: /^submitLink returns submitted and the session/,
  },
  'keeps the prefilled data of a submitted link': {
    replace: keepConfig('submitLink'),
    detectedBy: /^submitLink removes all members of config except/,
  },
  'keeps the prefilled data of a revoked link': {
    replace: keepConfig('revokeLink'),
    detectedBy: /^revokeLink removes all members of config except/,
  },
  'keeps the prefilled data of links that revokeLinks revoked': {
    replace: keepConfig('revokeLinks'),
    detectedBy: /^revokeLinks revokes and counts/,
  },
  'finds a session of another client': {
    replace: (working) => ({
      findSession: (key) => working.findSession({ ...key, clientId: 'acme' }),
    }),
    detectedBy: /^findSession distinguishes the clients of equal references/,
  },
  'finds a session without its later changes': {
    replace: (working) => {
      const first = new Map<string, SessionRecord>();
      return {
        findSession: async (key) => {
          const session = first.get(key.reference) ?? (await working.findSession(key));
          if (session) first.set(key.reference, session);
          return session;
        },
      };
    },
    detectedBy:
      /^findSession returns a session with its client and user, and with what updateSession changed/,
  },
  'updates the session of another client': {
    replace: (working) => ({
      updateSession: (change) => working.updateSession({ ...change, clientId: 'acme' }),
    }),
    detectedBy: /^updateSession returns undefined for an unknown session and for one of another client/,
  },
  'updates a session in the listing only': {
    replace: (working) => {
      const first = new Map<string, Session>();
      return {
        submitLink: async (submission) => {
          const result = await working.submitLink(submission);
          if (result.outcome === 'submitted') first.set(submission.accessCodeHash, result.session);
          const session = first.get(submission.accessCodeHash);
          return result.outcome === 'already_submitted' && session ? { ...result, session } : result;
        },
      };
    },
    detectedBy: /^findLink, a repeated submission and listClientSessions return what updateSession/,
  },
  'removes the members that updateSession does not get': {
    replace: (working) => ({
      updateSession: ({ status = '', camsReference = '', ...key }) =>
        working.updateSession({ ...key, status, camsReference }),
    }),
    detectedBy: /^updateSession does not change members that it does not get/,
  },
  'lists links page by page in the order of creation': {
    replace: (working) => ({
      listLinks: async ({ cursor, limit, ...query }) => {
        const { links: all } = await working.listLinks({ ...query, limit: 1000 });
        const start = cursor === undefined ? 0 : Number(decodeLinkCursor(cursor).userId);
        const links = all.slice(start, start + limit);
        const position = { userId: String(start + limit), createdAt: new Date(0), accessCodeHash: '' };
        return { links, ...(start + limit < all.length && { nextCursor: encodeLinkCursor(position) }) };
      },
    }),
    detectedBy: /^while links are created, following the listLinks cursors/,
  },
  'filters links by state after the limit': {
    replace: (working) => ({
      listLinks: async ({ state, ...query }) => {
        const page = await working.listLinks(query);
        const ofState = await working.listLinks({ ...query, limit: 1000, ...(state && { state }) });
        const hashes = new Set(ofState.links.map(({ link }) => link.accessCodeHash));
        return {
          ...page,
          links: page.links.filter(({ link }) => hashes.has(link.accessCodeHash)).slice(0, 1),
        };
      },
    }),
    detectedBy: /^listLinks selects links by their state/,
  },
  'revokes the links of all users': {
    replace: (working) => ({
      revokeLinks: ({ clientId, at }) => working.revokeLinks({ clientId, at }),
    }),
    detectedBy: /^revokeLinks revokes and counts the usable links of one user/,
  },
  'lists the sessions of a client by date': {
    replace: (working) => ({
      listClientSessions: async (query) => {
        const page = await working.listClientSessions(query);
        const sessions = [...page.sessions].sort((a, b) => a.date.getTime() - b.date.getTime());
        return { ...page, sessions };
      },
    }),
    detectedBy:
      /^listClientSessions returns the sessions of all users of a client in the order of submission/,
  },
  'numbers a session before its submission is visible, so that readers pass over it': {
    replace: (working) => {
      const delayed = new Set<string>();
      return {
        submitLink: async (submission) => {
          const result = await working.submitLink(submission);
          const { reference } = submission.session;
          if (result.outcome === 'submitted') {
            delayed.add(reference);
            await setImmediate();
            delayed.delete(reference);
          }
          return result;
        },
        listClientSessions: async (query) => {
          await setImmediate();
          const page = await working.listClientSessions(query);
          return { ...page, sessions: page.sessions.filter(({ reference }) => !delayed.has(reference)) };
        },
      };
    },
    detectedBy: /^readers that follow the cursors of listClientSessions during/,
  },
  'forgets the cursor of listClientSessions at the end': {
    replace: (working) => ({
      listClientSessions: async (query) => {
        const { nextCursor, ...page } = await working.listClientSessions(query);
        return { ...page, ...(page.hasMore && nextCursor !== undefined && { nextCursor }) };
      },
    }),
    detectedBy: /^the cursor of listClientSessions continues after its page/,
  },
  'deletes the sessions of a user before the links': {
    replace: (working) => ({
      deleteUser: async (user) => {
        const { links } = await working.listLinks({ ...user, at: new Date(), limit: 1000 });
        const deleted = await working.deleteUser(user);
        for (const { link } of links) await working.insertLink(link);
        await setImmediate();
        const { sessions } = await working.listSessions({ ...user, limit: 1000 });
        await working.deleteUser(user);
        for (const session of sessions) await working.insertSession({ ...user, ...session });
        return deleted;
      },
      submitLink: async (submission) => {
        await setImmediate();
        return working.submitLink(submission);
      },
    }),
    detectedBy: /^after deleteUser during concurrent submissions/,
  },
  'deletes the user of every client': {
    replace: (working) => ({
      deleteUser: async ({ userId }) => {
        await working.deleteUser({ clientId: 'other', userId });
        return working.deleteUser({ clientId: 'acme', userId });
      },
    }),
    detectedBy: /^deleteUser deletes and counts the links and sessions of one user of one client/,
  },
  'keeps the links of a deleted user': {
    replace: (working) => ({
      deleteUser: async (user) => {
        const { links } = await working.listLinks({ ...user, at: new Date(), limit: 1000 });
        const deleted = await working.deleteUser(user);
        for (const { link } of links) await working.insertLink(link);
        return deleted;
      },
    }),
    detectedBy: /^deleteUser deletes and counts/,
  },
  'deletes sessions with a date at the time': {
    replace: (working) => ({
      deleteSessions: (before) => working.deleteSessions(new Date(before.getTime() + 1)),
    }),
    detectedBy: /^deleteSessions deletes and counts/,
  },
  'lets a link be submitted again after its session was deleted': {
    replace: (working) => ({
      submitLink: async (submission) => {
        const result = await working.submitLink(submission);
        const stored = await working.findLink(submission);
        if (result.outcome !== 'not_found' || stored === undefined) return result;
        const { clientId, userId } = stored.link;
        await working.insertSession({ clientId, userId, ...submission.session });
        return { outcome: 'submitted', session: submission.session };
      },
    }),
    detectedBy: /^the link of a deleted session stays submitted/,
  },
  'drops the data of links with expiresAt at the time': {
    replace: (working) => ({
      reduceExpiredLinks: (before) => working.reduceExpiredLinks(new Date(before.getTime() + 1)),
    }),
    detectedBy: /^reduceExpiredLinks reduces and counts/,
  },
  'turns a numeric currentUserId into a string': {
    replace: (working) => ({
      insertLink: (link) =>
        working.insertLink({
          ...link,
          config: { ...link.config, currentUserId: String(link.config.currentUserId) },
        }),
    }),
    detectedBy: /^findLink returns every member of a link/,
  },
  'does not record events': {
    replace: (working) => ({
      submitLink: ({ event: _, ...submission }) => working.submitLink(submission),
    }),
    detectedBy: /^submitLink records the event/,
  },
  'records the event of a rejected submission': {
    replace: (working) => {
      let rejected = 0;
      return {
        submitLink: async (submission) => {
          const result = await working.submitLink(submission);
          if (submission.event && result.outcome !== 'submitted') rejected++;
          return result;
        },
        countEvents: async (query) => {
          const { pending, failed } = await working.countEvents(query);
          return { pending: pending + rejected, failed };
        },
      };
    },
    detectedBy: /^a rejected or repeated submission records no event/,
  },
  'counts more events than the limit': {
    replace: (working) => ({
      countEvents: () => working.countEvents({ limit: 1000 }),
    }),
    detectedBy: /^retryEvents makes failed events pending/,
  },
  'leases more events than the limit': {
    replace: (working) => ({
      leaseEvents: (query) => working.leaseEvents({ ...query, limit: 1000 }),
    }),
    detectedBy: /^leaseEvents returns up to limit/,
  },
  'leases events before they are due': {
    replace: (working) => ({
      leaseEvents: (query) => working.leaseEvents({ ...query, at: new Date(query.at.getTime() + 1) }),
    }),
    detectedBy: /^leaseEvents returns events that are due/,
  },
  'leases without counting the attempt': {
    replace: (working) => ({
      leaseEvents: async (query) =>
        (await working.leaseEvents(query)).map((event) => ({ ...event, attempts: event.attempts - 1 })),
    }),
    detectedBy: /^leaseEvents counts the attempt/,
  },
  'reads the due events before it leases them': {
    replace: (working) => ({
      leaseEvents: async (query) => {
        const pending = await working.listEvents({ state: 'pending', limit: 1000 });
        const due = pending.filter(({ nextAttemptAt }) => nextAttemptAt <= query.at).slice(0, query.limit);
        await setImmediate();
        await working.leaseEvents(query);
        return due.map((event) => ({
          ...event,
          attempts: event.attempts + 1,
          nextAttemptAt: query.leaseUntil,
        }));
      },
    }),
    detectedBy: /^concurrent calls of leaseEvents lease each event once/,
  },
  'leases failed events': {
    replace: (working) => ({
      leaseEvents: async (query) => [
        ...(await working.leaseEvents(query)),
        ...(await working.listEvents({ state: 'failed', limit: 1000 })),
      ],
    }),
    detectedBy: /^an event with failedAt is not leased/,
  },
  'settles the events of all clients with that reference': {
    replace: (working) => ({
      settleEvent: async ({ reference }) => {
        const pending = await working.listEvents({ state: 'pending', limit: 1000 });
        for (const event of pending) if (event.reference === reference) await working.settleEvent(event);
      },
    }),
    detectedBy: /^settleEvent deletes the event of one client/,
  },
  'settles an event by the reference of its session': {
    replace: (working) => ({
      settleEvent: async ({ clientId, reference }) => {
        const pending = await working.listEvents({ state: 'pending', clientId, limit: 1000 });
        const event = pending.find((event) => event.reference === reference);
        if (event) await working.settleEvent(event);
      },
    }),
    detectedBy: /^settleEvent and postponeEvent do not change the event of a later session/,
  },
  'does not store the reason of a failure': {
    replace: (working) => ({
      postponeEvent: (failure) => working.postponeEvent({ ...failure, reason: '' }),
    }),
    detectedBy: /^postponeEvent stores the reason/,
  },
  'postpones an event whose lease another process has': {
    replace: (working) => ({
      postponeEvent: async (failure) => {
        const pending = await working.listEvents({ state: 'pending', limit: 1000 });
        const event = pending.find(({ reference }) => reference === failure.reference);
        if (event) await working.postponeEvent({ ...failure, attempts: event.attempts });
      },
    }),
    detectedBy: /^postponeEvent changes nothing if the event has another number/,
  },
  'retries the failed events of all clients': {
    replace: (working) => ({ retryEvents: ({ at }) => working.retryEvents({ at }) }),
    detectedBy: /^retryEvents makes failed events pending again/,
  },
};

/** Shows the first config of a link after this method changed it. */
function keepConfig(method: 'submitLink' | 'revokeLink' | 'revokeLinks'): Replace {
  return (working) => {
    const configs = new Map<string, WidgetConfig>();
    let isChanged = false;
    return {
      insertLink: (link) => {
        configs.set(link.accessCodeHash, link.config);
        return working.insertLink(link);
      },
      [method]: async (query: never) => {
        const result: unknown = await working[method](query);
        isChanged ||= result !== false && result !== 0;
        return result;
      },
      findLink: async (id) => {
        const stored = await working.findLink(id);
        const config = configs.get(id.accessCodeHash);
        return stored && config && isChanged ? { ...stored, link: { ...stored.link, config } } : stored;
      },
    };
  };
}

async function lookThenWrite(working: AdminStorage, submission: LinkSubmission) {
  const { session } = submission;
  const stored = await working.findLink(submission);
  if (stored?.link.submittedAt) return working.submitLink(submission);
  await setImmediate();
  const result = await working.submitLink(submission);
  if (result.outcome !== 'already_submitted' || !stored) return result;
  const { clientId, userId } = stored.link;
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
