// The columns that the SQL storages read and write, and the check of names.
import type { OptionCheck } from '../../core/assert-options.js';

export const SESSION = [
  'reference',
  'date',
  'cams_reference',
  'status',
  'created_at',
  'selected_policy',
  'incident',
  'extra',
  'link',
  'notice',
];
export const CLIENT = [
  'client_id',
  'name',
  'callback_origins',
  'locale',
  'branding',
  'frame_ancestors',
  'settings',
];
/** The columns that every API request needs. */
export const PRESENTED_KEY = ['id', 'client_id', 'expires_at', 'revoked_at'];
export const PRESENTED_CLIENT = ['client_id', 'callback_origins'];
export const API_KEY = [
  'id',
  'client_id',
  'hash',
  'hint',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
];
export const LINK = [
  'client_id',
  'access_code_hash',
  'user_id',
  'callback_url',
  'callback_on_submit',
  'config',
  'created_at',
  'expires_at',
  'opened_at',
  'revoked_at',
  'submitted_at',
  'created_by',
];
/** What the row of a link keeps of an Idempotency-Key. `LINK` does not have it, so reads of links do not return it. */
export const IDEMPOTENCY = ['idempotency_mac', 'request_mac', 'sealed_url'];
/**
 * An event of a submission has a `reference`. Every other one has `occurred_at` and `data`: as JSON, the members of the event
 * that depend on its type.
 */
export const EVENT = [
  'event_id',
  'type',
  'client_id',
  'user_id',
  'reference',
  'occurred_at',
  'data',
  'attempts',
  'next_attempt_at',
  'failed_at',
  'reason',
];

/** The columns that have JSON. */
const JSON_COLUMNS = new Set([
  'callback_origins',
  'branding',
  'frame_ancestors',
  'settings',
  'config',
  'moments',
  'selected_policy',
  'incident',
  'extra',
  'link',
  'notice',
  'data',
]);

/** How a database selects columns whose values a driver could convert. */
export interface Selection {
  /** Returns the expression of a column with a time in milliseconds since 1970. */
  toTime(column: string): string;
  /** Returns the expression of a column with JSON as its text. */
  toText(column: string): string;
}

/** The columns as they are, for a database that has these values in its columns. */
const AS_STORED: Selection = { toTime: (column) => column, toText: (column) => column };

/** Returns `alias.column AS alias_column, ...`, so that one row can hold columns of several tables. */
export function columns(
  alias: string,
  names: readonly string[],
  { toTime, toText }: Selection = AS_STORED,
): string {
  return names.map((name) => `${select(`${alias}.${name}`, name)} AS ${alias}_${name}`).join(', ');

  function select(column: string, name: string): string {
    if (JSON_COLUMNS.has(name)) return toText(column);
    return name === 'date' || name.endsWith('_at') ? toTime(column) : column;
  }
}

const IDENTIFIER = /^[a-z_][a-z0-9_]{0,39}$/;

/** Accepts the name of a schema, and the prefix of the names of tables. */
export const mustBeIdentifier: OptionCheck = (value) =>
  typeof value === 'string' && IDENTIFIER.test(value)
    ? undefined
    : 'must be 1 to 40 lower-case letters, digits and underscores';

/** Default of the prefix. */
export const TABLE_PREFIX = 'claimlink_';
