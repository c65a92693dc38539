// Every flag of the command line: one table for parsing, environment variables and help.
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

/** The commands, with what they are for. */
export const COMMANDS = {
  mock: 'start the mock server (this is the default)',
  openapi: 'print the OpenAPI document of the API',
  help: 'print this text',
} as const;

/** Name of a command. */
export type Command = keyof typeof COMMANDS;

/** One flag. */
export interface Flag<T = unknown> {
  /** Without the dashes. */
  readonly name: string;
  /** What stands for its value in the help text; absent: it takes none. */
  readonly value?: string;
  /** The environment variable that stands in for it. */
  readonly env?: string;
  /** As the help text shows it. */
  readonly default?: string;
  /** May be given more than once; in the environment, separated by commas. */
  readonly isRepeatable?: boolean;
  readonly commands: readonly Command[];
  readonly description: string;
  /** Reads the texts that were given. Returns a reason, as an Error, when they make no sense. */
  read(texts: readonly string[]): T | Error;
}

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
  help: flag({
    name: 'help',
    commands: ['mock', 'openapi', 'help'],
    description: 'print this text',
    read: () => true,
  }),
  version: flag({
    name: 'version',
    commands: ['mock', 'openapi', 'help'],
    description: 'print the version',
    read: () => true,
  }),
} as const;

/** Name of the option that a flag sets. */
export type FlagKey = keyof typeof FLAGS;

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

function notOneOf(known: readonly LogFormat[]): Error {
  return new Error(`must be one of: ${known.join(', ')}`);
}
