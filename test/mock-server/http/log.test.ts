// The lines that a mock writes to the terminal.
import t, { type Test } from 'tap';
import { ClaimlinkError } from '../../../lib/index.js';
import { createLog } from '../../../mock-server/http/log.js';
import { type LogFormat, startMockServer } from '../../../mock-server/index.js';
import { linkRequest } from '../caller.js';
import { createSink, send } from '../client.js';

const KEY = 'clk_test_demo';
const TOKEN = 'correct-horse-battery';
const JSON_HEADERS = { 'x-api-key': KEY, 'content-type': 'application/json' };

/** Starts a mock with a log. `until` resolves to the lines when there are so many. */
async function startLogged(t: Test, log: LogFormat) {
  const sink = createSink();
  const mock = await startMockServer({ port: 0, log, logStream: sink, controlToken: TOKEN });
  t.teardown(() => mock.close());
  const until = async (count: number): Promise<string[]> => {
    while (sink.text.split('\n').length <= count) await new Promise(setImmediate);
    return sink.text.trimEnd().split('\n');
  };
  return { mock, until };
}

function postLink(url: string, body: unknown) {
  return send(`${url}/demo/link`, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) });
}

t.test('a line has status, method, route, and the reason of an error', async (t) => {
  const { mock, until } = await startLogged(t, 'pretty');
  const { config, ...link } = linkRequest('zoe');
  const headers = { 'x-api-key': KEY };
  const calls: [call: () => Promise<unknown>, line: string][] = [
    [() => send(`${mock.url}/demo/sessions/zoe`, { headers }), '200 GET  /demo/sessions/zoe'],
    [
      () => postLink(mock.url, { ...link, config: { ...config, contact: { phone: '1' } } }),
      '400 POST /demo/link request_invalid /config/contact/email is required',
    ],
    [
      () => send(`${mock.url}/demo/sessions/zoe?limit=0`, { headers }),
      '400 GET  /demo/sessions/zoe?limit=0 request_invalid limit must be',
    ],
    [() => send(`${mock.url}/demo/sessions/zoe`), '401 GET  /demo/sessions/zoe api_key_missing'],
    [
      () => send(`${mock.url}/demo/sessions/zoe`, { headers: { ...headers, prefer: 'code=503' } }),
      '503 GET  /demo/sessions/zoe storage_unavailable fault: status=503',
    ],
    [() => send(`${mock.url}/verify/x?token=y`), '404 GET  /verify/[access code]?token=[…] link_not_found'],
    [() => send(`${mock.url}/nowhere`), '404 GET  /nowhere route_not_found'],
    [
      // A misspelt path is shown as it was sent.
      () => send(`${mock.url}/demo/session/zoe?user=zoe&token=${KEY}`, { headers }),
      '404 GET  /demo/session/zoe?user=[…]&token=[…] route_not_found',
    ],
    [() => send(`${mock.url}/__mock/clients`), '401 GET  /__mock/clients control_unauthorized'],
    [
      () => send(`${mock.url}/demo/link`, { headers: { host: 'evil.example' } }),
      '403 GET  /demo/link host_not_allowed',
    ],
    [() => send(`${mock.url}/demo/link`, { method: 'DELETE' }), '405 DELETE /demo/link method_not_allowed'],
    [
      () => send(`${mock.url}/demo/sessions/zoe`, { method: 'PUT', headers }),
      '405 PUT  /demo/sessions/zoe method_not_allowed',
    ],
    [
      () => send(`${mock.url}/demo/sessions/zoe`, { method: 'PATCH', headers: { host: 'evil.example' } }),
      '403 PATCH /demo/sessions/zoe host_not_allowed',
    ],
  ];
  for (const [index, [call, line]] of calls.entries()) {
    await call();
    const text = (await until(index + 1)).at(-1) ?? '';
    t.match(text, /^\d\d:\d\d:\d\d \d{3} .* [\d.]+ ms$/);
    t.equal(text.slice(9, 9 + line.length), line);
  }
});

for (const format of ['pretty', 'json'] as const) {
  t.test(`${format}: of an error, only the message of claimlink is logged`, async (t) => {
    const sink = createSink();
    const log = createLog(format, sink);
    const cause = new TypeError('zoe\n  lives here');
    log.error(Object.assign(new Error('Ada', { cause }), { code: 'E_ODD' }), { method: 'GET', path: '/x' });
    for (const part of ['E_ODD', 'GET', '/x', 'caused by TypeError', '    at ']) t.match(sink.text, part);
    for (const part of ['Ada', 'zoe', 'lives here']) t.notMatch(sink.text, part);
    log.error(new ClaimlinkError('internal', 'The state is lost.'));
    t.match(sink.text, 'The state is lost.');
  });
}

for (const format of ['pretty', 'json'] as const) {
  t.test(`${format}: the line of a request has no headers and no body of its fault`, async (t) => {
    const { mock, until } = await startLogged(t, format);
    await mock.failNext({ status: 503, headers: { 'x-secret': 'of zoe' }, body: 'about zoe' });
    await send(`${mock.url}/demo/sessions/max`, { headers: { 'x-api-key': KEY } });
    const text = String(await until(1));
    t.match(text, '503');
    t.notMatch(text, 'zoe');
  });
}

t.test('the line of an attempt without a response has dashes for its status', async (t) => {
  const sink = createSink();
  const attempt = { attempt: 2, method: 'POST', path: 'http://a.example/', status: null, durationMs: 1 };
  createLog('pretty', sink).response({ ...attempt, code: 'ECONNREFUSED' });
  t.equal(sink.text.slice(9), '--- POST http://a.example/ attempt 2 ECONNREFUSED 1 ms\n');
});

t.test('no line for a terminal has a control character of a caller', async (t) => {
  const sink = createSink();
  const log = createLog('pretty', sink);
  log.hint('pages of \u001b[2J');
  log.response({ method: 'GET', path: '/\u001b[2J\n', status: 200, durationMs: 1 });
  log.error(new Error(), { method: 'GET', path: '/\u001b[2J' });
  t.notMatch(sink.text, '\u001b');
  t.match(sink.text, '200 GET  /\\u001b[2J\\u000a 1 ms\n');
});

t.test('a request whose caller is gone before the response has the status 499', async (t) => {
  const { mock, until } = await startLogged(t, 'pretty');
  await mock.addFault({ route: 'listSessions', delayMs: 60_000 });
  const abort = new AbortController();
  const headers = { 'x-api-key': KEY };
  const listing = fetch(`${mock.url}/demo/sessions/zoe`, { headers, signal: abort.signal });
  while ((await mock.faults()).every(({ hits }) => hits === 0)) await new Promise(setImmediate);
  abort.abort();
  await t.rejects(listing, { name: 'AbortError' });
  t.match(await until(1), [/ 499 GET {2}\/demo\/sessions\/zoe /]);
});

t.test('calls of this process are not traffic', async (t) => {
  const { mock, until } = await startLogged(t, 'pretty');
  await mock.requests();
  await mock.createLink('demo', linkRequest('zoe'));
  await send(`${mock.url}/__mock/health`);
  t.match(await until(1), [/200 GET {2}\/__mock\/health/]);
});

t.test('a rejected preflight is logged, with the flag that allows its origin', async (t) => {
  const { mock, until } = await startLogged(t, 'pretty');
  const preflight = (origin: string) =>
    send(`${mock.url}/demo/link`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  await preflight('http://localhost:5173');
  await until(1);
  await preflight('https://app.example');
  t.match(await until(3), [
    /204 OPTIONS \/demo\/link \d/,
    /Pages of https:\/\/app\.example may not call the API\. Allow them with --cors-origin https:\/\/app\.example$/,
    /403 OPTIONS \/demo\/link origin_not_allowed /,
  ]);
  const requests = await mock.requests({ method: 'OPTIONS' });
  const detail = /--cors-origin https:\/\/app\.example$/;
  t.match(requests, [{ path: '/demo/link', status: 403, code: 'origin_not_allowed', detail }]);
});

for (const format of ['pretty', 'json'] as const) {
  t.test(`${format}: no line has a key, a token or an access code`, async (t) => {
    const { mock, until } = await startLogged(t, format);
    const { url } = await mock.createLink('demo', linkRequest('zoe-muster'));
    const { pathname, searchParams } = new URL(url);
    const accessCode = pathname.split('/').at(-1) ?? '';
    const token = searchParams.get('token') ?? '';
    const targets = [
      url,
      `${url}x`,
      `${mock.url}/verify/${accessCode}`,
      `${mock.url}/demo/verify/${accessCode}?token=${token}`,
      `${mock.url}/nowhere/${token}?key=${KEY}`,
      `${mock.url}/%zz?token=${token}`,
      `${mock.url}/demo/sessions/zoe-muster?key=${KEY}`,
      `${mock.url}/__mock/state?token=${TOKEN}`,
    ];
    for (const target of targets)
      await send(target, { headers: { 'x-api-key': KEY, authorization: `Bearer ${TOKEN}` } });
    await postLink(mock.url, { ...linkRequest('zoe-muster'), callbackUrl: url });
    const lines = await until(targets.length + 1);
    for (const secret of [accessCode, token, KEY, TOKEN])
      t.same(
        lines.filter((line) => line.includes(secret)),
        [],
      );
    if (format === 'json')
      for (const line of lines) t.match(JSON.parse(line), { msg: 'request', level: 'info' });
  });
}
