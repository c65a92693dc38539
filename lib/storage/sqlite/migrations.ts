// The tables of the SQLite storage, in numbered migrations.
import { assertOptions, type OptionChecks } from '../../core/assert-options.js';
import { mustBeIdentifier, TABLE_PREFIX } from '../sql/columns.js';
import { driverMismatch } from '../sql/driver.js';
import { assertFits, assertNotTooNew, type TableVersions } from '../sql/versions.js';
import { createExecutor, type Executor, isReadOnly, type SqliteDatabase } from './execute.js';

/** Names of the tables. */
export interface SqliteTableOptions {
  /** Prefix of table and index names: lower-case letters, digits, underscores. Default: `claimlink_`. */
  tablePrefix?: string;
}

/** Options of `migrate`. */
export interface MigrateOptions extends SqliteTableOptions {}

/** Names of the tables. They need no quotes. */
export interface TableNames {
  clients: string;
  apiKeys: string;
  sessions: string;
  links: string;
  /** The events that are not delivered yet. */
  outbox: string;
  /** The types of events that the host chose. */
  eventTypes: string;
  versions: string;
  prefix: string;
}

/** The checks of the options that name the tables. */
export const TABLE_CHECKS: OptionChecks<SqliteTableOptions> = { tablePrefix: mustBeIdentifier };

/** Returns the names of the tables. @throws `options_invalid` for an unknown or invalid option. */
export function tableNames<T extends SqliteTableOptions>(options: T, checks: OptionChecks<T>): TableNames {
  assertOptions(options, checks);
  const { tablePrefix: prefix = TABLE_PREFIX } = options;
  return {
    clients: `${prefix}clients`,
    apiKeys: `${prefix}api_keys`,
    sessions: `${prefix}sessions`,
    links: `${prefix}links`,
    outbox: `${prefix}outbox`,
    eventTypes: `${prefix}event_types`,
    versions: `${prefix}versions`,
    prefix,
  };
}

/** One step from a version of the tables to the next. */
export interface Migration {
  version: number;
  /**
   * `SCHEMA_VERSION` of the oldest code that works with the tables after this migration. Equal to `version` if older code
   * would break. Never lower than that of the migration before.
   */
  oldestCode: number;
  statements(tables: TableNames): string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    oldestCode: 1,
    // Times are milliseconds since 1970. A sequence is never used again, and the submissions of a file commit one after
    // the other: a reader that has seen a number has seen all lower ones.
    statements: ({ clients, apiKeys, sessions, links, prefix }) => [
      `CREATE TABLE ${clients} (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  callback_origins TEXT,
  locale TEXT,
  branding TEXT,
  frame_ancestors TEXT
) STRICT`,
      `CREATE TABLE ${apiKeys} (
  id TEXT NOT NULL PRIMARY KEY,
  client_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT`,
      `CREATE INDEX ${prefix}api_keys_by_client ON ${apiKeys} (client_id, created_at, id)`,
      `CREATE TABLE ${sessions} (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  user_id TEXT NOT NULL,
  date INTEGER NOT NULL,
  cams_reference TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  selected_policy TEXT NOT NULL,
  incident TEXT,
  extra TEXT,
  link TEXT,
  UNIQUE (client_id, reference)
) STRICT`,
      `CREATE INDEX ${prefix}sessions_by_user ON ${sessions} (client_id, user_id, created_at DESC, reference)`,
      `CREATE INDEX ${prefix}sessions_by_submission ON ${sessions} (client_id, sequence)`,
      `CREATE INDEX ${prefix}sessions_by_date ON ${sessions} (date)`,
      `CREATE TABLE ${links} (
  client_id TEXT NOT NULL,
  access_code_hash TEXT NOT NULL,
  user_id TEXT NOT NULL,
  callback_url TEXT NOT NULL,
  callback_on_submit INTEGER NOT NULL,
  config TEXT NOT NULL,
  config_reduced INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  opened_at INTEGER,
  revoked_at INTEGER,
  submitted_at INTEGER,
  session_reference TEXT,
  PRIMARY KEY (client_id, access_code_hash)
) STRICT`,
      `CREATE INDEX ${prefix}links_by_user ON ${links} (client_id, user_id, created_at DESC, access_code_hash)`,
      `CREATE INDEX ${prefix}links_by_expiry ON ${links} (expires_at)`,
      `CREATE INDEX ${prefix}links_to_reduce ON ${links} (expires_at) WHERE NOT config_reduced`,
      `CREATE TABLE ${prefix}events (
  client_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  event_id TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  failed_at INTEGER,
  reason TEXT,
  PRIMARY KEY (client_id, reference)
) STRICT`,
      `CREATE INDEX ${prefix}events_by_next_attempt ON ${prefix}events (next_attempt_at, client_id, reference) WHERE failed_at IS NULL`,
      `CREATE INDEX ${prefix}events_by_failure ON ${prefix}events (failed_at, client_id, reference) WHERE failed_at IS NOT NULL`,
    ],
  },
  {
    version: 2,
    oldestCode: 1,
    // Code of version 1 neither reads nor writes this column: it applies no settings, and keeps those that are stored.
    statements: ({ clients }) => [`ALTER TABLE ${clients} ADD COLUMN settings TEXT`],
  },
  {
    version: 3,
    oldestCode: 1,
    // The primary keys begin with the client. These indexes find a session and a link whose client is not known.
    statements: ({ sessions, links, prefix }) => [
      `CREATE INDEX ${prefix}sessions_by_reference ON ${sessions} (reference)`,
      `CREATE INDEX ${prefix}links_by_hash ON ${links} (access_code_hash)`,
    ],
  },
  {
    version: 4,
    oldestCode: 1,
    // Older code neither reads nor writes this column: its submissions have no notice.
    statements: ({ sessions }) => [`ALTER TABLE ${sessions} ADD COLUMN notice TEXT`],
  },
  {
    version: 5,
    oldestCode: 1,
    // Older code neither reads nor writes these columns: it does not ask recipients, and ignores the header Idempotency-Key.
    statements: ({ links, prefix }) => [
      `ALTER TABLE ${links} ADD COLUMN check_attempts INTEGER`,
      `ALTER TABLE ${links} ADD COLUMN idempotency_mac TEXT`,
      `ALTER TABLE ${links} ADD COLUMN request_mac TEXT`,
      `ALTER TABLE ${links} ADD COLUMN sealed_url TEXT`,
      `CREATE UNIQUE INDEX ${prefix}links_by_idempotency ON ${links} (client_id, idempotency_mac) WHERE idempotency_mac IS NOT NULL`,
    ],
  },
  {
    version: 6,
    oldestCode: 1,
    // Older code neither reads nor writes these columns and tables: it records no moments and no use of a key.
    statements: ({ apiKeys, links, eventTypes, prefix }) => [
      `ALTER TABLE ${apiKeys} ADD COLUMN last_used_at INTEGER`,
      `ALTER TABLE ${links} ADD COLUMN created_by TEXT`,
      `ALTER TABLE ${links} ADD COLUMN moments TEXT`,
      `ALTER TABLE ${links} ADD COLUMN notice_at INTEGER`,
      `CREATE INDEX ${prefix}links_by_notice ON ${links} (notice_at) WHERE notice_at IS NOT NULL`,
      `CREATE TABLE ${eventTypes} (
  type TEXT PRIMARY KEY,
  notice_seconds INTEGER NOT NULL
) STRICT`,
      `CREATE TABLE ${prefix}life_events (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  client_id TEXT NOT NULL,
  user_id TEXT,
  occurred_at INTEGER NOT NULL,
  data TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  failed_at INTEGER,
  reason TEXT
) STRICT`,
      `CREATE INDEX ${prefix}life_events_by_next_attempt ON ${prefix}life_events (next_attempt_at, event_id) WHERE failed_at IS NULL`,
      `CREATE INDEX ${prefix}life_events_by_failure ON ${prefix}life_events (failed_at, event_id) WHERE failed_at IS NOT NULL`,
      `CREATE INDEX ${prefix}life_events_by_user ON ${prefix}life_events (client_id, user_id)`,
    ],
  },
  {
    version: 7,
    oldestCode: 7,
    // One table for all events. docs/upgrading.md has the SQL that restores the two tables of older code.
    statements: ({ outbox, prefix }) => [
      `CREATE TABLE ${outbox} (
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  client_id TEXT NOT NULL,
  user_id TEXT,
  reference TEXT,
  occurred_at INTEGER,
  data TEXT,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  failed_at INTEGER,
  reason TEXT,
  PRIMARY KEY (client_id, event_id),
  UNIQUE (client_id, reference)
) STRICT`,
      `INSERT INTO ${outbox} (event_id, type, client_id, reference, attempts, next_attempt_at, failed_at, reason)
SELECT event_id, 'claim.submitted', client_id, reference, attempts, next_attempt_at, failed_at, reason FROM ${prefix}events`,
      `INSERT INTO ${outbox} (event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at, failed_at, reason)
SELECT event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at, failed_at, reason FROM ${prefix}life_events`,
      `DROP TABLE ${prefix}events`,
      `DROP TABLE ${prefix}life_events`,
      `CREATE INDEX ${prefix}outbox_by_next_attempt ON ${outbox} (next_attempt_at, event_id) WHERE failed_at IS NULL`,
      `CREATE INDEX ${prefix}outbox_by_failure ON ${outbox} (failed_at, event_id) WHERE failed_at IS NOT NULL`,
      `CREATE INDEX ${prefix}outbox_by_user ON ${outbox} (client_id, user_id)`,
    ],
  },
];

/** Version of the tables that this code needs. It also works with newer tables whose migrations allow it. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Returns the SQL of all migrations in order, for a person who runs it by hand. @throws `options_invalid` */
export function migrationSql(options: MigrateOptions = {}): string {
  const tables = tableNames(options, TABLE_CHECKS);
  const steps = MIGRATIONS.map((migration) => {
    const statements = [...migration.statements(tables), recordSql(tables, migration)];
    return `-- claimlink schema, version ${migration.version}\n${statements.join(';\n')};\n`;
  });
  return ['BEGIN IMMEDIATE;\n', `${versionsSql(tables)};\n`, ...steps, 'COMMIT;\n'].join('\n');
}

/**
 * Migrates the tables to the version of this code, in one transaction. Idempotent. Several processes may call it at the
 * same time. Resolves to the versions that this call applied: none if the tables are newer and this code works with them.
 * @throws `schema_mismatch` if the tables are too new for this code, `storage_unavailable` if the database is not
 * available, `options_invalid` for an unknown or invalid option.
 */
export async function migrate(database: SqliteDatabase, options: MigrateOptions = {}): Promise<number[]> {
  return runMigrations(database, options, MIGRATIONS);
}

/** Runs those of the migrations that the database does not have. */
export function runMigrations(
  database: SqliteDatabase,
  options: MigrateOptions,
  migrations: readonly Migration[],
): number[] {
  const tables = tableNames(options, TABLE_CHECKS);
  const executor = createExecutor(database);
  return executor.transaction(() => {
    executor.exec(versionsSql(tables));
    const versions = readVersions(executor, tables);
    assertNotTooNew(versions, migrations.length);
    const missing = migrations.slice(versions.version);
    for (const migration of missing)
      for (const statement of [...migration.statements(tables), recordSql(tables, migration)])
        executor.exec(statement);
    return missing.map(({ version }) => version);
  });
}

/**
 * Checks at start-up that this code works with the tables, and that the driver counts changes and keeps texts.
 * @throws `schema_mismatch` if the tables are missing, older, or too new for this code; `storage_unavailable`;
 * `options_invalid`.
 */
export async function assertSchema(database: SqliteDatabase, options: MigrateOptions = {}): Promise<void> {
  const tables = tableNames(options, TABLE_CHECKS);
  const executor = createExecutor(database);
  assertTexts(executor);
  const hasTables = executor.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1", [
    tables.versions,
  ]);
  const versions = hasTables.length > 0 ? readVersions(executor, tables) : { version: 0, oldestCode: 0 };
  assertFits(versions, SCHEMA_VERSION);
  assertWrites(executor, tables);
}

/** Checks that the driver does not change a JSON text. */
function assertTexts({ all }: Executor): void {
  const text = '{"a":"2026-01-01"}';
  const [row] = all('SELECT $1 AS json_text', [text]);
  if (row?.['json_text'] !== text) throw driverMismatch('changes the names of columns, JSON or texts');
}

/** Checks that the driver reports no change of a write that changes nothing. Does not look where nothing can be written. */
function assertWrites({ run }: Executor, { links, outbox }: TableNames): void {
  for (const statement of [
    `UPDATE ${links} SET opened_at = opened_at WHERE false`,
    `DELETE FROM ${outbox} WHERE false`,
  ])
    try {
      if (run(statement, []) > 0) throw driverMismatch('reports changes that it has not made');
    } catch (error) {
      if (!isReadOnly(error)) throw error;
    }
}

/** The table of the applied migrations, each with its oldest code. */
function versionsSql({ versions }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${versions} (version INTEGER PRIMARY KEY, oldest_code INTEGER NOT NULL) STRICT`;
}

function recordSql({ versions }: TableNames, { version, oldestCode }: Migration): string {
  return `INSERT INTO ${versions} (version, oldest_code) VALUES (${version}, ${oldestCode})`;
}

function readVersions({ all }: Executor, { versions }: TableNames): TableVersions {
  const [row] = all(
    `SELECT coalesce(max(version), 0) AS version, coalesce(max(oldest_code), 0) AS oldest_code FROM ${versions}`,
    [],
  );
  return { version: Number(row?.['version']), oldestCode: Number(row?.['oldest_code']) };
}
