// What a database refuses, as a sentence for the person at the command line: never with a secret in it.
import { isClaimlinkError } from '../../lib/index.js';

/** By SQLSTATE. `%` is what the person wrote to name the database: --database-url, or a variable. */
const SENTENCES: Readonly<Record<string, string>> = {
  '28000': 'The database refuses the user or the password of %.',
  '28P01': 'The database refuses the user or the password of %.',
  '3D000': 'There is no database of the name in %.',
  '3F000': 'There is no such schema in the database; create it, or name another one with --schema.',
  '42501': 'The user of % lacks the rights for this in the database.',
};

/** What pg reports without a code. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^SASL: .*password must be/, 'The database wants a password, and % has none.'],
  [/^SASL/, 'The database refuses the user or the password of %.'],
  [/does not support SSL/, 'The database does not speak TLS, which % asks for.'],
];

/** A sentence about an error of the database, or undefined for one that is a bug of ours. */
export function databaseSentence(error: unknown, name: string): string | undefined {
  const sentence = sentenceOf(error);
  return sentence?.replaceAll('%', name);
}

function sentenceOf(error: unknown): string | undefined {
  if (isClaimlinkError(error)) {
    if (error.code === 'schema_mismatch') return error.message;
    return error.code === 'storage_unavailable' ? unreachable(codeOf(error.cause)) : undefined;
  }
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (SENTENCES[code] !== undefined) return SENTENCES[code];
  if (/CERT|^UNABLE_TO_/.test(code)) return `The certificate of the database of % is not trusted (${code}).`;
  if (/^E[A-Z]+$/.test(code)) return unreachable(code);
  // A statement that is wrong (class 42) or an error inside of PostgreSQL (XX) is no mistake of the caller's.
  const isSqlState = 'severity' in error && !/^(?:42|XX)/.test(code);
  if (isSqlState) return `The database of % refuses (SQLSTATE ${code}).`;
  return MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
}

function unreachable(code: string): string {
  return `The database of % cannot be reached${code === '' ? '' : ` (${code})`}.`;
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
