// Loads a scenario from a JSON or YAML file, and names line and column of each problem.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Document, LineCounter } from 'yaml';
import { ClaimlinkError } from '../../lib/index.js';
import { invalidMockOptions, problemAt } from '../problems.js';
import { fileProblem } from './file-problem.js';
import type { Scenario } from './scenario.js';
import { checkScenario } from './scenario-check.js';

/** A problem may concern many places: the first ones are enough. */
const MAX_PROBLEMS = 20;

/** Limit against a short text whose aliases describe gigabytes. */
const MAX_ALIASES = 1000;

/** A problem of a text: its offset, and a sentence. */
interface TextProblem {
  offset: number;
  detail: string;
}

/**
 * Loads a scenario: `.json`, `.yaml` or `.yml`.
 * @throws `options_invalid` with a detail for each problem: `demo.yaml:12:7 /clients/0/users/1/userId is required`
 */
export async function loadScenario(path: string): Promise<Scenario> {
  const extension = extensionOf(path);
  const text = await readText(path);
  if (extension !== '.json') return loadYaml(path, text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { lines } = await parseYaml(text);
    const offset = jsonMistakeOffset(text);
    const detail =
      text.trim() === '' ? 'is empty' : offset < text.length ? 'is not valid JSON' : 'ends too early';
    throw textError(path, lines, [{ offset: detail === 'is empty' ? 0 : offset, detail }]);
  }
  if (checkScenario(value).length > 0) await loadYaml(path, text, value);
  return value as Scenario;
}

/** Returns the extension of a scenario in lower case. @throws `options_invalid` for another file */
export function extensionOf(path: string): string {
  const extension = extname(path).toLowerCase();
  if (['.json', '.yaml', '.yml'].includes(extension)) return extension;
  throw scenarioError([`${path} must be a file whose name ends in .json, .yaml or .yml`]);
}

/** @throws `options_invalid`; for a value that is parsed already, only the places come from the YAML parser */
async function loadYaml(path: string, text: string, parsed?: unknown): Promise<Scenario> {
  const { document, lines } = await parseYaml(text);
  if (parsed === undefined) {
    const problems = syntaxProblems(document);
    if (problems.length > 0) throw textError(path, lines, problems);
  }
  const value = parsed ?? toValue(path, document);
  const problems = checkScenario(value).map(({ pointer = '', detail }) => ({
    offset: offsetOf(document, pointer),
    detail: `${pointer || 'the document'} ${detail}`,
  }));
  if (problems.length > 0) throw textError(path, lines, problems);
  return value as Scenario;
}

async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw scenarioError([`${path} ${fileProblem(error)}`], error);
  }
  try {
    // Removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw scenarioError([`${path} is not text in UTF-8`], error);
  }
}

/** The parser takes 20 ms to load: only those wait who need it. */
async function parseYaml(text: string): Promise<{ document: Document.Parsed; lines: LineCounter }> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
  });
  return { document, lines };
}

/** Returns the first mistake in the syntax: those after it are mostly its consequences. */
function syntaxProblems({ errors, warnings, contents }: Document.Parsed): TextProblem[] {
  const [first] = [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return [{ offset: first.pos[0], detail: first.message }];
  return contents === null ? [{ offset: 0, detail: 'is empty' }] : [];
}

function toValue(path: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // The parser throws it for an alias without an anchor and for too many aliases.
    if (!(error instanceof ReferenceError)) throw error;
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
    const node = document.getIn(tokens.slice(0, length), true) as
      | { range?: [number, ...unknown[]] }
      | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}

/**
 * Returns the offset of the first character that cannot follow the text before it. JSON.parse does not always name it,
 * and YAML accepts what JSON does not, such as a comma before a bracket.
 */
function jsonMistakeOffset(text: string): number {
  if (isStartOfJson(text)) return text.length;
  let validLength = 0;
  let invalidLength = text.length;
  while (invalidLength - validLength > 1) {
    const length = (validLength + invalidLength) >>> 1;
    if (isStartOfJson(text.slice(0, length))) validLength = length;
    else invalidLength = length;
  }
  return validLength;
}

/** Returns whether a text is JSON or becomes JSON with more text: then JSON.parse complains about its end only. */
function isStartOfJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    return /end of JSON input/.test(String(error)) || Number(position) >= text.length;
  }
}

function textError(path: string, lines: LineCounter, problems: readonly TextProblem[]): ClaimlinkError {
  const sorted = [...problems].sort((a, b) => a.offset - b.offset);
  const sentences = sorted.slice(0, MAX_PROBLEMS).map(({ offset, detail }) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col} ${detail}`;
  });
  const rest = sorted.length - sentences.length;
  return scenarioError(rest > 0 ? [...sentences, `${path} has ${rest} more problems`] : sentences);
}

/** Returns `options_invalid` for a file, with a line for each problem. */
export function scenarioError(sentences: readonly string[], cause?: unknown): ClaimlinkError {
  const details = sentences.map((detail) => problemAt('/scenario', 'value', detail));
  if (sentences.length === 1) return invalidMockOptions(details, cause);
  const message = `startMockServer options: scenario\n  ${sentences.join('\n  ')}`;
  return new ClaimlinkError('options_invalid', message, { details, cause });
}
