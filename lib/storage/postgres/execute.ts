// Runs statements: retries transient conflicts, and distinguishes an unavailable database from other errors.
import { hash } from 'node:crypto';
import { assertMethods } from '../../core/assert-options.js';
import { ClaimlinkError } from '../../core/errors.js';
import { isDate, isError, isRecord } from '../../core/plain-data.js';
import { toRows } from '../sql/driver.js';
import type { Param, Row } from '../sql/rows.js';

/** A database: a `pg` Pool or Client, a PGlite, the result of `fromKysely` and its like, or your own adapter. */
export interface PostgresDatabase {
  /** Runs one statement with `$1`-style parameters. */
  // biome-ignore lint/suspicious/noExplicitAny: pg and PGlite declare it this way
  query(text: string, params?: any[]): Promise<{ rows: any[] }>;
}

/** Runs one statement and returns its rows. */
export type Execute = (text: string, params?: readonly Param[]) => Promise<Row[]>;

/** serialization_failure and deadlock_detected: the statement was rolled back and may succeed when repeated. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * Errors of a database that is not available right now, by reason: the start of their SQLSTATE or other code, or of the
 * message of an error without a code. A later repetition may succeed.
 */
export const UNAVAILABLE: Readonly<Record<string, readonly string[]>> = {
  'The database cannot be reached, or the connection was lost': [
    '08', // the class of connection exceptions
    '40003', // statement_completion_unknown
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ENOENT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECT_TIMEOUT',
    'ERR_POSTGRES_CONNECTION', // Bun
    'Connection terminated',
    'Client has encountered a connection error',
  ],
  'The pool has no free connection, or the server has too many': [
    '53300',
    'timeout exceeded when trying to connect',
    'Knex: Timeout acquiring a connection',
    'Operation timeout', // Sequelize
  ],
  'The database starts, stops or ended the connection': ['57P01', '57P02', '57P03', '57P05'],
  'The database is read-only: a standby, or a primary that was demoted': ['25006'],
  'The statement took too long': ['25P04', '55P03', '57014', 'Query read timeout'],
  'The statement was in conflict with others at each attempt': ['40001', '40P01'],
  'The host has ended the pool or the client': [
    'CONNECTION_ENDED',
    'Cannot use a pool after calling end',
    'Client was closed',
    'driver has already been destroyed', // Kysely
    'Unable to acquire a connection', // Knex
    'Driver not Connected', // TypeORM
    'ConnectionManager.getConnection was called after', // Sequelize
  ],
};

/**
 * Attempts of a statement. All submissions of a client change the row that numbers them. With REPEATABLE READ or
 * SERIALIZABLE, only one of several concurrent submissions succeeds, and the others are repeated.
 */
const ATTEMPTS = 10;

/**
 * Errors of a prepared statement that the same text without a name does not have: the connection does not have the statement
 * (invalid_sql_statement_name) or has it already (duplicate_prepared_statement), because a pooler gave it another server; or a
 * migration changed the type of a result (feature_not_supported: the cached plan must not change). The database reports them
 * before it runs the statement, so it had no effect.
 */
const PREPARED_ELSEWHERE = new Set(['26000', '42P05', '0A000']);

/** in_failed_sql_transaction: an earlier statement of the transaction failed. */
const IN_FAILED_TRANSACTION = '25P02';

/** How statements are run. The defaults work with every driver. */
export interface ExecutorOptions {
  /** Uses prepared statements. `auto`: until a first one fails because it is prepared. */
  prepareStatements?: boolean | 'auto';
  /** Time limit of a statement in seconds. */
  queryTimeoutSeconds?: number | false;
}

/** pg's form of a statement: it prepares a text with a name once per connection, and ends the wait after a time. */
interface PgDatabase {
  query(statement: {
    text: string;
    values: unknown[];
    name?: string;
    query_timeout?: number;
  }): Promise<{ rows: Row[] }>;
}

/** Returns whether a value is a Pool or a Client of pg, which are known by these members. */
export function isPg(database: unknown): boolean {
  const members = Object(database);
  return 'totalCount' in members || 'connectionParameters' in members;
}

/**
 * Creates a function that runs statements. Both options need `pg`. The function rejects with `storage_unavailable` if
 * the database is not available, and with the driver's error otherwise. Each statement is a transaction: one that
 * failed with 40001 or 40P01 was rolled back, so a retry is safe. It rejects with `schema_mismatch` if the driver does not
 * return a list of objects.
 * @throws `options_invalid` if the database has no method `query`.
 */
export function createExecutor(
  database: PostgresDatabase,
  { prepareStatements = false, queryTimeoutSeconds = false }: ExecutorOptions = {},
): Execute {
  assertMethods('database', database, 'query');
  const timeout = queryTimeoutSeconds === false ? undefined : queryTimeoutSeconds * 1000;
  let isPreparing = prepareStatements !== false;

  function query(text: string, params: readonly Param[], isPrepared: boolean): Promise<{ rows: Row[] }> {
    // Text with its time zone does not depend on settings of driver, process or server.
    const values = params.map((value) => (isDate(value) ? value.toISOString() : (value ?? null)));
    if (!isPrepared && timeout === undefined) return database.query(text, values);
    return (database as unknown as PgDatabase).query({
      text,
      values,
      ...(isPrepared && { name: nameOf(text) }),
      ...(timeout !== undefined && { query_timeout: timeout }),
    });
  }

  function endPreparing(cause: unknown): void {
    if (!isPreparing) return;
    isPreparing = false;
    process.emitWarning(
      `A prepared statement failed (${codeOf(cause)}), and succeeded without preparation. The storage prepares no further ones. Set prepareStatements to false, or see docs/postgres.md for the settings of a pooler.`,
      { type: 'ClaimlinkWarning', code: 'CLAIMLINK_PREPARE_STATEMENTS' },
    );
  }

  return async (text, params = []) => {
    let isPrepared = isPreparing;
    let preparedError: unknown;
    for (let attempt = 1; ; attempt++) {
      try {
        const result: unknown = await query(text, params, isPrepared);
        if (preparedError !== undefined) endPreparing(preparedError);
        return toRows(isRecord(result) ? result['rows'] : undefined);
      } catch (error) {
        const code = codeOf(error);
        if (isPrepared && prepareStatements === 'auto' && PREPARED_ELSEWHERE.has(code)) {
          preparedError = error;
          isPrepared = false;
        } else if (RETRYABLE.has(code) && attempt < ATTEMPTS) await pause(attempt);
        // The transaction of a host failed with its first error.
        else
          throw toStorageError(code === IN_FAILED_TRANSACTION ? (preparedError ?? error) : error, isPrepared);
      }
    }
  };
}

/** Returns the error that the caller gets: the driver's own, unless the caller can do something about it. */
function toStorageError(error: unknown, isPrepared: boolean): unknown {
  const cause = { cause: error };
  const reason = unavailableReason(error);
  if (reason !== undefined) return new ClaimlinkError('storage_unavailable', `${reason}.`, cause);
  if (!isPrepared || !PREPARED_ELSEWHERE.has(codeOf(error))) return error;
  return new Error(
    'The pooler between claimlink and PostgreSQL does not support prepared statements. Set prepareStatements to false, or see docs/postgres.md for the settings of the pooler.',
    cause,
  );
}

const namesByText = new Map<string, string>();

/**
 * Returns the name of a statement: a hash of its text. A pooler may share a server between applications, and copies of this
 * package may share a pool: a name never stands for another text.
 */
function nameOf(text: string): string {
  const name = namesByText.get(text) ?? `claimlink_${hash('sha256', text, 'base64url')}`;
  namesByText.set(text, name);
  return name;
}

/** Returns the SQLSTATE or Node error code of a caught value, or ''. Bun has the SQLSTATE in `errno`, which Node has as a number. */
export function codeOf(error: unknown): string {
  if (!isRecord(error)) return '';
  return [error['errno'], error['code']].find((code) => typeof code === 'string') ?? '';
}

/** Returns why the database is not available, or undefined for another error. */
function unavailableReason(error: unknown): string | undefined {
  const message = isError(error) ? error.message : '';
  // A pooler that rejects a setting will reject it again: a configuration error, not an outage.
  if (message.startsWith('unsupported startup parameter')) return undefined;
  const sign = codeOf(error) || message;
  const [reason] =
    Object.entries(UNAVAILABLE).find(([, starts]) => starts.some((start) => sign.startsWith(start))) ?? [];
  // Node tries several addresses and reports their errors together.
  if (reason === undefined && isError(error) && error.name === 'AggregateError')
    return (error as AggregateError).errors.map(unavailableReason).find((inner) => inner !== undefined);
  return reason;
}

/** Waits before a retry. The random part keeps processes that conflicted from conflicting again. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, attempt * (5 + Math.random() * 20)));
}
