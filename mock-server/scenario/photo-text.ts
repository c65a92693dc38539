// A photo as text: base64, or a data URL. JSON carries it so.
import { createHash } from 'node:crypto';
import type { PhotoType } from '../../lib/core/photo-store.js';
import { PHOTO_HEAD_BYTES, photoTypeOf } from '../../lib/core/photo-type.js';
import type { Problem } from '../../lib/index.js';
import { problemAt } from '../control/errors.js';

const DATA_URL = /^data:[^,]{0,200};base64,/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns the bytes of a photo, or undefined for a text that is not base64. */
export function photoBytes(text: string): Buffer | undefined {
  const base64 = text.replace(DATA_URL, '').replaceAll(/\s/g, '');
  return BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}

/** Returns what is wrong with a photo as text. */
export function photoProblem(text: string, pointer: string): Problem | undefined {
  const bytes = photoBytes(text);
  if (bytes === undefined)
    return problemAt(pointer, 'value', 'must be a photo in base64, or a data URL of one');
  if (photoTypeOfText(text) !== undefined) return undefined;
  return problemAt(pointer, 'value', 'must be a JPEG, PNG, WebP or HEIC');
}

/** Returns whether a text is a data URL. */
export function isDataUrl(text: string): boolean {
  return text.startsWith('data:');
}

/** Returns the type of a photo by its first bytes. */
export function photoTypeOfText(text: string): PhotoType | undefined {
  return photoTypeOf((photoBytes(text) ?? Buffer.alloc(0)).subarray(0, PHOTO_HEAD_BYTES));
}

/** Returns the id of a photo: the SHA-256 of its bytes. */
export function photoIdOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
