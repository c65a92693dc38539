// The SQLite drivers that run on this Node, and databases that end with their test.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import type { Test } from 'tap';
import type { SqliteDatabase } from '../../lib/storage/sqlite/index.js';

/** A database that the test closes. */
export interface OwnDatabase extends SqliteDatabase {
  close(): unknown;
}

/** Opens a file, or `:memory:`. */
export type OpenDatabase = (path: string) => OwnDatabase;

export const DRIVERS: Readonly<Record<string, OpenDatabase>> = {
  libsql: (path) => new Libsql(path),
  ...loadBetterSqlite3(),
};

/**
 * better-sqlite3 is tested where it is installed: `npm install --no-save better-sqlite3` downloads it from GitHub, or
 * compiles it, which `npm ci` shall not need.
 */
function loadBetterSqlite3(): Record<string, OpenDatabase> {
  try {
    const Database: new (path: string) => OwnDatabase = createRequire(import.meta.url)('better-sqlite3');
    return { 'better-sqlite3': (path) => new Database(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return {};
  }
}

/** Returns the path of a file in a folder that goes with the test. */
export function temporaryFile(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'claimlink-sqlite-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'claims.db');
}

/** Opens a database that is closed after the test. */
export function openDatabase(t: Test, open: OpenDatabase, path: string): OwnDatabase {
  const database = open(path);
  t.teardown(() => database.close());
  return database;
}
