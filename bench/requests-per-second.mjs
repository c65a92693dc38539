// Measures requests per second of servers in interleaved rounds, and prints rates and ratios.
import { fileURLToPath } from 'node:url';
import { checkLoad, checkResponse } from './check.mjs';
import { REQUESTS } from './data.mjs';
import { pinned, runCommand, startServer } from './processes.mjs';
import { medianOf, orderOf, progress, rangeOf, ratioOf, tableOf } from './rounds.mjs';

const LOAD = fileURLToPath(new URL('load.lua', import.meta.url));
const CONNECTIONS = 32;
/** A server that waited for its turn is slow at first: V8 and the processor's caches have to warm up again. */
const WARM_UP_SECONDS = 2;
/** Of a new process: V8 optimises code that has run often. A busy machine needs more than the warm-up of a round. */
const WARM_UP_REQUESTS = 10_000;
/** Two processes of one server can differ by a tenth for as long as they live, so rounds alternate between three. */
const PROCESSES = 3;

/** Returns how long a process is under load in a round. */
export const secondsPerRound = ({ seconds }) => Object.keys(REQUESTS).length * (WARM_UP_SECONDS + seconds);

/** A server of `bench/servers`. */
export function createServerEntry(file, name, options = {}) {
  const path = fileURLToPath(new URL(`servers/${file}.mjs`, import.meta.url));
  return { id: file, name, responses: 'same', toArgs: (port) => [path, `${port}`], ...options };
}

/**
 * Measures all servers in all cases, and prints a table of rates for each case and one of the ratios.
 * A ratio is `[case, server, other server, least value or undefined, figure]`, with ids of servers. The figure is the
 * rate by default, or `total`: the CPU time of the server and of the database together.
 */
export async function compareServers(
  { servers, ratios, processes = PROCESSES, beforeMeasurement, databaseCpuMicroseconds },
  context,
) {
  const { rounds } = context;
  const generations = [];
  const results = [];
  for (let round = 0; round < rounds; round++) {
    generations[round % processes] ??= await startAll(servers, context);
    // The servers of one case follow each other, so that the machine is in the same state for a ratio.
    for (const caseName of Object.keys(REQUESTS))
      for (const server of orderOf(servers, round)) {
        progress(`round ${round + 1} of ${rounds}, ${caseName}: ${server.name}`);
        await beforeMeasurement?.();
        const running = generations[round % processes].get(server);
        const figures = await measure(running, server, caseName, { ...context, databaseCpuMicroseconds });
        results.push({ caseName, id: server.id, ...figures });
      }
  }
  progress('');
  printComparison(servers, ratios, results);
}

/**
 * Prints a table of rates for each case, and one of the ratios. `servers` have an id and a name, `results` a case, an id
 * and its figures in one round.
 */
export function printComparison(servers, ratios, results) {
  const figuresOf = (caseName, id, figure) =>
    results.filter((each) => each.caseName === caseName && each.id === id).map((each) => each[figure]);
  for (const caseName of Object.keys(REQUESTS)) printRates(caseName, servers, figuresOf);
  printRatios(ratios, servers, figuresOf);
}

async function startAll(servers, context) {
  const started = new Map();
  for (const server of servers) {
    progress(`starting ${server.name}`);
    started.set(server, { ...(await startServer(server, context)), served: { listing: 0, link: 0 } });
    context.defer(started.get(server).stop);
  }
  return started;
}

async function measure(running, server, caseName, { seconds, signal, folder, databaseCpuMicroseconds }) {
  const { port, cpuMicroseconds, rssBytes, printed } = running;
  const request = REQUESTS[caseName];
  const { method, path, headers, body = '' } = request;
  const load = async (duration) => {
    const flags = ['-t1', `-c${CONNECTIONS}`, `-d${duration}s`, '--timeout', '10s', '-s', LOAD];
    const headerFlags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const args = [...flags, ...headerFlags, `http://127.0.0.1:${port}${path}`, '--', method, body];
    const printed = await runCommand(pinned(1, 'wrk', args), { signal, folder });
    return JSON.parse(/^RESULT (.*)$/m.exec(printed)[1]);
  };
  try {
    const wireBytes = await checkResponse(port, server, caseName, request);
    let warmUp;
    do {
      warmUp = await load(WARM_UP_SECONDS);
      running.served[caseName] += warmUp.requests;
    } while (warmUp.requests > 0 && running.served[caseName] < WARM_UP_REQUESTS);
    const cpuBefore = cpuMicroseconds();
    const databaseBefore = databaseCpuMicroseconds?.();
    const result = await load(seconds);
    const cpu = (cpuMicroseconds() - cpuBefore) / result.requests;
    const database =
      databaseBefore === undefined ? 0 : (databaseCpuMicroseconds() - databaseBefore) / result.requests;
    const rss = rssBytes();
    checkLoad(result, server, caseName, { wireBytes, connections: CONNECTIONS });
    await checkResponse(port, server, caseName, request);
    return { rate: result.requests / result.duration, cpu, database, total: cpu + database, rss };
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${error.message}\n${printed()}`);
  }
}

function printRates(caseName, servers, figuresOf) {
  const hasDatabase = servers.some(({ id }) => figuresOf(caseName, id, 'database').some((cpu) => cpu > 0));
  const figures = ['cpu', ...(hasDatabase ? ['database', 'total'] : [])];
  const rows = servers.map(({ id, name }) => {
    const rates = figuresOf(caseName, id, 'rate');
    const medians = figures.map((figure) => medianOf(figuresOf(caseName, id, figure)).toFixed(0));
    const rss = (medianOf(figuresOf(caseName, id, 'rss')) / 1e6).toFixed(0);
    return [name, medianOf(rates).toFixed(0), rangeOf(rates, 0), ...medians, rss];
  });
  const cpuColumns = hasDatabase ? ['CPU µs/request: Node', 'database', 'both'] : ['CPU µs/request'];
  console.log(`\n${tableOf([caseName, 'requests/s', 'min–max', ...cpuColumns, 'RSS MB'], rows)}`);
}

/** The target is of the figure that the ratio names: of the rate, or of a CPU time. */
function printRatios(ratios, servers, figuresOf) {
  const nameOf = (id) => servers.find((server) => server.id === id).name;
  const hasDatabase = servers.some(({ id }) => figuresOf('listing', id, 'database').some((cpu) => cpu > 0));
  const figures = hasDatabase ? ['cpu', 'total'] : ['cpu'];
  const rows = ratios.map(([caseName, id, otherId, least, figure = 'rate']) => {
    const rate = ratioOf(figuresOf(caseName, id, 'rate'), figuresOf(caseName, otherId, 'rate'));
    const byCpu = (name) => ratioOf(figuresOf(caseName, otherId, name), figuresOf(caseName, id, name));
    const judged = figure === 'rate' ? rate : byCpu(figure);
    const verdict = least === undefined ? '' : `${least.toFixed(2)} ${judged.median >= least ? 'yes' : 'NO'}`;
    const name = `${caseName}: ${nameOf(id)} / ${nameOf(otherId)}`;
    const cpu = figures.map((each) => byCpu(each).median.toFixed(2));
    return [name, rate.median.toFixed(2), rate.range, ...cpu, verdict];
  });
  const cpuColumns = hasDatabase ? ['by CPU of Node', 'by CPU of both'] : ['by CPU time'];
  const columns = ['ratio', 'median', 'min–max', ...cpuColumns, 'at least'];
  console.log(`\n${tableOf(columns, rows)}`);
}
