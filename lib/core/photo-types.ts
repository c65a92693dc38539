// The media types of photos.

/** Media type of a photo. claimlink reads it from the first bytes, and never from a header. */
export type PhotoType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/heic';

/** The media types of photos. */
export const PHOTO_TYPES = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/heic',
] as const satisfies readonly PhotoType[];
