// A transpiler for the ts-node that tap runs tests with: TypeScript's own, whose output is kept between processes.
//
// Each test file is a process of its own, and transpiling lib/ anew in each of them took longer than most tests do.
// What is kept is named by the hash of all that it depends on, so nothing that is out of date is ever found.
'use strict';

const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const FOLDER = join(__dirname, '../node_modules/.cache/claimlink-transpiled');
const SCRIPT = readFileSync(__filename, 'utf8');
const TYPESCRIPT = require('typescript/package.json').version;

/** Called by ts-node: `transpilers` of its documentation. */
exports.create = ({ service }) => {
  const { ModuleKind, ModuleResolutionKind, transpileModule } = require('typescript');
  // Every file here is an ES module; one file alone does not tell what `nodenext` asks the nearest package.json for.
  const compilerOptions = {
    ...service.config.options,
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.Bundler,
  };
  const common = JSON.stringify([SCRIPT, TYPESCRIPT, process.version, compilerOptions]);

  return {
    transpile(text, { fileName }) {
      const key = createHash('sha256')
        .update(JSON.stringify([common, fileName, text]))
        .digest('hex');
      const file = join(FOLDER, `${key}.json`);
      const kept = read(file);
      if (kept !== undefined) return kept;
      const output = transpileModule(text, { fileName, compilerOptions, reportDiagnostics: true });
      const { outputText, sourceMapText, diagnostics = [] } = output;
      // A mistake is told each time.
      if (diagnostics.length === 0) write(file, JSON.stringify({ outputText, sourceMapText }));
      return output;
    },
  };
};

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Not there, or not readable: transpiled anew.
    return undefined;
  }
}

/** In one step: other processes look for the same file at the same time. */
function write(file, text) {
  try {
    mkdirSync(FOLDER, { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {
    // Read-only or full: it works without.
  }
}
