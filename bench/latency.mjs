// Part `latency`: response times on PostgreSQL at half and at 90 % of the rate, of claimlink and of the hand-written app.
import { fileURLToPath } from 'node:url';
import { createPostgresStorage, migrate } from '../dist/lib/storage/postgres/index.js';
import { REQUESTS } from './data.mjs';
import { openDatabase } from './postgres-server.mjs';
import { pinned, runCommand, startServer } from './processes.mjs';
import { createServerEntry } from './requests-per-second.mjs';
import { medianOf, orderOf, progress, tableOf } from './rounds.mjs';
import { seed } from './service.mjs';

const LOAD = fileURLToPath(new URL('latency-load.mjs', import.meta.url));
const SETTINGS = ['shared_buffers=512MB', 'autovacuum=off', 'synchronous_commit=off', 'jit=off'];
const SHARES = { half: 0.5, '90 %': 0.9 };

export async function run(context) {
  const { url, schema, pool } = await openDatabase(SETTINGS, context);
  await migrate(pool, { schema });
  await seed(createPostgresStorage(pool, { schema }));
  await pool.query('VACUUM ANALYZE');
  const environment = { DATABASE_URL: url, SCHEMA: schema, PREPARE_STATEMENTS: 'true' };
  const servers = [
    createServerEntry('claimlink', 'claimlink', { environment }),
    createServerEntry('by-hand', 'hand-written on pg, prepared', { environment }),
  ];
  for (const server of servers) {
    server.running = await startServer(server, context);
    context.defer(server.running.stop);
  }
  for (const caseName of Object.keys(REQUESTS)) await compare(caseName, servers, context);
}

/** Both servers get the same rates: shares of the rate that the slower one reaches. */
async function compare(caseName, servers, context) {
  const { rounds, seconds } = context;
  const load = async (server, rate, duration = seconds) => {
    const options = { port: server.running.port, caseName, seconds: duration, rate };
    progress(`${caseName} at ${rate ?? 'the highest rate'}: ${server.name}`);
    const printed = await runCommand(pinned(1, process.execPath, [LOAD, JSON.stringify(options)]), context);
    return JSON.parse(printed);
  };
  // The first one warms up.
  const rates = [];
  for (const server of servers) {
    await load(server, undefined, 3);
    rates.push((await load(server, undefined, 3)).rate);
  }
  const rows = [];
  for (const [name, share] of Object.entries(SHARES)) {
    const rate = Math.floor(Math.min(...rates) * share);
    const results = new Map(servers.map((server) => [server, []]));
    for (let round = 0; round < rounds; round++)
      for (const server of orderOf(servers, round)) results.get(server).push(await load(server, rate));
    for (const [server, measured] of results) {
      const figures = ['p50', 'p99', 'p999'].map((figure) => medianOf(measured.map((each) => each[figure])));
      const failed = measured.reduce((sum, each) => sum + each.failed, 0);
      rows.push([`${name}, ${rate}/s: ${server.name}`, ...figures, failed]);
    }
  }
  progress('');
  console.log(`\n${tableOf([caseName, 'p50 ms', 'p99 ms', 'p99.9 ms', 'failed'], rows)}`);
}
