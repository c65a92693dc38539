// The size of claimlink in a host that is bundled for a platform with a limit on scripts.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import t from 'tap';
import { REPOSITORY } from '../repository.js';

const MAX_BYTES = 365_568;
/** The texts of the pages in the languages other than English, together. esbuild writes an Arabic letter with six bytes. */
const MAX_LANGUAGE_BYTES = 184_320;
const LANGUAGE = /\/locales\/(?!en\.ts$)[a-z]{2}\.ts$/;
/** The largest inputs that the report of a failure names. */
const REPORTED_INPUTS = 15;

/** From the sources, of which the report shows each. In the package they are in chunks, which become the same bundle. */
const HOST = `
export { createClaimlink, createLinkSigner } from './lib/index.ts';
export { createFetchHandler } from './lib/adapters/fetch.ts';
`;

/** What the SQLite storage adds to a host. */
const MAX_SQLITE_BYTES = 36_864;

/** What `claimlink/embed` adds to a page. */
const MAX_EMBED_BYTES = 2_000;

type Bundle = Awaited<ReturnType<typeof bundle>>;

/** Returns the files that are loaded with the host: its own and those that it imports, without what is loaded on use. */
function loadedFiles({ metafile: { outputs } }: Bundle): Bundle['metafile']['outputs'][string][] {
  const paths = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === '<stdin>'));
  for (const path of paths)
    for (const { kind, path: imported } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs) paths.add(imported);
  return [...paths].flatMap((path) => outputs[path] ?? []);
}

function bytesOf(built: Bundle): number {
  return loadedFiles(built).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Bundles a host from the sources, as a platform gets it. What is loaded on use is a file of its own, after the host. */
function bundle(contents: string) {
  return build({
    stdin: { contents, resolveDir: fileURLToPath(REPOSITORY) },
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    minify: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
}

t.test(`a bundle with the fetch handler has at most ${MAX_BYTES} bytes beside languages`, async (t) => {
  const host = await bundle(HOST);
  const inputs = loadedFiles(host)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .map(([path, { bytesInOutput }]) => ({ path, bytes: bytesInOutput }))
    .sort((a, b) => b.bytes - a.bytes);
  t.ok(
    inputs.some(({ path }) => path === 'lib/claimlink.ts'),
    'the bundle has claimlink',
  );
  const languageBytes = inputs
    .filter(({ path }) => LANGUAGE.test(path))
    .reduce((sum, { bytes }) => sum + bytes, 0);
  t.ok(languageBytes > 0 && languageBytes <= MAX_LANGUAGE_BYTES, `${languageBytes} bytes of languages`);
  const bytes = bytesOf(host) - languageBytes;
  t.ok(bytes <= MAX_BYTES, `${bytes} bytes`, { largest: inputs.slice(0, REPORTED_INPUTS) });
  t.strictSame(
    inputs
      .map(({ path }) => path)
      .filter((path) => /node_modules\/(?:ajv|ajv-formats|fastify|qr|yaml)\//.test(path)),
    [],
    'no module of the mock or of a framework, and none that is loaded on use',
  );
});

t.test(`the SQLite storage adds at most ${MAX_SQLITE_BYTES} bytes, and no package`, async (t) => {
  const sizes = await Promise.all(
    [HOST, `${HOST}export { createSqliteStorage, migrate } from './lib/storage/sqlite/index.ts';`].map(
      bundle,
    ),
  );
  const [without = Number.NaN, withSqlite = Number.NaN] = sizes.map(bytesOf);
  t.ok(withSqlite - without <= MAX_SQLITE_BYTES, `${withSqlite - without} bytes`);
  const [packagesWithout, packagesWith] = sizes.map(({ metafile }) =>
    Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/')),
  );
  t.strictSame(packagesWith, packagesWithout);
});

t.test(`claimlink/embed has fewer than ${MAX_EMBED_BYTES} bytes, and imports nothing`, async (t) => {
  const { outputFiles, metafile } = await bundle(`export { embedClaim } from './lib/embed/index.ts';`);
  const bytes = outputFiles[0]?.contents.length ?? Number.NaN;
  t.ok(bytes < MAX_EMBED_BYTES, `${bytes} bytes`);
  t.strictSame(
    Object.keys(metafile.inputs).filter((path) => path !== '<stdin>'),
    ['lib/embed/index.ts'],
  );
});
