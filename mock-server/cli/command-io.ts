// What a command gets: the parts of a process, flags and argument.
import type { LogStream } from '../options.js';
import type { Environment, FlagReader, FlagSet } from './flags.js';

/** Streams, signals and exit of a process. */
export interface CommandIo {
  stdout: LogStream;
  stderr: LogStream;
  /** Source of SIGINT and SIGTERM. */
  signals: {
    on(signal: NodeJS.Signals, listener: () => void): unknown;
    off(signal: NodeJS.Signals, listener: () => void): unknown;
  };
  /** Ends the process immediately, after a second signal. */
  exit(code: number): void;
}

/** What a command gets when it runs. */
export interface CommandContext<S extends FlagSet> {
  readonly flags: FlagReader<S>;
  /** '' for a command without an argument. */
  readonly argument: string;
  readonly env: Environment;
  readonly io: CommandIo;
}
