// Text for a terminal: colours and columns.
import { styleText } from 'node:util';
import type { LogStream } from './options.js';

/** Returns whether a stream is a terminal with colours. NO_COLOR (no-color.org) turns them off. */
export function hasColor(stream: LogStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

const STYLES = ['bold', 'cyan', 'dim', 'green', 'red', 'yellow'] as const;

/** Puts a text in a style. */
export type Paint = (style: (typeof STYLES)[number], text: string) => string;

/** Moves the cursor to the start of the line and clears the line. */
export const CLEAR_LINE = '\r\u001b[K';

/** Returns a function that puts text in a style, if the text is for a stream that `hasColor`. */
export function createPaint(isColored: boolean): Paint {
  // Without `validateStream: false` Node checks whether process.stdout is a terminal, not the stream of the text.
  return (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * Returns lines whose columns have the width of their widest cell, with two spaces between. Control characters in cells,
 * line breaks among them, are escaped.
 */
export function alignColumns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Escapes control characters as in JSON (`\\u001b`): stored text must not control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, toEscapes);
}

/** The escape sequences of this program: `createPaint`, and `CLEAR_LINE` at the start of a text. */
const OWN_SEQUENCES = createOwnSequences();

function createOwnSequences(): RegExp {
  const paint = createPaint(true);
  const styles = STYLES.flatMap((style) => paint(style, ' ').split(' '));
  const patterns = [`^${CLEAR_LINE}`, ...styles].map((sequence) => sequence.replace('[', '\\['));
  return new RegExp(`(${patterns.join('|')})`);
}

/**
 * Escapes control characters except line breaks and tabs. JSON keeps its value. For a terminal, the escape sequences of
 * this program stay: they change colours and the current line only.
 */
export function printableLines(text: string, isTerminal: boolean): string {
  const parts = isTerminal ? text.split(OWN_SEQUENCES) : [text];
  const isOwn = (index: number) => index % 2 === 1;
  return parts
    .map((part, index) => (isOwn(index) ? part : part.replace(/[^\P{C}\n\t]/gu, toEscapes)))
    .join('');
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
