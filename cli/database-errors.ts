// Errors of a database as sentences for the caller, without secrets.
import { getSystemErrorMap } from 'node:util';
import { isClaimlinkError } from '../lib/core/errors.js';
import { failureReason } from '../lib/core/failure-reason.js';
import { isError } from '../lib/core/plain-data.js';
import { errorCode } from '../mock-server/scenario/file-problem.js';

/** By SQLSTATE or code of SQLite. `%` is what the caller wrote to name the database: --database, --storage, or a variable. */
const SENTENCES: Readonly<Record<string, string>> = {
  '28000': 'The database rejects the user or the password of %.',
  '28P01': 'The database rejects the user or the password of %.',
  '3D000': 'There is no database of the name in %.',
  '3F000':
    'There is no such schema in the database; name one with --schema, and claimlink migrate creates it.',
  '42501': 'The user of % lacks the rights for this in the database.',
  SQLITE_NOTADB: 'The file of % is not a SQLite database.',
  SQLITE_CORRUPT: 'The file of % is damaged (SQLITE_CORRUPT): restore a backup.',
};

/** The same codes as node:sqlite has them: numbers. */
const SQLITE_NUMBERS: Readonly<Record<number, string>> = { 11: 'SQLITE_CORRUPT', 26: 'SQLITE_NOTADB' };

/** Codes of errors of the system and of the lookup of a host. Other codes with an E are those of a host. */
const SYSTEM_CODES = new Set(['ENOTFOUND', ...[...getSystemErrorMap().values()].map(([code]) => code)]);

/** Errors of pg without a code. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^SASL: .*password must be/, 'The database needs a password, and % has none.'],
  [/^SASL/, 'The database rejects the user or the password of %.'],
  [/does not support SSL/, 'The database does not support TLS, which % requires.'],
];

/** Returns a sentence about an error of the database, or undefined for a defect of claimlink. */
export function databaseSentence(error: unknown, name: string): string | undefined {
  return sentenceOf(error)?.replaceAll('%', name);
}

/** Returns the end of a sentence about an error of a host's module: its name and code. */
export function hostReason(error: unknown): string {
  return `(${failureReason(error)}). --verbose shows the message, which may contain secrets.`;
}

function sentenceOf(error: unknown): string | undefined {
  if (isClaimlinkError(error)) {
    if (error.code === 'schema_mismatch') return error.message;
    if (error.code !== 'storage_unavailable') return undefined;
    const code = errorCode(error.cause);
    // The message has the reason that the database gives by its code.
    return /^\d|SQLITE/.test(code)
      ? `The database of % is not available (${code}). ${error.message}`
      : unreachable(code);
  }
  if (!isError(error)) return undefined;
  const code = primaryCode(error);
  if (SENTENCES[code] !== undefined) return SENTENCES[code];
  if (/CERT|^UNABLE_TO_/.test(code)) return `The certificate of the database of % is not trusted (${code}).`;
  if (SYSTEM_CODES.has(code)) return unreachable(code);
  // An invalid statement (class 42) or an error inside PostgreSQL (XX) is not a mistake of the caller.
  const isSqlState = 'severity' in error && !/^(?:42|XX)/.test(code);
  if (isSqlState) return `The database of % rejects the statement (SQLSTATE ${code}).`;
  return MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
}

/** Returns the code of an error; of SQLite the primary one: `SQLITE_CORRUPT` for `SQLITE_CORRUPT_INDEX`. */
function primaryCode(error: Error): string {
  if ('errcode' in error) return SQLITE_NUMBERS[Number(error.errcode) & 0xff] ?? errorCode(error);
  return errorCode(error).replace(/^(SQLITE_[A-Z]+).*/, '$1');
}

function unreachable(code: string): string {
  return `The database of % cannot be reached${code === '' ? '' : ` (${code})`}.`;
}
