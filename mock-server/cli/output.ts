// What the mock writes to, and whether in colour.
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
