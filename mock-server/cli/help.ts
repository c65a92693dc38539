// The help texts, written from the tables of commands and flags.
import { alignColumns } from './columns.js';
import { COMMAND_NAMES, COMMANDS, type Command, type CommandDefinition, commandsBelow } from './commands.js';
import { FLAGS, type Flag } from './flags.js';

/** The help text on a command, `keys issue`, on several, `keys`, or, with '', on everything. */
export function helpText(topic: string): string {
  return topic === '' ? overview() : helpOn(topic, commandsBelow(topic));
}

function overview(): string {
  return `claimlink: a mock of the session listing and standalone link API, and the upkeep of its database

Usage
  claimlink [command] [flags]

Commands
${commandList(COMMAND_NAMES)}

claimlink help <command> lists the flags of a command. Without a command, the flags are those of mock.

Examples
  claimlink
${examples(['mock', 'migrate', 'keys issue'])}
`;
}

function helpOn(topic: string, commands: readonly Command[]): string {
  const flags = Object.values<Flag>(FLAGS).filter((flag) => usersOf(flag, commands).length > 0);
  const shown = flags.map((flag) => {
    const users = usersOf(flag, commands);
    const where = users.length === commands.length ? '' : ` (${users.join(', ')})`;
    return [`  ${usageOf(flag)}`, `${flag.description}${where}`];
  });
  const variables = flags.flatMap((flag) => variablesOf(flag, commands));
  const isOne = commands.length === 1;
  const [command] = commands;
  const parts = [
    isOne && command ? `claimlink ${topic}: ${COMMANDS[command].purpose}` : `claimlink ${topic}`,
    `Usage\n${commands.map((name) => `  ${commandUsage(name)} [flags]`).join('\n')}`,
    ...(isOne ? [] : [`Commands\n${commandList(commands)}`]),
    `Flags\n${alignColumns(shown)}`,
    ...(variables.length === 0 ? [] : [`Environment (a flag beats it)\n${alignColumns(variables)}`]),
    `Examples\n${examples(commands)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function commandList(commands: readonly Command[]): string {
  return alignColumns(commands.map((name) => [`  ${name}`, COMMANDS[name].purpose]));
}

function commandUsage(name: Command): string {
  const { argument }: CommandDefinition = COMMANDS[name];
  return `claimlink ${name}${argument ? ` <${argument}>` : ''}`;
}

function examples(commands: readonly Command[]): string {
  return commands.flatMap((name) => COMMANDS[name].examples.map((example) => `  ${example}`)).join('\n');
}

function usersOf(flag: Flag, commands: readonly Command[]): Command[] {
  return commands.filter((command) => flag.commands.includes(command));
}

function usageOf({ name, value }: Flag): string {
  return `--${name}${value ? ` <${value}>` : ''}`;
}

function variablesOf({ name, env, sharedEnv, ...flag }: Flag, commands: readonly Command[]): string[][] {
  const preset = flag.default === undefined ? '' : `; default: ${flag.default}`;
  const several = flag.isRepeatable ? '; several are separated by commas' : '';
  const isShared = commands.some((command) => sharedEnv?.commands.includes(command));
  return [
    ...(env === undefined ? [] : [[`  ${env}`, `--${name}${preset}${several}`]]),
    ...(sharedEnv && isShared ? [[`  ${sharedEnv.name}`, `--${name}, when ${env} is not set`]] : []),
  ];
}
