// Files with JSON that a flag names, such as --form and --claim.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readJsonFile } from '../../cli/flags.js';
import { ENCODINGS } from '../mock-server/encodings.js';

const path = join(t.testdir({}), 'form.json');
const FORM = { title: 'Schadenhöhe 李' };

for (const [encoding, encode] of Object.entries(ENCODINGS))
  t.test(`JSON is read in ${encoding}`, async (t) => {
    await writeFile(path, encode(`${JSON.stringify(FORM, null, 2)}\r\n`));
    t.strictSame(readJsonFile('--form', path), FORM);
  });

t.test('JSON in another encoding is rejected: no character is replaced', async (t) => {
  await writeFile(path, Buffer.from(JSON.stringify(FORM), 'latin1'));
  t.throws(() => readJsonFile('--form', path), {
    message: '--form must name a file with JSON: it is not text in UTF-8 or UTF-16.',
  });
});
