// The pictures of README, which `npm run screenshots` takes.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { linkTargets, readDocument } from './markdown.js';

const MAX_BYTES = 60 * 1024;
const IMAGES = new URL('docs/images/', REPOSITORY);
const PNG_SIGNATURE = '89504e470d0a1a0a';

t.test('README shows each picture of docs/images', async (t) => {
  const pictures = linkTargets(readDocument('README.md')).filter((target) =>
    target.startsWith('docs/images/'),
  );
  t.same(
    pictures.sort(),
    readdirSync(IMAGES)
      .map((name) => `docs/images/${name}`)
      .sort(),
  );
  t.ok(pictures.length >= 2);
});

for (const name of readdirSync(IMAGES)) {
  t.test(`${name} is a PNG of at most 60 KiB`, async (t) => {
    const bytes = readFileSync(new URL(name, IMAGES));
    t.equal(bytes.subarray(0, 8).toString('hex'), PNG_SIGNATURE);
    t.ok(bytes.length <= MAX_BYTES, `${bytes.length} bytes`);
  });
}
