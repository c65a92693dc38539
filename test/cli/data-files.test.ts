// Files with JSON or YAML that a flag names, such as --form and --claim.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readDataFile } from '../../cli/flags.js';
import { ENCODINGS } from '../mock-server/encodings.js';

const path = join(t.testdir({}), 'form.json');
const FORM = { title: 'Schadenhöhe 李' };

for (const [encoding, encode] of Object.entries(ENCODINGS))
  t.test(`JSON is read in ${encoding}`, async (t) => {
    await writeFile(path, encode(`${JSON.stringify(FORM, null, 2)}\r\n`));
    t.strictSame(await readDataFile('--form', path), FORM);
  });

t.test('JSON in another encoding is rejected: no character is replaced', async (t) => {
  await writeFile(path, Buffer.from(JSON.stringify(FORM), 'latin1'));
  await t.rejects(readDataFile('--form', path), {
    message: '--form must name a file with JSON or YAML: it is not text in UTF-8 or UTF-16.',
  });
});

t.test('a file whose name ends in .yaml or .yml has YAML', async (t) => {
  const folder = t.testdir({
    'form.yaml': 'title: Schadenhöhe 李 # a note\n',
    'form.YML': '{ title: "Schadenhöhe 李" }',
    'bad.yaml': 'title: [',
    'twice.yaml': 'a: 1\na: 2',
  });
  for (const name of ['form.yaml', 'form.YML'])
    t.strictSame(await readDataFile('--form', join(folder, name)), FORM);
  for (const name of ['bad.yaml', 'twice.yaml', 'none.yaml'])
    await t.rejects(readDataFile('--form', join(folder, name)), {
      message: /^--form must name a file with JSON or YAML: [^.].*[^.]\.$/,
    });
});
