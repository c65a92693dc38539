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

t.test(
  'a key twice in one object is rejected, and a mistake has its line and says what to write',
  async (t) => {
    const folder = t.testdir({
      'form.json': '{\n  "title": "a",\n  "title": "b"\n}',
      'form.yaml': 'title: a\n\ntitle: b\n',
      'documents.yaml': 'title: a\n---\ntitle: b\n',
      'merge.yaml': 'a: &a { b: 1 }\nc:\n  <<: *a\n',
    });
    const twice = 'line 3: repeats a key of its object: keep one of them.';
    for (const [name, message] of [
      ['form.json', twice],
      ['form.yaml', twice],
      [
        'documents.yaml',
        'line 2: begins a second document: a file has one, so remove this line and what follows.',
      ],
      [
        'merge.yaml',
        'line 3: is no merge key here: write the members, or share a whole value, as in policy: *name.',
      ],
    ] as const)
      await t.rejects(readDataFile('--form', join(folder, name)), {
        message: `--form must name a file with JSON or YAML: ${message}`,
      });
  },
);

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
