// Runs a statement: retries what the database asks to be retried, and tells "out of reach" from "broken".
import { ClaimlinkError } from '../core/errors.js';

/** Anything that runs SQL: a `pg` Pool or Client, a PGlite. */
export interface PostgresDatabase {
  /** One statement, `$1`-style parameters. */
  // biome-ignore lint/suspicious/noExplicitAny: as pg and PGlite declare it
  query(text: string, params?: any[]): Promise<{ rows: any[] }>;
}

/** A row as the driver gives it. */
export type Row = Record<string, unknown>;

/** Runs one statement and gives its rows. */
export type Execute = (text: string, params?: readonly unknown[]) => Promise<Row[]>;

/** serialization_failure and deadlock_detected: nothing was done, and the same statement may well succeed now. */
const RETRYABLE = new Set(['40001', '40P01']);

/** SQLSTATE classes and codes, and Node's error codes, that say: the database cannot be reached, or not now. */
const UNREACHABLE =
  /^(?:08...|53300|57P0[123]|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** pg reports a lost or refused connection without any code. */
const UNREACHABLE_MESSAGE =
  /^(?:Connection terminated|timeout e?xceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after)/i;

const ATTEMPTS = 4;

/**
 * Wraps a database.
 * The result throws `storage_unavailable` where the database cannot be reached, and the driver's error for the rest.
 * A statement is atomic, so a retry never does a thing twice: what failed with 40001 or 40P01 was rolled back whole.
 */
export function createExecutor(database: PostgresDatabase): Execute {
  return async (text, params = []) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { rows } = await database.query(text, [...params]);
        return rows as Row[];
      } catch (error) {
        if (isUnreachable(error))
          throw new ClaimlinkError('storage_unavailable', undefined, { cause: error });
        if (!RETRYABLE.has(codeOf(error)) || attempt === ATTEMPTS) throw error;
        await pause(attempt);
      }
    }
  };
}

/** SQLSTATE or Node error code of a caught value; '' without one. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function isUnreachable(error: unknown): boolean {
  // A pooler that does not know a setting will not know it later: a mistake of the host's, not an outage.
  if (error instanceof Error && error.message.startsWith('unsupported startup parameter')) return false;
  if (UNREACHABLE.test(codeOf(error))) return true;
  // Node tries several addresses, and reports all of their errors in one.
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return error instanceof Error && codeOf(error) === '' && UNREACHABLE_MESSAGE.test(error.message);
}

/** Grows, and differs between processes, so that those who collided do not collide again. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, attempt * (5 + Math.random() * 20)));
}
