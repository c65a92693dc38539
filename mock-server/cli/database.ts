// Opens the database of --database-url. The only file that loads pg, which users install themselves.
import {
  assertSchema,
  createPostgresStorage,
  type PostgresDatabase,
  type PostgresStorage,
  type PostgresTableOptions,
} from '../../lib/storage/postgres/index.js';
import { errorCode } from '../scenario/file-problem.js';
import { databaseSentence } from './database-errors.js';
import type { DATABASE_FLAGS } from './database-flags.js';
import { type FlagReader, UsageError } from './flags.js';

const CONNECTION_TIMEOUT_MS = 10_000;

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

export type DatabaseFlags = FlagReader<typeof DATABASE_FLAGS>;

/** Runs a command on the database that the flags name, and closes all connections. @throws UsageError */
export async function withDatabase<T>(
  flags: DatabaseFlags,
  use: (database: PostgresDatabase, tables: PostgresTableOptions) => Promise<T>,
): Promise<T> {
  const pool = await openPool(flags.need('databaseUrl'));
  try {
    return await use(pool, flags.values);
  } catch (error) {
    const sentence = databaseSentence(error, flags.nameOf('databaseUrl'));
    throw sentence === undefined ? error : new UsageError(sentence);
  } finally {
    await pool.end();
  }
}

/** Runs a command on a storage, after checking that its tables have this version. @throws UsageError */
export function withStorage<T>(
  flags: DatabaseFlags,
  use: (storage: PostgresStorage) => T | PromiseLike<T>,
  wrap: (database: PostgresDatabase) => PostgresDatabase = (database) => database,
): Promise<T> {
  return withDatabase(flags, async (database, tables) => {
    await assertSchema(database, tables);
    return use(createPostgresStorage(wrap(database), tables));
  });
}
