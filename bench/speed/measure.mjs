// Starts servers and measures how many requests a second they answer, in turn.
import { checkAnswers, checkLoad } from './check.mjs';
import { runLoad } from './load.mjs';
import { orderOf } from './report.mjs';
import { progress } from './run.mjs';
import { startServer } from './server-process.mjs';

/**
 * Before every measurement: V8 optimises on the core that the server has to itself, and what has waited its turn for a
 * minute or two has given memory and code back.
 */
const WARM_UP_SECONDS = 3;

/** Starts all; resolves to a Map from each to what `startServer` gives. `defer` gets what ends them. */
export async function startServers(servers, { folder, signal, defer }) {
  const running = new Map();
  for (const server of servers) {
    progress(`starting ${server.name}`);
    const started = await startServer({ ...server, folder }, signal);
    defer(started.stop);
    running.set(server, started);
  }
  return running;
}

/** Two processes of a server may differ by a tenth for as long as they live: rounds take turns with so many of each. */
const PROCESSES = 3;

/**
 * Every round measures every server once in every case that it can be asked, the order differing from round to round,
 * and the processes, unless `running` are given for all.
 * Resolves to a Map from a case to a Map from a server to `{ perSecond, cpu }[]`, one for each round.
 */
export async function measureRates({ servers, cases, rounds, seconds, connections, running }, context) {
  const generations = running === undefined ? [] : [running];
  while (running === undefined && generations.length < Math.min(PROCESSES, rounds))
    generations.push(await startServers(servers, context));
  const measured = new Map(cases.map((each) => [each, new Map()]));
  for (let round = 0; round < rounds; round++) {
    const started = generations[round % generations.length];
    for (const each of cases) {
      const able = servers.filter((server) => server.cases.includes(each.id));
      const ofCase = measured.get(each);
      // The first to come is not the first of the table.
      if (round === 0) for (const server of able) ofCase.set(server, []);
      for (const server of orderOf(able, round)) {
        progress(`round ${round + 1} of ${rounds}, ${each.name}: ${server.name}`);
        const how = { seconds, connections };
        ofCase.get(server).push(await measure(started.get(server), server, each, how, context));
      }
    }
  }
  progress('');
  return measured;
}

/** The requests of a case as this server is sent them. */
export async function requestsFor(server, each, port) {
  return (await each.toRequests(port)).map((request) => server.adapt?.(request) ?? request);
}

/**
 * Checks, warms up, loads, and checks again. `cpu` is in microseconds for one request;
 * undefined where the operating system does not tell.
 */
async function measure(
  { port, printed, cpuMicroseconds },
  server,
  each,
  { seconds, connections },
  { folder, signal },
) {
  const requests = await requestsFor(server, each, port);
  const received = await checkAnswers({ port }, server, each, requests);
  const load = { port, requests, connections, folder, signal };
  await runLoad({ ...load, seconds: WARM_UP_SECONDS });
  const cpuBefore = cpuMicroseconds();
  const result = await runLoad({ ...load, seconds });
  const cpuAfter = cpuMicroseconds();
  try {
    checkLoad(result, server, each, received, connections);
    await checkAnswers({ port }, server, each, requests);
  } catch (error) {
    throw new Error(`${error.message}\n${printed()}`);
  }
  const cpu = cpuBefore === undefined ? undefined : (cpuAfter - cpuBefore) / result.requests;
  return { perSecond: result.perSecond, cpu };
}
