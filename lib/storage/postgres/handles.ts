// The connection of another library as a database. Each function needs only the members that it names.
import { toPlaces } from '../sql/parameters.js';
import type { Row } from '../sql/rows.js';
import type { PostgresDatabase } from './execute.js';

/** The `sql` of the package `postgres`. */
export interface PostgresJsConnection {
  /** Runs a statement and returns its rows. */
  unsafe(text: string, params?: unknown[]): PromiseLike<unknown[]>;
}

/** Returns the database of an `sql` of the package `postgres`. Its option `transform` must not rename columns. */
export function fromPostgres(sql: PostgresJsConnection): PostgresDatabase {
  return { query: async (text, params = []) => ({ rows: await sql.unsafe(text, params) }) };
}

/**
 * Returns the database of a Drizzle over `pg`, `postgres` or PGlite: its `$client`, whose errors have their SQLSTATE. A
 * Pool of `pg` gets `queryTimeoutSeconds` and `prepareStatements`.
 */
export function fromDrizzle(db: { $client: PostgresDatabase | PostgresJsConnection }): PostgresDatabase {
  return 'unsafe' in db.$client ? fromPostgres(db.$client) : db.$client;
}

/** Returns the database of a Kysely. The statements bypass its plugins, such as CamelCasePlugin. */
export function fromKysely(db: {
  withoutPlugins(): { executeQuery(query: object): Promise<{ rows: unknown[] }> };
}): PostgresDatabase {
  const kysely = db.withoutPlugins();
  return {
    query(sql, parameters = []) {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
      return kysely.executeQuery({ sql, parameters, query, queryId: { queryId: 'claimlink' } });
    },
  };
}

/** Returns the database of a Knex. Its option `postProcessResponse` must not rename columns. */
export function fromKnex(knex: {
  raw(text: string, bindings: unknown[]): PromiseLike<{ rows: unknown[] }>;
}): PostgresDatabase {
  return {
    async query(sql, params = []) {
      const { text, valuesOf } = toPlaces(sql);
      return knex.raw(text, valuesOf(params));
    },
  };
}

/**
 * Returns the database of a PrismaClient with the adapter `@prisma/adapter-pg`. Its errors have the `code` of PostgreSQL
 * or Node, and the error of Prisma as their `cause`.
 */
export function fromPrisma(client: {
  $queryRawUnsafe(text: string, ...params: unknown[]): PromiseLike<unknown>;
}): PostgresDatabase {
  return {
    async query(text, params = []) {
      try {
        return { rows: (await client.$queryRawUnsafe(text, ...params)) as Row[] };
      } catch (error) {
        throw toCodedError(error as PrismaError);
      }
    },
  };
}

/** An error of Prisma. A raw query has P2010, with the error of the adapter or the SQLSTATE in `meta`. */
interface PrismaError extends Error {
  code?: string;
  meta?: { code?: string; driverAdapterError?: { cause?: { originalCode?: string; kind?: string } } };
}

/** The errors of Prisma without the code of PostgreSQL or Node, and that code. */
const PRISMA_CODES: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
  P2034: '40001',
};

/** Returns an error with the SQLSTATE or the error code of Node as its code, if the error of Prisma has one. */
function toCodedError(cause: PrismaError): Error {
  const { originalCode = cause.meta?.code, kind = '' } = cause.meta?.driverAdapterError?.cause ?? {};
  const code = originalCode ?? PRISMA_CODES[kind] ?? PRISMA_CODES[cause.code ?? ''] ?? cause.code;
  return Object.assign(new Error(cause.message, { cause }), { code });
}

/** A query of TypeORM that failed has the error of `pg`. */
interface TypeormError extends Error {
  driverError?: Error;
}

/**
 * Returns the database of a DataSource, an EntityManager or a QueryRunner of TypeORM. For UPDATE and DELETE, TypeORM returns
 * the rows with their number. The error of `pg` takes the place of its error, which has the parameters of the statement.
 */
export function fromTypeorm(source: {
  query(text: string, params?: unknown[]): Promise<unknown>;
}): PostgresDatabase {
  return {
    async query(text, params = []) {
      try {
        const result = (await source.query(text, params)) as Row[] | [rows: Row[], count: number];
        return { rows: Array.isArray(result[0]) ? result[0] : (result as Row[]) };
      } catch (error) {
        throw (error as TypeormError).driverError ?? error;
      }
    },
  };
}

/** An error of Sequelize has that of `pg` or Node, to which Sequelize adds the statement and its parameters. */
interface SequelizeError extends Error {
  original?: Error & { parameters?: unknown };
}

/**
 * Returns the database of a Sequelize 6 with the dialect `postgres`. The error of `pg` or Node takes the place of its error,
 * without the parameters of the statement.
 */
export function fromSequelize(sequelize: {
  query(text: string, options: object): Promise<unknown>;
}): PostgresDatabase {
  return {
    async query(text, params = []) {
      // Sequelize looks for parameters in the text if it gets a list, also an empty one.
      const bind = params.length > 0 && { bind: params };
      try {
        // Each statement returns its rows first, whatever the options of the host are.
        const result = await sequelize.query(text, { ...bind, type: 'RAW', plain: false });
        return { rows: (result as [Row[]])[0] };
      } catch (error) {
        const { original } = error as SequelizeError;
        if (original) delete original.parameters;
        throw original ?? error;
      }
    },
  };
}
