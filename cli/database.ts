// The database of the commands of the service: its flags, and how a command uses it.
import type { Command } from 'commander';
import type { Administration } from '../lib/core/administration/index.js';
import { isClaimlinkError } from '../lib/core/errors.js';
import type { Awaitable } from '../lib/core/types.js';
import type { CommandDatabase } from './command-database.js';
import { databaseSentence, hostReason } from './database-errors.js';
import { Flag, HostError, nameOf, pick, rejectValue, UsageError } from './flags.js';

/** Maximum number of records in a page. */
export const MAX_PAGE_SIZE = 1000;

/** Values of the flags that name a storage. */
export interface DatabaseFlags {
  database: string;
  storage?: string;
  schema?: string;
  tablePrefix: string;
  verbose?: boolean;
}

/** Adds the flags of the storage to commands. DATABASE_URL counts if CLAIMLINK_DATABASE_URL is not set. */
export function addDatabaseFlags(commands: readonly Command[]): void {
  const { CLAIMLINK_DATABASE_URL, DATABASE_URL } = process.env;
  const variable = CLAIMLINK_DATABASE_URL || !DATABASE_URL ? 'CLAIMLINK_DATABASE_URL' : 'DATABASE_URL';
  const flags = [
    new Flag('--database <url>', 'postgres://... or sqlite:claims.db; also DATABASE_URL', String)
      .env(variable)
      .makeOptionMandatory(),
    // commander needs no --database then.
    new Flag('--storage <module>', 'your module with a storage, instead of --database')
      .withVariable()
      .implies({ database: '' }),
    new Flag('--schema <name>', 'schema of the PostgreSQL tables, also schema= in the URL').withVariable(),
    new Flag('--table-prefix <text>', 'prefix of their names').withVariable().default('claimlink_'),
    new Flag('--verbose', 'show messages of errors of --storage; they may contain secrets'),
  ];
  for (const command of commands) {
    for (const flag of flags) command.addOption(flag.helpGroup('Database:'));
    command.hook('preAction', checkDatabase);
  }
}

/**
 * Rejects an invalid value of --database or its variables. With a storage of the host, the variables may name a database of
 * the host: commander reads a variable before it is clear which storage the command uses.
 */
function checkDatabase(command: Command): void {
  if (moduleOf(command) !== undefined || !isSet(command, 'database')) return;
  if (isDatabase(command.opts<DatabaseFlags>().database)) return;
  const detail = 'It must look like postgres://user:password@host:5432/database or sqlite:claims.db.';
  rejectValue(command, 'database', detail);
}

function isDatabase(text: string): boolean {
  // pg decodes the parts of its URL.
  if (/^postgres(?:ql)?:\/\//.test(text)) return URL.canParse(text) && isDecodable(text);
  // Messages name the file. A text with `://` may be the URL of another database, with a password.
  return /^sqlite:(?!\/\/|:memory:|.*:\/\/).+/s.test(text);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** Runs a command on the database that its flags name, and closes all connections. @throws UsageError */
export async function withDatabase<T>(
  command: Command,
  use: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  const module = moduleOf(command);
  const name = nameOf(command, module === undefined ? 'database' : 'storage');
  const database = await openDatabase(command, module, name);
  try {
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof HostError) throw error;
    const isOfHost = module !== undefined && !(error instanceof UsageError || isClaimlinkError(error));
    if (isOfHost && command.opts<DatabaseFlags>().verbose) throw error;
    const sentence = databaseSentence(error, name);
    if (sentence !== undefined) throw new UsageError(sentence);
    if (!isOfHost) throw error;
    throw new HostError(`The storage of ${name} failed ${hostReason(error)}`);
  }
}

/** Returns the module of --storage. A flag takes precedence over the variable of the other one. */
function moduleOf(command: Command): string | undefined {
  const isFlag = (key: string) => command.getOptionValueSource(key) === 'cli';
  if (isFlag('database') && isFlag('storage'))
    throw new UsageError('--database and --storage exclude each other.');
  return isFlag('database') ? undefined : command.opts<DatabaseFlags>().storage;
}

async function openDatabase(
  command: Command,
  module: string | undefined,
  name: string,
): Promise<CommandDatabase> {
  const flags = command.opts<DatabaseFlags>();
  if (module !== undefined) {
    rejectFlags(command, 'a storage of the host', 'schema', 'tablePrefix');
    const { openModule } = await import('./module-storage.js');
    return openModule(module, name, flags.verbose === true);
  }
  const [, file] = /^sqlite:(.+)/s.exec(flags.database) ?? [];
  if (file !== undefined) {
    rejectFlags(command, 'SQLite', 'schema');
    const { openSqlite } = await import('./sqlite-database.js');
    return openSqlite(file, name, pick(flags, 'tablePrefix'));
  }
  const { openPostgres, schemaOf } = await import('./postgres-database.js');
  const schema = schemaOf(flags, name, nameOf(command, 'schema'));
  return openPostgres(flags.database, {
    ...pick(flags, 'tablePrefix'),
    ...(schema !== undefined && { schema }),
  });
}

/** Returns whether a flag or its variable is set. */
function isSet(command: Command, key: string): boolean {
  return ['cli', 'env'].includes(command.getOptionValueSource(key) ?? '');
}

/** @throws UsageError if one of these flags or its variable is set. */
function rejectFlags(command: Command, place: string, ...keys: string[]): void {
  for (const key of keys)
    if (isSet(command, key)) throw new UsageError(`${nameOf(command, key)} cannot be used with ${place}.`);
}

/**
 * Runs a command on the administration of the storage that its flags name, after a check that its tables fit this version.
 * @throws UsageError, or `options_invalid` for a storage that lacks methods
 */
export async function withAdministration<T>(
  command: Command,
  use: (administration: Administration, database: CommandDatabase) => Awaitable<T>,
): Promise<T> {
  const { createAdministration } = await import('../lib/core/administration/index.js');
  const { guardStorage, implementing } = await import('../lib/core/guarded-storage.js');
  return withDatabase(command, async (database) => {
    // A command may take longer than a request: removing a client deletes all its sessions.
    const guarded = guardStorage(await database.openStorage(), false);
    const storage = implementing(guarded, 'Storage', 'every command');
    const now = () => new Date();
    const options = { storage, now, maxPageSize: MAX_PAGE_SIZE, cause: 'this command' };
    return use(createAdministration(options), database);
  });
}
