// Loads a scenario from a JSON or YAML file, and names line and column of each problem.
import { readFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import type { Document } from 'yaml';
import { invalidOptions, MAX_PROBLEMS } from '../../lib/core/errors.js';
import { isError } from '../../lib/core/plain-data.js';
import { ClaimlinkError } from '../../lib/index.js';
import { problemAt } from '../control/errors.js';
import type { Scenario } from '../control/scenario.js';
import { deepYamlOffset, excessOffset, LEVELS_DETAIL } from '../schemas/levels.js';
import { firstMistake, MAX_ALIASES, parseYamlText, repeatedKey, type TextProblem } from './data-text.js';
import { fileProblem } from './file-problem.js';
import { readPhotoFiles } from './photo-files.js';
import { checkScenario } from './scenario-check.js';
import { decodeText } from './text-file.js';

/**
 * Loads a scenario: `.json`, `.yaml` or `.yml`.
 * @throws `options_invalid` with a detail for each problem: `demo.yaml:12:7 /clients/0/users/1/userId is required`
 */
export async function loadScenario(path: string): Promise<Scenario> {
  const isJson = extensionOf(path) === '.json';
  const text = await readText(path);
  let value: unknown;
  let unread: Awaited<ReturnType<typeof readPhotoFiles>> = [];
  if (isJson) {
    value = await parseJson(path, text);
    unread = await readPhotoFiles(dirname(path), value);
    // The YAML parser takes 20 ms to load: JSON needs it only for the places of problems.
    if (unread.length === 0 && checkScenario(value).length === 0) return value as Scenario;
  }
  const document = await parseYaml(path, text);
  if (!isJson) {
    value = await toValue(path, text, document);
    unread = await readPhotoFiles(dirname(path), value);
  }
  const mistakes = unread.length > 0 ? unread.slice(0, MAX_PROBLEMS) : checkScenario(value);
  const problems = mistakes.map(({ pointer = '', detail }) => ({
    offset: offsetOf(document, pointer),
    detail: `${pointer || 'the document'} ${detail}`,
  }));
  if (problems.length > 0) throw textError(path, text, problems);
  return value as Scenario;
}

/** Returns the extension of a scenario in lower case. @throws `options_invalid` for another file */
function extensionOf(path: string): string {
  const extension = extname(path).toLowerCase();
  if (['.json', '.yaml', '.yml'].includes(extension)) return extension;
  throw scenarioError([`${path} must be a file whose name ends in .json, .yaml or .yml`]);
}

async function readText(path: string): Promise<string> {
  try {
    return decodeText(await readFile(path));
  } catch (error) {
    throw scenarioError([`${path} ${fileProblem(error)}`], error);
  }
}

async function parseJson(path: string, text: string): Promise<unknown> {
  assertLevels(path, text, excessOffset(text)?.offset);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') throw textError(path, text, [{ offset: 0, detail: 'is empty' }]);
    // The message may quote the text. YAML accepts some mistakes, such as a comma before a bracket: they have no place.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    const offset = position ?? (await parseYaml(path, text)).errors[0]?.pos[0];
    if (offset === undefined) throw scenarioError([`${path} is not valid JSON`]);
    throw textError(path, text, [{ offset: Number(offset), detail: 'is not valid JSON' }]);
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw textError(path, text, [repeated]);
  return value;
}

/** @throws `options_invalid` if a text has a level too much at an offset */
function assertLevels(path: string, text: string, offset: number | undefined): void {
  if (offset !== undefined) throw textError(path, text, [{ offset, detail: LEVELS_DETAIL }]);
}

async function parseYaml(path: string, text: string): Promise<Document.Parsed> {
  assertLevels(path, text, await deepYamlOffset(text));
  return parseYamlText(text);
}

/** Returns the value of a document. @throws `options_invalid` with its first mistake */
async function toValue(path: string, text: string, document: Document.Parsed): Promise<unknown> {
  const mistake = await firstMistake(document);
  if (mistake !== undefined) throw textError(path, text, [mistake]);
  if (document.contents === null) throw textError(path, text, [{ offset: 0, detail: 'is empty' }]);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // The parser throws it for an alias without an anchor and for too many aliases.
    if (!isError(error) || error.name !== 'ReferenceError') throw error;
    throw scenarioError([`${path} has aliases that cannot be resolved: ${error.message}`], error);
  }
}

/** Returns where the value of a pointer starts, or the nearest value around it. */
function offsetOf(document: Document.Parsed, pointer: string): number {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (let length = tokens.length; length > 0; length--) {
    const { range } = Object(document.getIn(tokens.slice(0, length), true)) as { range?: [number] };
    if (range) return range[0];
  }
  return document.contents?.range[0] ?? 0;
}

function textError(path: string, text: string, problems: readonly TextProblem[]): ClaimlinkError {
  const sorted = [...problems].sort((a, b) => a.offset - b.offset);
  const sentences = sorted.map(({ offset, detail }) => {
    const before = text.slice(0, offset);
    return `${path}:${before.split('\n').length}:${offset - before.lastIndexOf('\n')} ${detail}`;
  });
  if (sentences.length === MAX_PROBLEMS) sentences.push(`${path} may have more problems`);
  return scenarioError(sentences);
}

/** Returns `options_invalid` for a file, with a line for each problem. */
function scenarioError(sentences: readonly string[], cause?: unknown): ClaimlinkError {
  const problems = sentences.map((detail) => problemAt('/scenario', 'value', detail));
  if (sentences.length === 1) return invalidOptions(problems, cause);
  const message = `claimlink options: scenario\n  ${sentences.join('\n  ')}`;
  return new ClaimlinkError('options_invalid', message, { problems, cause });
}
