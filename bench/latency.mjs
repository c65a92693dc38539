// How long claimlink takes to answer at half of what it can, beside its peers: bench/README.md says how to run it.
import { writeFile } from 'node:fs/promises';
import { CASES } from './speed/cases.mjs';
import { checkAnswers } from './speed/check.mjs';
import { generator, runOpenLoop } from './speed/load.mjs';
import { measureRates, requestsFor, startServers } from './speed/measure.mjs';
import { describe, medianOf, orderOf, ratioOf, summarize, tableOf, toJson } from './speed/report.mjs';
import { describeMachine, progress, readFlags, runBenchmark, toChoice, toCount } from './speed/run.mjs';
import { isPinned } from './speed/server-process.mjs';
import { prepareServers, SERVERS, versionsOf } from './speed/servers.mjs';

/** Those with one request, whose answers are equally long. */
const ABLE = CASES.filter(({ id }) => id !== 'mixed');

const USAGE = `node bench/latency.mjs [flags]
  --rounds 5         each measures every server once in every case
  --seconds 5        of one measurement, after a second that does not count
  --connections 32   that requests are sent over
  --percent 50       of the rate at which the server is saturated
  --cases a,b        of ${ABLE.map(({ id }) => id).join(', ')}; default listing-10,link
  --servers a,b      of ${SERVERS.map(({ id }) => id).join(', ')}; default claimlink-node,bare-node,by-hand-fastify
  --json file        write all figures there, too`;

const flags = readFlags(USAGE, {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '32' },
  percent: { type: 'string', default: '50' },
  cases: { type: 'string', default: 'listing-10,link' },
  servers: { type: 'string', default: 'claimlink-node,bare-node,by-hand-fastify' },
  json: { type: 'string' },
});
const rounds = toCount(USAGE, 'rounds', flags.rounds, 1);
const seconds = toCount(USAGE, 'seconds', flags.seconds, 1);
const connections = toCount(USAGE, 'connections', flags.connections, 1);
const percent = toCount(USAGE, 'percent', flags.percent, 1);
const cases = toChoice(USAGE, 'cases', flags.cases, ABLE);
const servers = toChoice(USAGE, 'servers', flags.servers, SERVERS);

/** To find the saturation: the median of so many rounds. */
const SATURATION_ROUNDS = 3;
const SATURATION_SECONDS = 2;

/** claimlink's over bare node:http's, the most. */
const P99_TARGET = 1.3;

await runBenchmark('latency', async (context) => {
  await prepareServers(context.folder);
  const machine = describeMachine({
    saturation: `${generator}, ${connections} connections, median of ${SATURATION_ROUNDS} rounds of ${SATURATION_SECONDS} s`,
    load: `${percent}% of it at a constant rate, ${rounds} rounds of ${seconds} s`,
    pinned: isPinned ? 'server on core 0, load on core 1' : 'no',
    ...(await versionsOf()),
  });
  const running = await startServers(servers, context);
  const saturating = { servers, cases, rounds: SATURATION_ROUNDS, seconds: SATURATION_SECONDS, connections };
  const rates = await measureRates({ ...saturating, running }, context);
  const results = cases.map((each) => ({
    id: each.id,
    name: each.name,
    servers: [...rates.get(each)].map(([server, figures]) => {
      const saturation = medianOf(figures.map(({ perSecond }) => perSecond));
      return { server, saturation, rate: (saturation * percent) / 100, figures: [] };
    }),
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, each] of cases.entries()) {
      for (const entry of orderOf(results[index].servers, round)) {
        progress(`round ${round + 1} of ${rounds}, ${each.name}: ${entry.server.name}`);
        entry.figures.push(await measureLatency(running.get(entry.server), entry, each, context));
      }
    }
  }
  progress('');
  const summarized = results.map(({ servers: entries, ...each }) => ({
    ...each,
    servers: entries.map(summarizeEntry),
  }));
  const tables = summarized.map(latencyTable).join('\n\n');
  console.log(`${describe(machine)}\n\n${tables}\n\n${verdicts(summarized)}`);
  if (flags.json) await writeFile(flags.json, toJson({ machine, unit: 'ms', results: summarized }));
});

async function measureLatency({ port }, { server, rate }, each, { folder, signal }) {
  const [request] = await requestsFor(server, each, port);
  const [{ wireBytes }] = await checkAnswers({ port }, server, each, [request]);
  const { status } = each;
  return runOpenLoop({ port, request, rate, seconds, connections, status, wireBytes, folder, signal });
}

function summarizeEntry({ server, saturation, rate, figures }) {
  const of = (name) => summarize(figures.map((figure) => figure[name]));
  return {
    id: server.id,
    name: server.name,
    saturation,
    rate,
    achieved: medianOf(figures.map(({ perSecond }) => perSecond)),
    p50: of('p50'),
    p99: of('p99'),
    p999: of('p999'),
    sentLateP99: of('sentLateP99'),
  };
}

function latencyTable({ name, servers: entries }) {
  const ours = entries.find(({ id }) => id.startsWith('claimlink-'));
  const columns = [
    name,
    'saturation',
    'rate',
    'p50, ms',
    'p99, ms',
    'min–max',
    'p99.9, ms',
    'min–max',
    'sent late, p99',
  ];
  const ratios = ours ? ['p50', 'p99', 'p99.9'].map((percentile) => `${percentile} of ${ours.name} is`) : [];
  const rows = entries.map((entry) => [
    entry.name,
    entry.saturation.toFixed(0),
    entry.rate.toFixed(0) +
      (entry.achieved < entry.rate * 0.98 ? ` (only ${entry.achieved.toFixed(0)})` : ''),
    toMs(entry.p50.median),
    toMs(entry.p99.median),
    `${toMs(entry.p99.min)}–${toMs(entry.p99.max)}`,
    toMs(entry.p999.median),
    `${toMs(entry.p999.min)}–${toMs(entry.p999.max)}`,
    toMs(entry.sentLateP99.median),
    ...(ours
      ? ['p50', 'p99', 'p999'].map((key) =>
          entry === ours ? '' : `${ratioOf(ours[key], entry[key]).ofMedians.toFixed(2)} ×`,
        )
      : []),
  ]);
  return tableOf([...columns, ...ratios], rows);
}

function verdicts(summarized) {
  return summarized
    .flatMap(({ name, servers: entries }) => {
      const [ours, bare] = ['claimlink-node', 'bare-node'].map((id) =>
        entries.find((entry) => entry.id === id),
      );
      if (ours === undefined || bare === undefined) return [];
      const { ofMedians, min, max } = ratioOf(ours.p99, bare.p99);
      const verdict = ofMedians <= P99_TARGET ? 'reached' : 'NOT reached';
      return [
        `${name}: p99 is ${ofMedians.toFixed(2)} of bare node:http's (rounds ${min.toFixed(2)}–${max.toFixed(2)}; at most ${P99_TARGET}: ${verdict}).`,
      ];
    })
    .join('\n');
}

function toMs(milliseconds) {
  return milliseconds.toFixed(milliseconds < 10 ? 2 : 1);
}
