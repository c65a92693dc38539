// Programs in the oldest TypeScript that README names compile against every subpath, with all declarations checked.
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

/** What a program for browsers imports. Its types need the DOM, and those of the other subpaths need Node. */
const FOR_BROWSERS = './embed';

const skip = !IS_LONG && 'it installs packages: CLAIMLINK_TESTS=long runs it';

t.test(`TypeScript ${oldest} compiles programs that import every subpath`, { skip }, async (t) => {
  const { tarball } = await installPackage();
  const folder = await createFolder(t);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await install(folder, `typescript@~${oldest}.0`, tarball.file);
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== './package.json');
  const write = async (
    name: string,
    imported: readonly string[],
    lib: readonly string[],
    types: string[],
  ) => {
    const lines = imported.map(
      (subpath, index) => `export * as m${index} from '${subpath.replace('.', 'claimlink')}';`,
    );
    await writeFile(join(folder, `${name}.ts`), lines.join('\n'));
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', ...lib],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      types,
      typeRoots: [TYPES],
    };
    await writeFile(
      join(folder, `tsconfig.${name}.json`),
      JSON.stringify({ compilerOptions, files: [`${name}.ts`] }),
    );
  };
  const forNode = subpaths.filter((subpath) => subpath !== FOR_BROWSERS);
  t.equal(forNode.length, subpaths.length - 1);
  await write('node', forNode, ['esnext.disposable'], ['node']);
  await write('browser', [FOR_BROWSERS], ['dom'], []);
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '--version'], folder);
  t.match(stdout, `Version ${oldest}.`);
  for (const name of ['node', 'browser'])
    await t.resolves(run(process.execPath, [compiler, '-p', `tsconfig.${name}.json`], folder), name);
});
