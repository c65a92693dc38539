// A program in the oldest TypeScript that README names compiles against every subpath, with all declarations checked.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readDocument } from '../docs/markdown.js';
import { IS_LONG } from '../size.js';
import { createFolder, install, installPackage, ROOT, run, TYPES } from './programs.js';

const [, oldest] = /TypeScript (\d+\.\d+) or newer/.exec(readDocument('README.md')) ?? [];

t.test('README names the oldest TypeScript', async (t) => {
  t.match(oldest, /^5\.\d+$/);
});

const skip = !IS_LONG && 'it installs packages: CLAIMLINK_TESTS=long runs it';

t.test(`TypeScript ${oldest} compiles a program that imports every subpath`, { skip }, async (t) => {
  const { tarball } = await installPackage();
  const folder = await createFolder(t);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await install(folder, `typescript@~${oldest}.0`, tarball.file);
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const lines = Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath, index) => `export * as m${index} from '${subpath.replace('.', 'claimlink')}';`);
  await writeFile(join(folder, 'all.ts'), lines.join('\n'));
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [TYPES],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['all.ts'] }));
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '--version'], folder);
  t.match(stdout, `Version ${oldest}.`);
  await t.resolves(run(process.execPath, [compiler, '-p', '.'], folder));
});
