// The command line without the process: arguments, environment and streams come in, an exit code goes out.
import { CommanderError } from 'commander';
import type { CommandIo } from './command-io.js';
import { type Environment, UsageError } from './flags.js';
import { createProgram, cutUnknownValues, endAtUnknownCommand, toWords } from './program.js';

/**
 * Runs a command and resolves to the exit code: 0 success, 2 a mistake of the caller, 1 an unexpected error. `check`
 * also resolves to 1 and 3. `mock` resolves when a signal has closed the server.
 */
export async function main(argv: readonly string[], env: Environment, io: CommandIo): Promise<number> {
  try {
    let exitCode = 0;
    const program = createProgram(env, io, (code) => {
      exitCode = code;
    });
    const words = endAtUnknownCommand(program, toWords(argv));
    await program.parseAsync(cutUnknownValues(program, words), { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has written its message. Help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError) {
      io.stderr.write(`claimlink: ${error.message.split('\n').join('\nclaimlink: ')}\n`);
      return 2;
    }
    io.stderr.write(`claimlink: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}
