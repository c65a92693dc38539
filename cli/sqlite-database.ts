// A SQLite file of the commands. The only file that loads a SQLite driver, which users install themselves.
import { stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import {
  assertSchema,
  createSqliteStorage,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
  type SqliteDatabase,
  type SqliteTableOptions,
} from '../lib/storage/sqlite/index.js';
import { errorCode, fileProblem } from '../mock-server/scenario/file-problem.js';
import type { CommandDatabase } from './command-database.js';
import { UsageError } from './flags.js';

const DRIVERS = ['node:sqlite', 'better-sqlite3', 'libsql'];

interface Connection extends SqliteDatabase {
  close(): unknown;
}

/** Returns a database that opens its file with the first call. Only `migrate` creates the file. */
export function openSqlite(file: string, name: string, tables: SqliteTableOptions): CommandDatabase {
  const path = resolve(file);
  let connection: Connection | undefined;
  function open(Driver = loadDriver()): Connection {
    try {
      connection = new Driver(path);
      return connection;
    } catch (error) {
      throw new UsageError(`The file ${file} of ${name} cannot be opened. ${String(error)}`);
    }
  }
  return {
    migrationSql: () => migrationSql(tables),
    async migrate() {
      const Driver = loadDriver();
      // Only the owner may read a new file. A driver would create it with the rights that the umask leaves; it reports
      // a file that cannot be created. SQLite creates -wal and -shm with the rights of the file.
      await writeFile(path, '', { flag: 'a', mode: 0o600 }).catch(() => {});
      return { applied: await migrate(open(Driver), tables), version: SCHEMA_VERSION };
    },
    async openStorage() {
      // A driver creates a missing file.
      await stat(path).catch((error: unknown) => {
        const hint = errorCode(error) === 'ENOENT' ? '; claimlink migrate creates it' : '';
        throw new UsageError(`The file ${file} of ${name} ${fileProblem(error)}${hint}.`);
      });
      const database = open();
      await assertSchema(database, tables);
      return createSqliteStorage(database, tables);
    },
    close: async () => {
      connection?.close();
    },
  };
}

/** Loads the first driver that is part of Node or installed where the command runs. @throws UsageError if none is. */
function loadDriver(): new (path: string) => Connection {
  const require = createRequire(resolve('package.json'));
  for (const name of DRIVERS) {
    try {
      const driver = require(name);
      return driver.DatabaseSync ?? driver;
    } catch (error) {
      if (!['MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'].includes(errorCode(error))) throw error;
    }
  }
  throw new UsageError(
    'SQLite needs Node 22.13 or newer, or a driver in the current folder; install one with `npm install better-sqlite3`.',
  );
}
