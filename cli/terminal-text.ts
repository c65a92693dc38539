// Text that the command line prints: columns, and lines without control characters.
import { printable } from '../mock-server/http/terminal.js';

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

/** Breaks a text between words after at most 80 columns. It starts in column `indent`, as the other lines do. */
export function wrapped(text: string, indent = 0): string {
  const lines = text.matchAll(new RegExp(`(?! ).{1,${80 - indent}}(?= |$)|\\S+`, 'g'));
  return Array.from(lines, ([line]) => line).join(`\n${' '.repeat(indent)}`);
}

/** An escape sequence of this program (of `createPaint`, or `CLEAR_LINE` at the start of a text), or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them
const CONTROL = /(^\r\u001b\[K|\u001b\[(?:1|2|22|31|32|33|36|39)m)|[^\P{C}\n\t]/gu;

/**
 * Escapes control characters except line breaks and tabs. JSON keeps its value. For a terminal, the escape sequences of
 * this program stay: they change colours and the current line only.
 */
export function printableLines(text: string, isTerminal: boolean): string {
  return text.replace(CONTROL, (match, sequence?: string) =>
    isTerminal && sequence ? match : printable(match),
  );
}
