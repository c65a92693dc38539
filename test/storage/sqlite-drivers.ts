// The SQLite drivers that run on this Node, and databases that end with their test.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import type { Test } from 'tap';
import type { SqliteDatabase } from '../../lib/storage/sqlite/index.js';
import { REPOSITORY } from '../repository.js';

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
 * better-sqlite3 is tested where `npm run proof -- matrix` has installed it: it comes from GitHub, or a compiler makes it, and
 * `npm ci` of the repository shall need neither.
 */
function loadBetterSqlite3(): Record<string, OpenDatabase> {
  const require = createRequire(new URL('test/storage/matrix/package.json', REPOSITORY));
  try {
    const Database: new (path: string) => OwnDatabase = require('better-sqlite3');
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
