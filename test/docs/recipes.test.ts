// The recipes in the documents are the code of files that test/recipes, test/runtimes and test/examples run.
import t from 'tap';
import { codeAt, codeBlocks, readDocument } from './markdown.js';

const FOLDERS = {
  'docs/recipes.md': ['runners', 'playwright', 'msw'],
  'docs/delivery.md': ['delivery'],
  'docs/observability.md': ['observability'],
  'docs/mounting.md': ['rate-limit', 'compression'],
  'docs/moving-in.md': [],
};

for (const [path, folders] of Object.entries(FOLDERS)) {
  t.test(`each recipe of ${path} is the code of its file`, async (t) => {
    // test/docs/code.test.ts compiles the other blocks of TypeScript.
    const blocks = codeBlocks(readDocument(path)).filter(
      ({ language, source }) =>
        ['js', 'python', 'go'].includes(language) || (language === 'ts' && source !== undefined),
    );
    for (const { source, code } of blocks) {
      t.match(
        source,
        /^(?:examples\/(?:recipes|moving-in)|test\/runtimes\/hosts)\//,
        `the comment before it names the file of: ${code.slice(0, 60)}`,
      );
      if (source !== undefined) t.equal(code, codeAt(source), source);
    }
    for (const folder of folders)
      t.ok(
        blocks.some(({ source }) => source?.startsWith(`examples/recipes/${folder}/`)),
        `${folder} has a recipe`,
      );
  });
}

t.test('a recipe names the client that it adds, because the seeded data depends on its id', (t) => {
  const calls = ['docs/recipes.md', 'docs/mock.md', 'docs/mock-tests.md', 'docs/ci-and-sandbox.md'].flatMap(
    (path) =>
      codeBlocks(readDocument(path)).flatMap(({ code }) =>
        [...code.matchAll(/\bmock\.addClient\((?<argument>[^)]*)/g)].map(({ groups }) => ({
          path,
          argument: groups?.['argument'],
        })),
      ),
  );
  t.ok(calls.length > 3);
  t.same(
    calls.filter(({ argument }) => !argument?.includes('clientId')),
    [],
  );
  t.end();
});
