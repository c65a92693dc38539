// The hosts of the table in docs/mounting.md. Each mounts claimlink by what its row says.
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import express, { type ErrorRequestHandler } from 'express';
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
  /** Whether the host has `/` and, with a body parser, `/quotes`. */
  hasOwnRoutes?: boolean;
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
  { hasOwnRoutes = false } = {},
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
    const origin = await serve(t, await mount(run, onPath));
    return { origin, key: KEYS.good, paths: () => paths, hasOwnRoutes };
  };
}

const HELLO = { hello: 'from the host' };

/** An Express host that parses bodies after claimlink. */
const withExpress = (load: () => typeof express) =>
  inProcess(
    async (run) => {
      const express = load();
      const app = express();
      run({ app });
      app.use(express.json());
      app.get('/', (_req, res) => res.json(HELLO));
      app.post('/quotes', (req, res) => res.json({ received: req.body }));
      const respond: ErrorRequestHandler = (error, _req, res, _next) =>
        res.status(error.status).json({ error: error.message });
      app.use(respond);
      return app;
    },
    { hasOwnRoutes: true },
  );

/** A host of a framework that has an object `app` with `fetch`. `prepare` adds routes of the host. */
const fetching = <App extends { fetch(request: Request): unknown }>(
  createApp: () => App,
  scope: () => Scope = () => ({}),
  prepare?: (app: App) => void,
) =>
  inProcess(
    async (run) => {
      const app = createApp();
      run({ app, ...scope() });
      prepare?.(app);
      const { getRequestListener } = loadTestPackage('@hono/node-server');
      return getRequestListener((request: Request) => app.fetch(request));
    },
    { hasOwnRoutes: prepare !== undefined },
  );

/** A module of NestJS whose controller gets a parsed body. */
function createNestModule(): object {
  load('reflect-metadata');
  const { Body, Controller, Get, HttpCode, Module, Post } = load('@nestjs/common');
  class HostController {
    hello() {
      return HELLO;
    }
    quote(body: unknown) {
      return { received: body };
    }
  }
  const { prototype } = HostController;
  const decorate = (name: 'hello' | 'quote', ...decorators: MethodDecorator[]) => {
    for (const decorator of decorators)
      decorator(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor);
  };
  decorate('hello', Get());
  decorate('quote', Post('quotes'), HttpCode(200));
  Body()(prototype, 'quote', 0);
  Controller()(HostController);
  class AppModule {}
  Module({ controllers: [HostController] })(AppModule);
  return AppModule;
}

const nest = (createAdapter: () => unknown) =>
  inProcess(
    async (run, onPath) => {
      const { NestFactory } = load('@nestjs/core');
      const app = await NestFactory.create(createNestModule(), createAdapter(), { logger: false });
      const instance = app.getHttpAdapter().getInstance();
      instance.addHook?.('onRequest', async ({ raw }: { raw: { url: string } }) => onPath(raw.url));
      await run({ app });
      await app.init();
      await instance.ready?.();
      return app.getHttpServer();
    },
    { hasOwnRoutes: true },
  );

interface KoaContext {
  path: string;
  status: number;
  body: unknown;
  request: { body: unknown };
}

const koa = inProcess(
  async (run) => {
    const app = new (loadTestPackage('koa'))();
    run({ app, mount: loadTestPackage('koa-mount') });
    app.use(async (ctx: KoaContext, next: () => Promise<void>) => {
      await next().catch(({ status, message }) => Object.assign(ctx, { status, body: { error: message } }));
    });
    app.use(loadTestPackage('@koa/bodyparser').bodyParser());
    app.use((ctx: KoaContext) => {
      if (ctx.path === '/') ctx.body = HELLO;
      if (ctx.path === '/quotes') ctx.body = { received: ctx.request.body };
    });
    return app.callback();
  },
  { hasOwnRoutes: true },
);

interface HonoContext {
  req: { json(): Promise<unknown> };
  json(body: unknown, status?: number): Response;
}

interface HonoApp {
  fetch(request: Request): unknown;
  get(path: string, handler: (c: HonoContext) => unknown): void;
  post(path: string, handler: (c: HonoContext) => unknown): void;
  onError(handler: (error: Error, c: HonoContext) => unknown): void;
}

const hono = fetching(
  (): HonoApp => new (loadTestPackage('hono').Hono)(),
  () => ({ Hono: loadTestPackage('hono').Hono }),
  (app) => {
    app.get('/', (c) => c.json(HELLO));
    app.post('/quotes', async (c) => c.json({ received: await c.req.json() }));
    app.onError(({ message }, c) => c.json({ error: message }, 400));
  },
);

const elysia = fetching(() => new (loadTestPackage('elysia').Elysia)());
const h3 = fetching(
  () => new (loadTestPackage('h3').H3)(),
  () => ({ H3: loadTestPackage('h3').H3 }),
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
  'Express 5': withExpress(() => express),
  'Express 4': withExpress(() => loadTestPackage('express')),
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
