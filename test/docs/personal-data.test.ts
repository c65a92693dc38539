// SECURITY.md names every column with personal data: a new column is in its table, or in the list of this test.
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { migrate as migratePostgres } from '../../lib/storage/postgres/index.js';
import { migrate as migrateSqlite } from '../../lib/storage/sqlite/index.js';
import { DRIVERS, openDatabase } from '../storage/sqlite-drivers.js';
import { readDocument } from './markdown.js';

/** Columns without personal data, by table. */
const IMPERSONAL: Readonly<Record<string, string>> = {
  clients: 'client_id name callback_origins locale branding frame_ancestors settings',
  api_keys: 'id client_id hash hint created_at expires_at revoked_at last_used_at',
  sessions: 'client_id sequence',
  links:
    'client_id callback_on_submit config_reduced created_by created_at expires_at notice_at idempotency_mac',
  sequences: 'client_id last',
  outbox: 'event_id client_id attempts next_attempt_at failed_at reason',
  event_types: 'type notice_seconds',
  migrations: 'version',
  versions: 'version oldest_code',
};

/** Returns `table.column` for each name in a row. */
const columnsOf = (table: string, names: Iterable<string>) => [...names].map((name) => `${table}.${name}`);

const impersonal = Object.entries(IMPERSONAL).flatMap(([table, names]) => columnsOf(table, names.split(' ')));
const [, section = ''] = readDocument('SECURITY.md').split(/^### (?:Tables and columns|One user)$/m);
const personal = [...section.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].flatMap(([, table = '', cell = '']) =>
  columnsOf(
    table,
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  ),
);

async function sqliteColumns(t: Parameters<typeof openDatabase>[0]): Promise<string[]> {
  const [open] = Object.values(DRIVERS);
  if (open === undefined) throw new Error('no driver is installed');
  const database = openDatabase(t, open, ':memory:');
  await migrateSqlite(database, { tablePrefix: 'p_' });
  const rows = database
    .prepare(
      "SELECT substr(t.name, 3) || '.' || c.name AS column_name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.name LIKE 'p\\_%' ESCAPE '\\' AND t.type = 'table'",
    )
    .all();
  return rows.map((row) => String((row as { column_name: unknown }).column_name));
}

/** The views `events` and `life_events` have columns of `outbox` only. */
async function postgresColumns(t: Parameters<typeof openDatabase>[0]): Promise<string[]> {
  const database = await PGlite.create();
  t.teardown(() => database.close());
  await migratePostgres(database, { tablePrefix: 'p_' });
  const { rows } = await database.query<{ name: string }>(
    "SELECT substr(table_name, 3) || '.' || column_name AS name FROM information_schema.columns JOIN information_schema.tables t USING (table_schema, table_name) WHERE table_schema = current_schema() AND t.table_type = 'BASE TABLE'",
  );
  return rows.map(({ name }) => name);
}

t.test('SECURITY.md or the list of this test has every column of the migrations, and no other', async (t) => {
  const named = [...personal, ...impersonal];
  t.equal(new Set(named).size, named.length, 'no column is in both');
  const [sqlite, postgres] = [await sqliteColumns(t), await postgresColumns(t)];
  for (const [database, columns] of Object.entries({ sqlite, postgres }))
    t.same(
      columns.filter((column) => !named.includes(column)),
      [],
      `${database}: no column is missing`,
    );
  t.same(
    named.filter((column) => !sqlite.includes(column) && !postgres.includes(column)),
    [],
    'no column is named that does not exist',
  );
});
