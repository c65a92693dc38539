// A process of the benchmark: calls the storages themselves, without HTTP, and prints what each call costs in each round.
import Database from 'better-sqlite3';
import pg from 'pg';
import { createPostgresStorage } from '../dist/lib/storage/postgres/index.js';
import { createSqliteStorage } from '../dist/lib/storage/sqlite/index.js';
import { CLIENT, createStoredLink, USER_ID } from './data.mjs';
import { orderOf } from './rounds.mjs';

const { url, schema, file, rounds, seconds } = JSON.parse(process.argv[2]);
/** As many as the connections of a measurement under load. */
const CALLERS = 32;
const OWNER = { clientId: CLIENT.clientId, userId: USER_ID };
const CASES = {
  listing: (storage) => storage.listSessions({ ...OWNER, limit: 1000 }),
  link: (storage) => storage.insertLink(createStoredLink(OWNER, new Date())),
};

const pool = new pg.Pool({ connectionString: url });
const sqlite = (options) => createSqliteStorage(new Database(file), options);
const storages = Object.entries({
  postgres: createPostgresStorage(pool, { schema }),
  sqlite: sqlite(),
  'sqlite-normal': sqlite({ synchronous: 'normal' }),
});
const results = [];
for (const call of Object.values(CASES)) for (const [, storage] of storages) await measure(storage, call);
for (let round = 0; round < rounds; round++)
  for (const [caseName, call] of Object.entries(CASES))
    for (const [id, storage] of orderOf(storages, round))
      results.push({ caseName, id, ...(await measure(storage, call)) });
await pool.end();
process.stdout.write(JSON.stringify(results));

async function measure(storage, call) {
  let calls = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  const run = async () => {
    for (; performance.now() < end; calls++) await call(storage);
  };
  await Promise.all(Array.from({ length: CALLERS }, run));
  const { user, system } = process.cpuUsage(cpuBefore);
  const rate = (calls * 1000) / (performance.now() - start);
  return { rate, cpu: (user + system) / calls, rss: process.memoryUsage.rss() };
}
