// Prints the results of the suites as one line of JSON. FOLDER is a folder that the runtime may write to.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { runSuites } from './suites.mjs';

/** Returns a function that opens a database in memory with the SQLite of the runtime, or undefined if it has none. */
async function findSqlite() {
  if (process.versions.bun) {
    const { Database } = await import('bun:sqlite');
    return () => new Database(':memory:');
  }
  const { DatabaseSync } = await import('node:sqlite').catch(() => ({}));
  return DatabaseSync && (() => new DatabaseSync(':memory:'));
}

const newFolder = () => mkdtemp(join(process.env.FOLDER, 'photos-'));

console.log(JSON.stringify(await runSuites(await findSqlite(), newFolder)));
