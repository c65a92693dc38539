// Runs statements: retries transient conflicts, and distinguishes an unreachable database from other errors.
import { randomUUID } from 'node:crypto';
import { ClaimlinkError } from '../../core/errors.js';

/** A database client: a `pg` Pool or Client, or a PGlite. */
export interface PostgresDatabase {
  /** Runs one statement with `$1`-style parameters. */
  // biome-ignore lint/suspicious/noExplicitAny: pg and PGlite declare it this way
  query(text: string, params?: any[]): Promise<{ rows: any[] }>;
}

/** A row as the driver returns it. */
export type Row = Record<string, unknown>;

/** Runs one statement and returns its rows. */
export type Execute = (text: string, params?: readonly unknown[]) => Promise<Row[]>;

/** serialization_failure and deadlock_detected: the statement was rolled back and may succeed when repeated. */
const RETRYABLE = new Set(['40001', '40P01']);

/** SQLSTATE classes and codes, and Node's error codes, for a database that cannot be reached. */
const UNREACHABLE =
  /^(?:08...|53300|57P0[123]|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** Messages of pg for a lost or refused connection. These errors have no code. */
const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout e?xceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after)/i;

/**
 * Attempts of a statement. All submissions of a client change the row that numbers them. With REPEATABLE READ or
 * SERIALIZABLE, only one of several concurrent submissions succeeds, and the others are repeated.
 */
const ATTEMPTS = 10;

/** pg's form for a prepared statement: it prepares the text under this name once per connection. */
interface PreparingDatabase {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
}

/**
 * Creates a function that runs statements. With `prepares` it uses prepared statements, which only `pg` supports.
 * The function rejects with `storage_unavailable` if the database cannot be reached, and with the driver's error
 * otherwise. Each statement is a transaction: one that failed with 40001 or 40P01 was rolled back, so a retry is safe.
 */
export function createExecutor(database: PostgresDatabase, prepares = false): Execute {
  async function query(text: string, params: readonly unknown[]): Promise<Row[]> {
    const values = [...params];
    if (!prepares) return (await database.query(text, values)).rows;
    const preparing = database as unknown as PreparingDatabase;
    return (await preparing.query({ name: nameOf(text), text, values })).rows;
  }

  return async (text, params = []) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await query(text, params);
      } catch (error) {
        if (isUnreachable(error)) {
          throw new ClaimlinkError('storage_unavailable', undefined, { cause: error });
        }
        if (!RETRYABLE.has(codeOf(error)) || attempt === ATTEMPTS) throw error;
        await pause(attempt);
      }
    }
  };
}

/** Part of the statement names of this copy of the package: two copies that share a pool must not share names. */
const copyId = randomUUID().slice(0, 8);
const namesByText = new Map<string, string>();

/** Returns the name of a statement. Equal texts share a name, so that a connection prepares each text once. */
function nameOf(text: string): string {
  const name = namesByText.get(text) ?? `claimlink_${copyId}_${namesByText.size + 1}`;
  namesByText.set(text, name);
  return name;
}

/** Returns the SQLSTATE or Node error code of a caught value, or ''. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function isUnreachable(error: unknown): boolean {
  // A pooler that rejects a setting will reject it again: a configuration error, not an outage.
  if (error instanceof Error && error.message.startsWith('unsupported startup parameter')) return false;
  if (UNREACHABLE.test(codeOf(error))) return true;
  // Node tries several addresses and reports their errors together.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return error instanceof Error && codeOf(error) === '' && UNREACHABLE_MESSAGE.test(error.message);
}

/** Waits before a retry. The random part keeps processes that conflicted from conflicting again. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, attempt * (5 + Math.random() * 20)));
}
