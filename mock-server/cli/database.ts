// Opens the database of --database-url. The one place that loads pg, which claimlink leaves to its user to install.
import type { AdminStorage } from '../../lib/index.js';
import {
  assertSchema,
  createPostgresStorage,
  type PostgresDatabase,
  type PostgresTableOptions,
} from '../../lib/storage/postgres/index.js';
import type { CommandLine } from './command-line.js';
import { UsageError } from './flags.js';

/** Connections to a database. */
export interface DatabasePool extends PostgresDatabase {
  /** Resolves when all connections are closed. */
  end(): Promise<void>;
}

/** Options of `openPool`. */
export interface PoolOptions {
  /** Connections at most. */
  max: number;
  /** Gets the error of a connection that breaks while nobody uses it. */
  onError?(error: Error): void;
}

/** How long to wait for a connection before the database counts as out of reach. */
const CONNECTION_TIMEOUT_MS = 10_000;

/**
 * Makes a pool; it connects when it is first asked.
 * @throws UsageError where pg is not installed.
 */
export async function openPool(
  connectionString: string,
  { max, onError = () => {} }: PoolOptions,
): Promise<DatabasePool> {
  const { Pool } = await loadPg();
  const pool = new Pool({
    connectionString,
    max,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'claimlink',
  });
  pool.on('error', onError);
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

/** Runs a command on the database that the command line names, and ends all connections. */
export async function withDatabase<T>(
  line: CommandLine,
  use: (database: PostgresDatabase, tables: PostgresTableOptions) => Promise<T>,
): Promise<T> {
  const pool = await openPool(line.need('databaseUrl'), { max: 1 });
  try {
    return await use(pool, tablesOf(line));
  } finally {
    await pool.end();
  }
}

/** As `withDatabase`, on a storage whose tables are those of this version. */
export function withStorage<T>(line: CommandLine, use: (storage: AdminStorage) => Promise<T>): Promise<T> {
  return withDatabase(line, async (database, tables) => {
    await assertSchema(database, tables);
    return use(createPostgresStorage(database, tables));
  });
}

/** Where the tables are, as the command line says. */
export function tablesOf({ values: { schema } }: CommandLine): PostgresTableOptions {
  return schema === undefined ? {} : { schema };
}
