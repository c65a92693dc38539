// Writes the JavaScript of the package to dist/: one file for each entry of package.json, and chunks that they share.
// tsc writes the types. Node loads a few chunks faster than a file for each source file: see docs/evidence/performance.md.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { bin, exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const outputs = [...Object.values(bin), ...Object.values(exports).flatMap((entry) => entry.default ?? [])];

await build({
  absWorkingDir: ROOT,
  entryPoints: outputs.map((path) => path.replace(/^(?:\.\/)?dist\/(.*)\.js$/, '$1.ts')),
  outbase: '.',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  // The same as in tsconfig.base.json. Node 20 runs it.
  target: 'es2023',
  charset: 'utf8',
  logLevel: 'warning',
});
