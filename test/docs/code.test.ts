// The code in the documents compiles against the built package, and its commands exist.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createProgram, toWords } from '../../mock-server/cli/program.js';
import { REPOSITORY } from '../repository.js';
import { codeBlocks, DOCUMENTS, readDocument } from './markdown.js';
import { createWorkspace, startNode } from './workspace.js';

/** Names that the code in the documents uses without declaring them. */
const CONTEXT = `
declare const claimlink: import('claimlink').Claimlink;
declare const storage: import('claimlink').AdminStorage;
declare const connectionString: string;
declare const key: string;
declare const accessCode: string;
declare const token: string;
declare const claim: unknown;
declare function test(name: string, run: () => Promise<void>): void;
declare function createMyStorage(): import('claimlink').AdminStorage;
declare function insertIntoMyTables(table: string, row: object): Promise<void>;
`;

const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

t.test('every block of TypeScript compiles', async (t) => {
  const folder = await createWorkspace(t);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  await writeFile(join(folder, 'context.d.ts'), CONTEXT);
  const blocks = DOCUMENTS.flatMap((path) =>
    codeBlocks(readDocument(path))
      .filter(({ language }) => language === 'ts')
      .map(({ code }, index) => ({ name: `${path.replaceAll(/\W/g, '-')}-${index}.ts`, code })),
  );
  t.ok(blocks.length >= 12, `${blocks.length} blocks`);
  for (const { name, code } of blocks) await writeFile(join(folder, name), `${code}\nexport {};\n`);
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', REPOSITORY));
  const program = startNode(t, folder, [compiler, '-p', '.']);
  const [exitCode] = await once(program.child, 'close');
  t.equal(exitCode, 0, program.output());
});

t.test('every block of JavaScript is run by a test', async (t) => {
  // readme.test.ts runs those of README. Those of recipes.md are pieces of files that test/recipes runs.
  // test/package/esm.test.ts runs those of esm.md.
  const documents = DOCUMENTS.filter((path) =>
    codeBlocks(readDocument(path)).some(({ language }) => ['js', 'mjs', 'javascript'].includes(language)),
  );
  t.same(documents.sort(), ['README.md', 'docs/esm.md', 'docs/recipes.md']);
  t.equal(codeBlocks(readDocument('README.md')).filter(({ language }) => language === 'js').length, 2);
});

t.test('the documents show commands and flags that exist', async (t) => {
  const { stdout, stderr } = process;
  const program = createProgram({}, { stdout, stderr, signals: process, exit: process.exit }, () => {});
  const shell = DOCUMENTS.flatMap((path) => codeBlocks(readDocument(path)))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n'));
  const lines = shell.flatMap((line) => /(?:npx |\/)claimlink\b(.*?)(?: #.*)?$/.exec(line)?.[1] ?? []);
  t.ok(lines.length >= 5, `${lines.length} commands`);
  for (const line of lines) {
    let command = program;
    for (const word of toWords(line.trim().split(/\s+/).filter(Boolean))) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined) break;
      command = next;
    }
    t.same(command.commands, [], `claimlink${line} names a command`);
    const flags = command.options.map(({ long, hidden }) => (hidden ? undefined : long));
    for (const [flag] of line.matchAll(/--[\w-]+/g)) t.ok(flags.includes(flag), `claimlink${line}: ${flag}`);
  }
});
