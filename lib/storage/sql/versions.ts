// Versions of the tables: which code works with which tables.
import { ClaimlinkError } from '../../core/errors.js';

/** What a database says of its tables. */
export interface TableVersions {
  /** Version of the tables; 0 without tables. */
  version: number;
  /** Version of the oldest code that works with them. */
  oldestCode: number;
}

/** @throws `schema_mismatch` if the tables are too new for this code. */
export function assertNotTooNew({ version, oldestCode }: TableVersions, codeVersion: number): void {
  if (oldestCode <= codeVersion) return;
  throw new ClaimlinkError(
    'schema_mismatch',
    `The database has version ${version} of claimlink's tables and this code knows only ${codeVersion}: update claimlink.`,
  );
}

/** @throws `schema_mismatch` if the tables are missing, older, or too new for this code. */
export function assertFits(versions: TableVersions, codeVersion: number): void {
  assertNotTooNew(versions, codeVersion);
  if (versions.version >= codeVersion) return;
  throw new ClaimlinkError(
    'schema_mismatch',
    `The database has version ${versions.version} of claimlink's tables and this code needs ${codeVersion}: run "claimlink migrate".`,
  );
}
