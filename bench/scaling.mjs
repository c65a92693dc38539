// How the PostgreSQL storage's cost grows with the number of sessions: bench/README.md says how to run it.
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from './postgres-server.mjs';
import { fill, measureStorage } from './scaling/dataset.mjs';
import { createSamples, measure, showPlan } from './scaling/measure.mjs';
import {
  findSequentialScans,
  growthTable,
  storageTable,
  throughputTable,
  toRows,
  verdict,
} from './scaling/report.mjs';
import { measureSweep, measureThroughput } from './scaling/throughput.mjs';

const USAGE = `node bench/scaling.mjs [flags]
  --sizes 10000,100000,1000000   sessions of each size, smallest first
  --users-per 20                 sessions of each user
  --rounds 1000                  each asks for every case at every size, twice
  --seconds 3                    of each throughput figure; 0 leaves them out
  --connections 1,4,16           of the throughput figures
  --partitions 0                 tables partitioned by hash of the client, so many; 0 for plain ones
  --cluster                      rows of one user on neighbouring pages, as CLUSTER leaves them
  --samples 2000                 random users of each size that are asked for
  --shared-buffers 4GB           of the server that is started
  --database-url postgres://...  use this server, in schemas that go afterwards
  --minutes 15                   give up after so long
  --seed 42                      of the random choice of users
  --json file                    write all figures and plans there`;

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    'users-per': { type: 'string', default: '20' },
    rounds: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,4,16' },
    partitions: { type: 'string', default: '0' },
    cluster: { type: 'boolean', default: false },
    samples: { type: 'string', default: '2000' },
    'shared-buffers': { type: 'string', default: '4GB' },
    'database-url': { type: 'string' },
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: '42' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (flags.help) {
  console.log(USAGE);
  process.exit(0);
}

const usersPer = toCount('users-per', flags['users-per'], 1);
const rounds = toCount('rounds', flags.rounds, 1);
const seconds = toCount('seconds', flags.seconds, 0);
const sampleCount = toCount('samples', flags.samples, 1);
const partitions = toCount('partitions', flags.partitions, 0);
const connections = flags.connections.split(',').map((text) => toCount('connections', text, 1));
const name = `claimlink_bench_${process.pid}`;
const sizes = flags.sizes.split(',').map((text) => {
  const sessions = toCount('sizes', text, usersPer * 50);
  return { sessions, usersPer, users: Math.floor(sessions / usersPer), schema: `${name}_${sessions}` };
});

const abort = new AbortController();
const { signal } = abort;
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(event, () => abort.abort(new Error(`stopped by ${event}`)));
const deadline = setTimeout(
  () => abort.abort(new Error(`gave up after --minutes ${flags.minutes}`)),
  toCount('minutes', flags.minutes, 1) * 60_000,
);

/** Server settings that a host would set, too, and autovacuum off, so that it falls into no size's rounds. */
const SETTINGS = [
  `shared_buffers=${flags['shared-buffers']}`,
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
  'max_wal_size=8GB',
  'checkpoint_timeout=1h',
  'autovacuum=off',
  'jit=off',
];

const started = performance.now();
let server;
try {
  server = flags['database-url'] ? { url: flags['database-url'] } : await startPostgres(SETTINGS);
  signal.throwIfAborted();
  await main(server.url, server.stop !== undefined);
} catch (error) {
  console.error(`\nscaling: ${signal.aborted ? signal.reason.message : (error.stack ?? error)}`);
  process.exitCode = 1;
} finally {
  clearTimeout(deadline);
  await server?.stop?.();
}

async function main(url, ownServer) {
  const createPool = (max) => {
    const created = new pg.Pool({ connectionString: url, max, application_name: name });
    created.on('error', () => {});
    return created;
  };
  const pool = createPool(1);
  signal.addEventListener('abort', () => cancelQueries(url));
  try {
    const random = createRandom(toCount('seed', flags.seed, 0));
    if (ownServer) await pool.query('CREATE EXTENSION pageinspect; CREATE EXTENSION pg_stat_statements');
    for (const size of sizes) {
      const start = performance.now();
      await fill(pool, size, { partitions, cluster: flags.cluster, signal, progress });
      size.fillSeconds = (performance.now() - start) / 1000;
      size.storage = await measureStorage(pool, size.schema, ownServer);
      size.samples = await createSamples(pool, size, sampleCount, random);
    }
    await pool
      .query('CHECKPOINT')
      .catch(() => progress('no right to CHECKPOINT: the first rounds may be slower'));
    const results = await measure(pool, sizes, { rounds, serverTimes: ownServer, random, signal, progress });
    const last = sizes.at(-1);
    const plans = {};
    for (const name of ['listing, all 20', 'listing, next 10', 'authentication'])
      plans[name] = await showPlan(pool, last, name);
    const how = { connections, seconds, random, signal, progress };
    const throughput = seconds > 0 ? await measureThroughput(createPool, last, how) : [];
    progress('sweeping all links');
    const sweep = await measureSweep(pool, last);
    await report({ pool, rows: toRows(sizes, results), plans, throughput, sweep });
  } finally {
    for (const { schema } of ownServer ? [] : sizes)
      await pool
        .query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
        .catch((error) => console.error(error.message));
    await pool.end();
  }
}

async function report({ pool, rows, plans, throughput, sweep }) {
  const settings = ['server_version', 'shared_buffers', 'fsync', 'synchronous_commit', 'jit', 'autovacuum'];
  const { rows: set } = await pool.query(
    'SELECT name, setting, unit FROM pg_settings WHERE name = ANY ($1)',
    [settings],
  );
  const machine = {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    ...Object.fromEntries(
      set.map(({ name: key, setting, unit }) => [key, `${setting}${unit ? ` × ${unit}` : ''}`]),
    ),
  };
  progress('done');
  console.log(
    `${Object.entries(machine)
      .map((entry) => entry.join(': '))
      .join('; ')}\n`,
  );
  console.log(`${growthTable(rows)}\n\n${verdict(rows)}\n`);
  console.log(`${storageTable(sizes)}\n`);
  if (throughput.length > 0) console.log(`${throughputTable(throughput)}\n`);
  console.log(`sweep: ${sweep.links} links in ${sweep.seconds.toFixed(1)} s\n`);
  for (const [title, plan] of Object.entries(plans))
    console.log(`${title}, ${sizes.at(-1).sessions} sessions:\n\n${plan}\n`);
  if (flags.json) {
    const described = sizes.map(({ samples: _, ...size }) => size);
    const all = { machine, command: process.argv.slice(2), sizes: described, rows, throughput, sweep, plans };
    await writeFile(flags.json, `${JSON.stringify(all, null, 2)}\n`);
  }
  const scans = findSequentialScans(rows);
  if (scans.length > 0) throw new Error(`a whole table was read:\n${scans.join('\n')}`);
}

/** A statement that is running holds up the end for seconds: it is cancelled from another connection. */
async function cancelQueries(url) {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      name,
    ]);
  } catch {
    // The statement ends by itself then.
  } finally {
    await client.end().catch(() => {});
  }
}

function progress(message) {
  const elapsed = Math.round((performance.now() - started) / 1000);
  console.error(`${String(elapsed).padStart(4)} s  ${message}`);
}

function toCount(flag, text, least) {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  console.error(`--${flag}: ${text} is no whole number from ${least}\n${USAGE}`);
  process.exit(2);
}

/** mulberry32: the same users in every run. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
