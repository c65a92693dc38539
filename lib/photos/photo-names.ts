// The names of photos in a store. No name has a part of the input but ids of 64 hex digits.
import { hash } from 'node:crypto';
import type { PhotoLink, PhotoRef, PhotoType } from '../core/photo-store.js';

const EXTENSIONS: Readonly<Record<PhotoType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/heic': 'heic',
};

const TYPES = new Map(Object.entries(EXTENSIONS).map(([type, extension]) => [extension, type as PhotoType]));

const HEX_ID = /^[0-9a-f]{64}$/;

/** Returns the name of a client: the SHA-256 of its id, which may have characters that no path and no key can have. */
export function clientNameOf(clientId: string): string {
  return hash('sha256', clientId, 'hex');
}

/** Returns `client/link`. @throws TypeError for a link id that claimlink does not make. */
export function linkNameOf({ clientId, linkId }: PhotoLink): string {
  return `${clientNameOf(clientId)}/${assertHex('linkId', linkId)}`;
}

/** Returns the name of a photo within its link, such as `3f...9a.jpg`. @throws TypeError for another id or type. */
export function fileNameOf({ photoId, type }: Pick<PhotoRef, 'photoId'> & { type: PhotoType }): string {
  if (!Object.hasOwn(EXTENSIONS, type)) throw new TypeError('The type of the photo is not one of PhotoType.');
  return `${assertPhotoId(photoId)}.${EXTENSIONS[type]}`;
}

/** Returns the id and the type of a name, or undefined for the name of something else. */
export function parseFileName(name: string): { photoId: string; type: PhotoType } | undefined {
  const [photoId = '', extension = '', ...rest] = name.split('.');
  const type = TYPES.get(extension);
  return type !== undefined && rest.length === 0 && HEX_ID.test(photoId) ? { photoId, type } : undefined;
}

/** Returns whether a name is a hash, and not that of something else in the same folder. */
export function isHexId(name: string): boolean {
  return HEX_ID.test(name);
}

/** @throws TypeError for a photo id that is not 64 hex digits. */
export function assertPhotoId(photoId: string): string {
  return assertHex('photoId', photoId);
}

function assertHex(name: string, value: string): string {
  if (HEX_ID.test(value)) return value;
  throw new TypeError(`The ${name} must be 64 lower-case hex digits.`);
}
