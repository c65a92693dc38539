// What the command line needs of a process.
import type { LogStream } from './output.js';

/** The process, as a command sees it. */
export interface CommandIo {
  stdout: LogStream;
  stderr: LogStream;
  /** Where SIGINT and SIGTERM come from. */
  signals: {
    on(signal: NodeJS.Signals, listener: () => void): unknown;
    off(signal: NodeJS.Signals, listener: () => void): unknown;
  };
  /** Ends the process at once: the second signal. */
  exit(code: number): void;
}
