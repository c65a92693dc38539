// What the form of a client says of photos.
import type { FieldNeed } from './claim-fields.js';
import type { Client } from './types.js';

/** Detail of a client that asks for photos, for a service that takes none. */
export const NEEDS_PHOTOS = 'needs the option photos of createClaimlink, which says where the photos are';

/** The photos of a form, with defaults filled in. */
export interface ResolvedFormPhotos {
  need: FieldNeed;
  /** Maximum number of photos of a link. Infinity without the setting: `maxPhotos` of the service is the limit. */
  most: number;
  heic: boolean;
}

/** Returns what the form of a client says of photos. Without the setting it takes none. */
export function photosOf(settings: Client['settings']): ResolvedFormPhotos {
  const { need = 'hidden', most = Number.POSITIVE_INFINITY, heic = false } = settings?.form?.photos ?? {};
  return { need, most, heic };
}
