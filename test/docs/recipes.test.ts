// The code in docs/recipes.md and the JavaScript in docs/observability.md is the code of examples/recipes, which test/recipes runs.
import t from 'tap';
import { codeAt, codeBlocks, readDocument } from './markdown.js';

t.test('each block of code of docs/recipes.md is a piece of a recipe', async (t) => {
  const blocks = codeBlocks(readDocument('docs/recipes.md'));
  for (const { source, code } of blocks) {
    t.match(source, /^examples\/recipes\//, `the comment before it names the file of: ${code.slice(0, 60)}`);
    if (source !== undefined) t.equal(code, codeAt(source), source);
  }
  for (const runner of ['tap', 'node-test', 'vitest', 'jest', 'playwright', 'msw'])
    t.ok(
      blocks.some(({ source }) => source?.startsWith(`examples/recipes/${runner}/`)),
      `${runner} has a recipe`,
    );
});

t.test('each block of JavaScript of docs/observability.md is a piece of a recipe', async (t) => {
  const blocks = codeBlocks(readDocument('docs/observability.md')).filter(
    ({ language }) => language === 'js',
  );
  t.equal(blocks.length, 3);
  for (const { source = '', code } of blocks) {
    t.match(source, /^examples\/recipes\/observability\//, `the comment before: ${code.slice(0, 60)}`);
    t.equal(code, codeAt(source), source);
  }
});
