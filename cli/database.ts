// The database of the commands of the service: its flags, and its storage. The only file that loads pg, which users
// install themselves.
import { type Command, InvalidArgumentError } from 'commander';
import type { Guarded } from '../lib/core/guarded-storage.js';
import { parseUrl } from '../lib/core/url.js';
import type {
  PostgresDatabase,
  PostgresStorage,
  PostgresTableOptions,
} from '../lib/storage/postgres/index.js';
import { errorCode } from '../mock-server/scenario/file-problem.js';
import { databaseSentence } from './database-errors.js';
import { Flag, nameOf, pick, UsageError } from './flags.js';

const CONNECTION_TIMEOUT_MS = 10_000;

/** Values of the flags of the database. */
export interface DatabaseFlags extends PostgresTableOptions {
  databaseUrl: string;
}

/** The storage of a command. */
export type CommandStorage = Guarded<PostgresStorage>;

/** Adds the flags of the database to commands. DATABASE_URL counts if CLAIMLINK_DATABASE_URL is not set. */
export function addDatabaseFlags(commands: readonly Command[]): void {
  const { CLAIMLINK_DATABASE_URL, DATABASE_URL } = process.env;
  const variable = CLAIMLINK_DATABASE_URL || !DATABASE_URL ? 'CLAIMLINK_DATABASE_URL' : 'DATABASE_URL';
  const group = 'Database:';
  for (const command of commands)
    command
      .addOption(
        new Flag('--database-url <url>', 'the PostgreSQL database; also DATABASE_URL', readDatabaseUrl)
          .env(variable)
          .makeOptionMandatory()
          .helpGroup(group),
      )
      .addOption(
        new Flag('--schema <name>', 'schema of the tables (default: search_path)')
          .withVariable()
          .helpGroup(group),
      )
      .addOption(
        new Flag('--table-prefix <text>', 'prefix of their names')
          .withVariable()
          .default('claimlink_')
          .helpGroup(group),
      );
}

function readDatabaseUrl(text: string): string {
  if (/^postgres(?:ql)?:\/\//.test(text) && parseUrl(text) !== undefined && isDecodable(text)) return text;
  throw new InvalidArgumentError('It must look like postgres://user:password@host:5432/database.');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the names of the tables that the flags set. */
export function tablesOf(command: Command): PostgresTableOptions {
  return pick(command.opts<DatabaseFlags>(), 'schema', 'tablePrefix');
}

/** Creates a pool of one connection, which opens with the first statement. @throws UsageError if pg is not installed. */
async function openPool(connectionString: string) {
  const pg = await import('pg').catch((error: unknown) => {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('PostgreSQL needs the package pg; install it with `npm install pg`.');
  });
  const pool = new pg.default.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'claimlink',
  });
  // A connection that breaks while it is idle fails with the next statement.
  pool.on('error', () => {});
  return pool;
}

/** Runs a command on the database that its flags name, and closes all connections. @throws UsageError */
export async function withDatabase<T>(
  command: Command,
  use: (database: PostgresDatabase, tables: PostgresTableOptions) => Promise<T>,
): Promise<T> {
  const pool = await openPool(command.opts<DatabaseFlags>().databaseUrl);
  try {
    return await use(pool, tablesOf(command));
  } catch (error) {
    const sentence = databaseSentence(error, nameOf(command, 'databaseUrl'));
    throw sentence === undefined ? error : new UsageError(sentence);
  } finally {
    await pool.end();
  }
}

/** Runs a command on a storage, after checking that its tables have this version. @throws UsageError */
export async function withStorage<T>(
  command: Command,
  use: (storage: CommandStorage) => T | PromiseLike<T>,
  wrap: (database: PostgresDatabase) => PostgresDatabase = (database) => database,
): Promise<T> {
  const { assertSchema, createPostgresStorage } = await import('../lib/storage/postgres/index.js');
  const { guardStorage } = await import('../lib/core/guarded-storage.js');
  return withDatabase(command, async (database, tables) => {
    await assertSchema(database, tables);
    // A command may take longer than a request: removing a client deletes all its sessions.
    const storage = createPostgresStorage(wrap(database), { ...tables, queryTimeoutSeconds: false });
    return use(guardStorage(storage, false));
  });
}
