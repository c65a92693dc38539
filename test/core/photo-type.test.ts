// The type of a photo, from its first bytes.
import t from 'tap';
import { PHOTO_HEAD_BYTES, photoTypeOf } from '../../lib/core/photo-type.js';

const ftyp = (major: string, ...brands: string[]) =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 16 + 4 * brands.length]),
    Buffer.from(`ftyp${major}\0\0\0\0${brands.join('')}`, 'latin1'),
    Buffer.from('\0\0\0\0metaheic', 'latin1'),
  ]);

const CASES: readonly (readonly [string, Buffer | string, string | undefined])[] = [
  ['a JPEG of a camera', Buffer.from('ffd8ffe100', 'hex'), 'image/jpeg'],
  ['a JPEG of a browser', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'image/png'],
  ['a WebP', 'RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
  ['a HEIC of a phone', ftyp('heic', 'mif1', 'heic'), 'image/heic'],
  ['a HEIC whose major brand is mif1', ftyp('mif1', 'mif1', 'heic'), 'image/heic'],
  ['a sequence of HEIC images', ftyp('msf1', 'msf1', 'hevc'), 'image/heic'],
  [
    'a HEIC with a box of 256 bytes, which begins as an icon does',
    Buffer.from('\0\0\x01\0ftypheic', 'latin1'),
    'image/heic',
  ],
  ['an AVIF whose major brand is mif1', ftyp('mif1', 'mif1', 'avif'), undefined],
  ['an AVIF with the word heic after its brands', ftyp('mif1', 'avif'), undefined],
  ['an AVIF', ftyp('avif', 'mif1', 'heic'), undefined],
  ['an MP4', ftyp('isom', 'isom', 'mp41'), undefined],
  ['a MOV of a phone', ftyp('qt  ', 'qt  '), undefined],
  ['a sound file of Apple', ftyp('M4A ', 'M4A '), undefined],
  ['a WAV', 'RIFF\x24\0\0\0WAVEfmt ', undefined],
  ['a GIF', 'GIF89a', undefined],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">', undefined],
  ['an HTML page', '<!doctype html><script>alert(1)</script>', undefined],
  ['a PDF', '%PDF-1.7', undefined],
  ['a JPEG after a line break', '\n\xff\xd8\xff\xe0', undefined],
  ['the first bytes of a JPEG only', Buffer.from('ffd8', 'hex'), undefined],
  ['the first bytes of a PNG only', Buffer.from('89504e470d0a1a', 'hex'), undefined],
  ['the start of a box of file types', '\0\0\0\x18ftyp', undefined],
  ['nothing', '', undefined],
];

for (const [name, data, type] of CASES)
  t.test(`${name} is ${type ?? 'no photo'}`, async (t) => {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
    t.equal(photoTypeOf(bytes.subarray(0, PHOTO_HEAD_BYTES)), type);
  });
