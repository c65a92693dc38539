// Opens the database of --database-url. The only file that loads pg, which users install themselves.
import {
  assertSchema,
  createPostgresStorage,
  type PostgresDatabase,
  type PostgresStorage,
  type PostgresTableOptions,
} from '../../lib/storage/postgres/index.js';
import { databaseSentence } from './database-errors.js';
import type { DATABASE_FLAGS } from './database-flags.js';
import { type FlagReader, UsageError } from './flags.js';
import { toUsageError } from './options-error.js';

/** Time limit of a connection. */
const CONNECTION_TIMEOUT_MS = 10_000;

/** Creates a pool of one connection, which opens with the first statement. @throws UsageError if pg is not installed. */
async function openPool(connectionString: string) {
  const { Pool } = await loadPg();
  const pool = new Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'claimlink',
  });
  // A connection that breaks while it is idle fails with the next statement.
  pool.on('error', () => {});
  return pool;
}

async function loadPg() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('PostgreSQL needs the package pg; install it with `npm install pg`.');
  }
}

type DatabaseFlags = Pick<FlagReader<typeof DATABASE_FLAGS>, 'need' | 'nameOf'> & {
  readonly values: { schema?: string };
};

/** Runs a command on the database that the flags name, and closes all connections. @throws UsageError */
export async function withDatabase<T>(
  flags: DatabaseFlags,
  use: (database: PostgresDatabase, tables: PostgresTableOptions) => Promise<T>,
): Promise<T> {
  const pool = await openPool(flags.need('databaseUrl'));
  try {
    return await use(pool, tablesOf(flags));
  } catch (error) {
    const sentence = databaseSentence(error, flags.nameOf('databaseUrl'));
    if (sentence !== undefined) throw new UsageError(sentence);
    throw toUsageError(error, (option) => (option === 'schema' ? flags.nameOf(option) : undefined));
  } finally {
    await pool.end();
  }
}

/** Runs a command on a storage, after checking that its tables have this version. @throws UsageError */
export function withStorage<T>(
  flags: DatabaseFlags,
  use: (storage: PostgresStorage) => Promise<T>,
): Promise<T> {
  return withDatabase(flags, async (database, tables) => {
    await assertSchema(database, tables);
    return use(createPostgresStorage(database, tables));
  });
}

/** Returns where the tables are. */
export function tablesOf({ values: { schema } }: Pick<DatabaseFlags, 'values'>): PostgresTableOptions {
  return schema === undefined ? {} : { schema };
}
