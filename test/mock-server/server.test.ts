// startMockServer: the real service on a port, and a clean end.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import t from 'tap';
import { isClaimlinkError } from '../../lib/index.js';
import { bindServer } from '../../mock-server/http/bind.js';
import { startMockServer } from '../../mock-server/index.js';
import { createCaller, linkRequest } from './caller.js';
import { list, send } from './client.js';

const JSON_HEADERS = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };

const DEMO = { clientId: 'demo', apiKey: 'clk_test_demo' };
const mintLink = (url: string) => createCaller(url, DEMO).mint();

t.test('it says where it is, whom to be, and what seeds it', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(mock.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const { url, publicUrl, port, dashboardUrl, controlUrl, seed } = mock;
  const clients = await mock.clients();
  t.same(
    { publicUrl, port, dashboardUrl, controlUrl, seed, clients },
    {
      publicUrl: url,
      port: Number(new URL(url).port),
      dashboardUrl: `${url}/`,
      controlUrl: `${url}/__mock`,
      seed: 42,
      clients: [
        {
          clientId: 'demo',
          apiKey: 'clk_test_demo',
          name: 'Demo Insurance',
          userIds: ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'],
          isConfigured: true,
        },
      ],
    },
  );
});

t.test('links start with publicUrl when one is given', async (t) => {
  await using mock = await startMockServer({
    port: 0,
    publicUrl: 'https://claims.example.com/sandbox/',
    controlToken: 'a-token-of-16-characters',
  });
  t.equal(mock.publicUrl, 'https://claims.example.com/sandbox');
  t.ok((await mintLink(mock.url)).startsWith('https://claims.example.com/sandbox/verify/'));
});

t.test('the clock can be given: a link expires when it says so', async (t) => {
  let now = new Date('2026-03-01T00:00:00Z');
  await using mock = await startMockServer({ port: 0, now: () => now });
  const url = await mintLink(mock.url);
  now = new Date('2026-03-03T00:00:00Z');
  t.equal((await send(url)).status, 410);
});

t.test('ids that the router cannot take are answered by the service, as in every mount', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  t.match(await list(mock.url, '%ZZ'), { status: 400, body: 'request_invalid' });
  t.match(await list(mock.url, 'x'.repeat(257)), { status: 414, body: 'uri_too_long' });
  t.match(await send(`${mock.url}/__mock/%ZZ`), { status: 404, body: 'route_not_found' });
});

t.test('an unknown path is a 404 problem', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const { status, headers, body } = await send(`${mock.url}/nothing/here`);
  t.equal(status, 404);
  t.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  t.match(JSON.parse(body), { type: 'urn:claimlink:problem:route_not_found', status: 404 });
});

t.test('health, the OpenAPI document and the page of a callback are there', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  const health = await send(`${mock.controlUrl}/health`);
  t.equal(health.body, '{"status":"ok"}');
  const { body } = await send(`${mock.controlUrl}/openapi.json`);
  t.match(JSON.parse(body), { openapi: '3.1.0', servers: [{ url: mock.controlUrl }] });
  t.match((await send(`${mock.controlUrl}/callback?reference=R-1`)).body, 'R-1');
});

t.test('a port in use rejects with a coded error that has the cause', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  await t.rejects(startMockServer({ port: mock.port }), {
    code: 'options_invalid',
    message: `claimlink options: port ${mock.port} is in use on 127.0.0.1; choose another port, or 0 for a free one.`,
    problems: [{ pointer: '/port' }],
    cause: { code: 'EADDRINUSE' },
  });
});

t.test('an address that is not of this machine rejects', async (t) => {
  await t.rejects(startMockServer({ port: 0, host: '203.0.113.7' }), {
    code: 'options_invalid',
    problems: [{ pointer: '/host' }],
  });
});

t.test('a bad publicUrl rejects, and the port is free again', async (t) => {
  await using probe = await startMockServer({ port: 0 });
  const { port } = probe;
  await probe.close();
  await t.rejects(startMockServer({ port, publicUrl: 'ftp://example.com' }), { code: 'options_invalid' });
  await using mock = await startMockServer({ port });
  t.equal(mock.port, port);
});

t.test('close ends keep-alive connections, frees the port, and may be called twice', async (t) => {
  const mock = await startMockServer({ port: 0 });
  const socket = connect(mock.port, '127.0.0.1');
  socket.write('GET /__mock/health HTTP/1.1\r\nHost: localhost:1\r\nConnection: keep-alive\r\n\r\n');
  await once(socket, 'data');
  await Promise.all([mock.close(), once(socket, 'close')]);
  await mock.close();
  const server = createServer().listen(mock.port, '127.0.0.1');
  await t.resolves(once(server, 'listening'));
  server.close();
});

t.test('close ends a connection that has sent nothing', async (t) => {
  const bound = await bindServer({ host: '127.0.0.1', port: 0 });
  const socket = connect(bound.port, '127.0.0.1');
  await once(bound.server, 'connection');
  // A timer of the grace period would go on.
  t.capture(globalThis, 'setTimeout', () => undefined);
  await Promise.all([bound.close(), once(socket, 'close')]);
});

t.test('close lets a running request finish', async (t) => {
  const mock = await startMockServer({ port: 0 });
  const body = JSON.stringify(linkRequest('user-1'));
  const outgoing = request(`${mock.url}/demo/link`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  });
  await once(outgoing.flushHeaders() ?? outgoing, 'continue');
  const closing = mock.close();
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  t.equal(response.statusCode, 200);
  response.resume();
  await closing;
});

t.test('close leaves no timer', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const bound = await bindServer({ host: '127.0.0.1', port: 0 });
  const before = timers();
  await bound.close();
  t.equal(timers(), before);
});

t.test('close ends a wait for requests', async (t) => {
  const mock = await startMockServer({ port: 0 });
  const waiting = mock.waitForRequests();
  // The wait is reached first.
  await mock.state();
  const closing = mock.close();
  await t.rejects(waiting, { status: 503, code: 'mock_closed' });
  await closing;
});

t.test('close resets a request whose body does not end within the grace period', async (t) => {
  const mock = await startMockServer({ port: 0 });
  const stuck = request(`${mock.url}/demo/link`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'content-length': 100, expect: '100-continue' },
  });
  const ended = once(stuck, 'error');
  await once(stuck.flushHeaders() ?? stuck, 'continue');
  stuck.write('{');
  const timers = t.capture(globalThis, 'setTimeout', (_end: () => void, _ms: number) => undefined);
  const closing = mock.close();
  const [grace] = timers();
  timers.restore();
  t.match(grace?.args, [Function, 2000], 'this test ends the grace period instead of the timer');
  t.equal(await send(mock.url).catch(({ code }) => code), 'ECONNREFUSED');
  t.equal(stuck.destroyed, false, 'the request has its time');
  grace?.args[0]();
  await closing;
  t.match(await ended, [{ code: 'ECONNRESET' }]);
  await using next = await startMockServer({ port: mock.port });
  t.equal(next.port, mock.port, 'the port is free');
});

t.test('requests that come before the service is built wait for it', async (t) => {
  const bound = await bindServer({ host: '127.0.0.1', port: 0 });
  const early = send(bound.url);
  await once(bound.server, 'request');
  bound.serve((_request, response) => response.end('now'));
  t.equal((await early).body, 'now');
  await bound.close();
});

t.test('wildcard and IPv6 addresses are shown as URLs that work here', async (t) => {
  const bound = await bindServer({ host: '0.0.0.0', port: 0 });
  t.equal(bound.url, `http://127.0.0.1:${bound.port}`);
  await bound.close();
  const six = await bindServer({ host: '::1', port: 0 }).catch((error: unknown) => error);
  if (isClaimlinkError(six)) return t.match(six.problems, [{ pointer: '/host' }], 'no IPv6 on this machine');
  const { url, port, close } = six as Awaited<ReturnType<typeof bindServer>>;
  t.equal(url, `http://[::1]:${port}`);
  return close();
});
