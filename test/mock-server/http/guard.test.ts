// The guard: no web page can read or drive the dashboard and the control routes, nor who lacks the token.
import type { OutgoingHttpHeaders } from 'node:http';
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { list, send, sendForm } from '../client.js';
import { act, LINK_FIELDS } from '../dashboard-forms.js';

const TOKEN = 'correct-horse-battery';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };
const open = await startMockServer({ port: 0 });
const mock = await startMockServer({
  port: 0,
  publicUrl: 'https://claims.example.com',
  controlToken: TOKEN,
});
t.teardown(() => Promise.all([mock.close(), open.close()]));

function makeLink(url: string, headers: OutgoingHttpHeaders) {
  return sendForm(`${url}/__mock/dashboard/make-link`, { client: 'demo', ...LINK_FIELDS }, headers);
}

const PUBLIC = ['/__mock/health', '/__mock/openapi.json', '/__mock/callback'];

function foreignHosts(port: number): string[] {
  return ['evil.example', `evil.example:${port}`, 'localhost:1', 'localhost'];
}

for (const path of ['/', '/__mock/state']) {
  t.test(`${path} refuses a Host that is not the server's own (DNS rebinding)`, async (t) => {
    for (const host of [...foreignHosts(open.port), `x@127.0.0.1:${open.port}`]) {
      const { status, body } = await send(open.url + path, { headers: { host } });
      t.equal(status, 403, host);
      t.match(JSON.parse(body), { code: 'host_not_allowed' });
    }
  });

  t.test(`${path} answers under each of the server's own names`, async (t) => {
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      const { status } = await send(open.url + path, { headers: { host: `${name}:${open.port}` } });
      t.equal(status, 200, name);
    }
  });

  t.test(`${path} asks for the token under whatever name, and lets no other origin in with it`, async (t) => {
    for (const host of [...foreignHosts(mock.port), 'claims.example.com']) {
      t.equal((await send(mock.url + path, { headers: { host } })).status, 401, host);
      t.equal((await send(mock.url + path, { headers: { ...AUTHORIZATION, host } })).status, 200, host);
      const origin = 'https://other.example';
      t.equal((await send(mock.url + path, { headers: { ...AUTHORIZATION, host, origin } })).status, 403);
    }
  });
}

for (const path of PUBLIC) {
  t.test(
    `${path} has nothing to protect, and answers under any name, as load balancers ask for it`,
    async (t) => {
      for (const { url, port } of [open, mock]) {
        for (const host of foreignHosts(port))
          t.equal((await send(url + path, { headers: { host } })).status, 200);
      }
    },
  );
}

for (const path of ['/', '/__mock/requests', '/__mock/health', '/__mock/openapi.json']) {
  t.test(`${path} refuses a foreign Origin, with the token and where there is none`, async (t) => {
    for (const origin of ['https://evil.example', 'http://localhost:1', 'null', 'nonsense']) {
      for (const { url } of [mock, open]) {
        const { status, body } = await send(url + path, { headers: { ...AUTHORIZATION, origin } });
        t.equal(status, 403, origin);
        t.match(JSON.parse(body), { code: 'origin_not_allowed' });
      }
    }
  });
}

t.test('a form of another site makes no link and resets nothing (CSRF)', async (t) => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    t.equal((await makeLink(open.url, headers)).status, 403);
    t.equal((await sendForm(`${open.url}/__mock/dashboard/reset`, { scope: 'all' }, headers)).status, 403);
    t.equal((await send(`${open.url}/__mock/reset`, { method: 'POST', headers })).status, 403);
    // Browsers send along the credentials that they have for the mock.
    t.equal((await makeLink(mock.url, { ...AUTHORIZATION, ...headers })).status, 403);
  }
  t.same(open.links(), []);
  t.same(mock.links(), []);
});

t.test('its own form makes one, and so does a program that is no browser', async (t) => {
  const headers = { origin: open.url, 'sec-fetch-site': 'same-origin' };
  t.equal((await makeLink(open.url, headers)).status, 303);
  t.equal((await act(open.url, 'make-link', LINK_FIELDS)).status, 303);
  const published = { ...AUTHORIZATION, origin: 'https://claims.example.com' };
  t.equal((await makeLink(mock.url, published)).status, 303);
});

t.test('a link on another site may lead to the dashboard, and a claim to the callback', async (t) => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  t.equal((await send(open.dashboardUrl, { headers })).status, 200);
  t.equal(
    (await send(`${mock.url}/__mock/callback`, { headers: { ...headers, origin: 'null' } })).status,
    200,
  );
});

t.test('the API itself does not care: its key is what protects it', async (t) => {
  const headers = { host: 'evil.example', origin: 'https://evil.example', 'x-api-key': 'clk_test_demo' };
  t.equal((await send(`${mock.url}/demo/sessions/user-1`, { headers })).status, 200);
  t.equal((await list(mock.url, 'user-1')).status, 200);
});

const PRIVATE = [
  'GET /',
  'POST /__mock/dashboard/reset',
  'GET /__mock/state',
  'POST /__mock/reset',
  'GET /__mock/clients',
  'POST /__mock/clients',
  'GET /__mock/clients/demo/users/user-1/sessions',
  'GET /__mock/snapshots',
  'GET /__mock/links',
  'POST /__mock/links/submit',
  'GET /__mock/clock',
  'PUT /__mock/clock',
  'GET /__mock/faults',
  'GET /__mock/requests',
  'GET /__mock/requests/wait',
  'GET /__mock/events',
];

for (const route of PRIVATE) {
  t.test(`${route} asks for the control token, in a way that browsers understand`, async (t) => {
    const [method = '', path = ''] = route.split(' ');
    const { status, headers, body } = await send(mock.url + path, { method });
    t.equal(status, 401);
    t.match(headers['www-authenticate'], /^Basic realm="[^"]+".*, Bearer$/);
    t.match(JSON.parse(body), { code: 'control_unauthorized' });
    t.notMatch(body, TOKEN);
  });
}

t.test('the control token is a bearer token, or the password of any user', async (t) => {
  const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
  const statusWith = async (authorization: string) =>
    (await send(`${mock.url}/__mock/state`, { headers: { authorization } })).status;
  for (const right of [
    `Bearer ${TOKEN}`,
    `bearer ${TOKEN}`,
    basic(`:${TOKEN}`),
    basic(`ann:${TOKEN}`),
    basic(`ann:${TOKEN}`).replace('Basic', 'basic'),
  ])
    t.equal(await statusWith(right), 200, right);
  for (const wrong of [
    '',
    'Bearer',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer x ${TOKEN}`,
    `Digest ${TOKEN}`,
    TOKEN,
    basic(`${TOKEN}:`),
    basic(`ann:${TOKEN}:`),
    'Basic %%%',
  ])
    t.equal(await statusWith(wrong), 401, wrong);
});

t.test('what has neither state nor secret needs no token', async (t) => {
  for (const path of ['/__mock/health', '/__mock/openapi.json', '/__mock/callback?reference=S-1'])
    t.equal((await send(mock.url + path)).status, 200, path);
});

t.test('control: false takes dashboard and control routes away, and leaves the rest', async (t) => {
  await using bare = await startMockServer({ port: 0, control: false });
  for (const route of PRIVATE) {
    const [method = '', path = ''] = route.split(' ');
    t.match(await send(bare.url + path, { method }), { status: 404, body: 'route_not_found' }, route);
  }
  for (const path of ['/__mock/health', '/__mock/openapi.json', '/__mock/callback?reference=S-1'])
    t.equal((await send(bare.url + path)).status, 200, path);
  t.equal((await list(bare.url, 'user-1')).status, 200);
  bare.reset();
  t.equal(bare.requests().length, 0, 'in its own process it can be driven all the same');
});

t.test('where others can reach it, the control needs a token, or is off', async (t) => {
  const refusal = {
    code: 'options_invalid',
    message: /set a control token, or turn these off/,
  };
  for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com'])
    await t.rejects(
      startMockServer({ port: 0, host }),
      { ...refusal, details: [{ pointer: '/host' }] },
      host,
    );
  for (const publicUrl of ['https://claims.example.com', 'http://127.0.0.1.example.com'])
    await t.rejects(
      startMockServer({ port: 0, publicUrl }),
      { ...refusal, details: [{ pointer: '/publicUrl' }] },
      publicUrl,
    );
  for (const options of [
    { host: '0.0.0.0', control: false },
    { host: '0.0.0.0', controlToken: TOKEN },
    { host: 'localhost', publicUrl: 'http://localhost:5000/claims' },
  ]) {
    await using served = await startMockServer({ port: 0, ...options });
    t.equal((await list(served.url, 'user-1')).status, 200);
  }
});
