// Every flag of the command line: one table for parsing, environment variables and help.
import { COMMAND_NAMES, type Command } from './commands.js';
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_SEED,
  LOG_FORMATS,
  type LogFormat,
} from './defaults.js';
import type { MockClientOptions } from './options.js';

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

/** When a key expires: a moment, or days from now. */
export type Expiry = Date | { days: number };

const DATABASE_COMMANDS = [
  'migrate',
  'clients add',
  'keys issue',
  'keys list',
  'keys revoke',
  'sweep',
] as const satisfies readonly Command[];

/** The flags, keyed by the option that each one sets. */
export const FLAGS = {
  port: flag({
    name: 'port',
    value: 'number',
    env: 'CLAIMLINK_PORT',
    default: String(DEFAULT_PORT),
    commands: ['mock'],
    description: 'port to listen on; 0 takes any free one',
    read: ([text]) => (isPort(text) ? Number(text) : new Error('must be a whole number, 0 to 65535')),
  }),
  host: flag({
    name: 'host',
    value: 'address',
    env: 'CLAIMLINK_HOST',
    default: DEFAULT_HOST,
    commands: ['mock'],
    description: 'address to bind',
    read: ([text]) => text,
  }),
  publicUrl: flag({
    name: 'public-url',
    value: 'url',
    env: 'CLAIMLINK_PUBLIC_URL',
    default: 'where it listens',
    commands: ['mock', 'openapi'],
    description: 'what links start with',
    read: ([text]) => text,
  }),
  seed: flag({
    name: 'seed',
    value: 'number|text',
    env: 'CLAIMLINK_SEED',
    default: String(DEFAULT_SEED),
    commands: ['mock'],
    description: 'what the data derives from; the same seed gives the same data',
    read: ([text = '']) => (/^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text),
  }),
  clients: flag({
    name: 'client',
    value: 'id:key',
    env: 'CLAIMLINK_CLIENT',
    default: `${DEFAULT_CLIENT.clientId}:${DEFAULT_CLIENT.apiKey}`,
    isRepeatable: true,
    commands: ['mock'],
    description: 'a client and its API key; may be repeated',
    read: readClients,
  }),
  log: flag({
    name: 'log',
    value: 'format',
    env: 'CLAIMLINK_LOG',
    default: 'pretty',
    commands: ['mock'],
    description: 'one line per request, to stderr: pretty, json or silent',
    read: ([text]) => LOG_FORMATS.find((format) => format === text) ?? notOneOf(LOG_FORMATS),
  }),
  readyJson: flag({
    name: 'ready-json',
    env: 'CLAIMLINK_READY_JSON',
    default: 'off',
    commands: ['mock'],
    description: 'print one line of JSON when ready, and nothing else, to stdout',
    read: ([text = '']) => readSwitch(text),
  }),
  databaseUrl: flag({
    name: 'database-url',
    value: 'url',
    env: 'CLAIMLINK_DATABASE_URL',
    // Not of the mock: what is set for a real service must not make a mock write into that one's database.
    sharedEnv: { name: 'DATABASE_URL', commands: DATABASE_COMMANDS },
    commands: ['mock', ...DATABASE_COMMANDS],
    description: 'the PostgreSQL to use; DATABASE_URL stands in for it too, but not for mock',
    read: ([text = '']) => readDatabaseUrl(text),
  }),
  schema: flag({
    name: 'schema',
    value: 'name',
    env: 'CLAIMLINK_SCHEMA',
    default: "the connection's",
    commands: ['mock', ...DATABASE_COMMANDS],
    description: 'schema of the tables in the database; must exist',
    read: readText,
  }),
  dryRun: flag({
    name: 'dry-run',
    commands: ['migrate'],
    description: 'print the SQL of all versions, and connect to nothing',
    read: () => true,
  }),
  name: flag({
    name: 'name',
    value: 'text',
    commands: ['clients add'],
    description: 'name of the client, shown on the standalone pages',
    read: readText,
  }),
  callbackOrigins: flag({
    name: 'callback-origin',
    value: 'origin',
    default: 'any https origin',
    isRepeatable: true,
    commands: ['clients add'],
    description: 'where its links may send users back to, such as https://app.example.com; may be repeated',
    read: (texts) => texts,
  }),
  client: flag({
    name: 'client',
    value: 'id',
    commands: ['keys issue', 'keys list'],
    description: 'whose keys',
    read: readText,
  }),
  expires: flag({
    name: 'expires',
    value: 'date|days',
    default: 'never',
    commands: ['keys issue'],
    description: 'when the key stops working: 2030-12-31 (as that day begins, UTC), or 90d from now',
    read: ([text = '']) => readExpiry(text),
  }),
  json: flag({
    name: 'json',
    commands: ['keys list'],
    description: 'print JSON instead of a table',
    read: () => true,
  }),
  help: flag({
    name: 'help',
    commands: COMMAND_NAMES,
    description: 'print the help text of the command',
    read: () => true,
  }),
  version: flag({
    name: 'version',
    commands: COMMAND_NAMES,
    description: 'print the version',
    read: () => true,
  }),
} as const;

/** Name of the option that a flag sets. */
export type FlagKey = keyof typeof FLAGS;

/** Names of all of them. */
export const FLAG_KEYS = Object.keys(FLAGS) as readonly FlagKey[];

/** What the flags and the environment said; what neither named is absent. */
export type FlagValues = {
  -readonly [K in FlagKey]?: Exclude<ReturnType<(typeof FLAGS)[K]['read']>, Error | undefined>;
};

function flag<T>(definition: Flag<T>): Flag<T> {
  return definition;
}

function isPort(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function readText([text = '']: readonly string[]): string | Error {
  return text === '' ? new Error('must not be empty') : text;
}

function readClients(texts: readonly string[]): MockClientOptions[] | Error {
  const clients: MockClientOptions[] = [];
  for (const text of texts) {
    const colon = text.indexOf(':');
    if (colon < 1 || colon === text.length - 1)
      return new Error('must look like id:key, such as demo:clk_test_demo');
    clients.push({ clientId: text.slice(0, colon), apiKey: text.slice(colon + 1) });
  }
  return clients;
}

function readSwitch(text: string): boolean | Error {
  if (['', '1', 'true', 'on', 'yes'].includes(text)) return true;
  return ['0', 'false', 'off', 'no'].includes(text) ? false : new Error('must be true or false');
}

/** The reason never quotes the text, which may hold a password. */
function readDatabaseUrl(text: string): string | Error {
  const isUrl = /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text) && isDecodable(text);
  return isUrl ? text : new Error('must look like postgres://user:password@host:5432/database');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readExpiry(text: string): Expiry | Error {
  if (/^[1-9]\d{0,3}d$/.test(text)) return { days: Number.parseInt(text, 10) };
  // A Date makes 2 March out of 30 February.
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : Number.NaN);
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isDate
    ? date
    : new Error('must be a date, such as 2030-12-31, or 1 to 9999 days from now, such as 90d');
}

function notOneOf(known: readonly LogFormat[]): Error {
  return new Error(`must be one of: ${known.join(', ')}`);
}
