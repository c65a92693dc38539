// The mock over TLS: the service, its links, the dashboard and their addresses.
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { REPOSITORY } from '../repository.js';
import type { Answer } from './client.js';
import { mistake, setUp } from './command.js';

/** Of localhost and 127.0.0.1, self-signed, made for 100 years: see tls/README.md. */
const CERT = fileURLToPath(new URL('test/mock-server/tls/cert.pem', REPOSITORY));
const KEY = fileURLToPath(new URL('test/mock-server/tls/key.pem', REPOSITORY));
const cert = await readFile(CERT, 'utf8');
const key = await readFile(KEY, 'utf8');

/** Trusts the one certificate and no other. */
function send(
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers }, ca: cert, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

t.test('with a certificate it speaks https, and every address says so', async (t) => {
  await using mock = await startMockServer({ port: 0, tls: { cert, key } });
  t.match(mock, {
    url: /^https:\/\/127\.0\.0\.1:\d+$/,
    publicUrl: mock.url,
    dashboardUrl: `${mock.url}/`,
    controlUrl: `${mock.url}/__mock`,
  });
  const headers = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };
  t.equal((await send(`${mock.url}/demo/sessions/user-1`, { headers })).status, 200);
  const body = JSON.stringify({
    callbackUrl: `${mock.url}/__mock/callback?reference={SESSION_REFERENCE}`,
    config: { contact: { email: 'claims@example.com', phone: '1' }, currentUserId: 'user-1' },
  });
  const made = await send(`${mock.url}/demo/link`, { method: 'POST', headers, body });
  const { data } = JSON.parse(made.body);
  t.ok(data.startsWith(`${mock.url}/verify/`), data);
  t.match((await send(data)).body, 'claims@example.com');
  t.match((await send(mock.dashboardUrl)).body, 'id="dashboard"');
  const { port } = mock;
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`])
    t.equal((await send(mock.dashboardUrl, { headers: { host } })).status, 200, host);
  const origin = `https://localhost:${port}`;
  const reset = (headers: Record<string, string>) =>
    send(`${mock.controlUrl}/reset`, { method: 'POST', headers: { origin, ...headers }, body: '{}' });
  t.equal((await reset({ 'content-type': 'application/json' })).status, 204);
});

t.test('--tls-cert and --tls-key name the files', async (t) => {
  const { runMock } = setUp();
  const code = await runMock(
    `--port 0 --ready-json --tls-cert ${CERT} --tls-key ${KEY}`,
    {},
    async (ready) => {
      const { url } = JSON.parse(ready);
      t.match(url, /^https:/);
      t.equal((await send(`${url}/__mock/health`)).status, 200);
    },
  );
  t.equal(code, 0);
});

t.test('a certificate without a key, an unreadable file and an invalid pair are rejected', async (t) => {
  const both = 'claimlink: --tls-cert and --tls-key need each other.\n';
  t.equal(await mistake(`--tls-cert ${CERT}`), both);
  t.equal(await mistake('', { CLAIMLINK_TLS_KEY: KEY }), both);
  t.equal(
    await mistake(`--port 0 --tls-cert ${CERT}x --tls-key ${KEY}`),
    `claimlink: --tls-cert ${CERT}x does not exist. Name a file in PEM format.\n`,
  );
  t.equal(
    await mistake(`--port 0 --tls-cert ${CERT}`, { CLAIMLINK_TLS_KEY: `${KEY}x` }),
    `claimlink: CLAIMLINK_TLS_KEY ${KEY}x does not exist. Name a file in PEM format.\n`,
  );
  for (const [first, second] of [
    [KEY, CERT],
    [CERT, CERT],
  ])
    t.equal(
      await mistake(`--port 0 --tls-cert ${first} --tls-key ${second}`),
      'claimlink: --tls-cert must be a certificate with its private key, both in PEM format.\n',
    );
  await t.rejects(startMockServer({ port: 0, tls: { cert: 'x', key: 'secret-key-material' } }), {
    code: 'options_invalid',
    message: /^(?!.*secret-key-material)/,
    problems: [{ pointer: '/tls' }],
  });
  await t.rejects(startMockServer({ port: 0, tls: { cert } as never }), {
    code: 'options_invalid',
    problems: [{ pointer: '/tls/key', rule: 'required', detail: 'is required' }],
  });
});
