// The context of a command: the parts of a process, flags and argument.
import type { LogStream } from '../options.js';
import type { Environment, FlagReader, FlagSet } from './flags.js';

/** The parts of a process that the command line uses. */
export interface CommandIo {
  readonly stdout: LogStream;
  readonly stderr: LogStream;
  /** Listens to a signal: SIGINT or SIGTERM. */
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  /** Ends the process immediately, after a second signal. */
  exit(code: number): void;
}

/** The context of a command. */
export interface CommandContext<S extends FlagSet> {
  readonly flags: FlagReader<S>;
  /** '' for a command without an argument. */
  readonly argument: string;
  readonly env: Environment;
  readonly io: CommandIo;
  /** Sets the exit code of a command that ends without an error. Default: 0. */
  setExitCode(code: number): void;
}

/** Runs a command. */
export type Run<S extends FlagSet> = (context: CommandContext<S>) => Promise<void>;

/** The commands of a group, such as keys, by their names. */
export type CommandGroup<G extends Readonly<Record<string, FlagSet>>> = {
  readonly [N in keyof G]: Run<G[N]>;
};

/** Writes the result of a command to stdout: a value as JSON if the caller set --json, otherwise a text. */
export function writeResult(
  { flags, io }: { flags: { values: { json?: boolean } }; io: CommandIo },
  value: unknown,
  text: string,
): void {
  io.stdout.write(`${flags.values.json ? JSON.stringify(value, null, 2) : text}\n`);
}
