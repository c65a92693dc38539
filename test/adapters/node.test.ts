// The Node handler among other middleware: what claimlink answers, what goes on, and bodies that other middleware has read.

import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import fastify from 'fastify';
import t from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import { serve } from '../listen.js';
import { send } from './http-client.js';
import { claimFields, createTestService, KEYS, linkRequest, mintLink } from './service.js';

const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json' };
const link = { method: 'POST', path: '/acme/link', headers, body: JSON.stringify(linkRequest()) };

t.test('next() gets what is not claimlink’s, and only that', async (t) => {
  const { claimlink } = await createTestService();
  const handler = createNodeHandler(claimlink, { basePath: '/claims' });
  const origin = await serve(t, (req, res) => handler(req, res, () => res.end('next')));
  const get = async (path: string) => (await send(origin, { method: 'GET', path })).body;
  t.equal(await get('/'), 'next');
  t.equal(await get('/claims'), 'next');
  t.equal(await get('/claimsacme/sessions/u'), 'next');
  t.equal(await get('/claims/things'), 'next');
  t.equal(await get('/claims/acme/sessions/u/more'), 'next');
  t.match(await get('/claims/acme/sessions/u'), /api_key_missing/);
  t.match(await get('/claims/acme/link'), /method_not_allowed/);
  t.match(await get('/claims/verify/a/b/c'), /This link does not work/);
});

t.test('without next() what is elsewhere is a 404 problem', async (t) => {
  const { claimlink } = await createTestService();
  const origin = await serve(t, createNodeHandler(claimlink, { basePath: '/claims' }));
  const answer = await send(origin, { method: 'GET', path: '/elsewhere' });
  t.equal(answer.status, 404);
  t.equal(JSON.parse(answer.body).code, 'route_not_found');
});

t.test('a request target in absolute form is understood', async (t) => {
  const { claimlink } = await createTestService();
  for (const basePath of ['', '/claims']) {
    const origin = await serve(t, createNodeHandler(claimlink, { basePath }));
    const path = `http://claims.example.com${basePath}/acme/sessions/nobody`;
    t.equal((await send(origin, { method: 'GET', path, headers })).body, '[]', `basePath '${basePath}'`);
  }
});

t.test('bodies that Express has parsed are used', async (t) => {
  const cases = {
    'express.json()': express.json(),
    'express.raw()': express.raw({ type: '*/*' }),
    'express.text()': express.text({ type: '*/*' }),
  };
  for (const [name, parser] of Object.entries(cases)) {
    const { claimlink } = await createTestService();
    const origin = await serve(t, express().use(parser).use(createNodeHandler(claimlink)));
    t.equal((await send(origin, link)).status, 200, name);
  }
});

t.test('a form that express.urlencoded() has parsed is used', async (t) => {
  for (const extended of [true, false]) {
    const service = await createTestService();
    const app = express().use(express.urlencoded({ extended })).use(createNodeHandler(service.claimlink));
    const answer = await send(await serve(t, app), {
      method: 'POST',
      path: await mintLink(service),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: claimFields().toString(),
    });
    t.equal(answer.status, 303, `extended: ${extended}`);
  }
});

t.test('a body that other middleware read is a 500 that tells the host why, not a hang', async (t) => {
  const service = await createTestService();
  const app = express()
    .use(async (req, _res, next) => {
      req.resume();
      await finished(req);
      next();
    })
    .use(createNodeHandler(service.claimlink));
  const answer = await send(await serve(t, app), link);
  t.equal(answer.status, 500);
  t.equal(JSON.parse(answer.body).code, 'internal');
  t.match(
    String(service.failures[0]?.error),
    /read the request body before claimlink .* Express: mount claimlink before that code/,
  );
});

t.test('a body whose start other middleware read is a 500 that tells the host why', async (t) => {
  const { claimlink, failures } = await createTestService();
  const handler = createNodeHandler(claimlink);
  const origin = await serve(t, async (req, res) => {
    await once(req, 'readable');
    t.ok(req.read(1));
    handler(req, res);
  });
  t.equal((await send(origin, link)).status, 500);
  t.match(failures, [{ error: { code: 'body_consumed' } }]);
});

t.test('a Fastify host that passes its raw request gets an error that names the plugin', async (t) => {
  const { claimlink, failures } = await createTestService();
  const handler = createNodeHandler(claimlink);
  const app = fastify();
  app.all('/*', (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw);
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  t.equal((await send(origin, link)).status, 500);
  t.match(String(failures[0]?.error), /Fastify.*: register the plugin of claimlink\/fastify/);
});

t.test('a parsed body with a poisoned member is rejected as a raw one is', async (t) => {
  const { claimlink } = await createTestService();
  const origin = await serve(t, express().use(express.json()).use(createNodeHandler(claimlink)));
  const answer = await send(origin, { ...link, body: link.body.replace('{', '{"__proto__":{},') });
  t.equal(answer.status, 400);
});

t.test('a body is rejected by its declared length, also when a parser has read it', async (t) => {
  const { claimlink } = await createTestService();
  const app = express()
    .use(express.json())
    .use(createNodeHandler(claimlink, { bodyLimitBytes: 1024 }));
  const answer = await send(await serve(t, app), {
    ...link,
    body: JSON.stringify({ ...linkRequest(), padding: 'x'.repeat(1024) }),
  });
  t.equal(answer.status, 413);
  t.equal(answer.headers['connection'], 'close');
});

t.test('a client that is gone before the answer does not bring the process down', async (t) => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const service = await createTestService({
    wrap: (storage) => ({
      ...storage,
      listSessions: async (query) => {
        await held;
        return storage.listSessions(query);
      },
    }),
  });
  const handler = createNodeHandler(service.claimlink);
  let closed: Promise<void> | undefined;
  const origin = await serve(t, (req, res) => {
    closed = new Promise((resolve) => res.on('close', resolve));
    handler(req, res);
    req.socket.destroy();
  });
  await t.rejects(send(origin, { method: 'GET', path: '/acme/sessions/user-1', headers }));
  await closed;
  release();
  t.same(service.failures, []);
});

t.test('a response that the host has begun meanwhile is not changed', async (t) => {
  const { claimlink } = await createTestService();
  let respond: () => void = () => {};
  const response = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const handle: typeof claimlink.handle = (request) => response.then(() => claimlink.handle(request));
  const handler = createNodeHandler({ ...claimlink, handle });
  const origin = await serve(t, async (req, res) => {
    handler(req, res);
    res.writeHead(503).write('too ');
    respond();
    await setImmediate();
    res.end('late');
  });
  const { status, body } = await send(origin, { method: 'GET', path: '/nowhere' });
  t.strictSame([status, body], [503, 'too late']);
});

t.test('bad options are rejected', async (t) => {
  const { claimlink } = await createTestService();
  for (const options of [
    { basePath: 'claims' },
    { basePath: '/a?b' },
    { bodyLimitBytes: 1.5 },
    { bodyLimitBytes: 1 },
  ]) {
    t.throws(
      () => createNodeHandler(claimlink, options),
      { code: 'options_invalid' },
      JSON.stringify(options),
    );
  }
});

t.test('a body that a parser has left as text or bytes is held to the limit, chunked or not', async (t) => {
  const { claimlink } = await createTestService();
  for (const parser of [
    express.text({ type: '*/*', limit: '1mb' }),
    express.raw({ type: '*/*', limit: '1mb' }),
  ]) {
    const app = express()
      .use(parser)
      .use(createNodeHandler(claimlink, { bodyLimitBytes: 1024 }));
    const origin = await serve(t, app);
    const status = async (bytes: number) =>
      (await send(origin, { ...link, body: ['x'.repeat(1000), 'x'.repeat(bytes - 1000)] })).status;
    t.equal(await status(1024), 400, 'it is no JSON');
    t.equal(await status(1025), 413);
  }
});

t.test('a response that Node rejects is an empty 500, not a crash', async (t) => {
  const { claimlink } = await createTestService();
  const headers = { 'content-length': '4', etag: '"1"', x: 'line\nend' };
  const odd = { ...claimlink, handle: async () => ({ status: 200, headers, body: 'body' }) };
  // Express has set a header before.
  for (const listener of [createNodeHandler(odd), express().use(createNodeHandler(odd))]) {
    const { status, headers, body } = await send(await serve(t, listener), {
      method: 'GET',
      path: '/acme/sessions/u',
    });
    t.strictSame([status, body, headers['etag']], [500, '', undefined]);
  }
});

t.test('a body that Node rejects ends the connection, not a hang', async (t) => {
  const { claimlink } = await createTestService();
  const handle = async () => ({ status: 200, headers: {}, body: 7 as never });
  const origin = await serve(t, createNodeHandler({ ...claimlink, handle }));
  await t.rejects(send(origin, { method: 'GET', path: '/acme/sessions/u' }));
});

t.test('a wrapper of writeHead or end that returns nothing changes no response', async (t) => {
  const { claimlink, failures } = await createTestService();
  const handler = createNodeHandler(claimlink);
  const odd = createNodeHandler({ ...claimlink, handle: () => Promise.reject(new Error('on purpose')) });
  for (const [listener, status] of [
    [handler, 200],
    [odd, 500],
  ] as const) {
    const origin = await serve(t, (req, res) => {
      const [writeHead, end] = [res.writeHead, res.end];
      Object.assign(res, {
        writeHead: (...args: Parameters<typeof writeHead>) => void writeHead.apply(res, args),
        end: (...args: Parameters<typeof end>) => void end.apply(res, args),
      });
      listener(req, res);
    });
    t.equal((await send(origin, link)).status, status);
  }
  t.match(failures, [{ error: /on purpose/, request: { instance: /^urn:uuid:/, path: '/acme/link' } }]);
});

t.test('a handle that throws or rejects is an empty 500, not a crash', async (t) => {
  const { claimlink, failures } = await createTestService();
  const fail = () => {
    throw new Error('on purpose');
  };
  const nothing = async () => undefined as never;
  for (const handle of [fail, async () => fail(), nothing]) {
    const origin = await serve(t, createNodeHandler({ ...claimlink, handle }));
    const { status, body } = await send(origin, { method: 'GET', path: '/acme/sessions/u' });
    t.strictSame([status, body], [500, '']);
  }
  t.equal(failures.length, 3, 'onError gets each cause');
});

t.test('what a host has put in front of handle is what answers', async (t) => {
  const { claimlink } = await createTestService();
  const teapot = async () => ({ status: 418, headers: {}, body: '' });
  const inFront = {
    'a copy': { ...claimlink, handle: teapot },
    'an heir': Object.create(claimlink, { handle: { value: teapot } }),
    'a proxy': new Proxy(
      { ...claimlink },
      { get: (of, name) => (name === 'handle' ? teapot : Reflect.get(of, name)) },
    ),
  };
  for (const [name, service] of Object.entries(inFront)) {
    const origin = await serve(t, createNodeHandler(service));
    t.equal((await send(origin, { method: 'GET', path: '/acme/sessions/u' })).status, 418, name);
  }
});

t.test('a wrapper of the service that lacks reportError is an error at start-up', async (t) => {
  const { claimlink } = await createTestService();
  const { reportError, ...wrapper } = claimlink;
  t.throws(() => createNodeHandler(wrapper as never), {
    code: 'options_invalid',
    problems: [{ pointer: '/claimlink', detail: /it lacks reportError/ }],
  });
});
