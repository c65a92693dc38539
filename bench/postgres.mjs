// Part `postgres`: claimlink on PostgreSQL beside a hand-written app on `pg` with the same indexed queries, and on SQLite.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { createSqliteStorage, migrate as migrateSqlite } from '../dist/lib/storage/sqlite/index.js';
import { openDatabase } from './postgres-server.mjs';
import { pinned, runCommand } from './processes.mjs';
import { compareServers, createServerEntry, printComparison } from './requests-per-second.mjs';
import { progress } from './rounds.mjs';
import { seed } from './service.mjs';

const CALL_STORAGES = fileURLToPath(new URL('call-storages.mjs', import.meta.url));
/** Vacuum, JIT and waiting for the disk would hit one measurement and not another. */
const SETTINGS = ['shared_buffers=512MB', 'autovacuum=off', 'synchronous_commit=off', 'jit=off'];

/** Least values of the CPU time of Node and of the database together, of a listing and of a link. */
const RATIOS = [
  ...toRatios('total', ['claimlink', 'by-hand', 1.5, 1.1], ['claimlink', 'by-hand-prepared', 1, 0.85]),
  ...toRatios('total', ['cached', 'by-hand', 1.8, 1.4], ['cached', 'by-hand-prepared', 1.2, 1.1]),
  ...toRatios('cpu', ['claimlink', 'by-hand', 1.15], ['claimlink', 'by-hand-prepared', 1]),
  ...toRatios('rate', ['unprepared', 'by-hand'], ['claimlink', 'unprepared'], ['sqlite', 'claimlink']),
];

/** The storages of `call-storages.mjs`. */
const STORAGES = [
  { id: 'postgres', name: 'PostgreSQL storage' },
  { id: 'sqlite', name: 'SQLite storage' },
  { id: 'sqlite-normal', name: 'SQLite storage, normal' },
];
const STORAGE_RATIOS = toRatios('rate', ['sqlite', 'postgres', 2, 0.3], ['sqlite-normal', 'postgres']);

export async function run(context) {
  const { url, schema, pool, cpuMicroseconds } = await openDatabase(SETTINGS, context);
  await migrate(pool, { schema });
  await seed(createPostgresStorage(pool, { schema }));
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query('SHOW server_version');
  console.log(`\nPostgreSQL ${rows[0].server_version}; ${SETTINGS.join('; ')}`);
  const file = join(context.folder, 'claims.db');
  const sqlite = new Database(file);
  context.defer(() => sqlite.close());
  await migrateSqlite(sqlite);
  await seed(createSqliteStorage(sqlite));

  const environment = { DATABASE_URL: url, SCHEMA: schema };
  const cached = { CACHE_CREDENTIALS: 'true' };
  const entry = (id, name, ...more) =>
    createServerEntry('claimlink', name, { id, environment: Object.assign({}, environment, ...more) });
  const servers = [
    entry('claimlink', 'claimlink'),
    entry('cached', 'claimlink with credentialCache', cached),
    entry('unprepared', 'claimlink, no prepared statements', { PREPARE_STATEMENTS: 'false' }),
    entry('sqlite', 'claimlink on SQLite', { SQLITE_FILE: file }),
    createServerEntry('by-hand', 'hand-written on pg', { environment }),
    createServerEntry('by-hand', 'hand-written on pg, prepared', {
      id: 'by-hand-prepared',
      environment: { ...environment, PREPARE_STATEMENTS: 'true' },
    }),
  ];
  await compareServers(
    {
      servers,
      ratios: RATIOS,
      databaseCpuMicroseconds: cpuMicroseconds,
      // The links of an earlier measurement would make the index of a later one larger.
      async beforeMeasurement() {
        await pool.query(`TRUNCATE ${schema}.claimlink_links`);
        sqlite.exec('DELETE FROM claimlink_links');
      },
    },
    context,
  );
  const { rounds, seconds } = context;
  const options = JSON.stringify({ url, schema, file, rounds, seconds });
  progress('calling the storages');
  const results = await runCommand(pinned(0, process.execPath, [CALL_STORAGES, options]), context);
  progress('');
  console.log('\nThe storages alone, without HTTP:');
  printComparison(STORAGES, STORAGE_RATIOS, JSON.parse(results));
}

/** Rows of two ids and the least ratios of a listing and of a link -> ratios of `printComparison`. */
function toRatios(figure, ...rows) {
  return rows.flatMap(([id, other, ...least]) =>
    ['listing', 'link'].map((name, index) => [name, id, other, least[index], figure]),
  );
}
