// Reads a command line and the environment against the table of flags. A flag beats the environment.
import { parseArgs } from 'node:util';
import {
  COMMANDS,
  type Command,
  FLAGS,
  type Flag,
  type FlagKey,
  type FlagValues,
  UsageError,
} from './flags.js';

/** The environment: `process.env` or the like. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What was asked for. */
export interface CommandLine {
  command: Command;
  values: FlagValues;
  /** What a person wrote to set an option: `--port` or `CLAIMLINK_PORT`. */
  nameOf(key: FlagKey): string;
}

const KEYS = Object.keys(FLAGS) as FlagKey[];

/**
 * Reads the arguments (without node and script) and the environment.
 * @throws UsageError for whatever is unknown or makes no sense.
 */
export function readCommandLine(argv: readonly string[], env: Environment): CommandLine {
  const { positionals, given } = tokenize(argv);
  const command = readCommand(positionals);
  const values: Partial<Record<FlagKey, unknown>> = {};
  const names = new Map<FlagKey, string>();

  for (const key of KEYS) {
    const flag: Flag = FLAGS[key];
    const texts = given.get(key) ?? textsFrom(flag, env);
    if (texts === undefined) continue;
    // The environment is set for more than one command; a flag was meant for this one.
    const isMeant = flag.commands.includes(command);
    if (!isMeant && given.has(key))
      throw new UsageError(`--${flag.name} is no flag of the command ${command}.`);
    if (!isMeant) continue;
    const name = given.has(key) ? `--${flag.name}` : (flag.env ?? flag.name);
    const value = flag.read(texts);
    if (value instanceof Error) throw new UsageError(`${name} ${value.message}.`);
    values[key] = value;
    names.set(key, name);
  }
  return {
    command: values.help === true ? 'help' : command,
    values: values as FlagValues,
    nameOf: (key) => names.get(key) ?? `--${FLAGS[key].name}`,
  };
}

function tokenize(argv: readonly string[]): { positionals: string[]; given: Map<FlagKey, string[]> } {
  const options = Object.fromEntries(
    KEYS.map((key) => {
      const flag: Flag = FLAGS[key];
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
  const positionals: string[] = [];
  const given = new Map<FlagKey, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const key = KEYS.find((known) => FLAGS[known].name === token.name);
    if (key === undefined)
      throw new UsageError(
        unknown(
          'flag',
          token.rawName,
          KEYS.map((known) => `--${FLAGS[known].name}`),
        ),
      );
    const flag: Flag = FLAGS[key];
    // `--port --host x`: parseArgs takes the next flag for the value.
    const isMissing = token.value === undefined || (!token.inlineValue && token.value.startsWith('--'));
    if (flag.value !== undefined && isMissing)
      throw new UsageError(`--${flag.name} needs a value: --${flag.name} <${flag.value}>.`);
    if (flag.value === undefined && token.value !== undefined)
      throw new UsageError(`--${flag.name} takes no value.`);
    const before = flag.isRepeatable ? (given.get(key) ?? []) : [];
    given.set(key, [...before, token.value ?? '']);
  }
  return { positionals, given };
}

function readCommand([name = 'mock', extra]: readonly string[]): Command {
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(unknown('command', name, Object.keys(COMMANDS)));
  if (extra !== undefined)
    throw new UsageError(`The command ${name} takes no further argument; got ${extra}.`);
  return name as Command;
}

/** An empty variable counts as unset. */
function textsFrom(flag: Flag, env: Environment): string[] | undefined {
  const text = flag.env === undefined ? undefined : env[flag.env];
  if (text === undefined || text === '') return undefined;
  return flag.isRepeatable ? text.split(',').map((part) => part.trim()) : [text];
}

function unknown(kind: string, name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance);
  const hint = nearest ? `did you mean ${nearest.candidate}?` : 'claimlink --help lists them.';
  return `There is no ${kind} ${name}; ${hint}`;
}

/** Levenshtein's distance: how many characters to add, drop or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
