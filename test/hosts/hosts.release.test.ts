// Runs the hosts of examples/hosts, two at a time.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import { createClaimlink, createLinkSigner } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { send } from '../adapters/http-client.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import { readDocument, tableOf } from '../docs/markdown.js';
import {
  driveClaimlink,
  driveOwnParser,
  driveOwnRoute,
  type HostOptions,
  PUBLIC_URL,
  startHost,
} from '../examples/host.js';
import { freePort } from '../listen.js';
import { REPOSITORY } from '../repository.js';
import { IS_RELEASE } from '../size.js';
import { startPostgres } from '../storage/postgres-server.js';
import { HAS_PACKAGES } from './installed.js';
import { FOLDER } from './load.js';

const bin = (name: string) => join(FOLDER, 'node_modules/.bin', name);
const TSC = fileURLToPath(new URL('node_modules/.bin/tsc', REPOSITORY));

/** Runs a program of node_modules without the hooks that tap puts into the environment of child processes. */
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  promisify(execFile)('env', ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', ...args], {
    env: { ...process.env, ...env },
  });

async function startFile(t: Test, file: string, env: Record<string, string> = {}) {
  const options: HostOptions = { cwd: FOLDER, env };
  // The command tsx passes signals on, and ends the host without a code if the machine is slow.
  const args = file.endsWith('.ts') ? ['--import', 'tsx', file] : [file];
  return startHost(t, args, options);
}

/** Prepares the tables, and submits a claim as a process does that ends before it delivers. Returns its reference and a key. */
async function submitWithoutDelivery(connectionString: string, secret: Uint8Array) {
  const pool = new pg.Pool({ connectionString });
  const tables = { schema: 'claimlink' };
  await migrate(pool, tables);
  const claimlink = createClaimlink({
    storage: createPostgresStorage(pool, tables),
    signer: createLinkSigner({ keys: [{ kid: '2026-01', algorithm: 'HS256', secret }], issuer: PUBLIC_URL }),
    publicUrl: PUBLIC_URL,
    recordSubmissions: true,
  });
  await claimlink.addClient({ clientId: 'acme', name: 'Acme Insurance' });
  const request = linkRequest({ config: { ...linkRequest().config, currentUserId: 'user-2' } });
  const { url } = await claimlink.createLink('acme', request);
  const { pathname, searchParams } = new URL(url);
  const accessCode = pathname.split('/').at(-1) ?? '';
  const { reference } = await claimlink.submitClaim(accessCode, searchParams.get('token') ?? '', CLAIM);
  const { key } = await claimlink.addApiKey('acme');
  await pool.end();
  return { reference, key };
}

/** Routes that the test adds to the Next.js host. */
const NEXT_ROUTES = {
  'app/reads/[...path]/route.js': `
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from '../../../lib/claimlink.js';
const handler = createFetchHandler(claimlink, { basePath: '/reads' });
export async function POST(request) {
  const isClone = request.headers.get('x-read') === 'clone';
  await (isClone ? request.clone() : request).text();
  return handler(request);
}`,
  'pages/api/parsed/[...path].js': `
import { createNodeHandler } from 'claimlink/node';
import { claimlink } from '../../../lib/claimlink.js';
export default createNodeHandler(claimlink, { basePath: '/api/parsed' });`,
  'pages/api/unparsed/[...path].js': `
import { createNodeHandler } from 'claimlink/node';
import { claimlink } from '../../../lib/claimlink.js';
export const config = { api: { bodyParser: false } };
export default createNodeHandler(claimlink, { basePath: '/api/unparsed' });`,
};

t.jobs = 2;

if (HAS_PACKAGES) {
  const skip = !IS_RELEASE && 'the build takes long: npm run test:release runs it';
  t.test('Next.js, built and started', { buffered: true, skip }, async (t) => {
    const folder = join(FOLDER, 'build/next');
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await rm(folder, { recursive: true, force: true });
    await cp(join(FOLDER, 'next'), folder, { recursive: true });
    for (const [path, code] of Object.entries(NEXT_ROUTES)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), code);
    }
    const env = { NEXT_TELEMETRY_DISABLED: '1', PORT: String(await freePort()) };
    await run([bin('next'), 'build', folder], env);
    const options = { command: [bin('next')], cwd: folder, env };
    const host = await startHost(t, ['start', '-H', '127.0.0.1'], options);
    await driveClaimlink(t, host);
    await driveOwnRoute(t, host, { path: '/hello' });
    const ownAnswers = tableOf(readDocument('docs/mounting.md'), 'next');
    t.ok(ownAnswers.length > 5);
    for (const [request = '', status = ''] of ownAnswers) {
      const [method = '', path = ''] = request.split(' ');
      const response = await send(host.origin, { method, path, headers: { 'x-api-key': host.key } });
      t.ok(status.split(' or ').includes(String(response.status)), `${request}: ${response.status}`);
      t.notMatch(response.headers['content-type'], /problem/, `${request} does not reach claimlink`);
    }
    const head = await send(host.origin, { method: 'HEAD', path: '/hello' });
    t.equal(head.status, 200, 'a route handler that exports GET gets HEAD');
    const other = await send(host.origin, { method: 'PUT', path: '/hello' });
    t.match(other, { status: 405, body: '' }, 'a method that it does not export');

    const createLink = (prefix: string, headers = {}) =>
      send(host.origin, {
        method: 'POST',
        path: `${prefix}/acme/link`,
        headers: { 'x-api-key': host.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(linkRequest()),
      });
    t.equal((await createLink('/api/parsed')).status, 200, 'pages router, body parsed by Next.js');
    t.equal((await createLink('/api/unparsed')).status, 200, 'pages router, bodyParser: false');
    t.equal((await createLink('/reads', { 'x-read': 'clone' })).status, 200, 'a clone was read before');
    t.equal((await createLink('/reads')).status, 500, 'the request was read before');
    t.match(host.log(), 'Next.js, SvelteKit, h3: read a request.clone()');
    // Next.js reports a shell's code for SIGTERM, after it has closed the server.
    t.equal(await host.end(), 143, 'SIGTERM ends it');
  });

  t.test(
    'Fastify with an authentication hook, helmet, rate-limit and swagger',
    { buffered: true },
    async (t) => {
      const host = await startFile(t, 'fastify.mjs', { HOST_TOKEN: 'secret-of-the-host' });
      await driveClaimlink(t, host);
      await driveOwnRoute(t, host);
      await driveOwnParser(t, host, { headers: { authorization: 'Bearer secret-of-the-host' } });

      const denied = await send(host.origin, { method: 'POST', path: '/quotes' });
      t.match(denied, { status: 401, body: '{"error":"no token"}' });
      const listing = await fetch(host.origin + host.path, { headers: { 'x-api-key': host.key } });
      t.equal(listing.headers.get('x-ratelimit-limit'), '100');
      t.equal(listing.headers.get('cross-origin-opener-policy'), 'same-origin', 'helmet');
      const document = (await (await fetch(`${host.origin}/openapi.json`)).json()) as { paths: object };
      t.match(Object.keys(document.paths), [/./]);
      t.ok(Object.hasOwn(document.paths, '/claims/{clientId}/link'), Object.keys(document.paths).join(' '));
      t.equal(await host.end(), 0, 'SIGTERM ends it');
    },
  );

  t.test('SQLite tables of the host', { buffered: true }, async (t) => {
    const database = join(t.testdir(), 'host.db');
    const host = await startFile(t, 'sqlite.mjs', { DATABASE: database });
    await driveOwnRoute(t, host, { body: { claims: 0 } });
    await driveClaimlink(t, host);
    await driveOwnRoute(t, host, { body: { claims: 1 } });
    t.equal(await host.end(), 0, 'SIGTERM ends it');

    const second = await startFile(t, 'sqlite.mjs', { DATABASE: database });
    await driveOwnRoute(t, second, { body: { claims: 1 } });
    t.equal(await second.end(), 0);
  });

  t.test(
    'NestJS over PostgreSQL: logs, limits, health, delivery, shutdown',
    { buffered: true },
    async (t) => {
      const postgres = await startPostgres(t);
      if (postgres === undefined) return;
      const secret = randomBytes(32);
      const late = await submitWithoutDelivery(postgres.url, secret);
      const host = await startFile(t, 'nest-production/main.ts', {
        DATABASE_URL: postgres.url,
        SIGNING_KEYS: `2026-01=${secret.toString('hex')}`,
      });
      t.match(host.log(), `claim ${late.reference} was submitted`, 'a delivery whose process ended');
      await driveOwnRoute(t, host, { path: '/alive', body: { status: 'alive' } });
      await driveOwnRoute(t, host, { path: '/ready', body: { status: 'ready' } });
      await driveClaimlink(t, { ...host, key: late.key });
      const paths = [...host.log().matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
      t.same(
        [...new Set(paths)].sort(),
        [
          '/alive',
          '/claims/acme/link',
          '/claims/acme/sessions/:userId',
          '/claims/verify/:accessCode',
          '/ready',
        ],
        'routes of the host, and no path with a user id or an access code',
      );

      const headers = { accept: 'text/html' };
      const open = () =>
        send(host.origin, { method: 'GET', path: '/claims/verify/unknown?token=x', headers });
      let response = await open();
      for (let count = 0; count < 60 && response.status !== 429; count++) response = await open();
      t.match(response, { status: 429, headers: { 'retry-after': /^\d+$/ }, body: /^<!doctype html>/i });

      await postgres.stop('fast');
      const ready = await send(host.origin, { method: 'GET', path: '/ready' });
      t.equal(ready.status, 503, 'not ready without its database');
      await driveOwnRoute(t, host, { path: '/alive', body: { status: 'alive' } });
      await postgres.start();
      t.equal(await host.end(), 0, 'SIGTERM ends it');
    },
  );

  t.test('the lines of NestJS in docs/mounting.md have no type error', { buffered: true }, async (t) => {
    const document = readDocument('docs/mounting.md');
    const folder = join(FOLDER, 'build/nest-lines');
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await mkdir(folder, { recursive: true });
    for (const platform of ['Express', 'Fastify']) {
      const row = tableOf(document, 'mounts').find(([framework]) => framework === `NestJS on ${platform}`);
      const create = new RegExp(`NestFactory\\.create<Nest${platform}Application>\\([^\`]*`).exec(document);
      const code = `
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Claimlink } from 'claimlink';
import claimlinkPlugin from 'claimlink/fastify';
import { createNodeHandler } from 'claimlink/node';
export const used = [FastifyAdapter, claimlinkPlugin, createNodeHandler] as const;
export type Used = NestExpressApplication | NestFastifyApplication;
export async function mount(AppModule: object, claimlink: Claimlink) {
  const app = await ${create?.[0]};
  const handler = ${row?.[2]};
  await ${row?.[3]};
}`;
      await writeFile(join(folder, `${platform}.ts`), code);
    }
    const config = { extends: '../../tsconfig.json', include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = await run([TSC, '-p', folder, '--singleThreaded']);
    t.equal(stdout, '');
  });

  t.test('the hosts in TypeScript have no type error', { buffered: true }, async (t) => {
    const { stdout } = await run([TSC, '-p', FOLDER, '--singleThreaded']);
    t.equal(stdout, '');
  });
}
