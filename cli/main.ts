// The command line without the process: arguments and streams come in, an exit code goes out.
import { type Command, CommanderError } from 'commander';
import { isError } from '../lib/core/plain-data.js';
import { type CommandIo, notify, printTo } from './command-io.js';
import { HostError, toUsageError, UsageError } from './flags.js';
import { createProgram, toWords } from './program.js';
import { assertNoSecret, createMask, withoutCredentials } from './secrets.js';

/**
 * Runs a command and resolves to the exit code: 0 success, 2 a mistake of the caller, 1 an unexpected error. `check`
 * also resolves to 1 and 3. `mock` resolves when a signal has closed the server.
 *
 * All that it prints is free of control characters, and its messages on stderr are free of secrets. Results on stdout
 * contain the keys of `keys issue` and of the mock.
 */
export async function main(argv: readonly string[], process: CommandIo): Promise<number> {
  const io: CommandIo & { exitCode: number } = {
    stdout: printTo(process.stdout),
    stderr: printTo(process.stderr, createMask(argv)),
    env: process.env,
    on: (signal, listener) => process.on(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
    exit: (code) => process.exit(code),
    exitCode: 0,
    isJsonLog: hasJsonLog(argv, process.env),
  };
  let running: Command | undefined;
  try {
    const program = createProgram(io);
    program.hook('preAction', (_, command) => {
      running = command;
      for (const argument of command.args) assertNoSecret(argument, command);
    });
    await program.parseAsync(toWords(argv), { from: 'user' });
    return io.exitCode;
  } catch (thrown) {
    const error = running ? toUsageError(thrown, running) : thrown;
    // commander has written its message. Help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError || error instanceof HostError) {
      notify(io, 'error', error.message);
      return error instanceof UsageError ? 2 : 1;
    }
    const report = String(isError(error) ? error.stack : error);
    notify(io, 'error', 'unexpected error', withoutCredentials(report));
    return 1;
  }
}

/** Returns whether the log of the mock is JSON. commander may reject the words before it has read this flag. */
function hasJsonLog(argv: readonly string[], env: CommandIo['env']): boolean {
  const [command, ...words] = toWords(argv);
  const index = words.findLastIndex((word) => /^--log(?:=|$)/.test(word));
  const format = index < 0 ? env['CLAIMLINK_LOG'] : (words[index]?.split('=')[1] ?? words[index + 1]);
  return command === 'mock' && format === 'json';
}
