// Writes lib/generated/: the compiled JSON Schemas.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'lib/generated');

/** Bundles one file, or code without a file, and returns the text. */
async function bundle(options) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

/** Imports a TypeScript module, so that no build has to come first. */
async function importTypeScript(path) {
  const code = await bundle({ entryPoints: [path], format: 'esm', platform: 'node' });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

/** Returns the schema with a keyword at every string. The schemas themselves are also documentation. */
function withStringKeyword(schema, keyword) {
  const { type, items, properties } = schema;
  return {
    ...schema,
    ...([type].flat().includes('string') && { [keyword]: true }),
    ...(items && { items: withStringKeyword(items, keyword) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, withStringKeyword(child, keyword)]),
      ),
    }),
  };
}

/** Returns one module that checks request bodies. It needs neither ajv nor `eval` at run time. */
async function compileSchemas() {
  const { claimSubmissionSchema, linkRequestSchema } = await importTypeScript('lib/core/schemas.ts');
  const { STORABLE } = await importTypeScript('lib/core/compiled-schema.ts');
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  });
  formats.default(ajv, ['date']);
  ajv.addKeyword({
    keyword: STORABLE,
    type: 'string',
    schemaType: 'boolean',
    code: (context) => context.fail(_`${context.data}.includes("\\0") || !${context.data}.isWellFormed()`),
  });
  for (const schema of [linkRequestSchema, claimSubmissionSchema]) {
    ajv.addSchema(withStringKeyword(schema, STORABLE));
  }
  const contents = standalone.default(ajv, {
    checkLinkRequest: linkRequestSchema.$id,
    checkClaimSubmission: claimSubmissionSchema.$id,
  });
  const code = await bundle({
    stdin: { contents, resolveDir: ROOT },
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    minifySyntax: true,
  });
  // Coverage is about code that people write.
  return `// @ts-nocheck: ajv writes plain JavaScript.\n/* c8 ignore start */\n${code}`;
}

/** Leaves a file alone that is up to date: another process may be reading it. */
function write(name, source, code) {
  const path = join(OUTPUT, name);
  const text = `// Written by \`npm run generate\` from ${source}: do not edit.\n${code}`;
  if (read(path) !== text) writeFileSync(path, text);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

mkdirSync(OUTPUT, { recursive: true });
write('validators.ts', 'lib/core/schemas.ts', await compileSchemas());
