// Reads a command line and the environment against the tables of commands and flags. A flag beats the environment.
import { parseArgs } from 'node:util';
import { COMMAND_NAMES, COMMANDS, type Command, type CommandDefinition, commandsBelow } from './commands.js';
import { FLAG_KEYS, FLAGS, type Flag, type FlagKey, type FlagValues, UsageError } from './flags.js';
import { nearest } from './nearest.js';

/** The environment: `process.env` or the like. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A command to run. */
export interface CommandLine {
  command: Exclude<Command, 'help'>;
  /** What follows the command; '' for a command that takes nothing. */
  argument: string;
  values: FlagValues;
  /** What a person wrote to set an option: `--port` or `CLAIMLINK_PORT`. */
  nameOf(key: FlagKey): string;
  /** Whether it was set by a flag. A variable may have been meant for another command. */
  isGiven(key: FlagKey): boolean;
  /** The value of an option that the command cannot do without. @throws UsageError */
  need<K extends FlagKey>(key: K): NonNullable<FlagValues[K]>;
}

/** What was asked for: to run a command, or a text. */
export type Request =
  | { kind: 'run'; line: CommandLine }
  /** Help on what the topic names: `keys`, `keys issue`; '' for everything. */
  | { kind: 'help'; topic: string }
  | { kind: 'version' };

/**
 * Reads the arguments (without node and script) and the environment.
 * @throws UsageError for whatever is unknown or makes no sense.
 */
export function readCommandLine(argv: readonly string[], env: Environment): Request {
  const { words, given } = tokenize(argv);
  if (given.has('help') || words[0] === 'help') return { kind: 'help', topic: readTopic(words) };
  if (given.has('version')) return { kind: 'version' };
  const { command, argument } = readCommand(words);
  return { kind: 'run', line: readFlags(command, argument, given, env) };
}

function readFlags(
  command: CommandLine['command'],
  argument: string,
  given: ReadonlyMap<string, string[]>,
  env: Environment,
): CommandLine {
  const values: Partial<Record<FlagKey, unknown>> = {};
  const names = new Map<FlagKey, string>();
  const known = FLAG_KEYS.filter((key) => flagOf(key).commands.includes(command));
  for (const name of given.keys()) {
    if (!known.some((key) => FLAGS[key].name === name))
      throw new UsageError(`--${name} is no flag of the command ${command}.`);
  }
  for (const key of known) {
    const flag = flagOf(key);
    const found = textsOf(flag, given) ?? textsFrom(flag, env, command);
    if (found === undefined) continue;
    const value = flag.read(found.texts);
    if (value instanceof Error) throw new UsageError(`${found.name} ${value.message}.`);
    values[key] = value;
    names.set(key, found.name);
  }
  const nameOf = (key: FlagKey) => names.get(key) ?? `--${FLAGS[key].name}`;
  return {
    command,
    argument,
    values: values as FlagValues,
    nameOf,
    isGiven: (key) => names.get(key)?.startsWith('--') === true,
    need(key) {
      const value = (values as FlagValues)[key];
      if (value !== undefined) return value;
      const { name, value: shown, env: variable, sharedEnv } = flagOf(key);
      const variables = [variable, sharedEnv?.name].filter((found) => found !== undefined).join(' or ');
      const orElse = variables === '' ? '' : `, or ${variables} in the environment`;
      throw new UsageError(`The command ${command} needs --${name} <${shown}>${orElse}.`);
    },
  };
}

/** The flag, as what every flag is. */
function flagOf(key: FlagKey): Flag {
  return FLAGS[key];
}

interface Found {
  name: string;
  texts: string[];
}

function textsOf(flag: Flag, given: ReadonlyMap<string, string[]>): Found | undefined {
  const texts = given.get(flag.name);
  return texts && { name: `--${flag.name}`, texts: flag.isRepeatable ? texts : texts.slice(-1) };
}

/** An empty variable counts as unset. */
function textsFrom(flag: Flag, env: Environment, command: Command): Found | undefined {
  const shared = flag.sharedEnv?.commands.includes(command) ? flag.sharedEnv.name : undefined;
  for (const name of [flag.env, shared]) {
    const text = name === undefined ? undefined : env[name];
    if (name === undefined || text === undefined || text === '') continue;
    return { name, texts: flag.isRepeatable ? text.split(',').map((part) => part.trim()) : [text] };
  }
  return undefined;
}

/** Words, and the texts given to each flag, by its name. */
function tokenize(argv: readonly string[]): { words: string[]; given: Map<string, string[]> } {
  const options = Object.fromEntries(
    FLAG_KEYS.map((key) => {
      const flag = flagOf(key);
      const short = key === 'help' ? { short: 'h' } : key === 'version' ? { short: 'v' } : {};
      return [flag.name, { type: flag.value === undefined ? 'boolean' : 'string', ...short } as const];
    }),
  );
  // Not strict: the messages for what is unknown are ours.
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, value, rawName, inlineValue } = token;
    const flag = Object.values<Flag>(FLAGS).find((known) => known.name === name);
    if (flag === undefined) throw new UsageError(unknownFlag(rawName));
    // `--port --host x`: parseArgs takes the next flag for the value.
    const isMissing = value === undefined || (!inlineValue && value.startsWith('--'));
    if (flag.value !== undefined && isMissing)
      throw new UsageError(`--${name} needs a value: --${name} <${flag.value}>.`);
    if (flag.value === undefined && value !== undefined) throw new UsageError(`--${name} takes no value.`);
    given.set(name, [...(given.get(name) ?? []), value ?? '']);
  }
  return { words, given };
}

function readCommand(words: readonly string[]): Pick<CommandLine, 'command' | 'argument'> {
  const name = nameIn(words.length === 0 ? ['mock'] : words);
  const [command, ...others] = commandsBelow(name);
  if (command !== name) {
    const choices = [command, ...others].map((choice) => choice?.slice(name.length + 1));
    throw new UsageError(`The command ${name} needs one of: ${choices.join(', ')}.`);
  }
  const [argument = '', extra] = words.slice(name.split(' ').length);
  const { argument: wanted }: CommandDefinition = COMMANDS[name as Command];
  if (wanted !== undefined && argument === '')
    throw new UsageError(`The command ${name} needs an argument: claimlink ${name} <${wanted}>.`);
  const superfluous = wanted === undefined ? argument : extra;
  if (superfluous) {
    throw new UsageError(`The command ${name} takes no further argument${quoted(superfluous)}.`);
  }
  return { command: name as CommandLine['command'], argument };
}

/** `claimlink help keys`, `claimlink keys --help`. */
function readTopic(words: readonly string[]): string {
  const topic = words[0] === 'help' ? words.slice(1) : words;
  return topic.length === 0 ? '' : nameIn(topic);
}

/** The command that the first words name, or the one word of several: `keys`. */
function nameIn([first = '', second]: readonly string[]): string {
  const below = commandsBelow(first);
  if (below.length === 0) throw new UsageError(unknownCommand(first, '', COMMAND_NAMES));
  const isPair = below.some((command) => command !== first);
  if (!isPair || second === undefined) return first;
  const pair = `${first} ${second}`;
  if (commandsBelow(pair).length === 0) throw new UsageError(unknownCommand(pair, `${first} `, below));
  return pair;
}

function unknownCommand(name: string, group: string, commands: readonly string[]): string {
  const known = group === '' ? commands.map((command) => command.split(' ', 1)[0] ?? '') : commands;
  return unknown('command', name, nearest(name, known), `claimlink ${group}--help`);
}

function unknownFlag(name: string): string {
  const known = Object.values<Flag>(FLAGS).map((flag) => `--${flag.name}`);
  return unknown('flag', name, nearest(name, known), 'claimlink help <command>');
}

/** A word to repeat in a sentence, unless it may hold a password: a URL that was given in the wrong place. */
function quoted(word: string): string {
  return /:\/\/|@/.test(word) ? '; a URL goes after --database-url' : `; got ${word}`;
}

function unknown(kind: string, name: string, meant: string | undefined, list: string): string {
  if (/:\/\/|@/.test(name))
    return `There is no such ${kind}; a URL goes after --database-url. ${list} lists them.`;
  return `There is no ${kind} ${name}; ${meant ? `did you mean ${meant}?` : `${list} lists them.`}`;
}
