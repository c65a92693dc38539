// What a flag of the command line is.
import type { Command } from './commands.js';

/** A mistake in how the program was called: one sentence for the person, exit code 2. */
export class UsageError extends Error {}

/** One flag. */
export interface Flag<T = unknown> {
  /** Without the dashes. Two flags of one name belong to different commands, and either both take a value or none. */
  readonly name: string;
  /** What stands for its value in the help text; absent: it takes none. */
  readonly value?: string;
  /** The environment variable that stands in for it. */
  readonly env?: string;
  /** A variable that other programs use too: the last resort, and of these commands only. */
  readonly sharedEnv?: { readonly name: string; readonly commands: readonly Command[] };
  /** As the help text shows it. */
  readonly default?: string;
  /** May be given more than once; in the environment, separated by commas. */
  readonly isRepeatable?: boolean;
  readonly commands: readonly Command[];
  readonly description: string;
  /** Reads the texts that were given. Returns a reason, as an Error, when they make no sense. */
  read(texts: readonly string[]): T | Error;
}

/** A flag whose values have the type that `read` gives them. */
export function flag<T>(definition: Flag<T>): Flag<T> {
  return definition;
}
