// How long the mock takes from its command to its first answer, beside Prism's: bench/README.md says how to run it.
import { describe, orderOf, ratioOf, summarize, tableOf } from './speed/report.mjs';
import { describeMachine, progress, readFlags, runBenchmark, toCount } from './speed/run.mjs';
import { createServers } from './start-up/servers.mjs';
import { timeStart } from './start-up/time-start.mjs';

const LEAST_ROUNDS = 7;

const USAGE = `node bench/start-up.mjs [flags]
  --rounds 15   each starts every server once; ${LEAST_ROUNDS} or more
  --json        print JSON instead of a table`;

const flags = readFlags(USAGE, {
  rounds: { type: 'string', default: '15' },
  json: { type: 'boolean', default: false },
});
const rounds = toCount(USAGE, 'rounds', flags.rounds, LEAST_ROUNDS);

await runBenchmark('start-up', async ({ folder, signal }) => {
  const servers = await createServers({ folder, signal });
  const times = new Map(servers.map((server) => [server, []]));
  const machine = describeMachine({ rounds });
  // The first start of each reads its files from disk; it is not counted.
  for (const server of servers) await timeStart(server, signal);
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const server of orderOf(servers, round)) {
      times.get(server).push(await timeStart(server, signal));
    }
  }
  progress('');
  report(
    machine,
    servers.map((server) => ({
      name: server.name,
      version: server.version,
      kind: server.kind,
      ...summarize(times.get(server)),
    })),
  );
});

function report(machine, results) {
  const claimlink = results.find(({ kind }) => kind === 'claimlink');
  const prisms = results.filter(({ kind }) => kind === 'Prism');
  // The one that is harder to beat decides.
  const prism = prisms.reduce((best, other) => (other.median < best.median ? other : best));
  const ratio = { to: `${prism.name} ${prism.version}`, ...ratioOf(claimlink, prism) };
  if (flags.json) {
    const toThousandth = (_key, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value);
    console.log(JSON.stringify({ machine, unit: 'ms', servers: results, ratio }, toThousandth, 2));
    return;
  }
  const rows = results.map(({ name, version, median, min, max }) => {
    const times = `${(claimlink.median / median).toFixed(2)} ×`;
    return [`${name} ${version}`, toMs(median), `${toMs(min)}–${toMs(max)}`, times];
  });
  const columns = ['server', 'median, ms', 'min–max, ms', "claimlink's is"];
  console.log(`${describe(machine)}\n\n${tableOf(columns, rows)}`);
  const range = `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`;
  const verdict = ratio.ofMedians < 0.5 ? 'under half' : 'NOT under half';
  console.log(
    `\nclaimlink takes ${ratio.ofMedians.toFixed(2)} of the time of ${ratio.to}, round by round ${range}: ${verdict}.`,
  );
}

function toMs(time) {
  return time.toFixed(0);
}
