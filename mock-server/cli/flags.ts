// Every flag of the command line: one table for parsing, environment variables and help.
import { COMMAND_NAMES, type Command } from './commands.js';
import { flag } from './flag.js';
import { readDatabaseUrl, readExpiry, readText } from './flag-readers.js';
import { BEHAVIOUR_FLAGS, LISTEN_FLAGS, WORLD_FLAGS } from './mock-flags.js';

export { type Flag, UsageError } from './flag.js';
export type { Expiry } from './flag-readers.js';

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
  ...LISTEN_FLAGS,
  ...WORLD_FLAGS,
  ...BEHAVIOUR_FLAGS,
  databaseUrl: flag({
    name: 'database-url',
    value: 'url',
    env: 'CLAIMLINK_DATABASE_URL',
    // Not of the mock: what is set for a real service must not make a mock write into that one's database.
    sharedEnv: { name: 'DATABASE_URL', commands: DATABASE_COMMANDS },
    commands: ['mock', ...DATABASE_COMMANDS],
    description: 'the PostgreSQL to use; DATABASE_URL stands in for it too, but not for mock',
    read: readDatabaseUrl,
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
    read: readExpiry,
  }),
  json: flag({
    name: 'json',
    commands: ['keys list'],
    description: 'print JSON instead of a table',
    read: () => true,
  }),
  clientId: flag({
    name: 'client-id',
    value: 'id',
    env: 'CLAIMLINK_CLIENT_ID',
    commands: ['check'],
    description: 'the client to be at the deployment',
    read: readText,
  }),
  apiKey: flag({
    name: 'api-key',
    value: 'key',
    env: 'CLAIMLINK_API_KEY',
    commands: ['check'],
    description: 'its API key; the variable keeps it out of the list of processes',
    read: readText,
  }),
  userId: flag({
    name: 'user-id',
    value: 'id',
    env: 'CLAIMLINK_USER_ID',
    default: 'claimlink-check-<random>',
    commands: ['check'],
    description: 'the user to make links and submit claims for',
    read: readText,
  }),
  otherClientId: flag({
    name: 'other-client-id',
    value: 'id',
    commands: ['check'],
    description: 'another client there, to check that the key does not open it',
    read: readText,
  }),
  linkOrigin: flag({
    name: 'link-origin',
    value: 'origin',
    default: 'none',
    commands: ['check'],
    description: 'allows requests to links with this origin, such as https://claims.example.com',
    read: readText,
  }),
  callbackUrl: flag({
    name: 'callback-url',
    value: 'url',
    default: 'below https://example.com',
    commands: ['check'],
    description: 'where links send users back to, for a client that allows certain origins only',
    read: readText,
  }),
  reportJson: flag({
    name: 'json',
    commands: ['check'],
    description: 'print one JSON document instead of the report',
    read: () => true,
  }),
  junit: flag({
    name: 'junit',
    value: 'file',
    commands: ['check'],
    description: 'also write the result as JUnit XML',
    read: readText,
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
