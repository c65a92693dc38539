// The servers whose start is timed: claimlink's mock, Prism's on the same OpenAPI document, and a bare floor.
import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ENVIRONMENT } from './time-start.mjs';

const run = promisify(execFile);

const CLI = inRepository('dist/mock-server/cli.js');

/** The newest, which asks for Node 24 but runs on 20, and the newest of those that ask for no more than Node 20. */
const PRISMS = ['@stoplight/prism-cli', 'prism-for-node-20'].map((name) =>
  inRepository(`bench/node_modules/${name}`),
);

/** The least that answers the same request with the same status: what Node itself costs. */
const FLOOR = `
  require('node:http')
    .createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"reference":"floor"}]');
    })
    .listen(Number(process.argv[1]), '127.0.0.1');
`;

/**
 * Resolves to `{ name, version, kind, toArgs(port), isRight(body) }` for each: what follows `node` to start it, and
 * whether the parsed body of a 200 is the answer that it must give. `kind` is claimlink, Prism or floor.
 * @throws a sentence that says what to run first, when something is not there.
 */
export async function createServers({ folder, signal }) {
  await demand(CLI, 'claimlink is not built: run npm run build');
  const document = join(folder, 'openapi.json');
  const { stdout } = await run(process.execPath, [CLI, 'openapi'], { env: ENVIRONMENT, signal });
  await writeFile(document, stdout);
  const claimlink = {
    name: 'claimlink',
    version: await versionIn(inRepository('package.json')),
    kind: 'claimlink',
    toArgs: (port) => [CLI, '--port', `${port}`],
    isRight: (body) =>
      isListing(body) && body.every(({ createdAt }) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(createdAt)),
  };
  const floor = {
    name: 'bare node:http',
    version: process.version,
    kind: 'floor',
    toArgs: (port) => ['-e', FLOOR, `${port}`],
    isRight: (body) => isListing(body) && body[0].reference === 'floor',
  };
  return [claimlink, ...(await Promise.all(PRISMS.map((prism) => createPrism(prism, document)))), floor];
}

async function createPrism(prism, document) {
  // By its bin: npx would be timed with it.
  const bin = join(prism, 'dist/index.js');
  await demand(bin, 'Prism is not installed: run npm ci --prefix bench');
  return {
    name: 'Prism',
    version: await versionIn(join(prism, 'package.json')),
    kind: 'Prism',
    toArgs: (port) => [bin, 'mock', document, '--port', `${port}`],
    // Without --dynamic its values are placeholders, against the document's own patterns: only the shape is right.
    isRight: (body) => isListing(body) && typeof body[0].selectedPolicy?.holder?.id === 'string',
  };
}

function isListing(body) {
  return (
    Array.isArray(body) && body.length > 0 && body.every((session) => typeof session?.reference === 'string')
  );
}

function inRepository(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function demand(file, sentence) {
  await access(file).catch(() => {
    throw new Error(sentence);
  });
}

async function versionIn(file) {
  return JSON.parse(await readFile(file, 'utf8')).version;
}
