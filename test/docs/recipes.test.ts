// The code that the documentation shows is the code of examples/recipes, which test/recipes runs.
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { REPOSITORY } from '../repository.js';

const read = (path: string) => readFile(new URL(path, REPOSITORY), 'utf8');

/** The blocks of code, each with what the comment before it says about where it comes from. */
function blocksOf(markdown: string): { source: string | undefined; code: string }[] {
  const found = markdown.matchAll(/(?:<!-- from (\S+) -->\n)?```\w*\n([\s\S]*?)```\n/g);
  return [...found].map(([, source, code = '']) => ({ source, code }));
}

/** A file without the comment that it begins with, or what is between `// #region name` and `// #endregion` in it. */
async function codeAt(source: string): Promise<string> {
  const [path = '', region] = source.split('#', 2);
  const text = await read(path);
  if (region === undefined) return text.replace(/^(?:\/\/ .*\n)+/, '');
  const [, rest = ''] = text.split(`// #region ${region}\n`, 2);
  return rest.split('// #endregion\n', 1)[0]?.trimEnd().concat('\n') ?? '';
}

t.test('each block of code of docs/recipes.md is a piece of a recipe', async (t) => {
  const blocks = blocksOf(await read('docs/recipes.md'));
  for (const { source, code } of blocks) {
    t.match(source, /^examples\/recipes\//, `where it is from is said of: ${code.slice(0, 60)}`);
    if (source !== undefined) t.equal(code, await codeAt(source), source);
  }
  for (const runner of ['tap', 'node-test', 'vitest', 'jest', 'playwright', 'msw'])
    t.ok(
      blocks.some(({ source }) => source?.startsWith(`examples/recipes/${runner}/`)),
      `${runner} has a recipe`,
    );
});

t.test('the test that the README shows is one of the recipes', async (t) => {
  const blocks = blocksOf(await read('README.md')).filter(({ source }) => source !== undefined);
  t.equal(blocks.length, 1);
  for (const { source = '', code } of blocks) t.equal(code, await codeAt(source), source);
});
