// Pages of chosen origins may call the service from a browser; all others may not, and are told nothing.
import t, { type Test } from 'tap';
import { type MockServerOptions, startMockServer } from '../../../mock-server/index.js';
import { send } from '../client.js';

const APP = 'http://localhost:5173';
const KEY = { 'x-api-key': 'clk_test_demo' };
const PREFLIGHT = { origin: APP, 'access-control-request-method': 'POST' };

async function start(t: Test, corsOrigins: MockServerOptions['corsOrigins']) {
  const mock = await startMockServer({ port: 0, ...(corsOrigins && { corsOrigins }) });
  t.teardown(() => mock.close());
  const list = `${mock.url}/demo/sessions/user-1`;
  return { mock, list, link: `${mock.url}/demo/link` };
}

t.test('an allowed origin may read the answer, and what the mock says in its headers', async (t) => {
  const { list } = await start(t, [APP]);
  const { status, headers } = await send(list, { headers: { ...KEY, origin: APP } });
  t.equal(status, 200);
  t.equal(headers['access-control-allow-origin'], APP);
  t.match(headers['access-control-expose-headers'], /\blink\b.*x-claimlink-fault/);
  t.match(headers.vary, /Origin/);
  t.notOk(headers['access-control-allow-credentials']);
});

t.test('errors of the service, and faults, may be read, too', async (t) => {
  const { mock, list } = await start(t, [APP]);
  const refused = await send(list, { headers: { origin: APP } });
  t.equal(refused.status, 401);
  t.equal(refused.headers['access-control-allow-origin'], APP);
  mock.failNext({ status: 503 });
  const failed = await send(list, { headers: { ...KEY, origin: APP } });
  t.equal(failed.status, 503);
  t.equal(failed.headers['access-control-allow-origin'], APP);
});

t.test('another origin gets no permission, and caches are told that it depends', async (t) => {
  const { list, link } = await start(t, [APP]);
  for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`]) {
    const { headers } = await send(list, { headers: { ...KEY, origin } });
    t.notOk(headers['access-control-allow-origin'], origin);
    t.match(headers.vary, /Origin/);
    const preflight = await send(link, { method: 'OPTIONS', headers: { ...PREFLIGHT, origin } });
    t.notOk(preflight.headers['access-control-allow-origin'], origin);
    t.not(preflight.status, 204);
  }
  const { headers } = await send(list, { headers: KEY });
  t.notOk(headers['access-control-allow-origin']);
  t.match(headers.vary, /Origin/);
});

t.test('* allows every origin with the same answer', async (t) => {
  const { list } = await start(t, ['*']);
  const { headers } = await send(list, { headers: { ...KEY, origin: 'https://any.example' } });
  t.equal(headers['access-control-allow-origin'], '*');
  t.notMatch(headers.vary ?? '', /Origin/);
});

t.test('without the option nobody is allowed', async (t) => {
  const { list, link } = await start(t, undefined);
  const { headers } = await send(list, { headers: { ...KEY, origin: APP } });
  t.notOk(headers['access-control-allow-origin']);
  t.notOk(headers.vary);
  t.equal((await send(link, { method: 'OPTIONS', headers: PREFLIGHT })).status, 405);
});

t.test(
  'a preflight is answered with what may be sent, and neither meets a fault nor is in the journal',
  async (t) => {
    const { mock, link } = await start(t, [APP]);
    mock.failNext({ status: 500 });
    const { status, headers, body } = await send(link, { method: 'OPTIONS', headers: PREFLIGHT });
    t.equal(status, 204);
    t.equal(body, '');
    t.equal(headers['access-control-allow-origin'], APP);
    t.match(headers['access-control-allow-methods'], /POST/);
    t.match(headers['access-control-allow-headers'], /content-type.*x-api-key/);
    t.ok(Number(headers['access-control-max-age']) > 0);
    t.equal(mock.faults().length, 1);
    t.same(mock.requests(), []);
  },
);

t.test('the control API allows no other origin, whatever the option says', async (t) => {
  const { mock } = await start(t, ['*', APP]);
  const { status, headers } = await send(`${mock.controlUrl}/state`, { headers: { origin: APP } });
  t.equal(status, 403);
  t.notOk(headers['access-control-allow-origin']);
});
