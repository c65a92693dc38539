// The connection of another library as a database. Each function needs only the members that it names.
import type { Row } from '../sql/rows.js';
import type { PostgresDatabase } from './execute.js';

/** The `sql` of the package `postgres`. */
export interface PostgresJsConnection {
  /** Runs a statement and returns its rows. */
  unsafe(text: string, params?: unknown[]): PromiseLike<Row[]>;
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
    async query(text, params = []) {
      // Knex has `?` for each place of a parameter.
      const places = [...text.matchAll(/\$(\d+)/g)].map(([, place]) => params[Number(place) - 1]);
      return knex.raw(text.replace(/\$\d+/g, '?'), places);
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
        throw Object.assign(new Error((error as Error).message, { cause: error }), {
          code: prismaCode(error),
        });
      }
    },
  };
}

/** An error of Prisma. A raw query has P2010, with the error of the adapter or the SQLSTATE in `meta`. */
interface PrismaError {
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

/** Returns the SQLSTATE or Node error code of an error of Prisma, or its own code for another error. */
function prismaCode(error: unknown): string | undefined {
  const { code = '', meta } = error as PrismaError;
  const { originalCode = meta?.code, kind = '' } = meta?.driverAdapterError?.cause ?? {};
  return originalCode ?? PRISMA_CODES[kind] ?? PRISMA_CODES[code] ?? code;
}
