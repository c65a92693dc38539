// The flags of the command mock.
import {
  DEFAULT_CLIENT,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_REF_DATE,
  DEFAULT_SEED,
  DEFAULT_USER_COUNT,
  LOG_FORMATS,
} from '../defaults.js';
import {
  readAny,
  readClient,
  readDelay,
  readFault,
  readInteger,
  readMoment,
  readOneOf,
  readShare,
  readSwitch,
  readText,
} from './flag-readers.js';
import { type Flag, type FlagSet, flag, listFlag, readPresence, withVariable } from './flags.js';

const ADDRESS = {
  port: flag('--port <number>', readInteger(0, 65_535), 'port; 0: a free one', {
    default: String(DEFAULT_PORT),
  }),
  host: flag('--host <address>', readText, 'address to bind', { default: DEFAULT_HOST }),
  publicUrl: flag('--public-url <url>', readText, 'start of the links (default: the server)'),
  tlsCert: flag('--tls-cert <file>', readText, 'certificate for https, PEM'),
  tlsKey: flag('--tls-key <file>', readText, 'private key of the certificate, PEM'),
  corsOrigins: listFlag('--cors-origin <origin>', readAny, 'web origin that may call the API; *: all', {
    separator: ',',
  }),
} as const;

const DATA = {
  seed: flag(
    '--seed <number|text>',
    (text) => (/^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text),
    'the same seed gives the same data',
    { default: String(DEFAULT_SEED) },
  ),
  refDate: flag('--ref-date <date>', readMoment, 'seeded sessions are older than this', {
    default: DEFAULT_REF_DATE.slice(0, 10),
  }),
  clients: listFlag('--client <id:key>', readClient, 'a client and its API key', {
    default: `${DEFAULT_CLIENT.clientId}:${DEFAULT_CLIENT.apiKey}`,
    separator: ',',
  }),
  clientCount: flag('--clients <number>', readInteger(1, 1000), 'number of generated clients', {
    default: '1',
  }),
  userCount: flag('--users <number>', readInteger(1, 100_000), 'users per client; other ids work as well', {
    default: String(DEFAULT_USER_COUNT),
  }),
  sessionCount: flag(
    '--sessions <number>',
    readInteger(0, 10_000),
    'sessions per user, generated on demand',
    { default: '1 to 8' },
  ),
  scenario: flag('--scenario <file>', readText, 'clients, sessions and links, JSON or YAML'),
  init: flag('--init', readPresence, 'write an example scenario to the file, and exit', { variables: [] }),
  persistFile: flag('--persist <file>', readText, 'keep the state in this file over restarts'),
} as const;

const BEHAVIOUR = {
  latencyMs: flag('--latency <ms>', readDelay, 'delay of API responses: 200, or a range 100-800'),
  errorRate: flag('--error-rate <share>', readShare, 'share of API responses that are a 500: 0.05'),
  faults: listFlag('--fault <members>', readFault, 'an initial fault, such as route=createLink,status=503', {
    separator: ';',
  }),
  log: flag('--log <format>', readOneOf(LOG_FORMATS), 'log on stderr: pretty, json or silent', {
    default: 'pretty',
  }),
  readyJson: flag('--ready-json', readSwitch, 'print one line of JSON when ready'),
  controlToken: flag('--control-token <token>', readText, 'token for the dashboard and the control API'),
  noControl: flag('--no-control', readSwitch, 'no dashboard and no control API'),
} as const;

export const MOCK_FLAGS = {
  ...withVariables('Address:', ADDRESS),
  ...withVariables('Data:', DATA),
  ...withVariables('Behaviour:', BEHAVIOUR),
};

/** Puts flags in a group. Each flag of the mock has a variable, unless it says otherwise. */
function withVariables<S extends FlagSet>(group: string, flags: S): S {
  const entries = Object.entries(flags).map(([key, definition]): [string, Flag<unknown>] => [
    key,
    { ...withVariable(definition), ...definition, group },
  ]);
  return Object.fromEntries(entries) as FlagSet as S;
}

export const OPENAPI_FLAGS = {
  publicUrl: withVariable(flag('--public-url <url>', readText, 'base URL of the API in the document')),
} as const;

/** Flags of the database mode, which the mock no longer has. They get a message that says what to use. */
export const REMOVED_FLAGS = ['--database-url <url>', '--schema <name>'] as const;
