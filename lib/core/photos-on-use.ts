// The photos of links, for a service that may take none: their code is loaded with the first use.
import { invalidOption } from './errors.js';
import { once } from './once.js';
import type { ResolvedOptions } from './options.js';
import type { PhotoRecords, PhotoRemoval } from './photo-removal.js';
import type { Photos } from './photos.js';
import type { ProveRecipient } from './prove-recipient.js';
import type { PhotoRules } from './validators.js';

/** The use cases of photos. Those of a single photo reject with `options_invalid` without the option `photos`. */
export type PhotosOnUse = ReturnType<typeof photosOnUse>;

/** The rules of a claim without photos. */
const NO_PHOTOS: PhotoRules = { taken: [], isRequired: false, claimsAll: false };

type Options = Pick<ResolvedOptions, 'photos' | 'now' | 'onError' | 'storageTimeoutSeconds'>;

/** Returns the use cases of photos. */
export function photosOnUse(options: Options, storage: PhotoRecords, proveRecipient: ProveRecipient) {
  const { photos } = options;
  const load = once(async () => {
    if (photos === undefined)
      throw invalidOption('/photos', 'required', 'is required for the photos of a link');
    const { createPhotos } = await import('./photos.js');
    return createPhotos({ ...options, photos }, storage, proveRecipient);
  });
  return {
    addPhoto: async (...args: Parameters<Photos['addPhoto']>) => (await load()).addPhoto(...args),
    listPhotos: async (...args: Parameters<Photos['listPhotos']>) => (await load()).listPhotos(...args),
    readPhoto: async (...args: Parameters<Photos['readPhoto']>) => (await load()).readPhoto(...args),
    readClaimedPhoto: async (...args: Parameters<Photos['readClaimedPhoto']>) =>
      (await load()).readClaimedPhoto(...args),
    removePhoto: async (...args: Parameters<Photos['removePhoto']>) => (await load()).removePhoto(...args),
    shownOn: async (...args: Parameters<Photos['shownOn']>) => photos && (await load()).shownOn(...args),
    rulesFor: async (...args: Parameters<Photos['rulesFor']>) =>
      photos ? (await load()).rulesFor(...args) : NO_PHOTOS,
    submitting: async <T>(verified: Parameters<Photos['submitting']>[0], submit: () => Promise<T>) =>
      photos ? (await load()).submitting(verified, submit) : submit(),
  };
}

/** Returns the removal of photos, or undefined without the option `photos`. */
export function removalOnUse(
  options: Options,
  storage: PhotoRecords,
): Pick<PhotoRemoval, 'removeAfter' | 'sweep'> | undefined {
  const { photos } = options;
  if (photos === undefined) return undefined;
  const load = once(async () => {
    const { createPhotoRemoval } = await import('./photo-removal.js');
    return createPhotoRemoval({ ...options, photos }, storage);
  });
  return {
    removeAfter: async (event) => (await load()).removeAfter(event),
    sweep: async (onFailure) => (await load()).sweep(onFailure),
  };
}
