// The port of photos: the interface that a store of photos implements, and the guarantees that claimlink relies on.
import type { PhotoType } from './photo-types.js';
import type { Awaitable } from './types.js';

export type { PhotoType } from './photo-types.js';

/** Identifies the photos of a link. */
export interface PhotoLink {
  clientId: string;
  /** `linkId` of `createLink`: 64 lower-case hex digits. */
  linkId: string;
}

/** Identifies one photo of a link. */
export interface PhotoRef extends PhotoLink {
  /** 64 lower-case hex digits: the SHA-256 of the bytes, or random ones. */
  photoId: string;
}

/** A photo in the list of its link. */
export interface PhotoEntry {
  photoId: string;
  type: PhotoType;
  /** Number of bytes. */
  size: number;
}

/** A photo to store. Its body has `size` bytes. */
export interface NewPhoto extends PhotoRef, PhotoEntry {}

/** A stored photo. */
export interface StoredPhoto extends PhotoEntry {
  /**
   * The bytes, in order. The store opens them when the first chunk is asked for: a body that the caller does not read holds
   * nothing. The iteration rejects if the photo is removed before its end, or ends with all bytes. Read it once.
   */
  body: AsyncIterable<Uint8Array>;
}

/** Options of `put`. */
export interface PutOptions {
  /** Aborts the call. It may abort while the body waits for its next chunk. */
  signal: AbortSignal;
}

/** Selects links in the order of the store. */
export interface PhotoLinkPage {
  /** The last link of the page before. It may be gone. Absent: the first page. */
  after?: PhotoLink;
  /** Maximum number of links. Fewer links are the last page. */
  limit: number;
}

/**
 * Where the photos of links are: files, objects or rows. The service and its pages need it for clients that ask for photos.
 *
 * Every method returns a value or a promise, rejects only if the store fails, and sees each call that has resolved, also that
 * of another process. Calls run concurrently, also for one photo. The store decodes no image and trusts no byte.
 *
 * `createFolderStore` and `fromS3` of `claimlink/photos` are such stores. `photoStoreSuite` in `claimlink/testing` checks
 * these rules.
 */
export interface PhotoStore {
  /**
   * Stores a photo, and resolves when it is durable: the loss of power loses nothing then. It replaces a photo with this id.
   *
   * It rejects, and lists nothing of the photo, if the body rejects, also after its last byte; if the body has more or fewer
   * bytes than `size`; and as soon as the signal aborts, also while the body waits. A photo that was there before stays. What
   * a process leaves that is killed is never listed, and goes when `links` has been called an hour later.
   *
   * Of two calls for one photo at the same time, each one resolves, and the photo is whole. A `delete` during the call does
   * not make it reject.
   */
  put(photo: NewPhoto, body: AsyncIterable<Uint8Array>, options: PutOptions): Awaitable<void>;

  /** Returns the photos of a link, each once and whole, in any order. An unknown link has none. */
  list(link: PhotoLink): Awaitable<readonly PhotoEntry[]>;

  /** Returns a photo, or undefined if the link does not have it. */
  get(photo: PhotoRef): Awaitable<StoredPhoto | undefined>;

  /** Removes the photos with these ids, or all photos of a link without `photoIds`. Ignores a photo that is not there. */
  delete(photos: PhotoLink & { photoIds?: readonly string[] }): Awaitable<void>;

  /**
   * Returns links of which the store has something, each once, in an order that does not change. A link that is added while
   * a caller reads one page after another may be missing. The service looks for links that are gone this way.
   */
  links(page: PhotoLinkPage): Awaitable<readonly PhotoLink[]>;
}
