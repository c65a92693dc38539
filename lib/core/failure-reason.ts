// The reason of a failed delivery as stored and traced: names and codes, never a message.
import { isError } from './plain-data.js';

/** Maximum length of a reason in UTF-16 code units. */
const MAX_LENGTH = 200;
/** Number of causes of an error that a reason names. A cycle of causes ends as well. */
const MAX_CAUSES = 2;

/** What a name and a code look like. Other text may hold personal data, such as an e-mail address. */
const IDENTIFIER = /^[A-Za-z_][\w.-]{0,59}$/;
/** The code of a database error, such as `42P01` (SQL standard). */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Returns the names and codes of an error and its causes, such as `TypeError, cause: Error ECONNREFUSED`. Messages may
 * hold personal data, so they are left out.
 */
export function failureReason(error: unknown): string {
  const parts = [describe(error)];
  let cause = causeOf(error);
  while (cause !== undefined && parts.length <= MAX_CAUSES) {
    parts.push(describe(cause));
    cause = causeOf(cause);
  }
  return parts.join(', cause: ').slice(0, MAX_LENGTH);
}

function describe(error: unknown): string {
  if (!isError(error)) return 'not an Error';
  const { name, code } = error as { name?: unknown; code?: unknown };
  const words = [isIdentifier(name) ? name : 'Error'];
  if (isIdentifier(code) || Number.isSafeInteger(code) || SQLSTATE.test(String(code)))
    words.push(String(code));
  return words.join(' ');
}

function causeOf(error: unknown): unknown {
  return isError(error) ? error.cause : undefined;
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value);
}
