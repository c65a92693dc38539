// The photos of a mock: in memory, beside its state. No snapshot and no file has them.
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { ClaimlinkError } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { MIB } from './space.js';

/** Maximum size of the photos of a client, and of all clients. */
const CLIENT_BYTES = 16 * MIB;
const ALL_BYTES = 64 * MIB;

/** Creates the stores of the clients of a mock. */
export type CreatePhotos = ReturnType<typeof createPhotoSpace>;

/** Creates a function that creates the store of a client. All of these stores share one space. */
export function createPhotoSpace() {
  let allBytes = 0;

  return () => {
    const store = createMemoryPhotoStore();
    let clientBytes = 0;
    let isOpen = true;

    function count(bytes: number): void {
      if (!isOpen) return;
      clientBytes += bytes;
      allBytes += bytes;
    }

    /** @throws `storage_unavailable` */
    function reserve(bytes: number): void {
      if (clientBytes + bytes > CLIENT_BYTES || allBytes + bytes > ALL_BYTES)
        throw new ClaimlinkError('storage_unavailable', 'The mock has no space for another photo.');
      count(bytes);
    }

    /** Returns the size of the photos of a link with these ids. */
    async function sizeOf(
      link: Parameters<PhotoStore['list']>[0],
      photoIds?: readonly string[],
    ): Promise<number> {
      const photos = await store.list(link);
      const removed = photos.filter(({ photoId }) => photoIds?.includes(photoId) ?? true);
      return removed.reduce((sum, { size }) => sum + size, 0);
    }

    return {
      store: {
        ...store,
        async put(photo, body, options) {
          reserve(photo.size);
          try {
            const replaced = await sizeOf(photo, [photo.photoId]);
            await store.put(photo, body, options);
            count(-replaced);
          } catch (error) {
            count(-photo.size);
            throw error;
          }
        },
        async delete(photos) {
          const bytes = await sizeOf(photos, photos.photoIds);
          await store.delete(photos);
          count(-bytes);
        },
      } satisfies PhotoStore,
      /** Frees the space of all photos. The store takes no more afterwards. */
      end(): void {
        count(-clientBytes);
        isOpen = false;
      },
    };
  };
}
