// The tables of the PostgreSQL storage, in numbered migrations that several processes may run at the same time.
import { ClaimlinkError } from '../../core/errors.js';
import { driverMismatch } from '../sql/driver.js';
import { json } from '../sql/rows.js';
import { assertFits, assertNotTooNew, type TableVersions } from '../sql/versions.js';
import { codeOf, createExecutor, type Execute, type PostgresDatabase } from './execute.js';
import { beforeOutbox, createOutbox } from './outbox-migration.js';
import { assertVisible, missingSchema, missingSchemaSql, warnOfPrivileges } from './rights.js';
import { type PostgresTableOptions, type TableNames, tableNames } from './statements/tables.js';

/** Options of `migrate`. */
export interface MigrateOptions extends PostgresTableOptions {}

interface Migration {
  version: number;
  /**
   * `SCHEMA_VERSION` of the oldest code that works with the tables after this migration: it serves, and other processes
   * run newer code. Equal to `version` if older code would break. Never lower than that of the migration before.
   */
  oldestCode: number;
  /** Idempotent statements: a migration that was interrupted, or is run by two processes, can be run again. */
  statements(tables: TableNames): string[];
}

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    oldestCode: 1,
    // "C" collation compares references and ids byte by byte, the same on every server.
    // timestamptz(3) has the precision of a JavaScript Date, so that a cursor identifies exactly one row.
    statements: ({ clients, apiKeys, sessions, links, prefix }) => [
      `CREATE TABLE IF NOT EXISTS ${clients} (
  client_id text COLLATE "C" PRIMARY KEY,
  name text,
  callback_origins jsonb
)`,
      `CREATE TABLE IF NOT EXISTS ${apiKeys} (
  id text COLLATE "C" PRIMARY KEY,
  client_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  hint text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
)`,
      `CREATE UNIQUE INDEX IF NOT EXISTS "${prefix}api_keys_by_hash" ON ${apiKeys} (hash)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}api_keys_by_client" ON ${apiKeys} (client_id)`,
      `CREATE TABLE IF NOT EXISTS ${sessions} (
  client_id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  date timestamptz(3) NOT NULL,
  cams_reference text NOT NULL,
  status text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  selected_policy jsonb NOT NULL,
  incident jsonb,
  PRIMARY KEY (client_id, reference)
)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}sessions_by_user" ON ${sessions} (client_id, user_id, created_at DESC, reference)`,
      `CREATE TABLE IF NOT EXISTS ${links} (
  client_id text COLLATE "C" NOT NULL,
  access_code_hash text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  callback_url text NOT NULL,
  callback_on_submit boolean NOT NULL,
  config jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  opened_at timestamptz(3),
  revoked_at timestamptz(3),
  submitted_at timestamptz(3),
  session_reference text COLLATE "C",
  PRIMARY KEY (client_id, access_code_hash)
)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}links_by_expiry" ON ${links} (expires_at)`,
    ],
  },
  {
    version: 2,
    oldestCode: 2,
    // Columns without a default: PostgreSQL adds them without rewriting the table.
    statements: ({ clients, sessions }) => [
      `ALTER TABLE ${sessions} ADD COLUMN IF NOT EXISTS extra jsonb`,
      `ALTER TABLE ${clients}
  ADD COLUMN IF NOT EXISTS locale text,
  ADD COLUMN IF NOT EXISTS branding jsonb,
  ADD COLUMN IF NOT EXISTS frame_ancestors jsonb`,
    ],
  },
  {
    version: 3,
    oldestCode: 3,
    // Columns with a constant default: PostgreSQL adds them without rewriting the table. Creating an index blocks
    // writes to its table; an index that exists already, created CONCURRENTLY by hand, stays.
    statements: ({ sessions, links, sequences, events, outbox, prefix }) => [
      `ALTER TABLE ${sessions} ADD COLUMN IF NOT EXISTS sequence bigint NOT NULL DEFAULT 0`,
      `ALTER TABLE ${links} ADD COLUMN IF NOT EXISTS config_reduced boolean NOT NULL DEFAULT false`,
      `CREATE TABLE IF NOT EXISTS ${sequences} (
  client_id text COLLATE "C" PRIMARY KEY,
  last bigint NOT NULL
)`,
      beforeOutbox(
        outbox,
        `CREATE TABLE IF NOT EXISTS ${events} (
  client_id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  event_id text NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamptz(3) NOT NULL,
  failed_at timestamptz(3),
  PRIMARY KEY (client_id, reference)
)`,
        `CREATE INDEX IF NOT EXISTS "${prefix}events_by_next_attempt" ON ${events} (next_attempt_at) WHERE failed_at IS NULL`,
        `CREATE INDEX IF NOT EXISTS "${prefix}events_by_failure" ON ${events} (failed_at) WHERE failed_at IS NOT NULL`,
      ),
      `CREATE INDEX IF NOT EXISTS "${prefix}sessions_by_submission" ON ${sessions} (client_id, sequence, date, reference)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}sessions_by_date" ON ${sessions} (date)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}links_by_user" ON ${links} (client_id, user_id, created_at DESC, access_code_hash)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}links_to_reduce" ON ${links} (expires_at) WHERE NOT config_reduced`,
    ],
  },
  {
    version: 4,
    oldestCode: 3,
    // Code of version 3 neither reads nor writes these columns, so that its rows have NULL in them.
    statements: ({ sessions, events, outbox }) => [
      `ALTER TABLE ${sessions} ADD COLUMN IF NOT EXISTS link jsonb`,
      beforeOutbox(outbox, `ALTER TABLE ${events} ADD COLUMN IF NOT EXISTS reason text`),
    ],
  },
  {
    version: 5,
    oldestCode: 3,
    // Older code neither reads nor writes this column: it applies no settings, and keeps those that are stored.
    statements: ({ clients }) => [`ALTER TABLE ${clients} ADD COLUMN IF NOT EXISTS settings jsonb`],
  },
  {
    version: 6,
    oldestCode: 3,
    // The primary keys begin with the client. These indexes find a session and a link whose client is not known. Creating
    // one blocks writes to its table; one that exists already, created CONCURRENTLY by hand, stays.
    statements: ({ sessions, links, prefix }) => [
      `CREATE INDEX IF NOT EXISTS "${prefix}sessions_by_reference" ON ${sessions} (reference)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}links_by_hash" ON ${links} (access_code_hash)`,
    ],
  },
  {
    version: 7,
    oldestCode: 3,
    // Older code neither reads nor writes this column: its submissions have no notice.
    statements: ({ sessions }) => [`ALTER TABLE ${sessions} ADD COLUMN IF NOT EXISTS notice jsonb`],
  },
  {
    version: 8,
    oldestCode: 3,
    // Older code neither reads nor writes these columns: it does not ask recipients, and ignores the header Idempotency-Key.
    // Creating the index blocks writes to the table; one that exists already, created CONCURRENTLY by hand, stays.
    statements: ({ links, prefix }) => [
      `ALTER TABLE ${links}
   ADD COLUMN IF NOT EXISTS check_attempts integer,
   ADD COLUMN IF NOT EXISTS idempotency_mac text COLLATE "C",
   ADD COLUMN IF NOT EXISTS request_mac text,
   ADD COLUMN IF NOT EXISTS sealed_url text`,
      `CREATE UNIQUE INDEX IF NOT EXISTS "${prefix}links_by_idempotency" ON ${links} (client_id, idempotency_mac) WHERE idempotency_mac IS NOT NULL`,
    ],
  },
  {
    version: 9,
    oldestCode: 3,
    // Older code neither reads nor writes these columns and tables: it records no moments and no use of a key. Creating an
    // index blocks writes to its table; one that exists already, created CONCURRENTLY by hand, stays.
    statements: ({ apiKeys, links, lifeEvents, eventTypes, outbox, prefix }) => [
      `ALTER TABLE ${apiKeys} ADD COLUMN IF NOT EXISTS last_used_at timestamptz(3)`,
      `ALTER TABLE ${links}
   ADD COLUMN IF NOT EXISTS created_by text,
   ADD COLUMN IF NOT EXISTS moments jsonb,
   ADD COLUMN IF NOT EXISTS notice_at timestamptz(3)`,
      `CREATE INDEX IF NOT EXISTS "${prefix}links_by_notice" ON ${links} (notice_at) WHERE notice_at IS NOT NULL`,
      `CREATE TABLE IF NOT EXISTS ${eventTypes} (
  type text PRIMARY KEY,
  notice_seconds integer NOT NULL
)`,
      beforeOutbox(
        outbox,
        `CREATE TABLE IF NOT EXISTS ${lifeEvents} (
  event_id text PRIMARY KEY,
  type text NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C",
  occurred_at timestamptz(3) NOT NULL,
  data jsonb NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamptz(3) NOT NULL,
  failed_at timestamptz(3),
  reason text
)`,
        `CREATE INDEX IF NOT EXISTS "${prefix}life_events_by_next_attempt" ON ${lifeEvents} (next_attempt_at) WHERE failed_at IS NULL`,
        `CREATE INDEX IF NOT EXISTS "${prefix}life_events_by_failure" ON ${lifeEvents} (failed_at) WHERE failed_at IS NOT NULL`,
        `CREATE INDEX IF NOT EXISTS "${prefix}life_events_by_user" ON ${lifeEvents} (client_id, user_id)`,
      ),
    ],
  },
  {
    version: 10,
    oldestCode: 3,
    // Older code reads and writes the same rows through views. The views are dropped in a later version.
    statements: (tables) => [createOutbox(tables)],
  },
];

/** Version of the tables that this code needs. It also works with newer tables whose migrations allow it. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Errors of PostgreSQL if another process creates the same table or index at the same time: unique_violation (of a
 * system catalogue), duplicate_table, duplicate_object, and "tuple concurrently updated". Or wrong_object_type, if it replaces a
 * table by a view.
 */
const CONCURRENT_CHANGE = new Set(['23505', '42P07', '42710', 'XX000', '42809']);
const LOCK_NOT_AVAILABLE = '55P03';
const ATTEMPTS = 20;

/** Returns the SQL of all migrations in order, for a person who runs it by hand. @throws `options_invalid` */
export function migrationSql(options: MigrateOptions = {}): string {
  const tables = tableNames(options);
  const steps = MIGRATIONS.map((migration) => {
    const statements = [...migration.statements(tables), recordSql(tables, migration)];
    return `-- claimlink schema, version ${migration.version}\n${statements.join(';\n')};\n`;
  });
  const first = recordTablesSql(tables);
  if (options.schema !== undefined) first.unshift(missingSchemaSql(options.schema));
  return [`${first.join(';\n')};\n`, ...steps].join('\n');
}

/**
 * Migrates the tables to the version of this code, and creates the schema that the options name. Idempotent. Several
 * processes may call it at the same time. Emits the warning `CLAIMLINK_TABLE_PRIVILEGES` if other roles may write the tables.
 * Resolves to the versions that this call applied: none if the tables are newer and this code works with them.
 * @throws `schema_mismatch` if the tables are too new for this code, `storage_unavailable` if the database is not
 * available, `options_invalid` for an unknown or invalid option.
 */
export async function migrate(database: PostgresDatabase, options: MigrateOptions = {}): Promise<number[]> {
  const tables = tableNames(options);
  const execute = createExecutor(database);
  await assertUtf8(execute);
  const versions = await readVersions(execute, tables);
  assertNotTooNew(versions, SCHEMA_VERSION);
  const applied: number[] = [];
  // CREATE TABLE IF NOT EXISTS needs the right to create tables also if there is nothing to do.
  if (versions.version < SCHEMA_VERSION) {
    const schema = options.schema && (await missingSchema(execute, options.schema));
    if (schema) await create(execute, schema);
    for (const statement of recordTablesSql(tables)) await create(execute, statement);
  }
  for (const migration of MIGRATIONS.slice(versions.version)) {
    for (const statement of migration.statements(tables)) await create(execute, statement);
    if ((await execute(recordSql(tables, migration))).length > 0) applied.push(migration.version);
  }
  await warnOfPrivileges(execute, tables);
  return applied;
}

/**
 * Checks at start-up that this code works with the tables, and that the driver returns rows and changes no names and no JSON.
 * Emits the warning `CLAIMLINK_TABLE_PRIVILEGES` if other roles may write the tables.
 * @throws `schema_mismatch` if the tables are missing, hidden from the role, older, or too new for this code, or for such a driver;
 * `storage_unavailable`; `options_invalid`.
 */
export async function assertSchema(database: PostgresDatabase, options: MigrateOptions = {}): Promise<void> {
  const tables = tableNames(options);
  const execute = createExecutor(database);
  await assertUtf8(execute);
  await assertDriver(execute);
  const versions = await readVersions(execute, tables);
  await assertVisible(execute, tables, versions.version);
  assertFits(versions, SCHEMA_VERSION);
  await assertWrites(execute, tables);
  await warnOfPrivileges(execute, tables);
}

/**
 * Returns the statements that create the two tables with the applied migrations. `versions` has each migration with its
 * oldest code. The highest number in `migrations` is the oldest code that works with the tables. Code up to version 3
 * reads this table only, and runs if the number is its own version.
 */
function recordTablesSql({ migrations, versions }: TableNames): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${migrations} (version integer PRIMARY KEY)`,
    `CREATE TABLE IF NOT EXISTS ${versions} (version integer PRIMARY KEY, oldest_code integer NOT NULL)`,
  ];
}

function recordSql({ migrations, versions }: TableNames, { version, oldestCode }: Migration): string {
  return `WITH oldest AS (
  INSERT INTO ${migrations} (version) VALUES (${oldestCode}) ON CONFLICT DO NOTHING
)
INSERT INTO ${versions} (version, oldest_code) VALUES (${version}, ${oldestCode}) ON CONFLICT DO NOTHING RETURNING version`;
}

/** Runs an idempotent statement and repeats it after a conflict: IF NOT EXISTS alone does not prevent conflicts. */
async function create(execute: Execute, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await execute(statement);
      return;
    } catch (error) {
      const { cause } = error as Error;
      if (codeOf(cause) === LOCK_NOT_AVAILABLE)
        throw new ClaimlinkError(
          'storage_unavailable',
          'A step of the migration waited for the locks of other transactions longer than lock_timeout, and changed nothing: run the migration again.',
          { cause },
        );
      if (!CONCURRENT_CHANGE.has(codeOf(error)) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45));
    }
  }
}

/** Ids and names may be in any script. A database with another encoding would reject some of them later. */
async function assertUtf8(execute: Execute): Promise<void> {
  const [row] = await execute("SELECT current_setting('server_encoding') AS encoding");
  const encoding = String(row?.['encoding'] ?? 'UTF8');
  if (/^utf-?8$/i.test(encoding)) return;
  throw new ClaimlinkError(
    'schema_mismatch',
    `The database has the encoding ${encoding}. claimlink needs UTF8.`,
  );
}

/** Checks that the driver changes neither the JSON texts that it sends nor the columns and the texts that it returns. */
async function assertDriver(execute: Execute): Promise<void> {
  const value = JSON.stringify({ a: '2026-01-01', json_key: 'ü' });
  const text = `SELECT jsonb_typeof($1::text::jsonb) AS json_type, $1::text::jsonb::text AS json_value, '2026-01-01'::text AS text_value`;
  const [row] = await execute(text, [value]);
  const isKept = row?.['json_type'] === 'object' && row['text_value'] === '2026-01-01';
  if (isKept && JSON.stringify(json(row['json_value'])) === value) return;
  throw driverMismatch('changes the names of columns, JSON or texts');
}

/** Errors of a read-only server, and of a role that only reads. */
const NOT_WRITABLE = new Set(['25006', '42501']);

/**
 * Checks that the driver returns no row for a write that changes none: some return the number of rows in place of rows. Does
 * not look where the role cannot write.
 */
async function assertWrites(execute: Execute, { links, outbox }: TableNames): Promise<void> {
  for (const statement of [
    `UPDATE ${links} SET opened_at = opened_at WHERE false RETURNING 1 AS changed`,
    `DELETE FROM ${outbox} WHERE false RETURNING 1 AS changed`,
  ])
    try {
      if ((await execute(statement)).length > 0) throw driverMismatch('returns rows that do not exist');
    } catch (error) {
      const { cause } = error as Error;
      if (![error, cause].some((reason) => NOT_WRITABLE.has(codeOf(reason)))) throw error;
    }
}

/** Returns the highest applied version and the oldest code that works with the tables: 0 without tables. */
async function readVersions(execute: Execute, { migrations, versions }: TableNames): Promise<TableVersions> {
  const oldestCode = await readHighest(execute, migrations);
  // Code of version 3 does not write the table `versions`. Its migrations are not compatible with older code.
  return { version: Math.max(oldestCode, await readHighest(execute, versions)), oldestCode };
}

/** Returns the highest version in a table, or 0 if it is empty or does not exist. */
async function readHighest(execute: Execute, table: string): Promise<number> {
  try {
    const [row] = await execute(`SELECT max(version) AS version FROM ${table}`);
    return Number(row?.['version'] ?? 0);
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

const UNDEFINED_TABLE = '42P01';
