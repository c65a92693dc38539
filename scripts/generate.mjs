// Writes lib/generated/: the compiled JSON Schemas, the examples of the OpenAPI document, and the scripts and the
// stylesheets of the standalone pages. Writes mock-server/generated/: the compiled JSON Schemas of the mock, and the
// script and the stylesheet of the dashboard. Writes the types of settings into
// lib/core/types.ts, and the JSON Schema of scenarios for editors into fixtures.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import { Type } from 'ajv/dist/compile/util.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { withSettings } from './settings-interface.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The oldest browsers that run the pages' scripts: they have ES2021 and `Element.replaceChildren`. */
const BROWSERS = ['chrome86', 'firefox79', 'safari14.1'];

/** The oldest browsers that show the dashboard: they have `light-dark()`. */
const DEVELOPER_BROWSERS = ['chrome123', 'firefox120', 'safari17.5'];

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

/**
 * Splits schemas into parts that refer to each other, and returns them with the name of the part of each schema.
 * Equal parts have one name, so that ajv writes one function for them. `change` may change each node. What is below
 * `additionalProperties` is no part: ajv copies all errors for each member that is wrong by a part.
 */
function toParts(schemas, change = (node) => node) {
  const namesByJson = new Map();
  const refer = (schema) => ({ $ref: nameOf(schema) });
  const inline = (schema) => toPart(schema, inline);
  function toPart({ $id: _id, items, properties, additionalProperties, ...node }, toChild) {
    const part = change(node);
    if (items) part.items = toChild(items);
    if (properties)
      part.properties = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toChild(property)]),
      );
    if (additionalProperties !== undefined)
      part.additionalProperties =
        typeof additionalProperties === 'object' ? inline(additionalProperties) : additionalProperties;
    return part;
  }
  function nameOf(schema) {
    const json = JSON.stringify(toPart(schema, refer));
    if (!namesByJson.has(json)) namesByJson.set(json, `part${namesByJson.size}`);
    return namesByJson.get(json);
  }
  const names = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, nameOf(schema)]));
  return { parts: [...namesByJson].map(([json, name]) => [name, JSON.parse(json)]), names };
}

/**
 * Returns whether a text is a date of the calendar, YYYY-MM-DD. Its source goes into the module, because ajv would
 * import all formats of ajv-formats for this one.
 */
function isCalendarDate(text) {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Counts lengths in UTF-16 code units, as HTML does, and as claimlink does for ids. ajv would log that the option is
 * deprecated. Mistakes in schemas are errors, because of `strict`.
 */
const CODE_UNITS = { unicode: false, logger: false };

/** Returns one module that checks request bodies. It needs neither ajv nor `eval` at run time. */
async function compileSchemas() {
  const { claimSubmissionSchema, linkRequestSchema, STORABLE, storedClaimSchema } =
    await importTypeScript('lib/core/schemas.ts');
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    ...CODE_UNITS,
    messages: false,
    inlineRefs: false,
    code: { source: true, esm: true, formats: _`FORMATS` },
  });
  ajv.addFormat('date', isCalendarDate);
  ajv.addFormat('date-or-empty', isCalendarDate);
  ajv.addKeyword({
    keyword: STORABLE,
    type: 'string',
    schemaType: 'boolean',
    code: (context) => context.fail(_`${context.data}.includes("\\0") || !${context.data}.isWellFormed()`),
  });
  const { parts, names } = toParts(
    {
      checkLinkRequest: linkRequestSchema,
      checkClaimSubmission: claimSubmissionSchema,
      // One function checks an incident. `parseSession` checks what the photos of a session have beside.
      checkStoredClaim: {
        ...storedClaimSchema,
        properties: { ...storedClaimSchema.properties, incident: claimSubmissionSchema.properties.incident },
      },
    },
    ({ description: _, ...node }) => ({
      ...node,
      ...([node.type].flat().includes('string') && { [STORABLE]: true }),
    }),
  );
  for (const [name, part] of parts) ajv.addSchema(part, name);
  const checks = standalone.default(ajv, names);
  return bundleChecks(
    `const FORMATS = { date: ${isCalendarDate}, "date-or-empty": (text) => text === "" || FORMATS.date(text) };\n${checks}`,
    ['schemaPath'],
  );
}

/** Returns the module of the code that ajv wrote. Members that only this code reads get short names. */
async function bundleChecks(contents, unread = []) {
  const code = await bundle({
    stdin: { contents, resolveDir: ROOT },
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    external: ['../schemas/formats.js'],
    minifySyntax: true,
    mangleProps: new RegExp(`^(?:${['parentData', 'parentDataProperty', 'rootData', ...unread].join('|')})$`),
  });
  // Coverage is about code that people write.
  return `// @ts-nocheck: ajv writes plain JavaScript.\n/* c8 ignore start */\n${code}`;
}

/**
 * Returns the keyword `items` with two bounds, because ajv copies all errors for each wrong item: it stops after so many wrong
 * items, and checks none of a list that is too long.
 */
const boundedItems = (maxWrong) => ({
  keyword: 'items',
  type: 'array',
  schemaType: ['object', 'boolean'],
  code(context) {
    const { gen, data, keyword, parentSchema } = context;
    const { maxItems = Number.MAX_SAFE_INTEGER } = parentSchema;
    const valid = gen.name('valid');
    const wrong = gen.let('wrong', 0);
    gen.if(_`${data}.length <= ${maxItems}`, () =>
      gen.forRange('i', 0, _`${data}.length`, (i) => {
        context.subschema({ keyword, dataProp: i, dataPropType: Type.Num }, valid);
        gen.if(_`!${valid} && ++${wrong} === ${maxWrong}`, () => gen.break());
      }),
    );
    context.ok(_`${wrong} === 0`);
  },
});

/** Returns one module that checks what a mock is given. With ajv at run time, a mock would take longer to start. */
async function compileMockSchemas() {
  const { FORMATS, MAX_PROBLEMS, SCHEMAS } = await importTypeScript('mock-server/control/schemas.ts');
  const ajv = new Ajv({
    strict: true,
    strictRequired: false, // `anyOf` requires one of several members
    ...CODE_UNITS,
    strictTypes: false, // `pattern` beside `type: [integer, string]`
    allowUnionTypes: true,
    allErrors: true,
    verbose: true,
    messages: false,
    inlineRefs: false,
    formats: FORMATS,
    code: { source: true, esm: true, formats: _`FORMATS` },
  });
  ajv.removeKeyword('items');
  ajv.addKeyword(boundedItems(MAX_PROBLEMS));
  const { parts, names } = toParts(SCHEMAS);
  for (const [name, part] of parts) ajv.addSchema(part, name);
  const used = [...new Set(Object.values(names))];
  const checks = standalone.default(ajv, Object.fromEntries(used.map((name) => [name, name])));
  const members = Object.entries(names).map(([name, part]) => `${name}: ${part}`);
  return bundleChecks(
    `import { FORMATS } from '../schemas/formats.js';\n${checks}\nexport const CHECKS = { ${members.join(', ')} };`,
  );
}

/** Returns a script or a stylesheet as it goes into a page. */
async function bundleForBrowser(path, target = BROWSERS) {
  const code = (
    await bundle({
      entryPoints: [path],
      format: 'iife',
      minify: true,
      target,
      // Chrome had a bug with spread arguments after `?.` until 91. The pages have none, and each `?.` is 30 bytes else.
      supported: { 'optional-chain': true },
      jsx: 'automatic',
      jsxImportSource: 'preact',
    })
  ).trimEnd();
  // esbuild escapes `</script` and `</style`. A comment that opens in a script would hide the end of its element.
  if (/<\/(?:script|style)|<!--/i.test(code)) throw new Error(`${path} must not end the element around it`);
  return code;
}

/** Returns a stylesheet as it goes into a page. esbuild keeps the space before the value of a custom property. */
async function bundleStyle(path) {
  return (await bundleForBrowser(path)).replaceAll(/(--[\w-]+): /g, '$1:');
}

/** Returns the scripts and stylesheets of the parts that only some pages have, without those of photos: `parts/phone.css` as `PHONE_STYLE`. */
async function bundleParts(folder) {
  const parts = readdirSync(join(ROOT, folder))
    .filter((file) => !file.startsWith('photos'))
    .sort();
  return Promise.all(
    parts.map(async (file) => {
      const { name, ext } = parse(file);
      const constant = name.replaceAll('-', '_').toUpperCase();
      const path = `${folder}/${file}`;
      return ext === '.css'
        ? [`${constant}_STYLE`, await bundleStyle(path)]
        : [`${constant}_SCRIPT`, await bundleForBrowser(path)];
    }),
  );
}

/** Returns a module that exports the pages' scripts and their stylesheets as strings. */
async function bundlePageAssets() {
  const folder = 'lib/widget/browser';
  return toModule({
    HEAD_SCRIPT: await bundleForBrowser(`${folder}/head.ts`),
    FORM_SCRIPT: await bundleForBrowser(`${folder}/form.ts`),
    FRAME_SCRIPT: await bundleForBrowser(`${folder}/frame.ts`),
    RESULT_SCRIPT: await bundleForBrowser(`${folder}/result.ts`),
    STYLE: await bundleStyle(`${folder}/style.css`),
    RESULT_STYLE: await bundleStyle(`${folder}/result.css`),
    ...Object.fromEntries(await bundleParts(`${folder}/parts`)),
  });
}

/** The scripts of photos, in their order: the first one has what the others use. */
const PHOTOS_SCRIPTS = ['', '-scale', '-send', '-row', '-choose', '-wait', '-remove'].map(
  (name) => `photos${name}.ts`,
);

/** Joins scripts. The first one is strict for all. */
function inOneElement(scripts) {
  return scripts.map((script, index) => script.slice(index && '"use strict";'.length)).join('');
}

/** Returns a module with the style and the script of photos, which are loaded with the form of a client that takes them. */
async function bundlePhotos() {
  const folder = 'lib/widget/browser/parts';
  return toModule({
    PHOTOS_STYLE: await bundleStyle(`${folder}/photos.css`),
    PHOTOS_SCRIPT: inOneElement(
      await Promise.all(PHOTOS_SCRIPTS.map((file) => bundleForBrowser(`${folder}/${file}`))),
    ),
  });
}

/** Returns a module that exports the script of the dashboard and its stylesheet as strings. */
async function bundleDashboard() {
  const folder = 'mock-server/dashboard';
  return toModule({
    DASHBOARD_SCRIPT: await bundleForBrowser(`${folder}/main.tsx`, DEVELOPER_BROWSERS),
    DASHBOARD_STYLE: await bundleForBrowser(`${folder}/style.css`, DEVELOPER_BROWSERS),
  });
}

function toModule(assets) {
  return Object.entries(assets)
    .map(([name, code]) => `export const ${name}: string = ${JSON.stringify(code)};\n`)
    .join('');
}

/** Returns the fixtures of a folder by their names: JSON as a value, pages as text. */
function readFixtures(folder, names) {
  const files = readdirSync(join(ROOT, 'fixtures', folder))
    .filter((file) => names?.includes(parse(file).name) ?? true)
    .sort();
  return Object.fromEntries(
    files.map((file) => {
      const { name, ext } = parse(file);
      const text = readFileSync(join(ROOT, 'fixtures', folder, file), 'utf8');
      return [name, ext === '.json' ? JSON.parse(text) : text];
    }),
  );
}

/** Returns a problem without the members that follow from its code. */
function withoutKnown(response) {
  if (response.code === undefined) return response;
  const { type: _type, title: _title, status: _status, ...problem } = response;
  return problem;
}

/** Returns a module with the fixtures that the OpenAPI document may show as examples. */
function collectExamples() {
  const isFixed = ([, { title, detail }]) => title === undefined || detail !== `${title}.`;
  const fixtures = {
    requests: readFixtures('requests/valid', ['minimal', 'full']),
    submissions: readFixtures('submissions'),
    // lib writes a problem whose detail is its title itself, and what a problem has by its code.
    responses: Object.fromEntries(
      Object.entries(readFixtures('responses'))
        .filter(isFixed)
        .map(([name, value]) => [name, withoutKnown(value)]),
    ),
    pages: readFixtures('pages'),
    webhooks: readFixtures('webhooks'),
  };
  const type = 'Readonly<Record<string, Readonly<Record<string, unknown>>>>';
  return `export const FIXTURES: ${type} = ${JSON.stringify(fixtures, null, 2)};\n`;
}

function write(output, source, code) {
  const path = join(ROOT, output);
  mkdirSync(dirname(path), { recursive: true });
  update(path, `// Written by \`npm run generate\` from ${source}: do not edit.\n${code}`);
}

/** Leaves a file alone that is up to date: another process may be reading it. */
function update(path, text) {
  if (read(path) !== text) writeFileSync(path, text);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

write('lib/generated/validators.ts', 'lib/core/schemas.ts', await compileSchemas());
write('lib/generated/examples.ts', 'fixtures', collectExamples());
write('lib/generated/page-assets.ts', 'lib/widget/browser', await bundlePageAssets());
write('lib/generated/photo-assets.ts', 'lib/widget/browser/parts', await bundlePhotos());
write('mock-server/generated/schema-checks.ts', 'mock-server/control/schemas.ts', await compileMockSchemas());
write('mock-server/generated/dashboard.ts', 'mock-server/dashboard', await bundleDashboard());

const { SCHEMAS } = await importTypeScript('mock-server/control/schemas.ts');
update(
  join(ROOT, 'fixtures/scenarios/scenario.schema.json'),
  `${JSON.stringify(SCHEMAS.scenario, undefined, 2)}\n`,
);

const { SETTINGS } = await importTypeScript('lib/core/settings.ts');
const types = join(ROOT, 'lib/core/types.ts');
update(types, withSettings(read(types), SETTINGS, read(join(ROOT, 'lib/core/settings.ts'))));
