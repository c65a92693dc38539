// The little that a mock on PostgreSQL must remember besides the service's own tables: a table of names and values.
import type { PostgresDatabase } from '../../lib/storage/postgres/index.js';

/** Values by name, each set once. */
export interface MockState {
  /** The value of that name: the one that is there, or else this one, from now on. */
  keep(name: string, value: string): Promise<string>;
}

/** What PostgreSQL reports when another process is creating the same table at this moment. */
const CONCURRENT_CREATION = new Set(['23505', '42P07', '42710', 'XX000']);
const ATTEMPTS = 10;

/** Opens the state in a schema whose name has been checked; makes the table where there is none. */
export async function openMockState(database: PostgresDatabase, schema?: string): Promise<MockState> {
  const table = `${schema === undefined ? '' : `"${schema}".`}"claimlink_mock_state"`;
  await createTable(database, table);
  return {
    async keep(name, value) {
      await database.query(`INSERT INTO ${table} (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
        name,
        value,
      ]);
      // Asked for anew: of two processes that begin at once, only one has inserted its value.
      const { rows } = await database.query(`SELECT value FROM ${table} WHERE name = $1`, [name]);
      return String(rows[0].value);
    },
  };
}

/** IF NOT EXISTS alone does not make it safe against a concurrent creation. */
async function createTable(database: PostgresDatabase, table: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await database.query(
        `CREATE TABLE IF NOT EXISTS ${table} (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)`,
      );
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!CONCURRENT_CREATION.has(code) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45));
    }
  }
}
