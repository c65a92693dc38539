// The architecture holds: its rules, read off the import specifiers of all sources.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { REPOSITORY } from '../repository.js';
import { type Sources, violationsOf } from './import-rules.js';

function sourcesIn(...folders: string[]): Sources {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(new URL(folder, REPOSITORY), { recursive: true, encoding: 'utf8' })) {
      const path = `${folder}/${entry.replaceAll('\\', '/')}`;
      if (path.endsWith('.ts')) sources.set(path, readFileSync(new URL(path, REPOSITORY), 'utf8'));
    }
  }
  return sources;
}

t.test('lib and mock-server keep every rule', async (t) => {
  const sources = sourcesIn('lib', 'mock-server');
  t.ok(sources.size > 30, 'the sources are found');
  t.strictSame(violationsOf(sources), []);
});

t.test('no source asks URL.canParse, which forgets non-ASCII URLs once it is optimised', async (t) => {
  const asking = [...sourcesIn('lib', 'mock-server')].filter(([, text]) => /URL\.canParse\(/.test(text));
  t.strictSame(
    asking.map(([path]) => path),
    [],
  );
});

const HEAD = '// A made-up file for a test.\n';
const CORE = { 'lib/core/types.ts': `${HEAD}export type A = 1;\n`, 'lib/core/service.ts': HEAD };

/** Files that break exactly one rule, and the violation that is told. */
const MADE_UP: Record<string, [files: Record<string, string>, violation: string]> = {
  'core imports an adapter': [
    { 'lib/core/a.ts': "import '../adapters/node.js';", 'lib/adapters/node.ts': '' },
    'lib/core/a.ts must not import lib/adapters/node.ts',
  ],
  'core imports a type of the composition root': [
    { 'lib/core/a.ts': "import type { C } from '../claimlink.js';", 'lib/claimlink.ts': '' },
    'lib/core/a.ts must not import lib/claimlink.ts',
  ],
  'core imports another builtin': [
    { 'lib/core/a.ts': "import fs from 'node:fs';" },
    'lib/core/a.ts must not import node:fs',
  ],
  'core imports a package dynamically': [
    { 'lib/core/a.ts': "await import('fastify');" },
    'lib/core/a.ts must not import fastify',
  ],
  'core re-exports a storage': [
    { 'lib/core/a.ts': "export * from '../storage/memory.js';", 'lib/storage/memory.ts': '' },
    'lib/core/a.ts must not import lib/storage/memory.ts',
  ],
  'a storage imports the widget': [
    { 'lib/storage/a.ts': "import '../widget/index.js';", 'lib/widget/index.ts': '' },
    'lib/storage/a.ts must not import lib/widget/index.ts',
  ],
  'the test kit imports a storage': [
    { 'lib/testing/a.ts': "import '../storage/memory.js';", 'lib/storage/memory.ts': '' },
    'lib/testing/a.ts must not import lib/storage/memory.ts',
  ],
  'the test kit imports a test runner': [
    { 'lib/testing/a.ts': "import t from 'tap';" },
    'lib/testing/a.ts must not import tap',
  ],
  'one mount imports another': [
    { 'lib/adapters/node.ts': "import './fetch.js';", 'lib/adapters/fetch.ts': '' },
    'lib/adapters/node.ts and lib/adapters/fetch.ts must not know one another',
  ],
  'the Node adapter imports fastify': [
    { 'lib/adapters/node.ts': "import type { FastifyRequest } from 'fastify';" },
    'lib/adapters/node.ts must leave fastify to its adapter',
  ],
  'lib imports the mock server': [
    { 'lib/claimlink.ts': "import '../mock-server/app.js';", 'mock-server/app.ts': '' },
    'lib/claimlink.ts must not import mock-server/app.ts',
  ],
  'lib imports a fixture': [
    { 'lib/claimlink.ts': "import f from '../fixtures/scenarios/demo.json';" },
    'lib/claimlink.ts must not import fixtures/scenarios/demo.json',
  ],
  'lib imports faker': [
    { 'lib/storage/a.ts': "import { faker } from '@faker-js/faker';" },
    'lib/storage/a.ts must not import @faker-js/faker',
  ],
  'the mock server imports core deeply': [
    { 'mock-server/a.ts': "import '../lib/core/service.js';", ...CORE },
    'mock-server/a.ts must not import lib/core/service.ts',
  ],
  'jsonwebtoken has a second user': [
    { 'lib/core/a.ts': "import jwt from 'jsonwebtoken';" },
    'lib/core/a.ts must leave jsonwebtoken to its one user',
  ],
  'two files import one another': [
    { 'lib/core/a.ts': "import './b.js';", 'lib/core/b.ts': "import './a.js';" },
    'cycle: lib/core/a.ts -> lib/core/b.ts -> lib/core/a.ts',
  ],
  'a cycle of types': [
    {
      'lib/core/a.ts': "import { b } from './b.js';",
      'lib/core/b.ts': "import { c } from './c.js';",
      'lib/core/c.ts': "export type { A } from './a.js';",
    },
    'cycle: lib/core/a.ts -> lib/core/b.ts -> lib/core/c.ts -> lib/core/a.ts',
  ],
  'a file imports itself': [{ 'lib/core/a.ts': "import './a.js';" }, 'cycle: lib/core/a.ts -> lib/core/a.ts'],
  'an import leads nowhere': [
    { 'lib/core/a.ts': "import './gone.js';" },
    'lib/core/a.ts imports ./gone.js, which is not there',
  ],
  'an import ends in .ts': [
    { 'lib/core/a.ts': "import './types.ts';", ...CORE },
    'lib/core/a.ts: ./types.ts must end in .js',
  ],
  'a new folder in lib': [
    { 'lib/extras/a.ts': "import '../core/types.js';", ...CORE },
    'lib/extras/a.ts is in no layer',
  ],
  'a file of 301 lines': [
    { 'lib/core/a.ts': `${'\n'.repeat(299)}export {};` },
    'lib/core/a.ts has 301 lines, more than 300',
  ],
  'a file that is called utils': [
    { 'lib/core/utils.ts': '' },
    'lib/core/utils.ts must be named for what it does',
  ],
  'a folder that is called helpers': [
    { 'mock-server/helpers/a.ts': '' },
    'mock-server/helpers/a.ts must be named for what it does',
  ],
  'a name in camel case': [
    { 'lib/core/linkSigner.ts': '' },
    'lib/core/linkSigner.ts must have a kebab-case name',
  ],
  'core reads the environment': [
    { 'lib/core/a.ts': "const a = process.env['A'];" },
    'lib/core/a.ts must not read the environment',
  ],
  'core has a clock of its own': [
    { 'lib/core/a.ts': 'const a = Date.now();' },
    'lib/core/a.ts must take the time from options.now',
  ],
  'the entry holds code': [
    { 'lib/index.ts': 'const a = 1;\nexport { a };' },
    'lib/index.ts must hold re-exports and nothing else',
  ],
};

for (const [what, [files, violation]] of Object.entries(MADE_UP)) {
  t.test(`the checker tells when ${what}`, async (t) => {
    const sources = new Map(
      Object.entries(files).map(([path, code]) => [path, HEAD + code.replace(HEAD, '')]),
    );
    t.ok(violationsOf(sources).includes(violation), violation, { told: violationsOf(sources) });
  });
}

t.test('the checker tells when a file opens without its comment', async (t) => {
  const sources = new Map([['lib/core/a.ts', 'export {};\n']]);
  t.strictSame(violationsOf(sources), ['lib/core/a.ts must open with a line that says what it is for']);
});

t.test('the checker has nothing against files that keep the rules', async (t) => {
  const sources = new Map([
    ['lib/core/types.ts', HEAD],
    [
      'lib/core/service.ts',
      `${HEAD}import { hash } from 'node:crypto';\nimport type { A } from './types.js';\n`,
    ],
    [
      'lib/index.ts',
      `${HEAD}export {\n  a,\n} from './core/service.js';\nexport type * from './core/types.js';\n`,
    ],
    [
      'mock-server/cli.ts',
      `#!/usr/bin/env node\n${HEAD}import '../lib/index.js';\nimport '@faker-js/faker/locale/en';\n`,
    ],
  ]);
  t.strictSame(violationsOf(sources), []);
});
