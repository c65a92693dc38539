// Runs statements and transactions, and distinguishes an unavailable database from other errors.
import { assertMethods } from '../../core/assert-options.js';
import { ClaimlinkError, invalidOption } from '../../core/errors.js';
import { isDate, isError, isRecord } from '../../core/plain-data.js';
import { driverMismatch, toRows } from '../sql/driver.js';
import { toPlaces } from '../sql/parameters.js';
import type { Param, Row } from '../sql/rows.js';

/** A value that every driver accepts as a parameter. */
export type SqliteValue = string | number | null;

/** A prepared statement with `?` for its parameters. */
export interface SqliteStatement {
  /** Runs the statement and returns the number of rows that it changed. */
  run(...params: SqliteValue[]): { changes: number | bigint };
  /** Runs the statement and returns its rows. */
  all(...params: SqliteValue[]): unknown[];
}

/** A connection to SQLite: a `DatabaseSync` of node:sqlite, or a `Database` of better-sqlite3, libsql or bun:sqlite. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
}

/** Runs statements. */
export interface Executor {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Returns the rows of a statement with `$1`-style parameters. */
  all(text: string, params: readonly Param[]): Row[];
  /** Returns the number of rows that a statement with `$1`-style parameters changed. */
  run(text: string, params: readonly Param[]): number;
  /** Runs a function in a transaction, which locks the database for writing from its start. */
  transaction<T>(work: () => T): T;
}

interface PreparedStatement {
  readonly statement: SqliteStatement;
  /** Returns the value of each `?`. */
  toValues(params: readonly Param[]): SqliteValue[];
}

/** How long a statement waits for the lock of another connection. It blocks the event loop. */
const BUSY_TIMEOUT_MS = 5000;

/** Errors of a database that is not available right now: the primary result code, its name and the reason. */
export const UNAVAILABLE = [
  [5, 'SQLITE_BUSY', 'Another connection has locked the database for too long'],
  [6, 'SQLITE_LOCKED', 'Another connection of the process has locked the table'],
  [8, 'SQLITE_READONLY', 'The database is read-only'],
  [10, 'SQLITE_IOERR', 'The disk failed'],
  [13, 'SQLITE_FULL', 'The disk is full, or the file has reached its maximum size'],
  [14, 'SQLITE_CANTOPEN', 'The file cannot be opened'],
  [15, 'SQLITE_PROTOCOL', 'The lock of the database could not be obtained'],
] as const;

/** What the drivers throw, without a result code, after the host has closed the database. */
const CLOSED =
  /database connection is not open|database is not open|statement has been finalized|closed database|Database has closed/;

/**
 * Creates the functions that run statements, and sets the connection to WAL and to wait for locks. They throw
 * `storage_unavailable` if the database is not available, and the driver's error otherwise.
 * @throws `options_invalid` for a value that is not a synchronous SQLite driver.
 */
export function createExecutor(database: SqliteDatabase): Executor {
  assertMethods('database', database, 'exec', 'prepare');
  const statements = new Map<string, PreparedStatement>();

  function prepare(sql: string): PreparedStatement {
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      const { text, valuesOf } = toPlaces(sql);
      prepared = { statement: database.prepare(text), toValues: (params) => valuesOf(params).map(toValue) };
      statements.set(sql, prepared);
    }
    return prepared;
  }

  const executor: Executor = {
    exec: (sql) => {
      attempt(() => database.exec(sql));
    },
    all: (text, params) =>
      attempt(() => {
        const { statement, toValues } = prepare(text);
        return toRows(statement.all(...toValues(params)));
      }),
    run: (text, params) =>
      attempt(() => {
        const { statement, toValues } = prepare(text);
        return toChanges(statement.run(...toValues(params)));
      }),
    transaction(work) {
      executor.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        executor.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
  };
  executor.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  assertSynchronous(database);
  executor.exec('PRAGMA journal_mode = WAL');
  return executor;
}

/** The values that every driver accepts. libsql ends the process for a boolean. */
function toValue(param: Param): SqliteValue {
  if (isDate(param)) return param.getTime();
  return typeof param === 'boolean' ? Number(param) : (param ?? null);
}

/** Returns the number of rows that a statement changed. @throws `schema_mismatch` if the driver does not return it. */
function toChanges(result: unknown): number {
  const changes = isRecord(result) ? result['changes'] : undefined;
  if (typeof changes !== 'number' && typeof changes !== 'bigint')
    throw driverMismatch('does not return the number of changed rows');
  return Number(changes);
}

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const reason = unavailableReason(error);
    throw reason === undefined
      ? error
      : new ClaimlinkError('storage_unavailable', `${reason}.`, { cause: error });
  }
}

/** After some errors, such as a full disk, SQLite has rolled back already. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The error that ended the transaction says why.
  }
}

/** Rejects drivers with the same methods that return promises: a transaction would contain statements of other calls. */
function assertSynchronous(database: SqliteDatabase): void {
  const rows: unknown = attempt(() => database.prepare('SELECT 1 AS one').all());
  if (Array.isArray(rows) && Number(rows[0]?.one) === 1) return;
  throw invalidOption('/database', 'value', 'must be a synchronous SQLite database that returns objects');
}

/** Returns why the database is not available, or undefined for another error. */
function unavailableReason(error: unknown): string | undefined {
  if (isError(error) && CLOSED.test(error.message)) return 'The host has closed the database';
  return unavailableEntry(error)?.[2];
}

/** Returns whether a statement failed because the database is read-only. */
export function isReadOnly(error: unknown): boolean {
  return isError(error) && unavailableEntry(error.cause)?.[1] === 'SQLITE_READONLY';
}

function unavailableEntry(error: unknown): (typeof UNAVAILABLE)[number] | undefined {
  if (!isError(error)) return undefined;
  // node:sqlite has the extended result code as a number, the other drivers have its name.
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return UNAVAILABLE.find(([number, name]) =>
    typeof errcode === 'number' ? (errcode & 0xff) === number : String(code).startsWith(name),
  );
}
