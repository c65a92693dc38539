// Limits the time of storage calls, so that no request waits forever.
import type { Storage } from './storage.js';
import type { Awaitable } from './types.js';

/**
 * Wraps a storage so that every call rejects if the storage does not answer in time.
 * A call that timed out may still take effect in the storage.
 */
export function withTimeout(storage: Storage, seconds: number): Omit<Storage, 'close'> {
  async function within<T>(method: string, result: Awaitable<T>): Promise<T> {
    // A storage in memory returns values. There is nothing to wait for.
    if (!isPromiseLike(result)) return result;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const message = `The storage did not answer ${method} within ${seconds} s (storageTimeoutSeconds).`;
      timer = setTimeout(() => reject(new Error(message)), seconds * 1000);
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    findCredentials: async (query) => within('findCredentials', storage.findCredentials(query)),
    findClient: async (clientId) => within('findClient', storage.findClient(clientId)),
    listSessions: async (query) => within('listSessions', storage.listSessions(query)),
    insertLink: async (link) => within('insertLink', storage.insertLink(link)),
    findLink: async (id) => within('findLink', storage.findLink(id)),
    markLinkOpened: async (query) => within('markLinkOpened', storage.markLinkOpened(query)),
    submitLink: async (submission) => within('submitLink', storage.submitLink(submission)),
    revokeLink: async (query) => within('revokeLink', storage.revokeLink(query)),
    deleteExpiredLinks: async (before) => within('deleteExpiredLinks', storage.deleteExpiredLinks(before)),
  };
}

function isPromiseLike<T>(result: Awaitable<T>): result is PromiseLike<T> {
  return typeof (result as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
