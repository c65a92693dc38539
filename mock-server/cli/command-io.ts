// The parts of a process that the command line uses.
import type { LogStream } from '../options.js';

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
