// The rules about sources: who may import whom, no cycles, and what a file looks like.
import { posix } from 'node:path';
import ts from 'typescript';

/** Sources by path from the repository's root, with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

interface Import {
  from: string;
  specifier: string;
  /** Path of a source, or the specifier itself for packages. */
  to: string;
}

interface Layer {
  /** Which files it is about. */
  of: RegExp;
  /** What they may import: paths of sources, or packages. */
  may: RegExp;
}

/** Code that `npm run generate` writes. */
const GENERATED = /^lib\/generated\//;

/** The first layer that a file belongs to counts. */
const LAYERS: readonly Layer[] = [
  {
    of: /^lib\/core\//,
    may: /^(lib\/(core|generated)\/[\w-]+\.ts|ajv|secure-json-parse|jsonwebtoken|node:crypto)$/,
  },
  // Bundled by `npm run generate`, so it imports nothing.
  { of: GENERATED, may: /^$/ },
  { of: /^lib\/storage\//, may: /^lib\/(core|storage)\/[\w-]+\.ts$/ },
  // Runs in the browser, with the modules of the widget that run there as well.
  {
    of: /^lib\/widget\/browser\//,
    may: /^lib\/(widget\/(browser\/[\w-]+|calendar-date|fields|sentence|urls))\.ts$/,
  },
  { of: /^lib\/widget\//, may: /^lib\/(core|generated|widget)\/[\w-]+\.ts$/ },
  { of: /^lib\/testing\//, may: /^(lib\/(core|testing(\/[\w-]+)?)\/[\w-]+\.ts|node:assert\/strict)$/ },
  {
    of: /^lib\/adapters\//,
    may: /^(lib\/core\/[\w-]+\.ts|lib\/claimlink\.ts|lib\/adapters\/[\w-]+\.ts|fastify|fastify-plugin|node:[\w/]+)$/,
  },
  { of: /^lib\/claimlink\.ts$/, may: /^lib\/(core\/[\w-]+|widget\/index)\.ts$/ },
  { of: /^lib\/index\.ts$/, may: /^lib\/(claimlink|(core|storage)\/[\w-]+|widget\/index)\.ts$/ },
  {
    of: /^mock-server\//,
    may: /^(mock-server\/.+\.ts|lib\/(index|adapters\/[\w-]+|storage\/[\w-]+|testing\/index)\.ts|@faker-js\/faker(\/.+)?|fastify|pg|ajv|ajv-formats|yaml|node:.+)$/,
  },
];

/** Packages that one file, or one folder, keeps to itself. */
const KEPT: Readonly<Record<string, RegExp>> = {
  pg: /^mock-server\/cli\/database\.ts$/,
  jsonwebtoken: /^lib\/core\/link-signer\.ts$/,
  ajv: /^(lib\/core\/(validators|compiled-schema)|mock-server\/scenario\/schema-check)\.ts$/,
  'ajv-formats': /^mock-server\/scenario\/schema-check\.ts$/,
  yaml: /^mock-server\/scenario\/yaml-text\.ts$/,
  'secure-json-parse': /^lib\/core\/body\.ts$/,
  'fastify-plugin': /^lib\/adapters\/fastify\.ts$/,
};

/** The mounts: a user of one must not load another. */
const MOUNT = /^lib\/adapters\/(fastify|node|fetch)\.ts$/;

const MAX_LINES = 300;

/** Everything that is against the rules, in words; sorted. */
export function violationsOf(sources: Sources): string[] {
  const imports = [...sources].flatMap(([path, source]) => importsOf(path, source));
  return [
    ...imports.flatMap(importViolations),
    ...imports.filter(({ specifier, to }) => specifier.startsWith('.') && !sources.has(to)).map(dangling),
    ...cyclesOf(imports),
    ...[...sources].flatMap(([path, source]) => fileViolations(path, source)),
  ].sort();
}

/** Every static and dynamic import and re-export, those of types included. */
function importsOf(from: string, source: string): Import[] {
  return ts.preProcessFile(source, true, true).importedFiles.map(({ fileName: specifier }) => {
    if (!specifier.startsWith('.')) return { from, specifier, to: specifier };
    return { from, specifier, to: posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') };
  });
}

function importViolations({ from, specifier, to }: Import): string[] {
  const layer = LAYERS.find(({ of }) => of.test(from));
  const violations: string[] = [];
  if (layer === undefined) violations.push(`${from} is in no layer`);
  else if (!layer.may.test(to)) violations.push(`${from} must not import ${to}`);
  if (specifier.startsWith('.') && !specifier.endsWith('.js'))
    violations.push(`${from}: ${specifier} must end in .js`);
  if (KEPT[specifier]?.test(from) === false)
    violations.push(`${from} must leave ${specifier} to its one user`);
  if (specifier === 'fastify' && from.startsWith('lib/') && from !== 'lib/adapters/fastify.ts') {
    violations.push(`${from} must leave fastify to its adapter`);
  }
  if (MOUNT.test(from) && MOUNT.test(to)) violations.push(`${from} and ${to} must not know one another`);
  return violations;
}

function dangling({ from, specifier }: Import): string {
  return `${from} imports ${specifier}, which is not there`;
}

/** One violation for each import that closes a circle. */
function cyclesOf(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    if (finished.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

function fileViolations(path: string, source: string): string[] {
  const violations: string[] = [];
  const lines = source.replace(/\n$/, '').split('\n');
  const first = lines[0]?.startsWith('#!') ? lines[1] : lines[0];
  if (lines.length > MAX_LINES && !GENERATED.test(path))
    violations.push(`${path} has ${lines.length} lines, more than ${MAX_LINES}`);
  if (!/^\/\/ \S.{10,}/.test(first ?? ''))
    violations.push(`${path} must open with a line that says what it is for`);
  if (!/^[a-z][a-z0-9/-]*\.ts$/.test(path)) violations.push(`${path} must have a kebab-case name`);
  if (/(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(path))
    violations.push(`${path} must be named for what it does`);
  if (path.startsWith('lib/') && /\bprocess\.env\b/.test(source))
    violations.push(`${path} must not read the environment`);
  if (path.startsWith('lib/') && /\bconsole\./.test(source))
    violations.push(`${path} must not write to the console`);
  if (path.startsWith('lib/') && /\bDate\.now\(/.test(source))
    violations.push(`${path} must take the time from options.now`);
  if (path === 'lib/index.ts' && /^(?!\/\/|export |\s|\}|$)/m.test(source)) {
    violations.push(`${path} must hold re-exports and nothing else`);
  }
  return violations;
}
