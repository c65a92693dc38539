// Writes a text again and again, as fast as it can, and prints the number of each one that is on the disk.
import { readFileSync, writeSync } from 'node:fs';
import { createKeptFile } from '../../dist/mock-server/world/kept-file.js';

const [path = '', template = '', first = '0'] = process.argv.slice(2);
const text = readFileSync(template, 'utf8');
const file = createKeptFile(path);
await file.take();
for (let number = Number(first); ; number++) {
  // Some texts take one write call, and some many.
  const filler = 'x'.repeat((number % 7) * 40_000);
  await file.write(() => text.replace('<number>', number).replace('<filler>', filler));
  writeSync(1, `${number}\n`);
}
