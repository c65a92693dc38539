// Runs the hosts that need the packages of the repository only. test/hosts runs the others.
import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import { linkRequest } from '../adapters/service.js';
import { linkTargets, readDocument } from '../docs/markdown.js';
import { findPostgres, type PostgresServer } from '../storage/postgres-server.js';
import { temporaryFile } from '../storage/sqlite-drivers.js';
import {
  driveClaimlink,
  driveOwnParser,
  driveOwnRoute,
  PUBLIC_URL,
  pathOf,
  type Send,
  startHost,
} from './host.js';

const MAX_LINES = 60;

/** Folders with hosts of one file, or with one host and the files that it imports. */
const FOLDERS = ['', 'hosts/', 'custom-widget/', 'embed/', 'claims-system/'];
const HOSTS = FOLDERS.flatMap((folder) =>
  readdirSync(pathOf(folder)).flatMap((name) => (/\.(mjs|ts)$/.test(name) ? [`${folder}${name}`] : [])),
);

/** Files of data that a host imports. */
const STORES = ['hosts/sqlite-storage.mjs', 'claims-system/claims-table.mjs'];

// Before the first test: tap ends the file when the tests so far have ended.
const server = await findPostgres(t);

/** Sends a request over cleartext HTTP/2, on a session that stays open until the test ends. */
function createHttp2Client(t: Test, origin: string): Send {
  const session = connect(origin);
  t.teardown(() => session.destroy());
  return (_origin, { method, path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':method': method, ':path': path, ...headers });
      const chunks: Buffer[] = [];
      let response: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
      stream.on('response', (received) => {
        response = received;
      });
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () =>
        resolve({
          status: response[':status'] ?? 0,
          headers: response,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      stream.end(body);
    });
}

/** Creates a database that ends with the test. The examples use the default schema. */
async function createDatabase(t: Test, server: PostgresServer, name: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: server.url });
  const database = `${name}_${process.pid}`;
  await pool.query(`CREATE DATABASE ${database}`);
  t.teardown(async () => {
    await pool.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await pool.end();
  });
  const url = new URL(server.url.replace(/^postgres:/, 'http:'));
  url.pathname = `/${database}`;
  return url.href.replace(/^http:/, 'postgres:');
}

t.test('docs/mounting.md lists every example', async (t) => {
  const targets = linkTargets(readDocument('docs/mounting.md'));
  for (const path of [...HOSTS, 'hosts/next', 'hosts/nest-production'])
    t.ok(targets.includes(`../examples/${path}`), path);
});

t.test(`every host has fewer than ${MAX_LINES} lines`, async (t) => {
  for (const path of HOSTS.filter((path) => !STORES.includes(path))) {
    const lines = readFileSync(pathOf(path), 'utf8').trimEnd().split('\n').length;
    t.ok(lines < MAX_LINES, `${path}: ${lines} lines`);
  }
});

t.test('node:http below a path prefix', async (t) => {
  const host = await startHost(t, [pathOf('node.mjs')]);
  t.equal(host.path, '/claims/acme/sessions/user-1');
  await driveClaimlink(t, host);
  await driveOwnRoute(t, host);
  t.equal(await host.end(), 0, 'SIGTERM ends it');
});

t.test('HTTP/2, with a client that keeps its connection', async (t) => {
  const host = await startHost(t, [pathOf('http2.mjs')]);
  const request = createHttp2Client(t, host.origin);
  await driveClaimlink(t, host, request);
  await driveOwnRoute(t, host, { request });
  t.equal(await host.end(), 0, 'SIGTERM ends it');
});

t.test('Express 5', async (t) => {
  const host = await startHost(t, [pathOf('express.mjs')]);
  await driveClaimlink(t, host);
  await driveOwnRoute(t, host);
  await driveOwnParser(t, host);
  t.equal(await host.end(), 0, 'SIGTERM ends it');
});

if (server !== undefined) {
  t.test('PostgreSQL: a link outlives the rotation of its signing key, until that is removed', async (t) => {
    const DATABASE_URL = await createDatabase(t, server, 'host');
    const [older, newer] = ['2026-01', '2026-02'].map((kid, index) => `${kid}=${`0${index}`.repeat(32)}`);
    const start = (SIGNING_KEYS: string) =>
      startHost(t, [pathOf('postgres.mjs')], { env: { DATABASE_URL, SIGNING_KEYS } });
    const createLink = async ({ origin, key }: { origin: string; key: string }): Promise<string> => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(linkRequest()) };
      const { data } = (await (await fetch(`${origin}/claims/acme/link`, init)).json()) as { data: string };
      return data.replace(PUBLIC_URL, '/claims');
    };
    const kidOf = (link: string) =>
      JSON.parse(Buffer.from(link.split('token=')[1]?.split('.')[0] ?? '', 'base64url').toString()).kid;

    const first = await start(`${older}`);
    await driveClaimlink(t, first);
    await driveOwnRoute(t, first);
    const link = await createLink(first);
    t.equal(kidOf(link), '2026-01');
    t.equal(await first.end(), 0, 'SIGTERM ends it');

    const second = await start(`${newer},${older}`);
    t.equal((await fetch(second.origin + link)).status, 200, 'the old key still verifies');
    t.equal(kidOf(await createLink(second)), '2026-02', 'the new key signs');
    t.equal(await second.end(), 0);

    const third = await start(`${newer}`);
    t.equal((await fetch(third.origin + link)).status, 404, 'the old key is gone');
    const listing = await fetch(third.origin + third.path, { headers: { 'x-api-key': first.key } });
    t.equal(((await listing.json()) as unknown[]).length, 1, 'the API key and the claim stay');
    t.equal(await third.end(), 0);
  });
}

t.test('SQLite: the data is in a file, and stays over restarts', async (t) => {
  const env = { DATABASE: temporaryFile(t) };
  const first = await startHost(t, [pathOf('sqlite.mjs')], { env });
  await driveClaimlink(t, first);
  await driveOwnRoute(t, first);
  t.equal(await first.end(), 0, 'SIGTERM ends it');
  t.equal(statSync(env.DATABASE).mode & 0o777, 0o600, 'only the owner may read it');

  const second = await startHost(t, [pathOf('sqlite.mjs')], { env });
  const listing = await fetch(second.origin + second.path, { headers: { 'x-api-key': first.key } });
  t.equal(((await listing.json()) as unknown[]).length, 1, 'the API key and the claim stay');
  t.equal(await second.end(), 0);
});

t.test('SQLite: without a driver the host says what to install', async (t) => {
  const folder = dirname(temporaryFile(t));
  copyFileSync(pathOf('open-sqlite.mjs'), join(folder, 'open-sqlite.mjs'));
  const script = "import('./open-sqlite.mjs').then(({ openSqlite }) => openSqlite(':memory:'))";
  const started = promisify(execFile)(process.execPath, ['-e', script], { cwd: folder });
  const stderr = await started.then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  );
  const hasSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') !== undefined;
  t.match(
    stderr,
    hasSqlite ? /^$/ : /SQLite needs Node 22\.13 or newer, or a driver: npm install better-sqlite3/,
  );
});

t.test('the sandbox adds its clients once, and keeps clients, keys and links over restarts', async (t) => {
  const env = { DATABASE: temporaryFile(t), SIGNING_SECRET: '0123456789abcdef'.repeat(4) };
  const first = await startHost(t, [pathOf('sandbox.mjs')], { env });
  await driveClaimlink(t, first);
  await driveOwnRoute(t, first, { path: '/health', body: { status: 'ok' } });
  const headers = { 'x-api-key': first.key, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(linkRequest()) };
  const { data } = (await (await fetch(`${first.origin}/acme/link`, init)).json()) as { data: string };
  t.equal(await first.end(), 0, 'SIGTERM ends it');

  const second = await startHost(t, [pathOf('sandbox.mjs')], { env });
  t.equal(second.key, '', 'the key is printed once');
  const page = await fetch(data.replace(PUBLIC_URL, second.origin));
  t.equal(page.status, 200);
  t.match(await page.text(), /Acme Insurance/);
  t.equal(await second.end(), 0);
});
