// A PostgreSQL database of the commands. The only file that loads pg, which users install themselves.
import {
  assertSchema,
  createPostgresStorage,
  migrate,
  migrationSql,
  type PostgresTableOptions,
  SCHEMA_VERSION,
} from '../lib/storage/postgres/index.js';
import { mustBeIdentifier } from '../lib/storage/sql/columns.js';
import { errorCode } from '../mock-server/scenario/file-problem.js';
import type { CommandDatabase } from './command-database.js';
import { UsageError } from './flags.js';

const CONNECTION_TIMEOUT_MS = 10_000;

/** Returns a database whose pool of one connection opens with the first statement. */
export function openPostgres(connectionString: string, tables: PostgresTableOptions): CommandDatabase {
  let pool: Awaited<ReturnType<typeof createPool>> | undefined;
  async function open() {
    pool ??= await createPool(connectionString);
    return pool;
  }
  return {
    migrationSql: () => migrationSql(tables),
    migrate: async () => ({ applied: await migrate(await open(), tables), version: SCHEMA_VERSION }),
    async openStorage() {
      const database = await open();
      await assertSchema(database, tables);
      return createPostgresStorage(database, { ...tables, queryTimeoutSeconds: false });
    },
    close: async () => pool?.end(),
  };
}

/**
 * Returns the schema of the tables, by `schema=` in the URL as well: Prisma and other tools write it there, and pg ignores it.
 * @throws UsageError if URL and flag differ.
 */
export function schemaOf(
  { database, schema: flag }: { database: string; schema?: string },
  urlName: string,
  flagName: string,
): string | undefined {
  const schemas = URL.canParse(database) ? new URL(database).searchParams.getAll('schema') : [];
  const schema = flag ?? schemas[0];
  if (schemas.some((other) => other !== schema))
    throw new UsageError(`${flagName} and schema= in ${urlName} name different schemas.`);
  const problem = schemas.length > 0 ? mustBeIdentifier(schema) : undefined;
  if (problem !== undefined) throw new UsageError(`schema= in ${urlName} ${problem}.`);
  return schema;
}

/** @throws UsageError if pg is not installed. */
async function createPool(connectionString: string) {
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
