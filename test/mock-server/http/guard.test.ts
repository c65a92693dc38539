// The guard: Host on every route, origin and token on control routes and dashboard.
import type { FastifyRequest } from 'fastify';
import t from 'tap';
import { createGuard } from '../../../mock-server/http/guard.js';
import { startMockServer } from '../../../mock-server/index.js';
import type { Mock } from '../../../mock-server/state/mock.js';
import { send } from '../client.js';

const TOKEN = 'correct-horse-battery';
const open = await startMockServer({ port: 0 });
const locked = await startMockServer({ port: 0, controlToken: TOKEN });
t.teardown(() => Promise.all([open.close(), locked.close()]));

const PATHS = [
  '/',
  '/__mock/state',
  '/__mock/health',
  '/demo/sessions/user-1',
  '/demo/sessions/%zz',
  '/verify/x',
];

for (const path of PATHS) {
  t.test(
    `${path} rejects the Host of another server on a loopback address, with and without a token`,
    async (t) => {
      for (const { url, port } of [open, locked]) {
        for (const host of [
          'evil.example',
          `evil.example:${port}`,
          `127.0.0.1.evil.example:${port}`,
          `localhost.evil.example:${port}`,
          `x@127.0.0.1:${port}`,
        ]) {
          const origin = `http://${host}`;
          t.match(
            await send(url + path, { headers: { host } }),
            { status: 403, body: 'host_not_allowed' },
            host,
          );
          t.equal((await send(url + path, { headers: { host, origin } })).status, 403, `origin ${host}`);
        }
      }
    },
  );
}

t.test('every name of the server is allowed', async (t) => {
  for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', 'app.localhost', '[::1]']) {
    const { status } = await send(`${open.url}/__mock/state`, { headers: { host: `${name}:${open.port}` } });
    t.equal(status, 200, name);
  }
});

t.test('an allowed host reaches the service, and with a token the control routes', async (t) => {
  const allowedHosts = ['host.docker.internal', 'Mock.Example.'];
  const clients = [{ clientId: 'demo', apiKey: 'key', controlToken: 'token-of-the-client' }];
  await using tokenless = await startMockServer({ port: 0, allowedHosts, clients });
  await using withToken = await startMockServer({ port: 0, allowedHosts, clients, controlToken: TOKEN });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  for (const { url, port, publicUrl } of [tokenless, withToken]) {
    t.equal(publicUrl, url, 'links stay');
    const statusOf = async (host: string, path: string, headers: object = {}) =>
      (await send(url + path, { headers: { host, ...headers } })).status;
    for (const host of [
      'host.docker.internal',
      `host.docker.internal:${port}`,
      'HOST.docker.internal.:8080',
      'mock.example:1',
    ]) {
      t.equal(await statusOf(host, '/demo/sessions/u', { 'x-api-key': 'key' }), 200, host);
      t.equal(await statusOf(host, '/__mock/health'), 200, host);
      t.equal(await statusOf(host, '/__mock/state'), 401, host);
      t.equal(await statusOf(host, '/__mock/state', bearer('token-of-the-client')), 200, host);
      const asked = bearer(port === tokenless.port ? 'token-of-the-client' : TOKEN);
      const json = { 'content-type': 'application/json' };
      const reset = async (origin: string) => {
        const headers = { host, origin, ...asked, ...json };
        return (await send(`${url}/__mock/reset`, { method: 'POST', headers, body: '{"clientId":"demo"}' }))
          .status;
      };
      t.equal(await reset(`http://${host}`), 204, 'its page');
      t.equal(await reset('http://host.docker.internal:5173'), 403, 'a page of another port');
    }
    for (const host of ['a.host.docker.internal', 'docker.internal', 'example', 'mock.example.evil.example'])
      t.equal(await statusOf(host, '/demo/sessions/u', { 'x-api-key': 'key' }), 403, host);
  }
  const headers = { host: 'host.docker.internal' };
  t.match((await send(`${tokenless.url}/`, { headers })).body, 'start the mock with --control-token');
  t.match((await send(`${open.url}/demo/link`, { headers })).body, '--allowed-host');
});

t.test('pages of other origins get nothing from control routes', async (t) => {
  for (const origin of [
    'http://evil.example',
    'http://localhost:5173',
    'null',
    `https://127.0.0.1.evil.example`,
  ]) {
    const read = await send(`${open.url}/__mock/state`, { headers: { origin } });
    t.match(read, { status: 403, body: 'origin_not_allowed' }, origin);
    const write = await send(`${open.url}/__mock/reset`, { method: 'POST', headers: { origin } });
    t.equal(write.status, 403, origin);
  }
  const reset = (headers: Record<string, string>) =>
    send(`${open.url}/__mock/reset`, { method: 'POST', headers: { origin: open.url, ...headers } });
  t.equal((await reset({ 'content-type': 'application/json' })).status, 204, 'own origin');
  t.equal((await reset({})).status, 415, 'a redirect of a page of this origin sends no JSON');
});

t.test('without the token a 401 has one WWW-Authenticate line for each scheme', async (t) => {
  const response = await fetch(`${locked.url}/`);
  t.equal(response.status, 401);
  const { rawHeaders } = await new Promise<{ rawHeaders: string[] }>((resolve, reject) => {
    import('node:http').then(({ get }) =>
      get(`${locked.url}/__mock/state`, (incoming) => resolve(incoming.resume())).on('error', reject),
    );
  });
  const lines = rawHeaders.filter((_, index) => /^www-authenticate$/i.test(rawHeaders[index - 1] ?? ''));
  t.match(lines, [/^Basic realm="/, /^Bearer$/]);
  t.equal(lines.length, 2);
});

t.test('the token is accepted as a bearer token and as the password of Basic', async (t) => {
  const basic = Buffer.from(`any:${TOKEN}`).toString('base64');
  for (const [authorization, status] of [
    [`Bearer ${TOKEN}`, 200],
    [`Basic ${basic}`, 200],
    ['Bearer correct-horse-batterx', 401],
    [`Bearer ${TOKEN}x`, 401],
    ['Basic %%%', 401],
  ] as const)
    t.equal((await send(`${locked.url}/__mock/state`, { headers: { authorization } })).status, status);
  for (const path of ['/__mock/health', '/__mock/openapi.json', '/__mock/callback'])
    t.equal((await send(locked.url + path)).status, 200, path);
});

t.test('the password of Basic may contain colons', async (t) => {
  const controlToken = 'correct:horse:battery';
  await using mock = await startMockServer({ port: 0, controlToken });
  const authorization = `Basic ${Buffer.from(`any:${controlToken}`).toString('base64')}`;
  t.equal((await send(`${mock.url}/__mock/state`, { headers: { authorization } })).status, 200);
});

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const WAIT = '/__mock/waitForRequests?timeoutMs=1';

for (const site of ['cross-site', 'same-site']) {
  t.test(`a ${site} request gets a page by a top-level navigation, and nothing else`, async (t) => {
    const statusOf = async (path: string, headers: object, method = 'GET') =>
      (await send(open.url + path, { method, headers: { 'sec-fetch-site': site, ...headers } })).status;
    for (const path of ['/', '/__mock/state', '/__mock/callback'])
      t.equal(await statusOf(path, NAVIGATION), 200, `${path} by a link`);
    for (const path of ['/', '/__mock/state', '/__mock/events', WAIT]) {
      t.equal(await statusOf(path, { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }), 403, `${path} in a frame`);
      t.equal(await statusOf(path, { 'sec-fetch-mode': 'no-cors' }), 403, `${path} as an image`);
    }
    for (const path of ['/__mock/events', WAIT])
      t.equal(await statusOf(path, NAVIGATION), 403, `${path} by a link`);
    t.equal(await statusOf('/__mock/reset', NAVIGATION, 'POST'), 403, 'a form');
  });
}

t.test(
  'pages of a control origin may read and change everything, with the token if there is one',
  async (t) => {
    const origin = 'https://app.example';
    const site = { origin, 'sec-fetch-site': 'cross-site' };
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    for (const controlToken of [undefined, TOKEN]) {
      const options = { port: 0, controlOrigins: [origin], ...(controlToken && { controlToken }) };
      await using mock = await startMockServer(options);
      const authorization = controlToken && { authorization: `Bearer ${controlToken}` };
      const call = (path: string, method = 'GET', headers: object = { ...site, ...authorization }) =>
        send(mock.url + path, { method, headers: { ...headers } });
      const allowed = { 'access-control-allow-origin': origin };
      const preflight = await call('/__mock/reset', 'OPTIONS', { ...site, ...asked });
      t.match(preflight, {
        status: 204,
        headers: { ...allowed, 'access-control-allow-headers': asked['access-control-request-headers'] },
      });
      t.match(await call('/__mock/state'), { status: 200, headers: allowed });
      t.match(await call(WAIT), { status: 504, headers: allowed });
      t.match(await call('/__mock/reset', 'POST'), { status: 204, headers: allowed });
      t.match(await call('/demo/sessions/user-1'), { status: 401, headers: allowed }, 'the API as well');
      const withoutToken = await call('/__mock/state', 'GET', site);
      t.match(withoutToken, { status: controlToken ? 401 : 200, headers: allowed });
      const other = { ...site, origin: 'https://app.example:444' };
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await call('/__mock/clock', method, { ...other, ...authorization });
        t.same([status, headers['access-control-allow-origin']], [403, undefined]);
        t.match(JSON.parse(body).detail, '--control-origin https://app.example:444');
      }
    }
  },
);

t.test('on another than a loopback address every Host is allowed, with the token', async (t) => {
  const state = {
    options: { host: '0.0.0.0', controlToken: TOKEN, allowedHosts: [] },
    publicUrl: open.url,
  } as unknown;
  const guard = createGuard(state as Mock, open.url);
  const rejection = (headers: object) => guard({ method: 'GET', headers } as FastifyRequest, 'control')?.code;
  const host = 'mock.example:4010';
  t.equal(rejection({ host, authorization: `Bearer ${TOKEN}` }), undefined);
  t.equal(rejection({ host }), 'control_unauthorized');
  t.equal(rejection({ host: 'no host', authorization: `Bearer ${TOKEN}` }), 'host_not_allowed');
});
