// How long the mock takes from its command to its first answer, beside Prism's: bench/README.md says how to run it.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServers } from './start-up/servers.mjs';
import { timeStart } from './start-up/time-start.mjs';

const LEAST_ROUNDS = 7;

const USAGE = `node bench/start-up.mjs [flags]
  --rounds 15   each starts every server once; ${LEAST_ROUNDS} or more
  --json        print JSON instead of a table`;

const { values: flags } = readFlags();
if (flags.help) {
  console.log(USAGE);
  process.exit(0);
}
const rounds = Number(flags.rounds);
if (!Number.isSafeInteger(rounds) || rounds < LEAST_ROUNDS)
  refuse(`--rounds: ${flags.rounds} is no whole number from ${LEAST_ROUNDS}`);

const abort = new AbortController();
const { signal } = abort;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const [event, code] of Object.entries(SIGNALS))
  process.on(event, () => {
    process.exitCode = code;
    abort.abort(new Error(`stopped by ${event}`));
  });

const folder = await mkdtemp(join(tmpdir(), 'claimlink-start-up-'));
try {
  await main();
} catch (error) {
  const reason = signal.aborted ? signal.reason : error;
  console.error(`start-up: ${reason.message}`);
  process.exitCode ??= 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function main() {
  const servers = await createServers({ folder, signal });
  const times = new Map(servers.map((server) => [server, []]));
  const machine = {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    loadBefore: Number(loadavg()[0].toFixed(2)),
    node: process.version,
  };
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
}

/** Each is first as often as the others, and every second round goes the other way round. */
function orderOf(servers, round) {
  const first = round % servers.length;
  const order = [...servers.slice(first), ...servers.slice(0, first)];
  return round % 2 === 0 ? order : order.reverse();
}

function summarize(times) {
  return { median: medianOf(times), min: Math.min(...times), max: Math.max(...times), times };
}

function medianOf(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function report(machine, results) {
  const claimlink = results.find(({ kind }) => kind === 'claimlink');
  const prisms = results.filter(({ kind }) => kind === 'Prism');
  // The one that is harder to beat decides.
  const prism = prisms.reduce((best, other) => (other.median < best.median ? other : best));
  const perRound = claimlink.times.map((time, round) => time / prism.times[round]);
  const ratio = {
    to: `${prism.name} ${prism.version}`,
    ofMedians: claimlink.median / prism.median,
    min: Math.min(...perRound),
    max: Math.max(...perRound),
  };
  if (flags.json) {
    const toThousandth = (_key, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value);
    console.log(JSON.stringify({ machine, rounds, unit: 'ms', servers: results, ratio }, toThousandth, 2));
    return;
  }
  const described = Object.entries(machine).map((entry) => entry.join(': '));
  console.log(`${described.join('; ')}; rounds: ${rounds}\n`);
  console.log(`| server | median, ms | min–max, ms | claimlink's is |\n|---|--:|--:|--:|`);
  for (const { name, version, median, min, max } of results) {
    const range = `${toMs(min)}–${toMs(max)}`;
    const times = `${(claimlink.median / median).toFixed(2)} ×`;
    console.log(`| ${[`${name} ${version}`, toMs(median), range, times].join(' | ')} |`);
  }
  const range = `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`;
  const verdict = ratio.ofMedians < 0.5 ? 'under half' : 'NOT under half';
  console.log(
    `\nclaimlink takes ${ratio.ofMedians.toFixed(2)} of the time of ${ratio.to}, round by round ${range}: ${verdict}.`,
  );
}

function toMs(time) {
  return time.toFixed(0);
}

/** One line on a terminal, and nothing in a file. */
function progress(message) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${message}`);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        rounds: { type: 'string', default: '15' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(sentence) {
  console.error(`${sentence}\n${USAGE}`);
  process.exit(2);
}
