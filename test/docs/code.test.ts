// The code in the documents compiles against the built package, its commands exist, and its data is valid.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import ts from 'typescript';
import { parse } from 'yaml';
import { createProgram, toWords } from '../../cli/program.js';
import { ClaimlinkError } from '../../lib/index.js';
import { checkScenario } from '../../mock-server/scenario/scenario-check.js';
import { REPOSITORY } from '../repository.js';
import { codeBlocks, DOCUMENTS, readDocument } from './markdown.js';
import { createWorkspace, startNode } from './workspace.js';

/** Names that the code in the documents uses without declaring them. */
const CONTEXT = `
declare const claimlink: import('claimlink').Claimlink;
declare const storage: import('claimlink').AdminStorage;
declare const app: import('fastify').FastifyInstance;
declare const pool: import('pg').Pool;
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

// test/recipes compiles the recipes.
t.test('every block of TypeScript that is no recipe compiles', async (t) => {
  const folder = await createWorkspace(t);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  await writeFile(join(folder, 'context.d.ts'), CONTEXT);
  const blocks = DOCUMENTS.flatMap((path) =>
    codeBlocks(readDocument(path))
      .filter(({ language, source }) => language === 'ts' && source === undefined)
      .map(({ code }, index) => ({ name: `${path.replaceAll(/\W/g, '-')}-${index}.ts`, code })),
  );
  t.ok(blocks.length >= 12, `${blocks.length} blocks`);
  for (const { name, code } of blocks) await writeFile(join(folder, name), `${code}\nexport {};\n`);
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', REPOSITORY));
  const program = startNode(t, folder, [compiler, '-p', '.', '--singleThreaded']);
  const [exitCode] = await once(program.child, 'close');
  t.equal(exitCode, 0, program.output());
});

t.test('the onError of observability.md logs an error and its causes with their codes', async (t) => {
  const block = blocksOf('ts').find(
    ({ path, code }) => path.endsWith('observability.md') && code.includes('onError'),
  );
  const module = ts.transpile(block?.code ?? '', {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
  });
  const { onError } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const lines: string[] = [];
  const log = t.capture(console, 'error', (line: string) => void lines.push(line));
  onError(new ClaimlinkError('storage_unavailable', undefined, { cause }), { method: 'GET', path: '/' });
  log.restore();
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ code: 'storage_unavailable', path: '/', cause: { error: `${cause}`, code: 'ECONNREFUSED' } }],
  );
});

t.test('every block of JavaScript is run by a test', async (t) => {
  // readme.test.ts runs those of README. Those of delivery.md, mounting.md, observability.md and recipes.md are
  // files that test/recipes, test/runtimes and test/examples run.
  // test/package/esm.long.release.test.ts runs those of esm.md.
  const documents = DOCUMENTS.filter((path) =>
    codeBlocks(readDocument(path)).some(({ language }) => ['js', 'mjs', 'javascript'].includes(language)),
  );
  t.same(documents.sort(), [
    'README.md',
    'docs/delivery.md',
    'docs/esm.md',
    'docs/mounting.md',
    'docs/moving-in.md',
    'docs/observability.md',
    'docs/recipes.md',
  ]);
  t.equal(codeBlocks(readDocument('README.md')).filter(({ language }) => language === 'js').length, 2);
});

/** Languages of code blocks, and who checks them. `sql` is a fragment that docs/high-availability.md discusses, or what storage tests run from docs/upgrading.md; `text` is what a command prints. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'this file compiles it, or test/recipes',
  js: 'readme.test.ts and recipes.test.ts run it',
  bash: 'ci.test.ts runs it',
  python: 'recipes.test.ts compares it, and test/recipes runs it',
  go: 'recipes.test.ts compares it, and test/recipes runs it',
  sh: 'this file parses its commands; readme.test.ts and mock.test.ts run each curl',
  json: 'this file compares it with a fixture',
  yaml: 'this file checks it as a scenario',
  nginx: 'test/hosts runs it',
  apache: 'test/hosts runs it',
  mermaid: 'this file checks its participants',
  sql: '',
  text: '',
  '': '',
};

/** The documents whose blocks are tested here. test/package/esm.long.release.test.ts runs those of esm.md. */
const CHECKED = DOCUMENTS.filter((path) => path !== 'docs/esm.md');

t.test('every block of code has a language that a test checks', async (t) => {
  for (const path of CHECKED)
    for (const { language, code } of codeBlocks(readDocument(path)))
      t.ok(Object.hasOwn(LANGUAGES, language), `${path}: ${language} of ${code.slice(0, 40)}`);
});

function blocksOf(language: string) {
  const blocks = CHECKED.flatMap((path) =>
    codeBlocks(readDocument(path)).map((block) => ({ ...block, path })),
  ).filter((block) => block.language === language);
  if (blocks.length === 0) throw new Error(`No document has a block of ${language}.`);
  return blocks;
}

t.test('every block of JSON is the fixture that the comment before it names', async (t) => {
  for (const { path, source, code } of blocksOf('json')) {
    t.match(source, /^fixtures\//, path);
    if (source !== undefined)
      t.same(JSON.parse(code), JSON.parse(readDocument(source)), `${path}: ${source}`);
  }
});

t.test('every block of YAML is a valid scenario', async (t) => {
  for (const { path, code } of blocksOf('yaml')) t.same(checkScenario(parse(code)), [], path);
});

t.test('every message of a sequence diagram is between its participants', async (t) => {
  for (const { path, code } of blocksOf('mermaid')) {
    const [head, ...lines] = code.trimEnd().split('\n');
    t.equal(head, 'sequenceDiagram', path);
    const participants = lines.flatMap((line) => /^ {2}participant (\w+) as \w/.exec(line)?.[1] ?? []);
    const messages = lines.filter((line) => !line.startsWith('  participant '));
    t.ok(messages.length > 0, path);
    for (const message of messages) {
      const [, from = '', to = ''] = /^ {2}(\w+)--?>>(\w+): [^;#]+$/.exec(message) ?? [];
      t.ok(participants.includes(from) && participants.includes(to), `${path}: ${message}`);
    }
  }
});

/** Splits a line of a shell into words. Knows single quotes, and comments after a space. */
function shellWords(line: string): string[] {
  const words = line.replace(/ +#.*$/, '').match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return words.map((word) => word.replaceAll("'", ''));
}

/** The lines of all blocks for a shell. A quoted text may continue on the next lines. */
function shellLines(): { path: string; line: string }[] {
  return blocksOf('sh').flatMap(({ path, code }) =>
    (code.match(/(?:'[^']*'|[^\n'])+/g) ?? []).map((line) => ({ path, line: line.trim() })),
  );
}

t.test('every line for a shell is a command that a test knows', async (t) => {
  const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
  const isKnown: Readonly<Record<string, (words: readonly string[], path: string) => boolean>> = {
    npm: ([verb = '', script = '']) =>
      ['ci', 'install'].includes(verb) || Object.hasOwn(scripts, verb === 'run' ? script : verb),
    npx: ([name]) => name === 'claimlink',
    curl: (_words, path) => ['README.md', 'docs/mock.md'].includes(path),
    export: ([assignment = '']) => /^[A-Z_]+=/.test(assignment),
    cd: () => true,
    node: ([file = '']) => readDocument(file) !== '',
    ...Object.fromEntries(
      ['chmod', 'cp', 'mkdir', 'mv'].map((name) => [name, (_words, path) => path === 'docs/sqlite.md']),
    ),
    ...Object.fromEntries(
      ['pg_dump', 'pg_restore', 'psql', 'umask'].map((name) => [
        name,
        (_words, path) => path === 'docs/postgres.md',
      ]),
    ),
    'node_modules/.bin/claimlink': () => true,
  };
  for (const { path, line } of shellLines()) {
    // A line of a crontab begins with five fields.
    for (const part of line.replace(/^(?:[\d*]+ ){5}/, '').split(' && ')) {
      const [program = '', ...words] = shellWords(part).filter(
        (word) => !/^[A-Z_]+=\S*$/.test(word) || part.startsWith('export '),
      );
      t.ok(isKnown[program]?.(words, path), `${path}: ${part}`);
    }
  }
});

t.test('each claimlink command in the documents is accepted with its flags and arguments', async (t) => {
  const silent = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  const io = { stdout: silent, stderr: silent, env: {}, on() {}, off() {}, exit() {} };
  // Flags that documents set by their variables.
  Object.assign(process.env, { CLAIMLINK_API_KEY: 'k', CLAIMLINK_DATABASE_URL: 'postgres://a@localhost/a' });
  const lines = shellLines().flatMap(({ line }) => /(?:npx |\/)claimlink\b(.*)$/.exec(line)?.[1] ?? []);
  t.ok(lines.length >= 10, `${lines.length} commands`);
  for (const line of lines) {
    const program = createProgram(io);
    const [commandLine = ''] = line.split(' > ');
    const words = toWords(shellWords(commandLine));
    let command = program;
    for (const word of words) command = command.commands.find((next) => next.name() === word) ?? command;
    let hasParsed = false;
    // In place of what the command does.
    command.action(() => {
      hasParsed = true;
    });
    await t.resolves(program.parseAsync(words, { from: 'user' }), `claimlink${line}`);
    t.ok(hasParsed, `claimlink${line} names a command`);
  }
});
