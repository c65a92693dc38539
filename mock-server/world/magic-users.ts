// Magic users: behaviour that is asked for by a user id, for clients that cannot set headers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdminStorage } from '../../lib/index.js';

/** A user whose id says what happens. */
export interface MagicUser {
  id: string;
  /** What happens, in one line. */
  does: string;
  /** How many seeded sessions it has; absent: as many as any user. */
  sessions?: number;
}

const SLOW_MS = 3000;
const SLOW = 'user-slow';
const BROKEN = 'user-error';

/** All of them, every client has them. */
export const MAGIC_USERS: readonly MagicUser[] = Object.freeze(
  [
    { id: 'user-empty', does: 'has no sessions until a claim is submitted', sessions: 0 },
    { id: 'user-many', does: 'has 250 sessions, so that there are pages to follow', sessions: 250 },
    { id: SLOW, does: `is listed, and gets a link, after ${SLOW_MS / 1000} seconds` },
    { id: BROKEN, does: 'cannot be listed, nor get a link: the answer is a 500' },
  ].map((user) => Object.freeze(user)),
);

/** What a magic storage may be told. */
export interface MagicStorageOptions {
  /** Resolves after so many milliseconds. Default: a timer. */
  delay?(ms: number): Promise<unknown>;
}

/**
 * Wraps a storage, so that `user-slow` is slow and `user-error` fails, in listings and in making links, for every
 * client. The service then answers by its real path: for `user-error` with its constant 500.
 */
export function createMagicStorage(
  storage: AdminStorage,
  { delay = sleep }: MagicStorageOptions = {},
): AdminStorage {
  /** undefined for a user who is like any other. */
  function magicOf(userId: string): Promise<unknown> | undefined {
    if (userId === BROKEN) return Promise.reject(magicError());
    return userId === SLOW ? delay(SLOW_MS) : undefined;
  }

  return {
    findCredentials: (query) => storage.findCredentials(query),
    findClient: (clientId) => storage.findClient(clientId),
    listSessions(query) {
      const magic = magicOf(query.userId);
      return magic ? magic.then(() => storage.listSessions(query)) : storage.listSessions(query);
    },
    insertLink(link) {
      const magic = magicOf(link.userId);
      return magic ? magic.then(() => storage.insertLink(link)) : storage.insertLink(link);
    },
    findLink: (id) => storage.findLink(id),
    markLinkOpened: (query) => storage.markLinkOpened(query),
    submitLink: (submission) => storage.submitLink(submission),
    revokeLink: (query) => storage.revokeLink(query),
    deleteExpiredLinks: (before) => storage.deleteExpiredLinks(before),
    insertClient: (client) => storage.insertClient(client),
    insertApiKey: (apiKey) => storage.insertApiKey(apiKey),
    listApiKeys: (clientId) => storage.listApiKeys(clientId),
    revokeApiKey: (id, at) => storage.revokeApiKey(id, at),
    insertSession: (session) => storage.insertSession(session),
    ...(storage.close && { close: () => storage.close?.() }),
  };
}

/** Without frames: nothing is broken that they could lead to. */
function magicError(): Error {
  const error = new Error(`The magic user ${BROKEN} always fails; ask for another user to get an answer.`);
  error.name = 'MagicUserError';
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
