// What the Fastify plugin does to its host: nothing.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import fastifyCors from '@fastify/cors';
import fastify from 'fastify';
import t from 'tap';
import claimlinkPlugin, { type ClaimlinkPluginOptions } from '../../lib/adapters/fastify.js';
import { send } from './http-client.js';
import { CLAIM, createTestService, KEYS, linkRequest, mintLink } from './service.js';

const key = { 'x-api-key': KEYS.good };

t.test('a host keeps its parsers, its error handler and its 404 handler', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(418).send({ host: (error as Error).message }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'not found' }));
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { csv: body }),
  );
  app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
  app.post('/echo', (request) => request.body);
  app.get('/fails', () => {
    throw new Error('on purpose');
  });
  const post = (contentType: string, payload: string) =>
    app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': contentType }, payload });

  t.equal((await post('application/json', '{"a":1}')).body, '{"a":1}');
  t.equal((await post('text/csv', 'a,b')).body, '{"csv":"a,b"}');
  t.equal(
    (await post('application/xml', '<a/>')).statusCode,
    418,
    'what the host does not parse, it still does not',
  );
  t.equal((await app.inject('/fails')).body, '{"host":"on purpose"}');
  t.equal((await app.inject('/nothing')).body, '{"host":"not found"}');
  t.equal((await app.inject('/claims/nothing')).body, '{"host":"not found"}');
  t.equal((await app.inject({ url: '/claims/acme/sessions/nobody', headers: key })).body, '[]');
  t.equal(app.hasContentTypeParser('application/json'), true);
});

t.test('what a host has put in front of handle is what answers', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  const handle = async () => ({ status: 418, headers: {}, body: '' });
  app.register(claimlinkPlugin, { claimlink: { ...claimlink, handle } });
  t.equal((await app.inject({ url: '/acme/sessions/user-1', headers: key })).statusCode, 418);
});

t.test('an answer that Fastify cannot send is an error of the host, also if it came at once', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.addHook('onSend', async () => {
    throw new Error('on purpose');
  });
  app.setErrorHandler((error, _request, reply) => reply.code(599).send({ host: (error as Error).message }));
  app.register(claimlinkPlugin, { claimlink });
  t.equal((await app.inject({ url: '/acme/sessions/user-1', headers: key })).statusCode, 599);
});

t.test("a host's own routes under the same prefix go first", async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.get('/claims/reports/sessions/all', () => 'static');
  app.get('/claims/:tenant/sessions/:id/details', () => 'longer');
  app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
  t.equal((await app.inject('/claims/reports/sessions/all')).body, 'static');
  t.equal((await app.inject('/claims/acme/sessions/1/details')).body, 'longer');
  t.equal((await app.inject('/claims/acme/sessions/user-1')).statusCode, 401);
});

t.test('two instances under two prefixes are two services', async (t) => {
  const first = await createTestService();
  const second = await createTestService();
  await second.storage.insertSession({
    clientId: 'acme',
    userId: 'only-second',
    reference: 'S-9',
    date: new Date(0),
    camsReference: 'C-9',
    status: 'submitted',
    createdAt: new Date(0),
    selectedPolicy: { ...CLAIM.policy, holder: { ...CLAIM.policy.holder, id: 'only-second' } },
  });
  const app = fastify();
  app.register(claimlinkPlugin, { claimlink: first.claimlink, prefix: '/one' });
  app.register(claimlinkPlugin, { claimlink: second.claimlink, prefix: '/two' });
  const sessions = async (prefix: string) =>
    (await app.inject({ url: `${prefix}/acme/sessions/only-second`, headers: key })).json();
  t.equal((await sessions('/one')).length, 0);
  t.equal((await sessions('/two')).length, 1);
});

t.test('a prefix may hold parameters', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.register(claimlinkPlugin, { claimlink, prefix: '/:region/claims' });
  t.equal((await app.inject({ url: '/eu/claims/acme/sessions/nobody', headers: key })).body, '[]');
});

t.test('the plugin works with every option of the router', async (t) => {
  const { claimlink } = await createTestService();
  for (const name of ['ignoreDuplicateSlashes', 'ignoreTrailingSlash', 'useSemicolonDelimiter']) {
    const app = fastify({ routerOptions: { [name]: true } });
    app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
    const { statusCode } = await app.inject({ url: '/claims/acme/sessions/user-1', headers: key });
    t.equal(statusCode, 200, name);
    t.equal((await app.inject('/claims//verify/code?token=x')).statusCode, 404, name);
  }
});

t.test('an error of a hook of the host reaches the error handler of the host', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(418).send((error as Error).message));
  app.addHook('preHandler', async () => {
    throw new Error('on purpose');
  });
  app.register(claimlinkPlugin, { claimlink });
  const response = await app.inject({ url: '/acme/sessions/user-1', headers: key });
  t.same([response.statusCode, response.body], [418, 'on purpose']);
});

t.test('without a widget the plugin leaves /verify to the host', async (t) => {
  const { claimlink } = await createTestService({ widget: false });
  const app = fastify();
  app.register(claimlinkPlugin, { claimlink });
  app.get('/verify/*', () => 'host');
  t.equal((await app.inject('/verify/code?token=x')).body, 'host');
});

t.test("a host's hooks run for claimlink's routes", async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-host', 'was here');
  });
  app.register(claimlinkPlugin, { claimlink });
  const answer = await app.inject({ url: '/acme/sessions/nobody', headers: key });
  t.equal(answer.headers['x-host'], 'was here');
});

t.test('a CORS preflight is answered by @fastify/cors', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.register(fastifyCors, { origin: 'https://app.example.com' });
  app.register(claimlinkPlugin, { claimlink });
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/acme/sessions/user-1',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
  });
  t.equal(answer.statusCode, 204);
  t.equal(answer.headers['access-control-allow-origin'], 'https://app.example.com');
});

t.test('the log of the most talkative host holds no token, key, user id or personal data', async (t) => {
  const service = await createTestService({
    wrap: (storage) => ({
      ...storage,
      findLink: () => {
        throw new Error('down');
      },
    }),
  });
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const app = fastify({ logger: { level: 'trace', stream } });
  app.register(claimlinkPlugin, { claimlink: service.claimlink });
  const path = await mintLink(service);
  const token = path.split('token=')[1] ?? '';
  const code = path.slice('/verify/'.length, path.indexOf('?'));
  await app.inject({ url: '/acme/sessions/jane.doe@example.com', headers: key });
  await app.inject({ method: 'POST', url: '/acme/link', headers: key, payload: linkRequest() });
  await app.inject({ url: path });
  await app.inject({ method: 'POST', url: path, payload: CLAIM });
  await app.inject({ url: `/verify/${code}/?token=${token}` });
  await app.inject({ url: `/verify/${'x'.repeat(101)}?token=${token}` });
  await app.inject({ url: `/verify?token=${token}` });
  await app.inject({ url: `http://host${path}` });
  const misspelt = ['/verify%2f', '/verify%2F', '//verify/', '/%76erify%2f'].map(
    (start) => `${start}${code}`,
  );
  for (const url of misspelt) {
    const response = await app.inject({ url: `${url}?token=${token}` });
    t.match(response.json(), { status: 404 }, `${url.replace(code, '<code>')} is a 404 of claimlink`);
  }
  for (const url of ['/acme/sessions/jane.doe@example.com/x', '/acme/sessions/jane.doe@example.com/']) {
    t.match((await app.inject({ url, headers: key })).json(), { code: 'route_not_found' });
  }
  t.match(log, /"path":"\/acme\/sessions\/:userId"/);
  t.match(log, /"path":"\/verify\/:accessCode"/);
  t.match(log, /"host":"localhost:80","remoteAddress":"127\.0\.0\.1"/);
  for (const secret of [token, code, KEYS.good, 'jane.doe', '@', '+49', 'x-api-key']) {
    t.notOk(log.includes(secret), `no ${secret.slice(0, 12)}`);
  }
});

t.test('the log keeps the prefix, with the names of its parameters', async (t) => {
  const { claimlink } = await createTestService();
  const log: string[] = [];
  const app = fastify({ logger: { stream: { write: (line: string) => void log.push(line) } } });
  t.teardown(() => app.close());
  app.register(claimlinkPlugin, { claimlink, prefix: '/:tenant/claims/' });
  await app.inject({ url: '/jane.doe/claims/acme/sessions/user-1' });
  t.match(log.join(''), '"path":"/:tenant/claims/acme/sessions/:userId"');
  t.notMatch(log.join(''), /jane\.doe|user-1/);
});

t.test('the plugin has a name that other plugins can depend on', async (t) => {
  t.equal(
    (claimlinkPlugin as unknown as Record<symbol, { name: string }>)[Symbol.for('plugin-meta')]?.name,
    'claimlink',
  );
});

t.test('a bad option fails at start-up and says which', async (t) => {
  const { claimlink } = await createTestService();
  const starting = (options: ClaimlinkPluginOptions) => async () => {
    await fastify().register(claimlinkPlugin, options).ready();
  };
  await t.rejects(starting({ claimlink, bodyLimitBytes: 10 }), {
    code: 'options_invalid',
    problems: [{ pointer: '/bodyLimitBytes' }],
  });
  const { redact, ...wrapper } = claimlink;
  for (const options of [{}, { claimlink: wrapper }])
    await t.rejects(starting(options as ClaimlinkPluginOptions), {
      code: 'options_invalid',
      problems: [{ pointer: '/claimlink' }],
    });
});

t.test('a request target in absolute form is understood under a prefix as well', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  const path = 'http://api.example.com/claims/acme/sessions/nobody';
  t.equal((await send(origin, { method: 'GET', path, headers: key })).body, '[]');
});

const READERS: Record<string, (body: IncomingMessage) => Promise<unknown>> = {
  all: async (body) => {
    for await (const _ of body);
  },
  'the start': async (body) => {
    await once(body, 'readable');
    body.read(1);
  },
};

for (const [part, read] of Object.entries(READERS))
  t.test(`a body of which a hook read ${part} is a 500 that tells the host why, not a hang`, async (t) => {
    const { claimlink, failures } = await createTestService();
    const app = fastify();
    app.addHook('preValidation', async ({ raw }) => {
      await read(raw);
    });
    app.register(claimlinkPlugin, { claimlink });
    const answer = await app.inject({
      method: 'POST',
      url: '/acme/link',
      headers: key,
      payload: linkRequest(),
    });
    t.equal(answer.statusCode, 500);
    t.match(failures, [{ error: { code: 'body_consumed' } }]);
    t.match(
      String(failures[0]?.error),
      /hook of the host read the request body before claimlink\. Return a new stream/,
    );
  });

for (const [what, headers, outcome] of [
  ['without a key', {}, 401],
  ['with a key', key, 400],
] as const) {
  t.test(
    `a body ${what} that a preParsing hook cannot decompress is a ${outcome} and ends nothing`,
    async (t) => {
      const { claimlink } = await createTestService();
      const app = fastify();
      const gunzip = createGunzip();
      const closed = new Promise((resolve) => gunzip.once('close', resolve));
      app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(gunzip));
      app.register(claimlinkPlugin, { claimlink });
      const failures: unknown[] = [];
      const onFailure = (error: unknown) => failures.push(error);
      process.on('uncaughtException', onFailure);
      t.teardown(() => process.off('uncaughtException', onFailure));
      const response = await app.inject({
        method: 'POST',
        url: '/acme/link',
        headers: { ...headers, 'content-type': 'application/json' },
        payload: 'not compressed',
      });
      t.equal(response.statusCode, outcome);
      await closed;
      t.same(failures, []);
    },
  );
}
