// Broken storages: each breaks one rule of the storage port, which a case of the suite must detect.
import { setImmediate } from 'node:timers/promises';
import { decodeLinkCursor, encodeLinkCursor } from '../../lib/core/cursor.js';
import type { AdminStorage, LinkSubmission } from '../../lib/core/storage.js';
import type { ApiKey, Link, Session, SessionRecord } from '../../lib/core/types.js';
import {
  changeInput,
  changeResult,
  type Defect,
  type Replace,
  type Result,
  shift,
  type Working,
} from './break-storage.js';
import { BROKEN_EVENTS } from './broken-events.js';

/** Keys complete the sentence "a storage that ...". */
export const BROKEN_STORAGES: Readonly<Record<string, Defect>> = {
  'submits without consuming the link': [
    (working) => ({ submitLink: (submission) => insertSubmission(working, submission) }),
    /^a second submission returns already_submitted/,
  ],
  'reads the link before it writes, so that two submissions succeed': [
    (working) => ({
      async submitLink(submission) {
        const isSubmitted = working.findLink(submission)?.link.submittedAt !== undefined;
        await setImmediate();
        const result = working.submitLink(submission);
        const isLate = !isSubmitted && result.outcome === 'already_submitted';
        return isLate ? insertSubmission(working, submission) : result;
      },
    }),
    /concurrent submissions of one link exactly one/,
  ],
  'reads the link before it revokes it, so that two revocations succeed': [
    (working) => ({
      async revokeLink(query) {
        const { submittedAt, revokedAt, expiresAt = query.at } = (await working.findLink(query))?.link ?? {};
        if (submittedAt || revokedAt || query.at >= expiresAt) return false;
        await working.revokeLink(query);
        return true;
      },
    }),
    /concurrent revocations of one link/,
  ],
  'accepts a submission at expiresAt': [
    changeInput('submitLink', ({ at, ...submission }) => ({ ...submission, at: shift(at, -1) })),
    /^submitLink returns expired at expiresAt/,
  ],
  'drops the milliseconds of createdAt': [
    changeInput('insertSession', ({ createdAt, ...record }) => ({
      ...record,
      createdAt: shift(createdAt, -createdAt.getMilliseconds()),
    })),
    /^a difference of one millisecond/,
  ],
  'pages by offset': [
    (working) => ({
      listSessions({ cursor = '0', limit, ...query }) {
        const start = Number(cursor);
        if (!Number.isInteger(start)) return working.listSessions({ ...query, limit, cursor });
        const { sessions: all } = working.listSessions({ ...query, limit: 10_000 });
        const end = start + limit;
        return { sessions: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
      },
    }),
    /^while sessions are inserted/,
  ],
  'filters by status after the limit': [
    (working) => ({
      listSessions({ status, ...query }) {
        const page = working.listSessions(query);
        return { ...page, sessions: page.sessions.filter((session) => !status || session.status === status) };
      },
    }),
    /^the status filter applies before the limit/,
  ],
  'always returns a cursor': [
    changeResult('listSessions', (page) => ({ nextCursor: 'more', ...page })),
    /^nextCursor is present if and only if/,
  ],
  'accepts any cursor': [
    (working) => ({
      listSessions(query) {
        try {
          return working.listSessions(query);
        } catch {
          return { sessions: [] };
        }
      },
    }),
    /^listSessions throws request_invalid for a cursor that no storage returned/,
  ],
  'ignores case in ids': [
    changeUserIds(({ userId }) => userId.toLowerCase()),
    /^ids and references are different strings: upper and lower case/,
  ],
  'normalises Unicode': [
    changeUserIds(({ userId }) => userId.normalize()),
    /^ids and references are different strings: composed and decomposed/,
  ],
  'joins the client id and the user id': [
    (working) => ({
      ...changeUserIds(({ clientId, userId }) => `${clientId}${userId}`)(working),
      listSessions: ({ clientId, userId, ...query }) => ({
        sessions: ['a', 'ab', 'a:b', 'a/b', 'a","b', 'a|', clientId].flatMap(
          (id) => working.listSessions({ ...query, clientId: id, userId: `${clientId}${userId}` }).sessions,
        ),
      }),
    }),
    /^client and user are separate/,
  ],
  'opens a link by its hash alone': [
    changeInput('markLinkOpened', (query) => ({ ...query, clientId: 'acme' })),
    /^markLinkOpened ignores the hash of another client/,
  ],
  'does not return expired keys': [
    changeResult('findCredentials', ({ apiKey, client }) => ({
      ...(apiKey && !apiKey.expiresAt && !apiKey.revokedAt && { apiKey }),
      ...(client && { client }),
    })),
    /^findCredentials returns expired and revoked keys/,
  ],
  'extends revoked keys': [
    changeResult(
      'updateApiKey',
      (isUpdated, working, id) => isUpdated || working.findApiKey(id) !== undefined,
    ),
    /^updateApiKey returns false for an unknown or revoked key/,
  ],
  'cannot remove the expiry of a key': [
    (working) => ({
      updateApiKey: (id, settings) => !settings.expiresAt || working.updateApiKey(id, settings),
    }),
    /^updateApiKey sets, changes and removes the expiry/,
  ],
  'writes back a key that was revoked after it read it': [
    (working) => {
      const written = new Map<string, ApiKey>();
      const findApiKey = async (id: string) => written.get(id) ?? working.findApiKey(id);
      return {
        findApiKey,
        async updateApiKey(id, { expiresAt }) {
          const key = await findApiKey(id);
          if (key === undefined || key.revokedAt !== undefined) return false;
          written.set(id, { ...key, ...(expiresAt && { expiresAt }) });
          return true;
        },
      };
    },
    /^a key that is revoked while its expiry is changed stays revoked/,
  ],
  'lists the keys of other clients': [
    changeResult('listApiKeys', (_, working) => ['acme', 'other'].flatMap((id) => working.listApiKeys(id))),
    /^listApiKeys returns the keys of one client only/,
  ],
  'overwrites openedAt': [
    (working) => {
      const opened = new Map<string, Date>();
      return {
        markLinkOpened: ({ accessCodeHash, at }) => void opened.set(accessCodeHash, at),
        findLink(ref) {
          const stored = working.findLink(ref);
          const openedAt = opened.get(ref.accessCodeHash);
          return stored && openedAt ? { ...stored, link: { ...stored.link, openedAt } } : stored;
        },
      };
    },
    /^markLinkOpened stores openedAt/,
  ],
  'lets a client revoke the link of another client': [
    changeInput('revokeLink', (query, working) => {
      const ids = working.listClients().map(({ clientId }) => clientId);
      const owner = ids.find((clientId) => working.findLink({ ...query, clientId }));
      return { ...query, clientId: owner ?? query.clientId };
    }),
    /^revokeLink returns false for a link of another client/,
  ],
  'finds a link by its hash only': [
    changeResult(
      'findLink',
      (stored, working, { accessCodeHash }) =>
        stored ??
        ['acme', 'other'].map((clientId) => working.findLink({ clientId, accessCodeHash })).find(Boolean),
    ),
    /^findLink returns undefined for the hash of another client/,
  ],
  'finds the session of a link by its reference only': [
    (working) => {
      const first = new Map<string, Session>();
      return {
        submitLink(submission) {
          const { session } = submission;
          first.set(session.reference, first.get(session.reference) ?? session);
          return working.submitLink(submission);
        },
        findLink(ref) {
          const stored = working.findLink(ref);
          const session = stored?.session && first.get(stored.session.reference);
          return stored && session ? { ...stored, session } : stored;
        },
      };
    },
    /^two clients submit the same reference/,
  ],
  'lists the session of another client with the same reference': [
    changeInput('listSessions', (query) => ({ ...query, clientId: 'acme' })),
    /^two clients submit the same reference/,
  ],
  'deletes links with expiresAt at the date': [
    changeInput('deleteExpiredLinks', (before) => shift(before, 1)),
    /^deleteExpiredLinks deletes and counts/,
  ],
  'deletes links before they expire': [
    changeInput('deleteExpiredLinks', (before) => shift(before, 3_600_000)),
    /^deleteExpiredLinks deletes and counts/,
  ],
  'keeps the callback origins when a client is updated without them': [
    (working) => ({
      updateClient: (client) => working.updateClient({ ...working.findClient(client.clientId), ...client }),
    }),
    /^updateClient replaces all settings/,
  ],
  'stores only the settings that it knows': [
    changeInput('insertClient', ({ settings, ...client }) => {
      const stored = settings && JSON.parse(JSON.stringify(settings, ['redirectAfterSeconds']));
      return { ...client, ...(stored && { settings: stored }) };
    }),
    /^listClients returns all clients/,
  ],
  'returns the link of a client without its settings': [
    changeResult('findLink', (stored) => {
      if (stored === undefined) return undefined;
      const { settings: _, ...client } = stored.client;
      return { ...stored, client };
    }),
    /^updateClient replaces all settings/,
  ],
  'keeps the API keys of a deleted client': [
    (working) => ({
      deleteClient(clientId) {
        const apiKeys = working.listApiKeys(clientId);
        if (!working.deleteClient(clientId)) return false;
        working.insertClient({ clientId });
        for (const apiKey of apiKeys) working.insertApiKey(apiKey);
        return true;
      },
    }),
    /^deleteClient deletes a client with its keys, links and sessions/,
  ],
  'fails with the error of its foreign key if the client of a link was deleted': [
    (working) => ({
      insertLink(link) {
        if (working.findClient(link.clientId)) return working.insertLink(link);
        throw new Error('violates foreign key constraint');
      },
    }),
    /^insertLink returns true or throws client_not_found for an unknown client/,
  ],
  'submits the link of an unknown client': [
    changeResult('submitLink', (result, _, { session }) =>
      result.outcome === 'not_found' ? { outcome: 'submitted', session } : result,
    ),
    /^insertLink returns true or throws client_not_found for an unknown client/,
  ],
  'replaces a link with the same access code hash': [
    () => ({ insertLink: () => true }),
    /^insertLink returns false if the access code hash exists/,
  ],
  'does not store the incident': [
    changeInput('insertSession', ({ incident: _, ...record }) => record),
    /^a listing returns every member of a session/,
  ],
  'does not store the link of a session': [
    changeInput('submitLink', ({ session: { link: _, ...session }, ...submission }) => ({
      ...submission,
      session,
    })),
    /^submitLink returns submitted and the session/,
  ],
  'does not store the notice of a submission': [
    changeInput('submitLink', ({ session: { notice: _, ...session }, ...submission }) => ({
      ...submission,
      session,
    })),
    /^submitLink returns submitted and the session/,
  ],
  'returns the time of a notice as a text': [
    changeInput('insertSession', ({ notice, ...record }) => ({
      ...record,
      ...(notice && { notice: JSON.parse(JSON.stringify(notice)) }),
    })),
    /^a listing returns every member of a session/,
  ],
  'keeps the prefilled data of a submitted link': [
    keepConfig('submitLink'),
    /^submitLink removes all members of config except/,
  ],
  'keeps the prefilled data of a revoked link': [
    keepConfig('revokeLink'),
    /^revokeLink removes all members of config except/,
  ],
  'keeps the prefilled data of links that revokeLinks revoked': [
    keepConfig('revokeLinks'),
    /^revokeLinks revokes and counts/,
  ],
  'finds a session of another client': [
    changeInput('findSession', (key) => ({ ...key, clientId: 'acme' })),
    /^findSession distinguishes the clients of equal references/,
  ],
  'finds a session without its later changes': [
    (working) => {
      const first = new Map<string, Result<'findSession'>>();
      return {
        findSession(key) {
          const session = first.get(key.reference) ?? working.findSession(key);
          if (session) first.set(key.reference, session);
          return session;
        },
      };
    },
    /^findSession returns a session with its client and user, and with what updateSession changed/,
  ],
  'lists sessions as they were at their first listing': [
    (working) => {
      const first = new Map<string, Session>();
      return {
        listSessions(query) {
          const { sessions, ...page } = working.listSessions(query);
          const listed = sessions.map((session) => {
            const key = `${query.clientId} ${session.reference}`;
            first.set(key, first.get(key) ?? session);
            return first.get(key) ?? session;
          });
          return { ...page, sessions: listed };
        },
      };
    },
    /^updateSession changes status and camsReference/,
  ],
  'updates the session of another client': [
    changeInput('updateSession', (change) => ({ ...change, clientId: 'acme' })),
    /^updateSession returns undefined for an unknown session and for one of another client/,
  ],
  'updates a session in the listing only': [
    (working) => {
      const first = new Map<string, Session>();
      return {
        submitLink(submission) {
          const result = working.submitLink(submission);
          if (result.outcome === 'submitted') first.set(submission.accessCodeHash, result.session);
          const session = first.get(submission.accessCodeHash);
          return result.outcome === 'already_submitted' && session ? { ...result, session } : result;
        },
      };
    },
    /^findLink, a repeated submission and listClientSessions return what updateSession/,
  ],
  'removes the members that updateSession does not get': [
    changeInput('updateSession', (change) => ({ status: '', camsReference: '', ...change })),
    /^updateSession does not change members that it does not get/,
  ],
  'lists links page by page in the order of creation': [
    (working) => ({
      listLinks({ cursor, limit, ...query }) {
        const { links: all } = working.listLinks({ ...query, limit: 1000 });
        const start = cursor === undefined ? 0 : Number(decodeLinkCursor(cursor).userId);
        const end = start + limit;
        const nextCursor = encodeLinkCursor({
          userId: String(end),
          createdAt: new Date(0),
          accessCodeHash: '',
        });
        return { links: all.slice(start, end), ...(end < all.length && { nextCursor }) };
      },
    }),
    /^while links are created, following the listLinks cursors/,
  ],
  'filters links by state after the limit': [
    (working) => ({
      listLinks({ state, ...query }) {
        const page = working.listLinks(query);
        const { links } = working.listLinks({ ...query, limit: 1000, ...(state && { state }) });
        const hashes = new Set(links.map(({ link }) => link.accessCodeHash));
        return {
          ...page,
          links: page.links.filter(({ link }) => hashes.has(link.accessCodeHash)).slice(0, 1),
        };
      },
    }),
    /^listLinks selects links by their state/,
  ],
  'revokes the links of all users': [
    changeInput('revokeLinks', ({ clientId, at }) => ({ clientId, at })),
    /^revokeLinks revokes and counts the usable links of one user/,
  ],
  'lists the sessions of a client page by page in the order of their dates': [
    (working) => ({
      listClientSessions({ cursor, limit, ...query }) {
        const { sessions } = working.listClientSessions({ ...query, limit: 10_000 });
        const start = cursor === undefined ? 0 : Number(cursor);
        const end = Math.min(start + limit, sessions.length);
        return {
          sessions: [...sessions].sort((a, b) => a.date.getTime() - b.date.getTime()).slice(start, end),
          nextCursor: String(end),
          hasMore: end < sessions.length,
        };
      },
    }),
    /^listClientSessions returns the sessions of all users of a client in the order of submission/,
  ],
  'numbers a session before its submission is visible, so that readers pass over it': [
    (working) => {
      const invisible = new Set<string>();
      return {
        async submitLink(submission) {
          const result = working.submitLink(submission);
          if (result.outcome !== 'submitted') return result;
          invisible.add(result.session.reference);
          await setImmediate();
          await setImmediate();
          invisible.delete(result.session.reference);
          return result;
        },
        async listClientSessions(query) {
          await setImmediate();
          const page = working.listClientSessions(query);
          return { ...page, sessions: page.sessions.filter(({ reference }) => !invisible.has(reference)) };
        },
      };
    },
    /^readers that follow the cursors of listClientSessions during/,
  ],
  'lists the sessions of all clients': [
    changeResult('listClientSessions', (page, working, query) => ({
      ...page,
      sessions: working
        .listClients()
        .flatMap(({ clientId }) => working.listClientSessions({ ...query, clientId }).sessions),
    })),
    /^listClientSessions returns the sessions of all users of a client in the order of submission/,
  ],
  'begins a page of listClientSessions with the last session of the page before': [
    (working) => {
      const last = new Map<string, SessionRecord[]>();
      return {
        listClientSessions(query) {
          const page = working.listClientSessions(query);
          if (page.nextCursor !== undefined) last.set(page.nextCursor, page.sessions.slice(-1));
          return { ...page, sessions: [...(last.get(query.cursor ?? '') ?? []), ...page.sessions] };
        },
      };
    },
    /^the cursor of listClientSessions continues after its page/,
  ],
  'forgets the cursor of listClientSessions at the end': [
    changeResult('listClientSessions', ({ nextCursor, ...page }) => ({
      ...page,
      ...(page.hasMore && nextCursor !== undefined && { nextCursor }),
    })),
    /^the cursor of listClientSessions continues after its page/,
  ],
  'deletes the sessions of a user before the links': [
    (working) => ({
      async deleteUser(user) {
        const { links } = working.listLinks({ ...user, at: new Date(), limit: 1000 });
        const deleted = working.deleteUser(user);
        for (const { link } of links) working.insertLink(link);
        await setImmediate();
        const { sessions } = working.listSessions({ ...user, limit: 1000 });
        working.deleteUser(user);
        for (const session of sessions) working.insertSession({ ...user, ...session });
        return deleted;
      },
      async submitLink(submission) {
        await setImmediate();
        return working.submitLink(submission);
      },
    }),
    /^after deleteUser during concurrent submissions/,
  ],
  'deletes the user of every client': [
    (working) => ({
      deleteUser({ userId }) {
        working.deleteUser({ clientId: 'other', userId });
        return working.deleteUser({ clientId: 'acme', userId });
      },
    }),
    /^deleteUser deletes and counts the links and sessions of one user of one client/,
  ],
  'keeps the links of a deleted user': [
    (working) => ({
      deleteUser(user) {
        const { links } = working.listLinks({ ...user, at: new Date(), limit: 1000 });
        const deleted = working.deleteUser(user);
        for (const { link } of links) working.insertLink(link);
        return deleted;
      },
    }),
    /^deleteUser deletes and counts/,
  ],
  'deletes sessions with a date at the time': [
    changeInput('deleteSessions', (before) => shift(before, 1)),
    /^deleteSessions deletes and counts/,
  ],
  'lets a link be submitted again after its session was deleted': [
    changeResult('submitLink', (result, working, submission) =>
      result.outcome === 'not_found' ? insertSubmission(working, submission) : result,
    ),
    /^the link of a deleted session stays submitted/,
  ],
  'drops the data of links with expiresAt at the time': [
    changeInput('reduceExpiredLinks', (before) => shift(before, 1)),
    /^reduceExpiredLinks reduces and counts/,
  ],
  'turns a numeric currentUserId into a string': [
    changeInput('insertLink', ({ config, ...link }) => ({
      ...link,
      config: { ...config, currentUserId: String(config.currentUserId) },
    })),
    /^findLink returns every member of a link/,
  ],
  ...BROKEN_EVENTS,
};

/** Returns a function that breaks one rule of a working storage. */
export function breakStorage(defect: string): <S extends AdminStorage>(working: S) => S {
  const [replace] = BROKEN_STORAGES[defect] ?? [];
  if (replace === undefined) throw new TypeError(`No storage has the defect ${defect}.`);
  return (working) => ({ ...working, ...replace(working as unknown as Working) });
}

/** Stores and lists the sessions of a user under another id. */
function changeUserIds(change: (user: { clientId: string; userId: string }) => string): Replace {
  const changed = <I extends { clientId: string; userId: string }>(input: I) => ({
    ...input,
    userId: change(input),
  });
  return (working) => ({
    insertSession: (record) => working.insertSession(changed(record)),
    listSessions: (query) => working.listSessions(changed(query)),
  });
}

/** Returns links with their first config after this method changed one. */
function keepConfig(method: 'submitLink' | 'revokeLink' | 'revokeLinks'): Replace {
  return (working) => {
    const first = new Map<string, Link>();
    let isChanged = false;
    const toFirst = <S extends { link: Link }>(stored: S): S => {
      const { config } = (isChanged && first.get(stored.link.accessCodeHash)) || stored.link;
      return { ...stored, link: { ...stored.link, config } };
    };
    return {
      insertLink(link) {
        first.set(link.accessCodeHash, link);
        return working.insertLink(link);
      },
      [method](query: never) {
        const result: unknown = working[method](query);
        isChanged ||= result !== false && result !== 0;
        return result;
      },
      findLink(ref) {
        const stored = working.findLink(ref);
        return stored && toFirst(stored);
      },
      listLinks(query) {
        const page = working.listLinks(query);
        return { ...page, links: page.links.map(toFirst) };
      },
    };
  };
}

/** Inserts the session of a submission beside its link. */
function insertSubmission(working: Working, { session, ...ref }: LinkSubmission): Result<'submitLink'> {
  const stored = working.findLink(ref);
  if (stored === undefined) return { outcome: 'not_found' };
  const { clientId, userId } = stored.link;
  working.insertSession({ clientId, userId, ...session });
  return { outcome: 'submitted', session };
}
