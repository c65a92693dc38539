// Runs a statement: retries what the database asks to be retried, and tells "out of reach" from "broken".
import { ClaimlinkError } from '../../core/errors.js';

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

/** What `pg` takes, too: a statement that it prepares under this name, once for each connection. */
interface PreparingDatabase {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
}

/**
 * Wraps a database; `prepares` asks it to prepare each statement, which `pg` can.
 * The result rejects with `storage_unavailable` where the database cannot be reached, and with the driver's error for
 * the rest. A statement is atomic, so a retry never does a thing twice: what failed with 40001 or 40P01 was rolled back
 * whole.
 */
export function createExecutor(database: PostgresDatabase, prepares = false): Execute {
  function query(text: string, params: readonly unknown[]): Promise<{ rows: Row[] }> {
    if (!prepares) return database.query(text, [...params]);
    const statement = { name: nameOf(text), text, values: [...params] };
    return (database as unknown as PreparingDatabase).query(statement);
  }

  /** What a host's own wrapper throws at once is as good as rejected. */
  function asked(text: string, params: readonly unknown[]): Promise<{ rows: Row[] }> {
    try {
      return Promise.resolve(query(text, params));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function attempt(number: number, text: string, params: readonly unknown[]): Promise<Row[]> {
    return asked(text, params).then(rowsOf, async (error: unknown) => {
      if (isUnreachable(error)) throw new ClaimlinkError('storage_unavailable', undefined, { cause: error });
      if (!RETRYABLE.has(codeOf(error)) || number === ATTEMPTS) throw error;
      await pause(number);
      return attempt(number + 1, text, params);
    });
  }

  return (text, params = []) => attempt(1, text, params);
}

/** Of this copy of the package: another one may share a pool, and a name must not stand for two texts. */
let copy: string | undefined;
const names = new Map<string, string>();

/** The same text has the same name in every storage, so that a connection prepares it once. */
function nameOf(text: string): string {
  copy ??= crypto.randomUUID().slice(0, 8);
  const name = names.get(text) ?? `claimlink_${copy}_${names.size + 1}`;
  names.set(text, name);
  return name;
}

function rowsOf({ rows }: { rows: Row[] }): Row[] {
  return rows;
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
