// The servers that are compared: how each is started, what it can be asked, and how exact its answers are.
import { execFile } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAnswers } from './answers.mjs';
import { LISTING_SIZES, listingRequest } from './data.mjs';

const run = promisify(execFile);

const CLI = inRepository('dist/mock-server/cli.js');
const PRISM = inRepository('bench/node_modules/@stoplight/prism-cli/dist/index.js');

const ALL = ['listing-0', 'listing-10', 'listing-100', 'listing-1000', 'link', 'verify', '401', 'mixed'];
const LISTINGS = ALL.slice(0, 4);

/**
 * `{ id, name, cases, answers, toArgs(port) }` for each. `answers` says how they are checked: `same` bytes as
 * claimlink's, `constant` ones of it, or the same `data`.
 */
export const SERVERS = [
  own('claimlink-node', 'claimlink, node:http', 'same'),
  own('claimlink-fastify', 'claimlink, Fastify plugin', 'same'),
  own('claimlink-fetch', 'claimlink, fetch handler on @hono/node-server', 'same'),
  own('bare-node', 'bare node:http', 'constant'),
  own('bare-fastify', 'bare Fastify', 'constant'),
  own('by-hand-fastify', 'Fastify app by hand', 'same'),
  own('by-hand-express', 'Express 5 app by hand', 'same'),
  {
    id: 'prism',
    name: 'Prism mock',
    cases: [...LISTINGS, 'link'],
    answers: 'data',
    // The example of the user who is asked for.
    adapt: (request) =>
      request.method === 'GET'
        ? { ...request, headers: { ...request.headers, prefer: `example=${request.path.split('/').at(-1)}` } }
        : request,
    // Silent, and in one process: its log would cost more than its answers.
    toArgs: (port, folder) =>
      [PRISM, 'mock', join(folder, 'openapi.json'), '--port', `${port}`, '--host', '127.0.0.1'].concat([
        '--verboseLevel',
        'silent',
        '--multiprocess',
        'false',
      ]),
  },
  own('json-server', 'json-server 0.17', 'data', LISTINGS),
  own('json-server-1', 'json-server 1.0 beta', 'data', LISTINGS),
];

function own(id, name, answers, cases = ALL) {
  const file = fileURLToPath(new URL(`servers/${id}.mjs`, import.meta.url));
  return { id, name, cases, answers, toArgs: (port) => [file, `${port}`] };
}

/**
 * Writes what the servers read into the folder.
 * @throws a sentence that says what to run first, when something is not there.
 */
export async function prepareServers(folder) {
  await demand(CLI, 'claimlink is not built: run npm run build');
  await demand(PRISM, 'the peers are not installed: run npm ci --prefix bench');
  // json-server 1.0 serves the static files of the folder that it runs in, and does not start without any such folder.
  await mkdir(join(folder, 'public'));
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(await createDocument()));
}

/**
 * claimlink's own document, its listing with the benchmarks' data as examples: `Prefer: example=...` picks one. Without
 * them Prism would answer one session of placeholders, whatever is asked.
 */
async function createDocument() {
  const { stdout } = await run(process.execPath, [CLI, 'openapi'], { maxBuffer: 1e8 });
  const document = JSON.parse(stdout);
  const { byPath } = await createAnswers();
  const listing = document.paths['/{clientId}/sessions/{userId}'].get;
  listing.responses['200'].content['application/json'].examples = Object.fromEntries(
    LISTING_SIZES.map((size) => [
      `user-${size}`,
      { value: JSON.parse(byPath.get(listingRequest(size).path).body) },
    ]),
  );
  return document;
}

/** The version of the package behind a server, for the report. */
export async function versionsOf() {
  const packages = {
    claimlink: 'package.json',
    fastify: 'node_modules/fastify/package.json',
    express: 'bench/node_modules/express/package.json',
    '@hono/node-server': 'bench/node_modules/@hono/node-server/package.json',
    prism: 'bench/node_modules/@stoplight/prism-cli/package.json',
    'json-server': 'bench/node_modules/json-server/package.json',
    'json-server 1.0': 'bench/node_modules/json-server-1/package.json',
  };
  const entries = Object.entries(packages).map(async ([name, file]) => [
    name,
    JSON.parse(await readFile(inRepository(file), 'utf8')).version,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

function inRepository(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function demand(file, sentence) {
  await access(file).catch(() => {
    throw new Error(sentence);
  });
}
