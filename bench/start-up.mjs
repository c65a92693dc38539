// Part `start-up`: how long a mock server takes from its command to its first response.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from './check.mjs';
import { CLI, PRISM } from './http.mjs';
import { runNode, startServer } from './processes.mjs';
import { medianOf, orderOf, progress, rangeOf, ratioOf, tableOf } from './rounds.mjs';

const REQUEST = { method: 'GET', path: '/demo/sessions/user-1', headers: { 'x-api-key': 'clk_test_demo' } };
/** Each is started by its file: npm and npx would add their own time. Prism starts faster in one process. */
const SERVERS = [
  { name: 'claimlink', toArgs: (port) => [CLI, '--port', `${port}`] },
  {
    name: 'Prism',
    toArgs: (port, folder) =>
      [PRISM, 'mock', join(folder, 'openapi.json'), '--port', `${port}`].concat('--multiprocess', 'false'),
  },
];

export async function run(context) {
  const { rounds, folder, signal } = context;
  await writeFile(join(folder, 'openapi.json'), await runNode([CLI, 'openapi'], { signal }));
  // The first start reads the files from the disk, so it does not count.
  for (const server of SERVERS) await timeStart(server, context);
  const times = new Map(SERVERS.map((server) => [server, []]));
  for (let round = 0; round < rounds; round++)
    for (const server of orderOf(SERVERS, round)) {
      progress(`round ${round + 1} of ${rounds}: start of ${server.name}`);
      times.get(server).push(await timeStart(server, context));
    }
  progress('');
  const rows = SERVERS.map((server) => {
    const [all, { median }] = [times.get(server), ratioOf(times.get(SERVERS[0]), times.get(server))];
    return [server.name, medianOf(all).toFixed(0), rangeOf(all, 0), median.toFixed(2)];
  });
  console.log(`\n${tableOf(['start to first response', 'median ms', 'min–max', 'claimlink / this'], rows)}`);
}

/** Resolves to the milliseconds from the start of the process to the end of its first response. */
async function timeStart(server, context) {
  const start = performance.now();
  const { port, stop } = await startServer(server, context);
  try {
    const { status, body } = await send(port, REQUEST);
    const time = performance.now() - start;
    if (status !== 200 || typeof JSON.parse(body)[0]?.reference !== 'string')
      throw new Error(`${server.name} did not send a listing: ${status} ${body.slice(0, 300)}`);
    return time;
  } finally {
    await stop('SIGKILL');
  }
}
