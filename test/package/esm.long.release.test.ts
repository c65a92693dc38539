// Runs every block of docs/esm.md against the packed package: files are written, commands are run in their order.
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { codeBlocks, readDocument } from '../docs/markdown.js';
import { IS_LONG, IS_RELEASE } from '../size.js';
import { createFolder, installPackage, ROOT, run } from './programs.js';

/** A section of the document, and where its tools are installed. */
interface Section {
  title: string;
  /** The folder whose `npm ci` installs the tools. Absent: the tools are development dependencies. */
  tools?: string;
  /** It takes seconds, so it runs in a long run only. */
  isSlow?: true;
}

const SECTIONS: readonly Section[] = [
  { title: 'CommonJS: require' },
  { title: 'CommonJS: import()', isSlow: true },
  { title: 'TypeScript that compiles to CommonJS', isSlow: true },
  { title: 'Jest', tools: 'examples/recipes' },
  { title: 'Bundlers', tools: 'test/package/bundlers' },
];

const sections = new Map(
  readDocument('docs/esm.md')
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.split('\n', 1)[0] ?? '', text]),
);

t.test('the list in this test names every section', async (t) => {
  t.strictSame(
    [...sections.keys()],
    SECTIONS.map(({ title }) => title),
  );
});

for (const { title, tools, isSlow } of SECTIONS) {
  const isInstalled = tools === undefined || existsSync(join(ROOT, tools, 'node_modules/.package-lock.json'));
  const isShort = !isSlow && tools === undefined;
  const install = tools === undefined ? '' : `npm ci --prefix ${tools}, and `;
  // A release must have the tools. CI does not install them.
  const canRun = isShort || (IS_LONG && (isInstalled || IS_RELEASE));
  const skip = !canRun && `it needs ${install}CLAIMLINK_TESTS=long`;
  t.test(`the programs of "${title}" run as the document says`, { skip }, async (t) => {
    await runSection(t, sections.get(title) ?? '', tools);
  });
}

/** Runs the blocks of a section in a folder of a CommonJS package that has claimlink installed. */
async function runSection(t: Test, text: string, tools: string | undefined): Promise<void> {
  const { folder: installed } = await installPackage();
  const folder = await createFolder(t);
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const programs = ['.', ...(tools === undefined ? [] : [tools])];
  const path = programs.map((place) => join(ROOT, place, 'node_modules/.bin'));
  const env = { PATH: [...path, process.env['PATH']].join(delimiter) };
  let checks = 0;
  for (const { language, code, source } of codeBlocks(text)) {
    if (source !== undefined) {
      await writeFile(join(folder, source), code);
      continue;
    }
    t.equal(language, 'sh', 'a block is a file or a list of commands');
    for (const line of code.trim().split('\n')) {
      const [command = '', expected] = line.split(/ # prints:? /, 2);
      // The tools are found by PATH, so npx has nothing to do.
      const { stdout, stderr } = await run('sh', ['-c', command.replace(/\bnpx /, '')], folder, env);
      if (expected === undefined) continue;
      checks += 1;
      const [output = ''] = expected.split(':', 1);
      t.match(
        (stdout + stderr).replaceAll(/ +/g, ' '),
        expected.startsWith('Tests') ? expected : `${output}\n`,
      );
    }
  }
  t.ok(checks > 0, `${checks} outputs were checked`);
}
