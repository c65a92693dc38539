// The commands of the command line, to look at or to parse with.
import type { Command } from 'commander';
import { createProgram, toWords } from '../../cli/program.js';
import { setUp, withEnvironment } from '../mock-server/command.js';

/** Returns all commands that do something, with their names as the caller writes them. */
export function commandsOf(parent?: Command, prefix = ''): [name: string, command: Command][] {
  const program = parent ?? withEnvironment({}, () => createProgram(setUp().io));
  return program.commands.flatMap((command): [string, Command][] => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length > 0 ? commandsOf(command, `${name} `) : [[name, command]];
  });
}

/** Returns the command of a command line, after commander has read its flags. */
export function parse(words: readonly string[], env: Record<string, string> = {}): Command {
  return withEnvironment(env, () => {
    const program = createProgram(setUp().io);
    let parsed = program;
    for (const [, command] of commandsOf(program))
      command.action(() => {
        parsed = command;
      });
    program.parse(toWords(words), { from: 'user' });
    return parsed;
  });
}

/** Returns the values that a caller set, without defaults. */
export function valuesOf(words: readonly string[], env: Record<string, string> = {}): object {
  const command = parse(words, env);
  const values = Object.entries(command.opts());
  return Object.fromEntries(values.filter(([key]) => command.getOptionValueSource(key) !== 'default'));
}
