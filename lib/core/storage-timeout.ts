// A storage with patience: a call that does not settle in time rejects, so that no request waits for ever.
import { isPromiseLike } from './awaitable.js';
import type { Storage } from './storage.js';
import type { Awaitable } from './types.js';

/** The same storage, each call bounded. A call that was given up may still have had its effect. */
export function withTimeout(storage: Storage, seconds: number): Storage {
  const bound = <T>(method: string, result: Awaitable<T>): Awaitable<T> =>
    isPromiseLike(result) ? settleWithin(result, seconds, method) : result;
  return {
    findCredentials: (query) => bound('findCredentials', storage.findCredentials(query)),
    findClient: (clientId) => bound('findClient', storage.findClient(clientId)),
    listSessions: (query) => bound('listSessions', storage.listSessions(query)),
    insertLink: (link) => bound('insertLink', storage.insertLink(link)),
    findLink: (id) => bound('findLink', storage.findLink(id)),
    markLinkOpened: (query) => bound('markLinkOpened', storage.markLinkOpened(query)),
    submitLink: (submission) => bound('submitLink', storage.submitLink(submission)),
    revokeLink: (query) => bound('revokeLink', storage.revokeLink(query)),
    deleteExpiredLinks: (before) => bound('deleteExpiredLinks', storage.deleteExpiredLinks(before)),
  };
}

function settleWithin<T>(promise: PromiseLike<T>, seconds: number, method: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new Error(`The storage did not answer ${method} within ${seconds} s (storageTimeoutSeconds).`),
        ),
      seconds * 1000,
    );
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
