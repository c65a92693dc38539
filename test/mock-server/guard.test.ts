// The guard: no web page can read or drive the dashboard and the control routes.
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { list, send, sendForm } from './client.js';

const FIELDS = { client: 'demo', user: 'user-1', callbackUrl: 'https://app.example.com/' };
const mock = await startMockServer({ port: 0, publicUrl: 'https://claims.example.com' });
const form = `${mock.url}/__mock/links`;
t.teardown(() => mock.close());

for (const path of ['/', '/__mock/health', '/__mock/openapi.json', '/__mock/callback']) {
  t.test(`${path} refuses a Host that is not the server's own (DNS rebinding)`, async (t) => {
    for (const host of [
      'evil.example',
      `evil.example:${mock.port}`,
      'localhost:1',
      'localhost',
      `x@127.0.0.1:${mock.port}`,
    ]) {
      const { status, body } = await send(mock.url + path, { headers: { host } });
      t.equal(status, 403, host);
      t.match(JSON.parse(body), { code: 'host_not_allowed' });
    }
  });

  t.test(`${path} answers under each of the server's own names`, async (t) => {
    for (const host of [
      `127.0.0.1:${mock.port}`,
      `localhost:${mock.port}`,
      `LOCALHOST:${mock.port}`,
      `[::1]:${mock.port}`,
      'claims.example.com',
    ]) {
      t.equal((await send(mock.url + path, { headers: { host } })).status, 200, host);
    }
  });
}

for (const path of ['/', '/__mock/health', '/__mock/openapi.json']) {
  t.test(`${path} refuses a foreign Origin`, async (t) => {
    for (const origin of ['https://evil.example', 'http://localhost:1', 'null', 'nonsense']) {
      const { status, body } = await send(mock.url + path, { headers: { origin } });
      t.equal(status, 403, origin);
      t.match(JSON.parse(body), { code: 'origin_not_allowed' });
    }
  });
}

t.test('a form of another site makes no link (CSRF)', async (t) => {
  t.equal((await sendForm(form, FIELDS, { origin: 'https://evil.example' })).status, 403);
  t.equal((await sendForm(form, FIELDS, { origin: 'null' })).status, 403);
  t.equal((await sendForm(form, FIELDS, { 'sec-fetch-site': 'cross-site' })).status, 403);
});

t.test('its own form makes one, and so does a program that is no browser', async (t) => {
  const headers = { origin: mock.url, 'sec-fetch-site': 'same-origin' };
  t.equal((await sendForm(form, FIELDS, headers)).status, 200);
  t.equal((await sendForm(form, FIELDS, { origin: 'https://claims.example.com' })).status, 200);
  t.equal((await sendForm(form, FIELDS)).status, 200);
});

t.test('a link on another site may lead to the dashboard, and a claim to the callback', async (t) => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  t.equal((await send(mock.dashboardUrl, { headers })).status, 200);
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
