// Flags: each is declared once, for commander, the help text, the environment and the values.
import { type Command, Option } from 'commander';
import { type ErrorDetail, isClaimlinkError } from '../../lib/core/errors.js';

/** A mistake in how the program was called: one sentence for the caller, exit code 2. */
export class UsageError extends Error {}

/** The environment: `process.env` or the like. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Flag<T> {
  /** As commander and the help text show it: `--port <number>`. */
  readonly form: string;
  readonly description: string;
  /** The default as the help text shows it. */
  readonly default?: string;
  /** Heading of the help text. */
  readonly group?: string;
  /** Environment variables that set the option, the first one first. */
  readonly variables?: readonly string[];
  /** In a variable, separates the values of a flag that may be repeated. */
  readonly separator?: ',' | ';';
  /** Reads the texts that were given. Returns the reason as an Error if they are invalid. */
  read(texts: readonly string[]): T | Error;
}

/** The flags of a command by the name of their option. */
export type FlagSet = Readonly<Record<string, Flag<unknown>>>;

/** The options that were set. */
export type FlagValues<S extends FlagSet> = {
  -readonly [K in keyof S]?: Exclude<ReturnType<S[K]['read']>, Error>;
};

/** The values that the caller set, and the names that set them. */
export interface FlagReader<S extends FlagSet> {
  readonly values: FlagValues<S>;
  /** Returns what the caller wrote to set an option: `--port` or `CLAIMLINK_PORT`. */
  nameOf(key: keyof S): string;
  /** Returns the value of a required option. @throws UsageError */
  need<K extends keyof S>(key: K): NonNullable<FlagValues<S>[K]>;
}

/** Declares a flag; the type of its value is what `read` returns. If the flag is repeated, the last text counts. */
export function flag<T>(
  form: string,
  read: (text: string) => T | Error,
  description: string,
  more: Partial<Flag<T>> = {},
): Flag<T> {
  return { form, read: (texts) => read(texts.at(-1) ?? ''), description, ...more };
}

/** Declares a flag that may be repeated; its value is a list of what `read` returns. */
export function listFlag<T>(
  form: string,
  read: (text: string) => T | Error,
  description: string,
  more: Partial<Flag<T[]>> = {},
): Flag<T[]> {
  const readAll = (texts: readonly string[]): T[] | Error => {
    const values = texts.map(read);
    return values.find((value) => value instanceof Error) ?? (values as T[]);
  };
  return { form, read: readAll, description, ...more };
}

/** Adds the variable of the same name, CLAIMLINK_PORT for --port, and other variables after it. */
export function withVariable<F extends Flag<unknown>>(definition: F, ...others: string[]): F {
  const name = longName(definition).slice(2).toUpperCase().replaceAll('-', '_');
  return { ...definition, variables: [`CLAIMLINK_${name}`, ...others] };
}

/** Reads a flag without a value. */
export const readPresence = () => true;

/** Adds flags to a command. commander stores the texts that were given by the name of the option. */
export function addFlags(command: Command, flags: FlagSet): Command {
  for (const [key, { form, description, default: preset, group }] of Object.entries(flags)) {
    const text = preset === undefined ? description : `${description} (default ${preset})`;
    const option = new Option(form, text);
    option.attributeName = () => key;
    // commander would store false for `--no-control`.
    option.negate = false;
    if (option.required || option.optional)
      option.argParser<string[]>((value, previous = []) => [...previous, value]);
    if (group !== undefined) option.helpGroup(group);
    command.addOption(option);
  }
  return command;
}

/** Reads what the caller set. A flag takes precedence over its variables. @throws UsageError */
export function readFlags<S extends FlagSet>(
  command: Command,
  flags: S,
  environment: Environment,
): FlagReader<S> {
  const values: Record<string, unknown> = {};
  const names = new Map<keyof S, string>();
  for (const [key, definition] of Object.entries(flags)) {
    const setting = settingOf(command, key, definition, environment);
    if (setting === undefined) continue;
    const value = definition.read(setting.texts);
    if (value instanceof Error) throw new UsageError(`${setting.name} ${value.message}.`);
    values[key] = value;
    names.set(key, setting.name);
  }
  return {
    values: values as FlagValues<S>,
    nameOf: (key) => names.get(key) ?? longName(flags[key]),
    need(key) {
      const value = (values as FlagValues<S>)[key];
      if (value !== undefined) return value as NonNullable<typeof value>;
      const choices = [flags[key]?.form, ...(flags[key]?.variables ?? [])];
      throw new UsageError(`The command ${commandName(command)} needs ${choices.join(', or ')}.`);
    },
  };
}

/** Returns the texts that set an option, and the name of the flag or variable. */
function settingOf(
  command: Command,
  key: string,
  definition: Flag<unknown>,
  environment: Environment,
): { name: string; texts: string[] } | undefined {
  const given: true | string[] | undefined = command.getOptionValue(key);
  const name = longName(definition);
  if (given === true) return { name, texts: [] };
  if (given !== undefined) {
    // `--port --host x`: commander takes the next flag for the value.
    if (given.some((text) => text.startsWith('--')))
      throw new UsageError(`${name} needs a value: ${definition.form}.`);
    return { name, texts: given };
  }
  for (const variable of definition.variables ?? []) {
    const text = environment[variable];
    // An empty variable counts as unset.
    if (text === undefined || text === '') continue;
    const { separator } = definition;
    return { name: variable, texts: separator ? text.split(separator).map((part) => part.trim()) : [text] };
  }
  return undefined;
}

function longName(definition: Flag<unknown> | undefined): string {
  return definition?.form.split(' ', 1)[0] ?? '';
}

/** Returns the name as the caller writes it: `keys issue`. */
export function commandName(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}

/**
 * Returns a UsageError for `options_invalid`, with one line for each problem; any other error as it is.
 * @param names names of options that have no flag of the same name
 */
export function toUsageError(
  error: unknown,
  flags: FlagReader<FlagSet>,
  names: Readonly<Record<string, string>> = {},
): unknown {
  if (!isClaimlinkError(error) || error.code !== 'options_invalid') return error;
  const sentences = (error.details ?? []).map(({ pointer = '', detail }: ErrorDetail) => {
    const [, option = '', ...path] = pointer.split('/');
    const member = path.filter((part) => !/^\d+$/.test(part)).join('.');
    return `${names[option] ?? (flags.nameOf(option) || option)}${member ? `: ${member}` : ''} ${detail.replace(/\.$/, '')}.`;
  });
  return new UsageError(sentences.join('\n') || error.message);
}
