// The memory store: photos of a process, for the mock and for tests.
import type { NewPhoto, PhotoLink, PhotoStore } from '../core/photo-store.js';
import { readBlocks } from './photo-chunks.js';
import { assertPhotoId, fileNameOf, linkNameOf } from './photo-names.js';

/** Photos of a link. */
interface LinkPhotos extends PhotoLink {
  photos: Map<string, Pick<NewPhoto, 'photoId' | 'type' | 'size'> & { blocks: readonly Uint8Array[] }>;
}

/** Creates a store that keeps photos in memory. They are gone with the process. */
export function createMemoryPhotoStore(): PhotoStore {
  const links = new Map<string, LinkPhotos>();

  return {
    async put(photo, body, options) {
      const { clientId, linkId, photoId, type, size } = photo;
      const name = linkNameOf(photo);
      fileNameOf(photo);
      const blocks: Uint8Array[] = [];
      for await (const block of readBlocks(photo, body, options)) blocks.push(block);
      const link = links.get(name) ?? { clientId, linkId, photos: new Map() };
      link.photos.set(photoId, { photoId, type, size, blocks });
      links.set(name, link);
    },

    list(link) {
      const photos = links.get(linkNameOf(link))?.photos.values() ?? [];
      return [...photos].map(({ photoId, type, size }) => ({ photoId, type, size }));
    },

    get(ref) {
      const photo = links.get(linkNameOf(ref))?.photos.get(assertPhotoId(ref.photoId));
      if (photo === undefined) return undefined;
      const { blocks, ...entry } = photo;
      return { ...entry, body: iterate(blocks) };
    },

    delete({ photoIds, ...link }) {
      const name = linkNameOf(link);
      const photos = links.get(name)?.photos;
      for (const photoId of photoIds ?? photos?.keys() ?? []) photos?.delete(photoId);
      if (photos?.size === 0) links.delete(name);
    },

    links({ after, limit }) {
      const start = after === undefined ? '' : linkNameOf(after);
      const names = [...links.keys()].filter((name) => name > start).sort();
      const page = names.slice(0, limit).map((name) => links.get(name) as LinkPhotos);
      return page.map(({ clientId, linkId }) => ({ clientId, linkId }));
    },
  };
}

async function* iterate(blocks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* blocks;
}
