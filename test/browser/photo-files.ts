// Photos for browser tests: real JPEG files with the orientation and the place that a phone writes, and what arrived of them.
import type { Page } from 'playwright-core';

/** The colours of the corners of an upright photo: top left, top right, bottom left, bottom right. */
export const CORNERS = ['red', 'lime', 'blue', 'white'] as const;

/** Bytes of a segment of a JPEG beside its marker and its length. */
const MAX_SEGMENT = 65_533;

/** A file as Playwright gives it to a page. */
export interface PhotoFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** For each EXIF orientation, the transformation that turns upright pixels into stored ones: a, b, c, d of a matrix. */
const STORED: Readonly<Record<number, readonly [number, number, number, number]>> = {
  1: [1, 0, 0, 1],
  2: [-1, 0, 0, 1],
  3: [-1, 0, 0, -1],
  4: [1, 0, 0, -1],
  5: [0, 1, 1, 0],
  6: [0, -1, 1, 0],
  7: [0, -1, -1, 0],
  8: [0, 1, -1, 0],
};

const DRAW = `async ([width, height, [a, b, c, d], type, noise]) => {
  const canvas = document.createElement('canvas');
  const isTurned = a === 0;
  canvas.width = isTurned ? height : width;
  canvas.height = isTurned ? width : height;
  const context = canvas.getContext('2d');
  context.translate(canvas.width / 2, canvas.height / 2);
  context.transform(a, b, c, d, 0, 0);
  context.translate(-width / 2, -height / 2);
  for (const [index, colour] of ['red', 'lime', 'blue', 'white'].entries()) {
    context.fillStyle = colour;
    context.fillRect((index % 2) * width / 2, Math.floor(index / 2) * height / 2, width / 2, height / 2);
  }
  for (let count = 0; count < noise; count++) {
    context.fillStyle = 'hsl(' + ((count * 137) % 360) + ' 60% 50%)';
    context.fillRect(width / 4 + ((count * 7919) % (width / 2)), height / 4 + ((count * 104729) % (height / 2)), 3, 3);
  }
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.95));
  return Array.from(new Uint8Array(await blob.arrayBuffer()));
}`;

/** Reads a photo as a browser shows it: its size and the colours of its corners. */
const READ = `async (bytes) => {
  const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const names = { '1,0,0': 'red', '0,1,0': 'lime', '0,0,1': 'blue', '1,1,1': 'white', '0,0,0': 'black' };
  const at = (x, y) => names[Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3), (part) => Math.round(part / 255)).join()];
  const [right, bottom] = [width - 4, height - 4];
  return { width, height, corners: [at(3, 3), at(right, 3), at(3, bottom), at(right, bottom)] };
}`;

/** Makes a photo. Its EXIF data has an orientation and a place, if it is a JPEG. */
export async function makePhoto(
  page: Page,
  name: string,
  { width = 1200, height = 900, orientation = 1, type = 'image/jpeg', noise = 0 } = {},
): Promise<PhotoFile> {
  const args = [width, height, STORED[orientation], type, noise];
  const bytes = await page.evaluate<number[]>(`(${DRAW})(${JSON.stringify(args)})`);
  const buffer = Buffer.from(bytes);
  return { name, mimeType: type, buffer: type === 'image/jpeg' ? withExif(buffer, orientation) : buffer };
}

/** Returns a photo as a browser shows it. */
export function readPhoto(page: Page, bytes: Buffer) {
  return page.evaluate<{ width: number; height: number; corners: string[] }>(
    `(${READ})(${JSON.stringify([...bytes])})`,
  );
}

/** Adds EXIF data (CIPA DC-008): the orientation, and a place. */
function withExif(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.alloc(26 + 12 + 54 + 48);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  const entry = (offset: number, tag: number, type: number, count: number, value: number): void => {
    tiff.writeUInt16LE(tag, offset);
    tiff.writeUInt16LE(type, offset + 2);
    tiff.writeUInt32LE(count, offset + 4);
    tiff.writeUInt32LE(value, offset + 8);
  };
  tiff.writeUInt16LE(2, 8);
  entry(10, 0x0112, 3, 1, orientation);
  entry(22, 0x8825, 4, 1, 38);
  tiff.writeUInt16LE(4, 38);
  entry(40, 1, 2, 2, 'N'.charCodeAt(0));
  entry(52, 2, 5, 3, 92);
  entry(64, 3, 2, 2, 'E'.charCodeAt(0));
  entry(76, 4, 5, 3, 116);
  [52, 31, 12, 13, 24, 33].forEach((part, index) => {
    tiff.writeUInt32LE(part, 92 + index * 8);
    tiff.writeUInt32LE(1, 96 + index * 8);
  });
  const head = Buffer.from([0xff, 0xe1, 0, 0, ...Buffer.from('Exif\0\0', 'latin1')]);
  head.writeUInt16BE(head.length - 2 + tiff.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, tiff, jpeg.subarray(2)]);
}

/** Adds comments to a JPEG, as the previews and the films of phones do, until it has this many bytes. */
export function withFiller(jpeg: Buffer, bytes: number, random: (length: number) => Buffer): Buffer {
  const parts = [jpeg.subarray(0, 2)];
  for (let length = jpeg.length; length < bytes; length += MAX_SEGMENT + 4)
    parts.push(Buffer.from([0xff, 0xfe, 0xff, 0xff]), random(MAX_SEGMENT));
  return Buffer.concat([...parts, jpeg.subarray(2)]);
}

/** Returns the markers of a JPEG before its pixels: 0xe1 is EXIF data. */
export function markersOf(jpeg: Buffer): number[] {
  const markers: number[] = [];
  for (let at = 2; jpeg[at] === 0xff && jpeg[at + 1] !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2))
    markers.push(jpeg[at + 1] ?? 0);
  return markers;
}
