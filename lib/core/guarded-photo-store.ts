// The guarded store of photos: the service calls a store in this form only. Each call has a time limit: a request of a client of
// S3 may wait without end, and would hold a page, or the delivery of events.
import { ClaimlinkError } from './errors.js';
import type { ResolvedOptions } from './options.js';
import type { ResolvedPhotos } from './photo-options.js';
import type { PhotoStore } from './photo-store.js';
import { withinTime } from './time-limit.js';
import type { Awaitable } from './types.js';

/** The time limits of a store, in seconds. */
export interface PhotoTimeouts {
  /** Of `list`, `get`, `delete`, `links`, and each chunk of a body that is read. */
  callSeconds: number;
  /** Of a body that is stored. `put` may take this and `callSeconds`. */
  bodySeconds: number;
}

/** The option `photos`, and the time limit of its store. */
export interface TimedPhotos extends Pick<ResolvedOptions, 'storageTimeoutSeconds'> {
  photos: ResolvedPhotos;
}

/** Guards the store of a service. */
export function guardedStoreOf({ photos, storageTimeoutSeconds }: TimedPhotos): PhotoStore {
  const { store, bodyTimeoutSeconds } = photos;
  return guardPhotoStore(store, { callSeconds: storageTimeoutSeconds, bodySeconds: bodyTimeoutSeconds });
}

/**
 * Guards a store: a call rejects with `storage_unavailable` if the store does not answer in time. A call that timed out may
 * still take effect in the store.
 */
export function guardPhotoStore(store: PhotoStore, { callSeconds, bodySeconds }: PhotoTimeouts): PhotoStore {
  /** Awaits a result of a method. */
  async function limited<T>(method: keyof PhotoStore, result: () => Awaitable<T>, seconds = callSeconds) {
    const options =
      method === 'put' ? 'bodyTimeoutSeconds and storageTimeoutSeconds' : 'storageTimeoutSeconds';
    const createError = () =>
      new ClaimlinkError(
        'storage_unavailable',
        `The store of photos did not answer ${method} within ${seconds} s (${options}).`,
      );
    return withinTime(result(), seconds, createError);
  }

  async function* limitedBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = body[Symbol.asyncIterator]();
    let hasEnded = false;
    try {
      for (;;) {
        const { done, value } = await limited('get', () => chunks.next());
        hasEnded = done === true;
        if (hasEnded) return;
        yield value;
      }
    } finally {
      // A body that hangs would end only after its chunk.
      if (!hasEnded) Promise.resolve(chunks.return?.()).catch(() => {});
    }
  }

  return {
    put: (photo, body, options) =>
      limited('put', () => store.put(photo, body, options), bodySeconds + callSeconds),
    list: (link) => limited('list', () => store.list(link)),
    async get(photo) {
      const stored = await limited('get', () => store.get(photo));
      return stored && { ...stored, body: limitedBody(stored.body) };
    },
    delete: (photos) => limited('delete', () => store.delete(photos)),
    links: (page) => limited('links', () => store.links(page)),
  };
}
