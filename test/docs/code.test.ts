// The code in the documents compiles against the built package, and its commands exist.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { COMMAND_NAMES } from '../../mock-server/cli/commands.js';
import { FLAGS } from '../../mock-server/cli/flags.js';
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
  const documents = DOCUMENTS.filter((path) =>
    codeBlocks(readDocument(path)).some(({ language }) => ['js', 'mjs', 'javascript'].includes(language)),
  );
  t.same(documents.sort(), ['README.md', 'docs/recipes.md']);
  t.equal(codeBlocks(readDocument('README.md')).filter(({ language }) => language === 'js').length, 2);
});

t.test('the documents show commands and flags that exist', async (t) => {
  const flags = new Set<string>(Object.values(FLAGS).map(({ name }) => name));
  const shell = DOCUMENTS.flatMap((path) => codeBlocks(readDocument(path)))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n'));
  const commands = shell.flatMap((line) => /(?:npx |\/)claimlink (.*)$/.exec(line)?.[1] ?? []);
  t.ok(commands.length >= 5, `${commands.length} commands`);
  for (const command of commands) {
    const isCommand = COMMAND_NAMES.some((name) => command === name || command.startsWith(`${name} `));
    t.ok(isCommand, `claimlink ${command}`);
    for (const [, flag = ''] of command.matchAll(/--([\w-]+)/g)) t.ok(flags.has(flag), `--${flag}`);
  }
});
