// What of a request costs what: handlers that do one step more each take turns in one process. bench/README.md says more.
import { access, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES } from './speed/cases.mjs';
import { ask, checkAnswers, checkLoad } from './speed/check.mjs';
import { generator, runLoad } from './speed/load.mjs';
import { requestsFor } from './speed/measure.mjs';
import { describe, summarize, tableOf, toJson } from './speed/report.mjs';
import { describeMachine, progress, readFlags, runBenchmark, toChoice, toCount } from './speed/run.mjs';
import { isPinned, startServer } from './speed/server-process.mjs';
import { TURN_HEADER } from './steps/turns.mjs';

const USAGE = `node bench/steps.mjs [flags]
  --cases ids        comma separated: listing-10, link
  --processes 3      one after the other, each with all steps
  --seconds 10       of load on each, after five of warm-up
  --connections 32   that are kept busy
  --against folder   of another checkout of claimlink, built: takes turns with this one
  --json file        write all figures there, too`;
const WARM_UP_SECONDS = 5;
/** Less, and what goes by between two requests is not what the first one took. */
const LEAST_BUSY = 0.97;

const flags = readFlags(USAGE, {
  cases: { type: 'string' },
  processes: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '10' },
  connections: { type: 'string', default: '32' },
  against: { type: 'string' },
  json: { type: 'string' },
});
const measurable = CASES.filter(({ id }) => id === 'listing-10' || id === 'link');
const cases = toChoice(USAGE, 'cases', flags.cases, measurable);
const processes = toCount(USAGE, 'processes', flags.processes, 1);
const seconds = toCount(USAGE, 'seconds', flags.seconds, 1);
const connections = toCount(USAGE, 'connections', flags.connections, 1);
const against = flags.against === undefined ? [] : [resolve(flags.against)];

const SERVER = fileURLToPath(new URL('steps/server.mjs', import.meta.url));

await runBenchmark('steps', async (context) => {
  for (const folder of against) await demandBuilt(folder);
  const machine = describeMachine({
    load: `${generator}, ${connections} connections`,
    pinned: isPinned ? 'server on core 0, load on core 1' : 'no',
    measurements: `${processes} processes, ${seconds} s each`,
  });
  console.log(describe(machine));
  const results = [];
  for (const each of cases) {
    const runs = [];
    while (runs.length < processes) {
      progress(`${each.name}: process ${runs.length + 1} of ${processes}`);
      runs.push(await measureTurns(each, context));
    }
    progress('');
    const steps = summarizeRuns(runs);
    results.push({ case: each.id, steps });
    console.log(`\n${toTable(each, steps)}`);
  }
  if (flags.json) await writeFile(flags.json, toJson({ machine, results }));
});

async function demandBuilt(folder) {
  await access(join(folder, 'dist/lib/index.js')).catch(() => {
    throw new Error(`claimlink is not built in ${folder}: run npm run build there`);
  });
}

/** Starts a process, checks every turn of it, warms it up and loads it. Resolves to its figures. */
async function measureTurns(each, { folder, signal }) {
  const server = {
    name: `the steps of a ${each.name}`,
    toArgs: (port) => [SERVER, `${port}`, each.id, ...against],
  };
  const { port, stop, printed } = await startServer({ ...server, folder }, signal);
  try {
    const tell = async (path) => JSON.parse((await ask(port, { method: 'GET', path, headers: {} })).body);
    const turns = (await tell('/turns')).map((turn, index) => ({
      ...turn,
      adapt: (request) => named(request, index),
    }));
    for (const turn of turns) await checkAnswers({ port }, turn, each, await requestsFor(turn, each, port));
    const load = { port, requests: await each.toRequests(port), connections, folder, signal };
    await runLoad({ ...load, seconds: WARM_UP_SECONDS });
    await tell('/start');
    const result = await runLoad({ ...load, seconds });
    const { busy, figures } = await tell('/figures');
    if (busy < LEAST_BUSY) throw new Error(idle(busy));
    // All turns' answers are of the same length: one stands for all.
    checkLoad(result, server, each, [await ask(port, named(load.requests[0], 0))], connections);
    return figures;
  } catch (error) {
    throw new Error(`${error.message}\n${printed()}`);
  } finally {
    await stop();
  }
}

function idle(busy) {
  const share = ((1 - busy) * 100).toFixed(0);
  return `the server waited ${share} % of the time: it needs wrk, and a core of its own, or more --connections`;
}

/** The request for one certain turn. */
function named(request, turn) {
  return { ...request, headers: { ...request.headers, [TURN_HEADER]: `${turn}` } };
}

/** Every step with its figures of all processes: the mean, and the share of the first step's in the same process. */
function summarizeRuns(runs) {
  return runs[0].map(({ name }, step) => ({
    name,
    microseconds: summarize(runs.map((figures) => figures[step].mean)),
    ofFirst: summarize(runs.map((figures) => figures[0].mean / figures[step].mean)),
    more:
      step === 0 ? undefined : summarize(runs.map((figures) => figures[step].mean - figures[step - 1].mean)),
    count: summarize(runs.map((figures) => figures[step].count)),
    leftOut: summarize(runs.map((figures) => figures[step].leftOut)),
  }));
}

function toTable(each, steps) {
  const rows = steps.map(({ name, microseconds, more, ofFirst: { median, min, max } }) => [
    name,
    microseconds.median.toFixed(1),
    more?.median.toFixed(1) ?? '',
    median.toFixed(2),
    `${min.toFixed(2)}–${max.toFixed(2)}`,
  ]);
  return tableOf([each.name, 'µs', 'more than the line before', 'speed, of constant bytes', 'min–max'], rows);
}
