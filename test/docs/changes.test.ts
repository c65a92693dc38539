// "What a change touches" in CONTRIBUTING.md lists the files that name an example of each kind of change.
import { existsSync, readdirSync } from 'node:fs';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { readDocument } from './markdown.js';

const FOLDERS = ['lib', 'cli', 'mock-server', 'fixtures'];

const [, section = ''] =
  /^## What a change touches\n([\s\S]*?)^## /m.exec(readDocument('CONTRIBUTING.md')) ?? [];
const parts = section
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n', 1)[0] ?? '',
    example: /^Example: `([^`]+)`/m.exec(text)?.[1],
    files: [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file),
  }))
  .flatMap(({ title, example, files }) => (example === undefined ? [] : [{ title, example, files }]));

/** Returns whether a path is that of a row, where * is any name. */
function isOf(row: string, path: string): boolean {
  const [start = '', end = ''] = row.split('*');
  return row.includes('*') ? path.startsWith(start) && path.endsWith(end) : path === row;
}

/** Returns the files of the folders that name a word. */
function filesWith(word: string): string[] {
  const pattern = new RegExp(`(?<![\\w-])${word.replaceAll('.', '\\.')}(?![\\w-])`);
  return FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, REPOSITORY), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path}`,
    ),
  )
    .filter((path) => /\.\w+$/.test(path) && !path.includes('/generated/'))
    .filter((path) => pattern.test(readDocument(path)));
}

t.test('each kind of change has an example', async (t) => {
  t.same(
    parts.map(({ title }) => title),
    [
      'A setting of a client',
      'A field of the claim',
      'An event',
      'A control method',
      'A language',
      'A storage',
      'An action of a page',
    ],
  );
});

for (const { title, example, files } of parts)
  t.test(`${title}: the table lists the files that name ${example}`, async (t) => {
    const named = filesWith(example);
    t.same(
      named.filter((path) => !files.some((row) => isOf(row, path))),
      [],
      'no other file names it',
    );
    t.same(
      files.filter((row) => !named.some((path) => isOf(row, path))),
      [],
      'each file of the table names it',
    );
  });

t.test('every path of the section exists', async (t) => {
  const paths = [...section.matchAll(/`((?:[\w.-]+\/)+[\w.-]+)`/g)].map(([, path = '']) => path);
  t.ok(paths.length > 40, `${paths.length} paths`);
  t.same(
    paths.filter((path) => !existsSync(new URL(path, REPOSITORY))),
    [],
  );
});
