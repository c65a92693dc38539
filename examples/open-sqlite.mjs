// Opens a SQLite file, for sqlite.mjs and sandbox.mjs, with the first driver that there is: that of Node, better-sqlite3, libsql.
import { closeSync, openSync } from 'node:fs';

const DRIVERS = ['node:sqlite', 'better-sqlite3', 'libsql'];
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'];

export async function openSqlite(path) {
  for (const name of DRIVERS) {
    const driver = await import(name).catch((error) => {
      if (!NOT_FOUND.includes(error.code)) throw error;
    });
    if (driver === undefined) continue;
    // Only the owner may read a new file. The driver would let others read it.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    const Database = driver.DatabaseSync ?? driver.default;
    return new Database(path);
  }
  throw new Error('SQLite needs Node 22.13 or newer, or a driver: npm install better-sqlite3');
}
