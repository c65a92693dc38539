// What the SQL storages require of a driver, and what they throw if its results are different.
import { ClaimlinkError } from '../../core/errors.js';
import { isRecord } from '../../core/plain-data.js';

/** Returns the error for a driver whose results the storage cannot rely on. */
export function driverMismatch(what: string): ClaimlinkError {
  return new ClaimlinkError(
    'schema_mismatch',
    `The driver ${what}. Use the function of claimlink for your library, such as fromTypeorm or fromSequelize. Switch off for claimlink what changes results: \`transform\` and \`types\` of postgres, CamelCasePlugin of Kysely, postProcessResponse of Knex.`,
  );
}

/**
 * Returns the rows of a result. Some drivers return something else for UPDATE and DELETE, which would count as rows.
 * @throws `schema_mismatch` if they are no list of objects.
 */
export function toRows(rows: unknown): Record<string, unknown>[] {
  if (!Array.isArray(rows)) throw driverMismatch('does not return a list of rows');
  if (rows.length > 0 && (!isRecord(rows[0]) || Array.isArray(rows[0])))
    throw driverMismatch('returns rows that are no objects');
  return rows;
}
