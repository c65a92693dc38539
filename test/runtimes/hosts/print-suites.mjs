// Prints the results of the suites as one line of JSON.
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

console.log(JSON.stringify(await runSuites(await findSqlite())));
