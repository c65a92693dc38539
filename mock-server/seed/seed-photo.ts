// A generated photo: a small PNG whose colours depend on a text.
import { hash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 120;
const HEIGHT = 90;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Returns a PNG. The same text has the same one. */
export function createSeedPhoto(text: string): Uint8Array {
  const colors = Buffer.from(hash('sha256', text, 'hex'), 'hex');
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const pixels = Array.from({ length: WIDTH }, (_, x) => {
      const isDent = (x - WIDTH / 2) ** 2 + (y - HEIGHT / 2) ** 2 < 400;
      const start = isDent ? 3 : 0;
      return [0, 1, 2].map((part) => ((colors[start + part] ?? 0) >> 1) + x);
    });
    // Each row begins with its filter: none.
    return Buffer.from([0, ...pixels.flat()]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND')];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
}
