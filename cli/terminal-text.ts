// Text that the command line prints: columns, and lines without control characters.
import { createPaint, printable, STYLES } from '../mock-server/terminal.js';

/** Moves the cursor to the start of the line and clears the line. */
export const CLEAR_LINE = '\r\u001b[K';

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
    .map((part, index) => (isOwn(index) ? part : part.replace(/[^\P{C}\n\t]/gu, printable)))
    .join('');
}
