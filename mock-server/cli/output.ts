// Text for a terminal: colours and columns.
import { styleText } from 'node:util';

/** What the log is written to: stdout, stderr, or anything with `write`. */
export interface LogStream {
  write(text: string): unknown;
  /** Colours are for terminals. */
  isTTY?: boolean;
}

/** Whether colours may be written to a stream: a terminal, and NO_COLOR (no-color.org) is not set. */
export function hasColor(stream: LogStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** Text in a style, for a stream that `hasColor`. */
export function paint(style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
  // Not validated: Node would ask whether process.stdout is a terminal, whatever stream the text is for.
  return styleText(style, text, { validateStream: false });
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
