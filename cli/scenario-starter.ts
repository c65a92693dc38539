// Writes a scenario to start from: `claimlink mock --init`.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, fileProblem } from '../mock-server/scenario/file-problem.js';
import { extensionOf, scenarioError } from '../mock-server/scenario/scenario-file.js';

/** Default path of the starter. */
export const DEFAULT_STARTER = 'claimlink.scenario.yaml';

const STARTER = './fixtures/scenarios/starter.yaml';

/** The published JSON Schema, seen from the folder of a project. */
const SCHEMA = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';

/**
 * Writes a starter: YAML with comments, or JSON, by the extension of the path. Returns the path.
 * @throws `options_invalid` for a file that exists or cannot be written, and for another extension
 */
export async function writeStarter(path: string = DEFAULT_STARTER): Promise<string> {
  const text = await starterText(path);
  try {
    await writeFile(path, text, { flag: 'wx' });
    return path;
  } catch (error) {
    const reason =
      errorCode(error) === 'EEXIST'
        ? 'exists already and was not changed; name another file or delete it'
        : `cannot be written: its folder ${fileProblem(error)}`;
    throw scenarioError([`${path} ${reason}`], error);
  }
}

/** Returns the text of a starter for this path. @throws `options_invalid` for another extension */
export async function starterText(path: string): Promise<string> {
  const schema = schemaFrom(path);
  const starter = await readFile(new URL(STARTER, import.meta.resolve('claimlink/package.json')), 'utf8');
  const text = starter.replace('./scenario.schema.json', schema);
  if (extensionOf(path) !== '.json') return text;
  const { parse } = await import('yaml');
  return `${JSON.stringify({ $schema: schema, ...parse(text) }, null, 2)}\n`;
}

/** Editors resolve the path from the folder of the scenario; modules are in the folder that the command runs in. */
function schemaFrom(path: string): string {
  const fromFile = relative(dirname(resolve(path)), join(process.cwd(), SCHEMA)).replaceAll('\\', '/');
  return isAbsolute(fromFile) || fromFile.startsWith('.') ? fromFile : `./${fromFile}`;
}
