// The hosts in docs/mounting.md are those of test/runtimes/hosts, which test/runtimes runs.
import t from 'tap';
import { codeBlocks, readDocument } from './markdown.js';

t.test('docs/mounting.md has a host for each runtime', async (t) => {
  const blocks = codeBlocks(readDocument('docs/mounting.md')).filter(({ language }) => language === 'js');
  t.same(
    blocks.map(({ source }) => source),
    ['node', 'bun', 'deno', 'workerd'].map((name) => `test/runtimes/hosts/${name}.mjs`),
  );
});
