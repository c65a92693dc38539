// Part `http`: claimlink on memory beside bare servers, a hand-written application and Prism.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './processes.mjs';
import { compareServers, createServerEntry, secondsPerRound } from './requests-per-second.mjs';
import { createResponses } from './service.mjs';

export const CLI = inRepository('dist/cli/bin.js');
export const PRISM = inRepository('bench/node_modules/@stoplight/prism-cli/dist/index.js');

const SERVERS = [
  createServerEntry('claimlink', 'claimlink as a Fastify plugin'),
  createServerEntry('bare', 'bare Fastify', { responses: 'constant' }),
  createServerEntry('by-hand', 'hand-written Fastify app'),
  createServerEntry('prism', 'Prism', {
    responses: 'data',
    // Silent and in one process: its log would cost more than its responses.
    toArgs: (port, folder) => [
      ...[PRISM, 'mock', join(folder, 'openapi.json'), '--host', '127.0.0.1', '--port', `${port}`],
      ...['--verboseLevel', 'silent', '--multiprocess', 'false'],
    ],
  }),
];

const RATIOS = [
  ['listing', 'claimlink', 'by-hand', 1.5],
  ['link', 'claimlink', 'by-hand', 0.75],
  ['listing', 'claimlink', 'bare'],
  ['link', 'claimlink', 'bare'],
  ['listing', 'claimlink', 'prism'],
  ['link', 'claimlink', 'prism'],
];

/** Each process gets links and listings in turn for this time. */
const IN_TURN_SECONDS = 60;
/** Links live longer than the measurement, so that the process fills with them. */
const environment = { LINK_TTL_SECONDS: '3600' };
const IN_TURN = SERVERS.filter(({ responses }) => responses === 'same').map((s) => ({ ...s, environment }));

export async function run(context) {
  await writeOpenApi(context, await createResponses());
  await compareServers({ servers: SERVERS, ratios: RATIOS }, context);
  console.log(`\nLinks and listings in turn, in one process of each server, for ${IN_TURN_SECONDS} s:`);
  const rounds = Math.ceil(IN_TURN_SECONDS / secondsPerRound(context));
  const comparison = { servers: IN_TURN, ratios: RATIOS.slice(0, 2), processes: 1 };
  await compareServers(comparison, { ...context, rounds });
}

/**
 * Writes claimlink's own document for Prism. Its one example of a listing is the data of the benchmark, so that Prism
 * sends the same sessions.
 */
async function writeOpenApi({ folder, signal }, { listing }) {
  const document = JSON.parse(await runNode([CLI, 'openapi'], { signal }));
  const { content } = document.paths['/{clientId}/sessions/{userId}'].get.responses['200'];
  delete content['application/json'].example;
  content['application/json'].examples = { listing: { value: JSON.parse(listing.body) } };
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
}

function inRepository(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
