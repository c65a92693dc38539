// The parts of a process that the command line uses, and what it prints to them.
import { isDate } from '../lib/core/plain-data.js';
import type { LogStream } from '../mock-server/state/options.js';
import { alignColumns, printableLines } from './terminal-text.js';

/** The parts of a process that the command line uses. commander reads the variables of flags from `process.env`. */
export interface CommandIo {
  readonly stdout: LogStream;
  readonly stderr: LogStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Listens to a signal: SIGINT or SIGTERM. */
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  /** Ends the process immediately, after a second signal. */
  exit(code: number): void;
  /** The exit code of a command that ends without an error. Default: 0. */
  exitCode?: number | string | null | undefined;
  /** true: each line of the output is JSON, as `--log json` of the mock promises. */
  readonly isJsonLog?: boolean;
}

/** Writes a text for people to stderr. With `isJsonLog` it is a line in the form of the log. */
export function notify(
  { stderr, isJsonLog }: Pick<CommandIo, 'stderr' | 'isJsonLog'>,
  level: 'info' | 'warn' | 'error',
  text: string,
  stack?: string,
): void {
  const time = new Date().toISOString();
  const lines = [...text.split('\n').map((line) => `claimlink: ${line}`), ...(stack ? [stack] : [])];
  stderr.write(`${isJsonLog ? JSON.stringify({ time, level, msg: text, stack }) : lines.join('\n')}\n`);
}

/**
 * Returns a stream for everything that the command line prints: it escapes control characters.
 * @param hide removes secrets from a text
 */
export function printTo(stream: LogStream, hide = (text: string) => text): LogStream {
  const isTTY = stream.isTTY === true;
  return { isTTY, write: (text) => stream.write(printableLines(hide(text), isTTY)) };
}

/** Writes the result of a command to stdout: a value as JSON if the caller set --json, otherwise a text. */
export function writeResult(io: CommandIo, flags: { json?: boolean }, value: unknown, text: string): void {
  io.stdout.write(`${flags.json ? JSON.stringify(value, null, 2) : text}\n`);
}

/** Writes records: some members as a table, or all as JSON. */
export function writeList<R extends object>(
  io: CommandIo,
  flags: { json?: boolean },
  records: readonly R[],
  members: readonly (keyof R & string)[],
): void {
  const rows = records.map((record) => members.map((member) => cell(record[member])));
  writeResult(io, flags, records, alignColumns([members, ...rows]));
}

/** Returns a record as a table: a row for each member. */
export function recordText(record: object): string {
  return alignColumns(rowsOf(record));
}

/** Writes a record: a row for each member, or JSON. */
export function writeRecord<T extends object>(
  io: CommandIo,
  flags: { json?: boolean },
  record: T,
  toText: (record: T) => string = recordText,
): void {
  writeResult(io, flags, record, toText(record));
}

/** Writes records one after another, with an empty line between, or a list as JSON. */
export function writeRecords<T extends object>(
  io: CommandIo,
  flags: { json?: boolean },
  records: readonly T[],
  toText: (record: T) => string = recordText,
): void {
  writeResult(io, flags, records, records.map((record) => toText(record)).join('\n\n'));
}

/** Returns a row for each value of a record, with its path: `selectedPolicy.holder.email`. */
function rowsOf(value: unknown, path = ''): string[][] {
  if (typeof value !== 'object' || value === null || isDate(value)) return [[path, cell(value)]];
  const members = Object.entries(value);
  if (members.length === 0) return [[path, 'none']];
  return members.flatMap(([name, member]) => rowsOf(member, path === '' ? name : `${path}.${name}`));
}

/** Returns a value for a table. A date is in UTC: `2026-01-31 09:30Z`. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ') || 'none';
  if (isDate(value)) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  return String(value ?? '-');
}

/** Returns a number with its noun: `1 link`, `2 links`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
