// The code in docs/runtimes.md is the code of test/runtimes/hosts, which test/runtimes runs.
import t from 'tap';
import { codeAt, codeBlocks, readDocument } from './markdown.js';

t.test('each block of JavaScript of docs/runtimes.md is a host', async (t) => {
  const blocks = codeBlocks(readDocument('docs/runtimes.md')).filter(({ language }) => language === 'js');
  t.same(
    blocks.map(({ source }) => source),
    ['node', 'bun', 'deno', 'workerd'].map((name) => `test/runtimes/hosts/${name}.mjs`),
  );
  for (const { source = '', code } of blocks) t.equal(code, codeAt(source), source);
});
