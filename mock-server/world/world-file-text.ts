// Files that describe a world: reads their text, and refuses them with the line and the column of each problem.
import { readFile } from 'node:fs/promises';
import { ClaimlinkError, type ErrorDetail } from '../../lib/index.js';
import type { ReadText, TextProblem } from '../scenario/json-text.js';
import { codeOf, reasonOf } from './file-errors.js';

/** The option that names the file. */
export type FileOption = 'scenario' | 'persistFile';

/** So many problems are told one by one. */
const TOLD = 20;

/**
 * The text of a file, without a byte order mark; undefined when there is none.
 * @throws `options_invalid` for a file that cannot be read or is not UTF-8.
 */
export async function readTextFile(option: FileOption, path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw refusal(option, [`${path} ${reasonOf(error)}`], error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw refusal(option, [`${path} is not text in UTF-8; save it as such`], error);
  }
}

/** Refuses a file, with a sentence for each reason. */
export function refusal(option: FileOption, sentences: readonly string[], cause?: unknown): ClaimlinkError {
  const details = sentences.map((detail) => ({ pointer: `/${option}`, rule: 'value' as const, detail }));
  const message = sentences.length === 1 ? `${sentences[0]}.` : `\n  ${sentences.join('\n  ')}`;
  const options = cause === undefined ? { details } : { details, cause };
  return new ClaimlinkError('options_invalid', `startMockServer options: ${option} ${message}`, options);
}

/** Refuses a text that could not be read, with the places of its problems. */
export function refuseText(
  option: FileOption,
  path: string,
  text: string,
  problems: readonly TextProblem[],
): ClaimlinkError {
  const lines = lineStartsOf(text);
  const sorted = [...problems].sort((a, b) => a.offset - b.offset);
  const sentences = sorted.slice(0, TOLD).map(({ offset, pointer, detail }) => {
    const place = `${path}:${placeOf(lines, offset)}`;
    return pointer === undefined || pointer === '' ? `${place} ${detail}` : `${place} ${pointer} ${detail}`;
  });
  const more = sorted.length - TOLD;
  if (more > 0) sentences.push(`${path} has ${more} more ${more === 1 ? 'problem' : 'problems'}`);
  return refusal(option, sentences);
}

/** Refuses a value that was read, with the places of what is wrong with it. */
export function refuseValue(
  option: FileOption,
  path: string,
  text: string,
  read: ReadText,
  problems: readonly ErrorDetail[],
): ClaimlinkError {
  const offsets = read.offsetsOf(problems.map(({ pointer = '' }) => pointer));
  const placed = problems.map(({ pointer = '', detail }) => ({
    offset: offsets.get(pointer) ?? 0,
    pointer,
    detail: pointer === '' ? `the document ${detail}` : detail,
  }));
  return refuseText(option, path, text, placed);
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** `line:column`, both from 1, columns in UTF-16 code units as editors count them. */
function placeOf(lineStarts: readonly number[], offset: number): string {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return `${low + 1}:${offset - (lineStarts[low] ?? 0) + 1}`;
}
