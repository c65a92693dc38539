// claimlink over PostgreSQL, beside the same two queries by hand: bench/README.md says how to run it.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { startPostgres } from './postgres-server.mjs';
import { CASES } from './speed/cases.mjs';
import { generator } from './speed/load.mjs';
import { measureRates } from './speed/measure.mjs';
import { describe, toJson } from './speed/report.mjs';
import { describeMachine, progress, readFlags, runBenchmark, toChoice, toCount } from './speed/run.mjs';
import { isPinned } from './speed/server-process.mjs';
import { seed } from './speed/service.mjs';
import { speedTables, summarizeCases, targetTable } from './speed/speed-tables.mjs';

const ABLE = CASES.filter(({ id }) => id.startsWith('listing-') || id === 'link');

const USAGE = `node bench/postgres.mjs [flags]
  --rounds 5         each measures every server once in every case
  --seconds 3        of one measurement, after three of warm-up
  --connections 32   that are kept busy
  --pool 10          connections of each server to the database
  --cases a,b        of ${ABLE.map(({ id }) => id).join(', ')}; default listing-10,listing-100,link
  --json file        write all figures there, too`;

const flags = readFlags(USAGE, {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  connections: { type: 'string', default: '32' },
  pool: { type: 'string', default: '10' },
  cases: { type: 'string', default: 'listing-10,listing-100,link' },
  json: { type: 'string' },
});
const rounds = toCount(USAGE, 'rounds', flags.rounds, 1);
const seconds = toCount(USAGE, 'seconds', flags.seconds, 1);
const connections = toCount(USAGE, 'connections', flags.connections, 1);
const poolSize = toCount(USAGE, 'pool', flags.pool, 1);
const cases = toChoice(USAGE, 'cases', flags.cases, ABLE);

/** What would fall into one server's measurements and not into the other's is off: vacuum, and waiting for the disk. */
const SETTINGS = ['shared_buffers=512MB', 'autovacuum=off', 'synchronous_commit=off', 'jit=off'];

await runBenchmark('postgres', async (context) => {
  context.signal.throwIfAborted();
  progress('starting PostgreSQL');
  const { url, stop } = await startPostgres(SETTINGS);
  context.defer(stop);
  context.signal.throwIfAborted();
  await pinPostgres(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  context.defer(() => pool.end());
  await migrate(pool);
  await seed(createPostgresStorage(pool));
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query('SHOW server_version');
  const machine = describeMachine({
    PostgreSQL: `${rows[0].server_version}, ${SETTINGS.join(', ')}`,
    load: `${generator}, ${connections} connections, ${poolSize} to the database`,
    pinned: isPinned ? 'server on core 0, PostgreSQL and load on core 1' : 'no',
    measurements: `${rounds} rounds of ${seconds} s`,
  });
  const environment = { DATABASE_URL: url, POOL_SIZE: String(poolSize) };
  const servers = [
    createServer('claimlink-postgres', 'claimlink, node:http, PostgreSQL', environment),
    createServer('claimlink-postgres-prepared', 'the same, prepareStatements', environment),
    createServer('by-hand-postgres', 'pg by hand', environment),
  ];
  // Links are no part of what is compared: each measurement, with its warm-up, begins with none.
  const emptied = cases.map((each) => ({
    ...each,
    async toRequests(port) {
      await pool.query('TRUNCATE claimlink_links');
      return each.toRequests(port);
    },
  }));
  const measured = await measureRates({ servers, cases: emptied, rounds, seconds, connections }, context);
  const results = summarizeCases(measured);
  console.log(`${describe(machine)}\n\n${speedTables(results)}\n\n${targetTable(results)}`);
  if (flags.json) await writeFile(flags.json, toJson({ machine, results }));
});

function createServer(id, name, environment) {
  const file = fileURLToPath(new URL(`speed/servers/${id}.mjs`, import.meta.url));
  const toArgs = (port) => [file, `${port}`];
  return { id, name, environment, answers: 'same', cases: ABLE.map((each) => each.id), toArgs };
}

/** The backends inherit it from the postmaster, whose process id is in its folder. */
async function pinPostgres(url) {
  if (!isPinned) return;
  const folder = new URL(url).searchParams.get('host');
  const [pid] = (await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n');
  await promisify(execFile)('taskset', ['-cp', '1', pid]);
}
