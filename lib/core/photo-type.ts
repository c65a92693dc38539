// Tells the type of a photo from its first bytes. No header and no name counts, and no image is decoded.

import type { PhotoType } from './photo-types.js';

/** Number of bytes that tell the type. The list of brands of a HEIC file is shorter. */
export const PHOTO_HEAD_BYTES = 64;

const STARTS: readonly (readonly [PhotoType, readonly number[]])[] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
];

/** The brands of HEIC (ISO/IEC 23008-12, annex B). `mif1` and `msf1` are brands of AVIF as well. */
const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];

/** Returns the type of a photo that begins with these bytes, or undefined for other data. */
export function photoTypeOf(head: Uint8Array): PhotoType | undefined {
  const match = STARTS.find(([, start]) => start.every((byte, index) => head[index] === byte));
  if (match !== undefined) return match[0];
  if (textAt(head, 0) === 'RIFF' && textAt(head, 8) === 'WEBP') return 'image/webp';
  return isHeic(head) ? 'image/heic' : undefined;
}

/** Returns whether a file begins with a box of file types that names a brand of HEIC. */
function isHeic(head: Uint8Array): boolean {
  if (textAt(head, 4) !== 'ftyp') return false;
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const major = textAt(head, 8);
  if (HEIC_BRANDS.includes(major)) return true;
  if (major !== 'mif1' && major !== 'msf1') return false;
  for (let start = 16; start + 4 <= Math.min(length, head.length); start += 4)
    if (HEIC_BRANDS.includes(textAt(head, start))) return true;
  return false;
}

function textAt(head: Uint8Array, start: number): string {
  return String.fromCharCode(...head.subarray(start, start + 4));
}
