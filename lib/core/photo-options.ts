// The option `photos`: where photos are, and their limits.
import { mustBeNumber, mustBeWhole, mustHave, type OptionChecks } from './assert-options.js';
import type { PhotoStore } from './photo-store.js';

/** The option `photos` of `createClaimlink`. */
export interface PhotosOptions {
  /** Where the photos are: `createFolderStore` or `fromS3` of `claimlink/photos`, or a store of your own. */
  store: PhotoStore;
  /** Maximum number of photos of a link: 1 .. 50. Default 10. Uploads at the same time to several processes may exceed it. */
  maxPhotos?: number;
  /** Maximum size of a photo in bytes: 65_536 .. 52_428_800. Default 10_485_760 (10 MiB). */
  maxPhotoBytes?: number;
  /** Maximum size of all photos of a link in bytes: 65_536 .. 1_073_741_824. Default 62_914_560 (60 MiB). */
  maxLinkBytes?: number;
  /** Maximum number of uploads of a link at the same time, to one process: 1 .. 20. Default 3. */
  maxUploads?: number;
  /** Maximum time for a photo to arrive, in seconds: 10 .. 3600. Default 300. */
  bodyTimeoutSeconds?: number;
}

/** The option with every default filled in. */
export type ResolvedPhotos = Readonly<Required<PhotosOptions>>;

/** The limits of photos. */
export type PhotoLimits = Omit<ResolvedPhotos, 'store'>;

/** The methods of a store. */
export const PHOTO_STORE_METHODS = ['put', 'list', 'get', 'delete', 'links'] as const;

/** The checks of the option. */
export const PHOTOS_CHECKS: OptionChecks<PhotosOptions> = {
  store: mustHave(...PHOTO_STORE_METHODS),
  maxPhotos: mustBeWhole(1, 50),
  maxPhotoBytes: mustBeWhole(65_536, 52_428_800, 'a whole number of bytes'),
  maxLinkBytes: mustBeWhole(65_536, 1_073_741_824, 'a whole number of bytes'),
  maxUploads: mustBeWhole(1, 20),
  bodyTimeoutSeconds: mustBeNumber(10, 3600, 'a number of seconds'),
};

/** Fills in the defaults of a checked option. */
export function resolvePhotos({
  store,
  maxPhotos = 10,
  maxPhotoBytes = 10_485_760,
  maxLinkBytes = 62_914_560,
  maxUploads = 3,
  bodyTimeoutSeconds = 300,
}: PhotosOptions): ResolvedPhotos {
  return Object.freeze({ store, maxPhotos, maxPhotoBytes, maxLinkBytes, maxUploads, bodyTimeoutSeconds });
}
