// The log: useful, and without a token, a key, a user, an address or a number in it.
import { request, ServerResponse } from 'node:http';
import t from 'tap';
import { ClaimlinkError } from '../../../lib/index.js';
import { hasColor } from '../../../mock-server/cli/output.js';
import { createLog } from '../../../mock-server/http/log.js';
import { startMockServer } from '../../../mock-server/index.js';
import { createSink, list, send, sendForm } from '../client.js';
import { act, LINK_FIELDS } from '../dashboard-forms.js';

for (const log of ['pretty', 'json'] as const) {
  t.test(`${log}: a whole run leaves nothing secret or personal in it`, async (t) => {
    const sink = createSink();
    const mock = await startMockServer({ port: 0, log, logStream: sink });
    const headers = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };
    const config = {
      contact: { email: 'help@example.com', phone: '+49 30 23125 001' },
      currentUserId: 'ann@example.com',
    };
    const body = JSON.stringify({ callbackUrl: 'https://app.example.com/?secret=hunter2', config });
    await list(mock.url, 'ann@example.com');
    await list(mock.url, '%ZZann@example.com');
    await send(`${mock.url}/demo/sessions/user-1?cursor=clk_test_demo`, { headers });
    const { data } = JSON.parse(
      (await send(`${mock.url}/demo/link`, { method: 'POST', headers, body })).body,
    );
    await send(data);
    await send(data.replace('?', '/ann@example.com?'));
    await sendForm(data, { email: 'ann@example.com', phone: '+49 30 23125 001' });
    await send(`${mock.url}/?user=ann@example.com`);
    await act(mock.url, 'make-link', { ...LINK_FIELDS, '/config/currentUserId': 'ann@example.com' });
    await send(`${mock.url}/__mock/callback?reference=ann@example.com`);
    await send(`${mock.url}/ann@example.com/x/y?key=clk_test_demo`);
    await mock.close();
    t.equal(sink.text.split('\n').length, 12, sink.text);
    t.notMatch(sink.text, /@|%40|clk_|eyJ|hunter2|23125|ann/);
    const { pathname, searchParams } = new URL(data);
    t.notMatch(sink.text, pathname.split('/')[2]);
    t.notMatch(sink.text, String(searchParams.get('token')).slice(0, 20));
  });
}

t.test('pretty: time, status, method, route, duration', async (t) => {
  const sink = createSink();
  const mock = await startMockServer({ port: 0, log: 'pretty', logStream: sink });
  await list(mock.url, 'user-1');
  await mock.close();
  t.match(sink.text, /^\d\d:\d\d:\d\d 200 GET {2}\/demo\/sessions\/:userId \d+(\.\d)? ms\n$/);
});

t.test('json: the same as one object per line', async (t) => {
  const sink = createSink();
  const mock = await startMockServer({ port: 0, log: 'json', logStream: sink });
  await send(`${mock.url}/__mock/health`);
  await mock.close();
  const line = JSON.parse(sink.text);
  t.match(line, { level: 'info', msg: 'request', method: 'GET', path: '/__mock/health', status: 200 });
  t.type(line.durationMs, 'number');
  t.ok(Date.parse(line.time));
});

t.test('silent: nothing at all', async (t) => {
  const sink = createSink();
  const mock = await startMockServer({ port: 0, logStream: sink });
  await list(mock.url, 'user-1');
  await mock.close();
  t.equal(sink.text, '');
  createLog('silent', sink).error(new Error('x'));
  t.equal(sink.text, '');
});

t.test('a client that goes away before its answer is a 499', async (t) => {
  const sink = createSink();
  const response = new ServerResponse(
    request('http://127.0.0.1:1')
      .on('error', () => {})
      .destroy() as never,
  );
  createLog('pretty', sink).watch(response, { method: 'GET', path: '/' });
  response.emit('close');
  t.match(sink.text, ' 499 GET  / ');
});

t.test(
  'a 500 is logged with its code and stack; the message of a foreign error, which may quote data, is not',
  async (t) => {
    const sink = createSink();
    let isBroken = false;
    const mock = await startMockServer({
      port: 0,
      log: 'pretty',
      logStream: sink,
      now: () => {
        if (isBroken) throw Object.assign(new TypeError('ann@example.com is broken'), { code: 'E_CLOCK' });
        return new Date();
      },
    });
    isBroken = true;
    t.equal((await list(mock.url, 'user-1')).status, 500);
    t.equal((await act(mock.url, 'make-link', LINK_FIELDS)).status, 500);
    await mock.close();
    t.match(sink.text, /E_CLOCK in GET \/demo\/sessions\/:userId\n {4}at /);
    t.match(sink.text, /E_CLOCK in POST \/__mock\/dashboard\/make-link\n {4}at /);
    t.notMatch(sink.text, 'ann@');
  },
);

t.test('errors: messages of claimlink and causes are shown, whatever is thrown', async (t) => {
  const sink = createSink();
  const log = createLog('pretty', sink);
  log.error(new ClaimlinkError('internal', 'The storage broke.', { cause: new RangeError('ann') }));
  log.error('text');
  t.match(sink.text, /internal\n {4}The storage broke\.\n {4}at [\s\S]*caused by RangeError\n {4}at /);
  t.match(sink.text, / string\n/);
  t.notMatch(sink.text, 'ann');
  const json = createSink();
  createLog('json', json).error(new Error('ann'), { method: 'GET', path: '/x' });
  t.match(JSON.parse(json.text), {
    level: 'error',
    msg: 'error',
    code: 'Error',
    path: '/x',
    stack: /^ {4}at /,
  });
});

t.test('colours are for terminals, and NO_COLOR turns them off', async (t) => {
  t.equal(hasColor(createSink(true), {}), true);
  t.equal(hasColor(createSink(false), {}), false);
  t.equal(hasColor(createSink(true), { NO_COLOR: '1' }), false);
  t.equal(hasColor(createSink(true), { NO_COLOR: '' }), true);
  t.equal(hasColor(createSink(true), { TERM: 'dumb' }), false);
});

t.test('a path cannot drive the terminal', async (t) => {
  const sink = createSink();
  createLog('pretty', sink).error(new Error('x'), { method: 'GET', path: '/\u001b[2J' });
  t.notMatch(sink.text, '\u001b');
});

t.test('on a terminal the status has a colour: green, yellow, red', async (t) => {
  const { NO_COLOR: noColor, TERM: term } = process.env;
  t.teardown(() =>
    Object.assign(process.env, noColor !== undefined && { NO_COLOR: noColor }, { TERM: term ?? '' }),
  );
  delete process.env['NO_COLOR'];
  process.env['TERM'] = 'xterm';
  const sink = createSink(true);
  const mock = await startMockServer({ port: 0, log: 'pretty', logStream: sink });
  await send(`${mock.url}/__mock/health`);
  await send(`${mock.url}/nothing`);
  await mock.close();
  createLog('pretty', sink).error(new Error('x'));
  t.match(sink.text, '\u001b[32m200\u001b[39m GET');
  t.match(sink.text, '\u001b[33m404\u001b[39m GET');
  t.match(sink.text, '\u001b[31mError\u001b[39m');
});
