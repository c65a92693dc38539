// The hosts of the table in docs/mounting.md. Each mounts claimlink by what its row says.
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import fastify from 'fastify';
import type { Test } from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { createTestService, KEYS } from '../adapters/service.js';
import { startHost } from '../examples/host.js';
import { freePort, serve } from '../listen.js';
import { FOLDER, load, loadTestPackage, TEST_PACKAGES } from './load.js';

/** A row of the table. */
export interface Row {
  /** With the settings of the framework after a comma. */
  framework: string;
  handler: string;
  line: string;
  /** The prefix that callers see. */
  prefix: string;
}

/** A running host. */
interface Mount {
  origin: string;
  key: string;
  /** The paths that the handler got. */
  paths(): string[];
}

type Scope = Record<string, unknown>;

/** Runs the line of a row, with the objects of its framework in addition to `handler` and `claimlink`. */
type RunLine = (scope: Scope) => unknown;

/** The value of an expression. */
function evaluate(code: string, scope: Scope): unknown {
  const expression = code.replace(/^export default /, '').replace(/;$/, '');
  return new Function(...Object.keys(scope), `return ${expression}`)(...Object.values(scope));
}

const pathOf = (url: string) => new URL(url, 'http://localhost').pathname;

/** A host in the process of the test. Fastify calls `onPath`: its row has no function that gets the URL. */
function inProcess(
  mount: (run: RunLine, onPath: (url: string) => void) => Promise<RequestListener | Server>,
) {
  return async (t: Test, row: Row): Promise<Mount> => {
    const { claimlink } = await createTestService({ publicUrl: `https://claims.example.com${row.prefix}` });
    const paths: string[] = [];
    const onPath = (url: string) => paths.push(pathOf(url));
    const handle = evaluate(row.handler, {
      claimlink,
      createNodeHandler,
      createFetchHandler,
      claimlinkPlugin,
    }) as (request: { url: string }, ...rest: unknown[]) => unknown;
    const record: typeof handle = (request, ...rest) => {
      onPath(request.url);
      return handle(request, ...rest);
    };
    const handler = (handle as unknown) === claimlinkPlugin ? claimlinkPlugin : record;
    const run = (scope: Scope) => evaluate(row.line, { claimlink, handler, ...scope });
    return { origin: await serve(t, await mount(run, onPath)), key: KEYS.good, paths: () => paths };
  };
}

/** A host of a framework that has an object `app` with `fetch`. */
const fetching = (createApp: () => { fetch(request: Request): unknown }, scope: () => Scope = () => ({})) =>
  inProcess(async (run) => {
    const app = createApp();
    run({ app, ...scope() });
    return load('@hono/node-server').getRequestListener((request: Request) => app.fetch(request));
  });

const nest = (createAdapter: () => unknown) =>
  inProcess(async (run, onPath) => {
    load('reflect-metadata');
    class AppModule {}
    load('@nestjs/common').Module({})(AppModule);
    const app = await load('@nestjs/core').NestFactory.create(AppModule, createAdapter(), { logger: false });
    const instance = app.getHttpAdapter().getInstance();
    instance.addHook?.('onRequest', async ({ raw }: { raw: { url: string } }) => onPath(raw.url));
    await run({ app });
    await app.init();
    await instance.ready?.();
    return app.getHttpServer();
  });

const koa = inProcess(async (run) => {
  const app = new (load('koa'))();
  run({ app, mount: loadTestPackage('koa-mount') });
  return app.callback();
});

const elysia = fetching(() => new (loadTestPackage('elysia').Elysia)());
const h3 = fetching(
  () => new (loadTestPackage('h3').H3)(),
  () => ({ H3: loadTestPackage('h3').H3 }),
);
const hono = fetching(
  () => new (load('hono').Hono)(),
  () => ({ Hono: load('hono').Hono }),
);

/** Runs a program of a framework, without the hooks that tap puts into the environment of child processes. */
const build = (command: readonly string[], cwd: string) =>
  promisify(execFile)('env', ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', ...command], {
    cwd,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });

/** Copies a host, and writes its route and its settings. The folder is below the packages of the host. */
async function writeHost(
  t: Test,
  { handler, line }: Row,
  { from, to, files }: { from: readonly string[]; to: string; files: Record<string, string> },
): Promise<void> {
  t.teardown(() => rm(to, { recursive: true, force: true }));
  await rm(to, { recursive: true, force: true });
  for (const path of from) await cp(path, join(to, path.split('/').at(-1) ?? ''), { recursive: true });
  const route = (path: string) => `
import { createFetchHandler } from 'claimlink/fetch';
import { claimlink } from '${path}lib/claimlink.js';
const handle = ${handler};
const handler = (request) => {
  console.error('path', new URL(request.url).pathname);
  return handle(request);
};
${line}
`;
  for (const [path, code] of Object.entries(files)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), code || route('../../../'));
  }
}

const pathsIn = (log: string) => [...log.matchAll(/^path (\S+)$/gm)].map(([, path = '']) => path);

/** The settings in the name of a row. */
const settingsOf = ({ framework }: Row) => framework.split(', ').slice(1).join(', ');

async function next(t: Test, row: Row): Promise<Mount> {
  const to = join(FOLDER, 'build/mounts');
  await writeHost(t, row, {
    from: ['app', 'instrumentation.js', 'lib'].map((name) => join(FOLDER, 'next', name)),
    to,
    files: {
      'app/claims/[...path]/route.js': '',
      'next.config.mjs': `export default { ${settingsOf(row)} };`,
    },
  });
  const bin = join(FOLDER, 'node_modules/.bin/next');
  await build([bin, 'build', to], to);
  const PORT = String(await freePort());
  const env = { NEXT_TELEMETRY_DISABLED: '1', PORT, PUBLIC_URL: `https://claims.example.com${row.prefix}` };
  const host = await startHost(t, ['start', '-H', '127.0.0.1'], { command: [bin], cwd: to, env });
  return { origin: host.origin, key: host.key, paths: () => pathsIn(host.log()) };
}

async function sveltekit(t: Test, row: Row): Promise<Mount> {
  const to = join(TEST_PACKAGES, 'build/mounts');
  await writeHost(t, row, {
    from: ['src', 'package.json', 'sveltekit.mjs', 'vite.config.js'].map((name) => join(TEST_PACKAGES, name)),
    to,
    files: {
      'src/routes/claims/[...path]/+server.js': '',
      'svelte.config.js': `
import adapter from '@sveltejs/adapter-node';
export default { kit: { adapter: adapter(), ${settingsOf(row)} } };`,
    },
  });
  await build([join(TEST_PACKAGES, 'node_modules/.bin/vite'), 'build'], to);
  const env = { API_KEY: KEYS.good, PREFIX: row.prefix };
  const host = await startHost(t, ['sveltekit.mjs'], { cwd: to, env });
  return { origin: host.origin, key: KEYS.good, paths: () => pathsIn(host.log()) };
}

/** The frameworks of the table, in its order. */
export const MOUNTS: Readonly<Record<string, (t: Test, row: Row) => Promise<Mount>>> = {
  'node:http': inProcess(async (run) => run({ createServer }) as Server),
  Express: inProcess(async (run) => {
    const app = express();
    run({ app });
    return app;
  }),
  Connect: inProcess(async (run) => {
    const app = loadTestPackage('connect')();
    run({ app });
    return app;
  }),
  'NestJS on Express': nest(() => new (load('@nestjs/platform-express').ExpressAdapter)()),
  Fastify: inProcess(async (run, onPath) => {
    const app = fastify();
    app.addHook('onRequest', async ({ raw }) => onPath(raw.url ?? ''));
    run({ app });
    await app.ready();
    return app.server;
  }),
  'NestJS on Fastify': nest(() => new (load('@nestjs/platform-fastify').FastifyAdapter)()),
  Koa: koa,
  'Koa with koa-mount': koa,
  hapi: inProcess(async (run) => {
    const server = loadTestPackage('@hapi/hapi').server({ autoListen: false });
    run({ server });
    await server.initialize();
    return server.listener;
  }),
  Hono: hono,
  'Hono, route': hono,
  'Hono, mount': hono,
  Elysia: elysia,
  'Elysia, mount': elysia,
  'Elysia, mount in a group': elysia,
  'h3 2, Nitro 3': h3,
  'h3 2, mount': h3,
  'h3 2, mount in an app that is mounted': h3,
  'h3 1, Nitro 2, Nuxt': inProcess(async (run) => {
    const { createApp, createRouter, defineEventHandler, toNodeListener, toWebRequest } =
      loadTestPackage('h3-1');
    // As Nitro does with a file of server/routes.
    const router = createRouter().use('/claims/**', run({ defineEventHandler, toWebRequest }));
    return toNodeListener(createApp().use(router));
  }),
  'Next.js': next,
  "Next.js, basePath: '/portal'": next,
  'Next.js, trailingSlash: true, skipTrailingSlashRedirect: true': next,
  SvelteKit: sveltekit,
  "SvelteKit, paths: { base: '/portal' }": sveltekit,
};
