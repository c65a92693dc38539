// The SQLite drivers that run on this Node, and databases that end with their test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
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
  'better-sqlite3': (path) => new BetterSqlite3(path),
  libsql: (path) => new Libsql(path),
};

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
