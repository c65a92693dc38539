// The photos of a client of a mock: a store of photos. Which photos a link has is in its records, their bytes are beside them.
import { createHash } from 'node:crypto';
import { CLAIM_MARK_ID } from '../../lib/core/claimed-photos.js';
import type { NewPhoto, PhotoEntry, PhotoLink, PhotoStore } from '../../lib/core/photo-store.js';
import { presentPhotos } from '../../lib/core/removed-photos.js';
import { isClaimlinkError } from '../../lib/index.js';
import { readBlocks } from '../../lib/photos/photo-chunks.js';
import { fileNameOf, linkNameOf } from '../../lib/photos/photo-names.js';
import type { MockPhoto } from '../control/types.js';
import { photoBytes, photoIdOf, photoTypeOfText } from '../scenario/photo-text.js';
import type { ClientRecords, SavedPhoto } from './client-records.js';
import type { PhotoBytes } from './photo-bytes.js';
import type { Space } from './space.js';

/** A photo in the state, as JSON. */
const ENTRY_BYTES = 300;

const NO_PHOTOS: ReadonlyMap<string, SavedPhoto> = new Map();

/**
 * Creates the photos of one state of a client.
 * @param onChange called with the id of a link whose photos changed
 */
export function createClientPhotos(
  records: Pick<ClientRecords, 'clientId' | 'data'>,
  bytes: PhotoBytes,
  space: Space,
  onChange: (linkId: string) => void,
) {
  const { clientId } = records;
  let isOpen = true;

  const photosOf = (link: PhotoLink) => {
    linkNameOf(link);
    return (link.clientId === clientId && records.data.photos.get(link.linkId)) || NO_PHOTOS;
  };
  const isMissing = ({ hash }: SavedPhoto) => hash !== undefined && !bytes.has(hash);
  const blocksOf = ({ hash, text }: SavedPhoto) =>
    hash === undefined ? (text === undefined ? [] : [Buffer.from(text)]) : bytes.get(hash);
  const toEntry = ({ photoId, type, size }: SavedPhoto): PhotoEntry => ({ photoId, type, size });

  function add(linkId: string, photo: SavedPhoto): void {
    const photos = new Map(records.data.photos.get(linkId));
    records.data.photos.set(linkId, photos.set(photo.photoId, photo));
    onChange(linkId);
  }

  /** Stores the bytes of a photo beside the state. What claimlink notes beside the photos of a link is part of the state. */
  async function keep(photo: NewPhoto, body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    if (photo.size === 0 || photo.photoId === CLAIM_MARK_ID) {
      const { blocks } = await readBody(photo, body, signal);
      return photo.size === 0 ? {} : { text: Buffer.concat(blocks).toString() };
    }
    const settle = bytes.reserve(photo.size);
    const read = await readBody(photo, body, signal).catch((error: unknown) => {
      settle();
      throw error;
    });
    settle(read);
    return { hash: read.hash };
  }

  const store: PhotoStore = {
    async put(photo, body, { signal }) {
      const { linkId, photoId, type, size } = photo;
      linkNameOf(photo);
      fileNameOf(photo);
      space.reserve(ENTRY_BYTES);
      const kept = await keep(photo, body, signal);
      if (isOpen) add(linkId, { photoId, type, size, ...kept });
    },
    list: (link) => [...photosOf(link).values()].filter((photo) => !isMissing(photo)).map(toEntry),
    get(ref) {
      fileNameOf({ ...ref, type: 'image/jpeg' });
      const photo = photosOf(ref).get(ref.photoId);
      const blocks = photo && blocksOf(photo);
      return photo && blocks && { ...toEntry(photo), body: iterate(blocks) };
    },
    delete({ photoIds, ...link }) {
      const photos = photosOf(link);
      if (photos.size === 0) return;
      const rest = new Map(photos);
      for (const photoId of photoIds ?? photos.keys()) rest.delete(photoId);
      if (rest.size > 0) records.data.photos.set(link.linkId, rest);
      else records.data.photos.delete(link.linkId);
      onChange(link.linkId);
    },
    links({ after, limit }) {
      const all = [...records.data.photos.keys()].map((linkId) => ({ clientId, linkId }));
      return sorted(all, after).slice(0, limit);
    },
  };

  return {
    store,
    /** Returns the photos that the state has for a link, also those whose bytes are gone. */
    photosOf(linkId: string): MockPhoto[] {
      const photos = photosOf({ clientId, linkId });
      return presentPhotos([...photos.values()].map(toEntry)).map(({ photoId, ...entry }) => {
        const photo = photos.get(photoId);
        return { id: photoId, ...entry, isMissing: photo !== undefined && isMissing(photo) };
      });
    },
    /** Stores the bytes of photos of a scenario. A photo without room is missing. */
    seed(texts: readonly string[]): void {
      for (const text of texts) {
        const content = photoBytes(text) ?? Buffer.alloc(0);
        const hash = photoIdOf(content);
        if (bytes.has(hash)) continue;
        try {
          bytes.reserve(content.length)({ hash, blocks: [content] });
        } catch (error) {
          if (!isClaimlinkError(error)) throw error;
        }
      }
    },
    /** Ends the state. The store takes no more photos. */
    end(): void {
      isOpen = false;
      bytes.end();
    },
  };
}

/** Returns a photo of a scenario, without its bytes. */
export function toSavedPhoto(text: string): SavedPhoto {
  const content = photoBytes(text) ?? Buffer.alloc(0);
  const photoId = photoIdOf(content);
  return { photoId, type: photoTypeOfText(text) ?? 'image/jpeg', size: content.length, hash: photoId };
}

async function readBody(photo: NewPhoto, body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const hash = createHash('sha256');
  const blocks: Uint8Array[] = [];
  for await (const block of readBlocks(photo, body, { signal })) {
    hash.update(block);
    blocks.push(block);
  }
  return { hash: hash.digest('hex'), blocks };
}

/** Returns links by their names, behind one of them. */
function sorted(links: readonly PhotoLink[], after: PhotoLink | undefined): PhotoLink[] {
  const start = after === undefined ? '' : linkNameOf(after);
  return links
    .map((link) => ({ link, name: linkNameOf(link) }))
    .filter(({ name }) => name > start)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ link }) => link);
}

async function* iterate(blocks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* blocks;
}
