// How many requests a second claimlink answers, beside its peers: bench/README.md says how to run it.
import { writeFile } from 'node:fs/promises';
import { CASES } from './speed/cases.mjs';
import { generator } from './speed/load.mjs';
import { measureRates } from './speed/measure.mjs';
import { describe, toJson } from './speed/report.mjs';
import { describeMachine, readFlags, runBenchmark, toChoice, toCount } from './speed/run.mjs';
import { isPinned } from './speed/server-process.mjs';
import { prepareServers, SERVERS, versionsOf } from './speed/servers.mjs';
import { speedTables, summarizeCases, targetTable } from './speed/speed-tables.mjs';

const USAGE = `node bench/speed.mjs [flags]
  --rounds 5         each measures every server once in every case
  --seconds 3        of one measurement, after three of warm-up
  --connections 32   that are kept busy
  --cases a,b        of ${CASES.map(({ id }) => id).join(', ')}
  --servers a,b      of ${SERVERS.map(({ id }) => id).join(', ')}
  --quick            three rounds of a second, listing-10 and link, the bare servers and the Fastify app by hand
  --json file        write all figures there, too`;

const flags = readFlags(USAGE, {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string', default: '32' },
  cases: { type: 'string' },
  servers: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'string' },
});
const QUICK_SERVERS = 'claimlink-node,claimlink-fastify,bare-node,bare-fastify,by-hand-fastify';
const rounds = toCount(USAGE, 'rounds', flags.rounds ?? (flags.quick ? 3 : 5), 1);
const seconds = toCount(USAGE, 'seconds', flags.seconds ?? (flags.quick ? 1 : 3), 1);
const connections = toCount(USAGE, 'connections', flags.connections, 1);
const cases = toChoice(USAGE, 'cases', flags.cases ?? (flags.quick ? 'listing-10,link' : undefined), CASES);
const servers = toChoice(
  USAGE,
  'servers',
  flags.servers ?? (flags.quick ? QUICK_SERVERS : undefined),
  SERVERS,
);

const UNITS = {
  median: 'requests a second',
  cpu: 'microseconds of CPU time of the server for one request, system and garbage collection included',
};

await runBenchmark('speed', async ({ folder, signal, defer }) => {
  await prepareServers(folder);
  const machine = describeMachine({
    load: `${generator}, ${connections} connections`,
    pinned: isPinned ? 'server on core 0, load on core 1' : 'no',
    measurements: `${rounds} rounds of ${seconds} s`,
    ...(await versionsOf()),
  });
  const measured = await measureRates(
    { servers, cases, rounds, seconds, connections },
    { folder, signal, defer },
  );
  const results = summarizeCases(measured);
  console.log(`${describe(machine)}\n\n${speedTables(results)}\n\n${targetTable(results)}`);
  if (flags.json) await writeFile(flags.json, toJson({ machine, units: UNITS, results }));
});
