// Part `http`: claimlink on memory beside bare servers, a hand-written application and other mocks.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './processes.mjs';
import { compareServers, createServerEntry } from './requests-per-second.mjs';
import { createResponses } from './service.mjs';

export const CLI = inRepository('dist/mock-server/cli.js');
export const PRISM = inRepository('bench/node_modules/@stoplight/prism-cli/dist/index.js');

const SERVERS = [
  createServerEntry('claimlink-node', 'claimlink on node:http'),
  createServerEntry('claimlink-fastify', 'claimlink as a Fastify plugin'),
  createServerEntry('bare-node', 'bare node:http', { responses: 'constant' }),
  createServerEntry('bare-fastify', 'bare Fastify', { responses: 'constant' }),
  createServerEntry('by-hand-fastify', 'hand-written Fastify app'),
  createServerEntry('prism', 'Prism', {
    responses: 'data',
    // Silent and in one process: its log would cost more than its responses.
    toArgs: (port, folder) =>
      [PRISM, 'mock', join(folder, 'openapi.json'), '--host', '127.0.0.1', '--port', `${port}`].concat([
        '--verboseLevel',
        'silent',
        '--multiprocess',
        'false',
      ]),
  }),
  createServerEntry('json-server', 'json-server', { responses: 'data', cases: ['listing'] }),
];

const RATIOS = [
  ['listing', 'claimlink-fastify', 'by-hand-fastify', 1.5],
  ['link', 'claimlink-fastify', 'by-hand-fastify', 0.9],
  ['listing', 'claimlink-node', 'bare-node', 0.5],
  ['link', 'claimlink-node', 'bare-node'],
  ['listing', 'claimlink-fastify', 'bare-fastify'],
  ['link', 'claimlink-fastify', 'bare-fastify'],
  ['listing', 'claimlink-node', 'prism'],
  ['link', 'claimlink-node', 'prism'],
  ['listing', 'claimlink-node', 'json-server'],
];

export async function run(context) {
  await writeOpenApi(context, await createResponses());
  await compareServers({ servers: SERVERS, ratios: RATIOS }, context);
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
