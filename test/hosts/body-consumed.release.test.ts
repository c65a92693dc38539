// Hosts that read the body before claimlink: the error names the fix, and the fix works.

import type { RequestListener, Server } from 'node:http';
import t, { type Test } from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler, type NodeHandler } from '../../lib/adapters/node.js';
import { type RawResponse, send } from '../adapters/http-client.js';
import { createTestService, KEYS, linkRequest, type TestService } from '../adapters/service.js';
import { serve } from '../listen.js';
import { HAS_PACKAGES, HAS_TEST_PACKAGES } from './installed.js';
import { load, loadTestPackage } from './load.js';

const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json' };
const link = { method: 'POST', headers, body: JSON.stringify(linkRequest()) };

/** The part of an application of Koa, Hono or NestJS that the tests use. */
interface App {
  use(...middleware: unknown[]): App;
}

/** Reads the body to its end and leaves nothing. */
async function drain(req: AsyncIterable<unknown>, _res: unknown, next: () => void): Promise<void> {
  for await (const _ of req);
  next();
}

async function createLink(t: Test, listener: RequestListener | Server): Promise<RawResponse> {
  return send(await serve(t, listener), { ...link, path: '/claims/acme/link' });
}

/** Checks that the caller gets a general error, and the host one that names the fix. */
function assertConsumed(t: Test, status: number, body: string, { failures }: TestService, fix: RegExp): void {
  t.equal(status, 500);
  t.equal(JSON.parse(body).code, 'internal');
  t.match(failures, [{ error: { code: 'body_consumed', message: fix } }]);
}

if (HAS_TEST_PACKAGES) {
  for (const isFixed of [false, true]) {
    t.test(`Koa: a body parser before claimlink, ${isFixed ? 'with' : 'without'} the fix`, async (t) => {
      const service = await createTestService();
      const handler = createNodeHandler(service.claimlink, { basePath: '/claims' });
      const app: App & { callback(): RequestListener } = new (loadTestPackage('koa'))();
      app.use(loadTestPackage('@koa/bodyparser').bodyParser());
      app.use((ctx: { req: { body?: unknown }; request: { body: unknown } }, next: () => unknown) => {
        if (isFixed) ctx.req.body = ctx.request.body;
        return next();
      });
      app.use((ctx: { respond: boolean; req: never; res: never }) => {
        ctx.respond = false;
        handler(ctx.req, ctx.res);
      });
      const { status, body } = await createLink(t, app.callback());
      if (isFixed) t.equal(status, 200, body);
      else assertConsumed(t, status, body, service, /Koa: .* set ctx\.req\.body = ctx\.request\.body/);
    });

    t.test(`Hono: middleware that reads the body, ${isFixed ? 'with' : 'without'} the fix`, async (t) => {
      const service = await createTestService();
      const handler = createFetchHandler(service.claimlink, { basePath: '/claims' });
      interface Context {
        req: { raw: Request; text(): Promise<string> };
      }
      const app: App & { fetch(request: Request): Promise<Response> } = new (loadTestPackage('hono').Hono)();
      const { cloneRawRequest } = loadTestPackage('hono/request');
      app.use(async (c: Context, next: () => Promise<void>) => {
        await c.req.text();
        await next();
      });
      app.use('/claims/*', async (c: Context) => handler(isFixed ? await cloneRawRequest(c.req) : c.req.raw));
      const response = await app.fetch(new Request('http://localhost/claims/acme/link', link));
      const body = await response.text();
      if (isFixed) t.equal(response.status, 200, body);
      else assertConsumed(t, response.status, body, service, /Hono: .* await cloneRawRequest\(c\.req\)/);
    });
  }
}

if (HAS_PACKAGES) {
  /** Returns the listener of a NestJS application whose module applies middleware. */
  async function createNest(
    t: Test,
    options: object,
    { middleware, prepare = () => {} }: { middleware?: NodeHandler; prepare?: (app: App) => void },
  ): Promise<RequestListener> {
    load('reflect-metadata');
    const { Module } = load('@nestjs/common');
    class AppModule {
      configure(consumer: { apply(handler: NodeHandler): { forRoutes(path: string): void } }): void {
        if (middleware) consumer.apply(middleware).forRoutes('claims');
      }
    }
    Module({})(AppModule);
    const app = await load('@nestjs/core').NestFactory.create(AppModule, { logger: false, ...options });
    prepare(app);
    await app.init();
    t.teardown(() => app.close());
    return app.getHttpAdapter().getInstance();
  }

  t.test('NestJS: middleware of main.ts that reads the body', async (t) => {
    const service = await createTestService();
    const handler = createNodeHandler(service.claimlink);
    const mountLast = (app: App) => app.use(drain).use('/claims', handler);
    const { status, body } = await createLink(t, await createNest(t, {}, { prepare: mountLast }));
    assertConsumed(
      t,
      status,
      body,
      service,
      /NestJS: mount claimlink by app\.use\(\) in main\.ts, before that code/,
    );

    const mountFirst = (app: App) => app.use('/claims', handler).use(drain);
    const fixed = await createLink(t, await createNest(t, {}, { prepare: mountFirst }));
    t.equal(fixed.status, 200, 'before that code');
  });

  for (const bodyParser of [true, false]) {
    t.test(`NestJS: claimlink as middleware of a module works with bodyParser: ${bodyParser}`, async (t) => {
      const { claimlink } = await createTestService();
      const middleware = createNodeHandler(claimlink);
      const { status, body } = await createLink(t, await createNest(t, { bodyParser }, { middleware }));
      t.equal(status, 200, body);
    });
  }
}

if (HAS_TEST_PACKAGES) {
  for (const isFixed of [false, true]) {
    const name = isFixed ? 'with the fix' : 'without the fix';

    t.test(`hapi: a route with a payload, ${name}`, async (t) => {
      const service = await createTestService();
      const handler = createNodeHandler(service.claimlink, { basePath: '/claims' });
      const server = loadTestPackage('@hapi/hapi').server({ autoListen: false });
      server.route({
        method: '*',
        path: '/claims/{path*}',
        options: isFixed ? { payload: { parse: false, output: 'stream' } } : {},
        handler({ raw }: { raw: { req: never; res: never } }, h: { abandon: symbol }) {
          handler(raw.req, raw.res);
          return h.abandon;
        },
      });
      await server.initialize();
      const { status, body } = await createLink(t, server.listener);
      if (isFixed) t.equal(status, 200, body);
      else assertConsumed(t, status, body, service, /hapi: .* payload: \{ parse: false, output: 'stream' \}/);
    });

    t.test(`Elysia: a hook of the host that uses the body, ${name}`, async (t) => {
      const service = await createTestService();
      const handler = createFetchHandler(service.claimlink, { basePath: '/claims' });
      const app = new (loadTestPackage('elysia').Elysia)()
        .onBeforeHandle(({ body }: { body: unknown }) => (body === '' ? 'empty' : undefined))
        .all(
          '/claims/*',
          ({ request }: { request: Request }) => handler(request),
          isFixed ? { parse: 'none' } : {},
        );
      const response: Response = await app.handle(new Request('http://localhost/claims/acme/link', link));
      const body = await response.text();
      if (isFixed) t.equal(response.status, 200, body);
      else assertConsumed(t, response.status, body, service, /Elysia: .* \{ parse: 'none' \}/);
    });

    t.test(`h3: middleware that reads the body, ${name}`, async (t) => {
      const service = await createTestService();
      const handler = createFetchHandler(service.claimlink, { basePath: '/claims' });
      const app = new (loadTestPackage('h3').H3)();
      app.use(async ({ req }: { req: Request }) => {
        await (isFixed ? req.clone() : req).text();
      });
      app.all('/claims/**', ({ req }: { req: Request }) => handler(req));
      const response: Response = await app.fetch(new Request('http://localhost/claims/acme/link', link));
      const body = await response.text();
      if (isFixed) t.equal(response.status, 200, body);
      else assertConsumed(t, response.status, body, service, /h3: read a request\.clone\(\)/);
    });
  }
}
