// Text for a terminal: colours and columns.
import { styleText } from 'node:util';
import type { LogStream } from './options.js';

/** Returns whether a stream is a terminal with colours. NO_COLOR (no-color.org) turns them off. */
export function hasColor(stream: LogStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** Puts a text in a style. */
export type Paint = (style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Returns a function that puts text in a style, if the text is for a stream that `hasColor`. */
export function createPaint(isColored: boolean): Paint {
  // Without `validateStream: false` Node checks whether process.stdout is a terminal, not the stream of the text.
  return (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text);
}

/** Returns lines whose columns have the width of their widest cell, with two spaces between. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Replaces control characters: stored text must not move the cursor of a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
