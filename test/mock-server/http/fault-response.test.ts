// What a fault does to a request: its response, its delay, how often, for whom, and broken connections.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  type Fault,
  type MockServer,
  type MockServerOptions,
  startMockServer,
} from '../../../mock-server/index.js';
import { toJson } from '../../../mock-server/state/json-pieces.js';
import { stringifyState } from '../../../mock-server/state/snapshots.js';
import { createCaller, linkRequest, rejectionOf } from '../caller.js';
import { type Answer, send } from '../client.js';

const KEY = 'clk_test_demo';

/** Starts a mock with one fault. */
async function startWith(t: Test, fault: Fault, options: MockServerOptions = {}) {
  const mock = await startMockServer({ port: 0, ...options });
  t.teardown(() => mock.close());
  await mock.addFault(fault);
  return { mock, demo: createCaller(mock.url, { clientId: 'demo', apiKey: KEY }) };
}

/** Sends a request to a route, for the user `zoe`. */
async function request(
  mock: MockServer,
  route: NonNullable<Fault['route']>,
  accept = 'application/json',
): Promise<Answer> {
  const headers = { 'x-api-key': KEY, accept };
  const json = { ...headers, 'content-type': 'application/json' };
  if (route === 'listSessions') return send(`${mock.url}/demo/sessions/zoe`, { headers });
  if (route === 'createLink')
    return send(`${mock.url}/demo/link`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(linkRequest('zoe')),
    });
  const { url } = await mock.createLink('demo', linkRequest('zoe'));
  if (route === 'openLink') return send(url, { headers: { accept } });
  const isForm = accept === 'text/html';
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return send(url, { method: 'POST', headers: { accept, 'content-type': type }, body: isForm ? '' : '{}' });
}

for (const [route, status, code] of [
  ['listSessions', 400, 'request_invalid'],
  ['listSessions', 401, 'api_key_invalid'],
  ['listSessions', 404, 'client_not_found'],
  ['listSessions', 418, 'injected'],
  ['listSessions', 429, 'too_many_requests'],
  ['createLink', 413, 'body_too_large'],
  ['createLink', 415, 'content_type_unsupported'],
  ['createLink', 500, 'internal'],
  ['createLink', 502, 'injected'],
  ['openLink', 401, 'injected'],
  ['openLink', 404, 'link_not_found'],
  ['openLink', 410, 'link_expired'],
  ['submitClaim', 410, 'link_expired'],
  ['submitClaim', 429, 'too_many_requests'],
  ['submitClaim', 503, 'storage_unavailable'],
] as const) {
  t.test(`${route} with the status ${status} has a problem with the code ${code}`, async (t) => {
    const { mock } = await startWith(t, { route, status });
    const { headers, body, ...answer } = await request(mock, route);
    t.equal(answer.status, status);
    t.match(headers, {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-claimlink-fault': `status=${status}`,
    });
    t.match(JSON.parse(body), { status, code, type: `urn:claimlink:problem:${code}` });
    t.match(await mock.requests({ route }), [{ status, code, fault: { status } }]);
    const hasEffect = (await mock.links({ userId: 'zoe' })).some(({ state }) => state !== 'created');
    t.equal(hasEffect, false, 'the request has no effect');
  });
}

for (const [route, status, text, code] of [
  ['openLink', 404, 'link', 'link_not_found'],
  ['openLink', 429, 'wait a moment', 'too_many_requests'],
  ['openLink', 500, 'wrong on our side', 'internal'],
  ['openLink', 502, 'wrong on our side', 'injected'],
  ['submitClaim', 503, 'wrong on our side', 'storage_unavailable'],
] as const) {
  t.test(`a browser gets a page: ${route} with the status ${status}`, async (t) => {
    const { mock } = await startWith(t, { route, status });
    const answer = await request(mock, route, 'text/html');
    t.match(answer, {
      status,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': String },
      body: new RegExp(text, 'i'),
    });
    t.match(
      await mock.requests({ route }),
      [{ status, code }],
      'the page does not show the code; the log does',
    );
  });
}

t.test('no response of a fault behind a link lets the browser send a Referer with a path', async (t) => {
  for (const status of [410, 418]) {
    const { mock } = await startWith(t, { route: 'openLink', status });
    for (const accept of ['text/html', 'application/json']) {
      const { headers } = await request(mock, 'openLink', accept);
      t.match(headers['referrer-policy'], /^(no-referrer|strict-origin)$/, `${status} ${accept}`);
    }
  }
});

t.test('the page of a fault has the brand and the language of the client', async (t) => {
  const { mock } = await startWith(t, { route: 'openLink', status: 503 });
  await mock.updateClient('demo', {
    locale: 'de',
    branding: { displayName: 'Acme', primaryColor: '#14508c' },
  });
  const { body, headers } = await request(mock, 'openLink', 'text/html');
  t.match(headers, { 'content-language': 'de' });
  for (const text of ['lang="de"', 'Acme', '#14508c']) t.match(body, text);
});

t.test('the page of a 429 has the wait of its Retry-After', async (t) => {
  const date = new Date(Date.now() + 600_000).toUTCString();
  for (const [headers, wait] of [
    [{}, 'in 1 second'],
    [{ 'Retry-After': '120' }, 'in 2 minutes'],
    [{ 'retry-after': date }, 'in 10 minutes'],
  ] as const) {
    const { mock } = await startWith(t, { route: 'submitClaim', status: 429, headers });
    const { body } = await request(mock, 'submitClaim', 'text/html');
    t.match(body, `Try again ${wait}.`);
  }
});

t.test('a status comes with the headers that belong to it', async (t) => {
  const { mock, demo } = await startWith(t, { route: 'listSessions', status: 429 });
  await mock.addFault({ route: 'createLink', status: 413 });
  t.match((await request(mock, 'listSessions')).headers, { 'retry-after': '1' });
  t.equal((await demo.link('zoe')).headers.get('connection'), 'close');
});

for (const [name, fault, expected] of [
  [
    'an object is sent as JSON',
    { status: 503, body: { error: 'maintenance' } },
    {
      status: 503,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"error":"maintenance"}',
    },
  ],
  [
    'text is sent as it is',
    { status: 502, body: 'Bad Gateway' },
    { status: 502, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Bad Gateway' },
  ],
  ['a body alone has the status 200', { body: [] }, { status: 200, body: '[]' }],
  ['a status below 400 without a body is empty', { status: 201 }, { status: 201, body: '' }],
  [
    'a 204 has no body',
    { status: 204, body: 'x' },
    { status: 204, body: '', headers: { 'content-length': undefined } },
  ],
  [
    'headers replace those of the response',
    { status: 503, headers: { 'Retry-After': '7', 'Content-Type': 'text/html' }, body: '<p>' },
    { status: 503, headers: { 'retry-after': '7', 'content-type': 'text/html' }, body: '<p>' },
  ],
] as const) {
  t.test(`the body of a fault: ${name}`, async (t) => {
    const { mock } = await startWith(t, fault);
    t.match(await request(mock, 'listSessions'), expected);
  });
}

for (const fault of [
  { status: 503, headers: { 'retry-after': '7' }, body: { error: 'maintenance' } },
  { body: [], delayMs: '1-2' },
  { effect: 'slow', bytesPerSecond: 100_000 },
] as const) {
  t.test(`a logged fault can be set again: ${JSON.stringify(fault)}`, async (t) => {
    const { mock } = await startWith(t, { ...fault, route: 'listSessions', times: 1 });
    const first = await request(mock, 'listSessions');
    const [logged] = await mock.requests();
    await mock.failNext(logged?.fault ?? {});
    await mock.failNext([logged?.fault ?? {}]);
    t.equal((await mock.faults()).filter(({ id }) => id === logged?.fault?.id).length, 0, 'with a new id');
    for (const again of [await request(mock, 'listSessions'), await request(mock, 'listSessions')]) {
      t.match(again, { status: first.status, body: first.body });
      for (const name of ['x-claimlink-fault', 'retry-after'])
        t.equal(again.headers[name], first.headers[name], name);
    }
    const faults = (await mock.requests()).map(({ fault: { id: _, ...set } = {} }) => set);
    t.equal(faults.length, 3);
    for (const again of faults) t.strictSame(again, faults[0]);
  });
}

t.test('an allowed page can read the headers of the API and those of a fault', async (t) => {
  const headers = { 'X-Trace': 'a', 'Access-Control-Expose-Headers': 'x-other, Retry-After' };
  const { mock } = await startWith(t, { status: 503, headers });
  const exposedTo = async (origin: string) => {
    const answer = await send(`${mock.url}/demo/sessions/zoe`, { headers: { 'x-api-key': KEY, origin } });
    return answer.headers['access-control-expose-headers'];
  };
  t.equal(
    await exposedTo('http://localhost:5173'),
    'link, preference-applied, retry-after, x-claimlink-fault, x-other, x-trace',
  );
  t.equal(await exposedTo('https://app.example'), 'x-other, Retry-After', 'no header for another page');
});

/** Headers with which a response would act as a page of the origin, in every case of a name. */
const PERMISSIVE = {
  'Content-Type': 'text/html',
  'content-security-policy': "default-src * 'unsafe-inline'",
  'Content-Security-Policy': '',
  'X-Content-Type-Options': 'none',
};

for (const [name, fault, policy] of [
  ['text', { status: 503, body: '<script>1</script>' }, 'sandbox'],
  ['a body alone', { body: '<script>1</script>' }, 'sandbox'],
  ['a redirect', { status: 303 }, 'sandbox'],
  ['a delay beside a body', { status: 200, body: '<p>', delayMs: 1 }, 'sandbox'],
  ['a problem of the service', { status: 418 }, /(?:^|, )sandbox/],
] as const) {
  for (const route of ['listSessions', 'createLink', 'openLink', 'submitClaim'] as const) {
    t.test(`${name} of a fault at ${route} is sandboxed, whatever headers the fault has`, async (t) => {
      const { mock } = await startWith(t, { ...fault, route, headers: PERMISSIVE });
      for (const accept of ['application/json', 'text/html']) {
        const { headers } = await request(mock, route, accept);
        t.match(headers, { 'content-security-policy': policy, 'x-content-type-options': 'nosniff' }, accept);
        t.notMatch(headers['content-security-policy'], /allow-scripts|allow-same-origin|unsafe/);
      }
    });
  }
}

t.test('a page of the service keeps its policy; with headers of a fault, no script runs', async (t) => {
  const { mock } = await startWith(t, { route: 'openLink', status: 503, times: 1 });
  const policy = /^default-src 'none'; style-src 'nonce-/;
  const first = (await request(mock, 'openLink', 'text/html')).headers['content-security-policy'];
  t.match(first, policy);
  t.notMatch(first, 'sandbox');
  await mock.addFault({
    route: 'openLink',
    status: 503,
    headers: { 'content-type': 'text/html;charset=x' },
  });
  const changed = (await request(mock, 'openLink', 'text/html')).headers['content-security-policy'];
  t.match(changed, policy);
  t.match(changed, /, sandbox allow-forms$/);
});

t.test('a fault has no headers that act on the origin or on the connection', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  for (const name of [
    'Set-Cookie',
    'set-cookie',
    'Clear-Site-Data',
    'Strict-Transport-Security',
    'Service-Worker-Allowed',
    'Alt-Svc',
    'Reporting-Endpoints',
    'NEL',
    'Accept-CH',
    'Refresh',
    'X-Accel-Redirect',
    'X-Sendfile',
    'Content-Length',
    'Transfer-Encoding',
  ]) {
    const fault = { status: 503, headers: { 'Retry-After': '1', [name]: 'x' } };
    const place = `/headers/${name}`;
    const scenario = { clients: [{ clientId: 'demo', apiKey: KEY, faults: [fault] }] };
    t.match(await mock.addFault(fault).catch((error) => error), {
      status: 422,
      message: `headers/${name} must be the name of a header that acts on the response alone`,
    });
    for (const [act, pointer] of [
      [() => mock.addFault(fault), place],
      [() => mock.failNext([{ status: 503 }, fault]), `/faults/1${place}`],
      [() => mock.setScenario(scenario), `/clients/0/faults/0${place}`],
      [() => startMockServer({ port: 0, faults: [fault] }), `/faults/0${place}`],
    ] as const)
      t.same((await rejectionOf(act)).places, [pointer]);
  }
});

t.test('a fault does not redirect to the control API', async (t) => {
  await using mock = await startMockServer({ port: 0 });
  for (const location of [
    '/__mock/reset',
    '../__mock/reset',
    '/x/%2e%2e/__mock/reset',
    '/%5F_mock/reset',
    '//mock.example/__mock',
    '\\__mock\\reset',
    `${mock.url}/__mock/reset`,
    // Of a page that a browser loaded by https.
    'https:/__mock/reset',
    'HTTPS:\\__mock\\reset',
    '/prefix/__mock/reset',
  ])
    t.match(
      await mock.addFault({ status: 307, headers: { LOCATION: location } }).catch((error) => error),
      { status: 422, message: /headers\/LOCATION must be a URL without \/__mock in its path/ },
      location,
    );
  await mock.addFault({ status: 302, headers: { location: 'https://example.com/?a=/__mock' } });
  t.match((await request(mock, 'openLink')).headers, { location: 'https://example.com/?a=/__mock' });
});

t.test('a fault of a persist file that an earlier version wrote has none of these headers', async (t) => {
  const persistFile = join(t.testdir({}), 'mock.json');
  const first = await startMockServer({ port: 0, persistFile });
  await first.addFault({ status: 503, headers: { 'x-changed': 'a=b', 'x-own': '1' }, body: '' });
  await first.close();
  const { state } = JSON.parse((await readFile(persistFile, 'utf8')).replace('x-changed', 'set-cookie'));
  const content = await stringifyState({ ...state, current: [toJson(state.current)] });
  await writeFile(persistFile, content);
  await using second = await startMockServer({ port: 0, persistFile });
  const { headers } = await request(second, 'listSessions');
  t.match(headers, { 'x-own': '1', 'content-security-policy': 'sandbox' });
  t.equal(headers['set-cookie'], undefined);
});

t.test('a HEAD request gets the head of the fault', async (t) => {
  const { mock } = await startWith(t, { status: 503 });
  const headers = { 'x-api-key': KEY };
  const answer = await send(`${mock.url}/demo/sessions/zoe`, { method: 'HEAD', headers });
  t.match(answer, { status: 503, body: '', headers: { 'x-claimlink-fault': 'status=503' } });
});

t.test('a delay comes before the response of the service, from its range', async (t) => {
  const { mock } = await startWith(t, { delayMs: '20-30' });
  const { status, headers } = await request(mock, 'listSessions');
  t.equal(status, 200);
  t.match(headers['x-claimlink-fault'], /^delay=(2\d|30)$/);
  const [logged] = await mock.requests();
  // A timer may end up to 1 ms early.
  t.ok((logged?.durationMs ?? 0) >= (logged?.fault?.delayMs ?? Infinity) - 1);
});

t.test('a caller that gives up ends a long delay; the log has no status', async (t) => {
  const { mock, demo } = await startWith(t, { delayMs: 60_000 });
  const abort = new AbortController();
  const listing = demo.list('zoe', { signal: abort.signal });
  while ((await mock.faults()).every(({ hits }) => hits === 0)) await new Promise(setImmediate);
  abort.abort();
  await t.rejects(listing, { name: 'AbortError' });
  t.match(await mock.waitForRequests(), [{ status: null }]);
});

t.test('a fault of a user is for the user of the path, of currentUserId, and of the link', async (t) => {
  const { mock, demo } = await startWith(t, { userId: 'zoe', status: 503 });
  const links = await Promise.all(
    ['zoe', 'max'].map((userId) => mock.createLink('demo', linkRequest(userId))),
  );
  for (const [index, [userId, status]] of (
    [
      ['zoe', 503],
      ['max', 200],
    ] as const
  ).entries()) {
    t.equal((await demo.list(userId)).status, status, `path ${userId}`);
    t.equal((await demo.link(userId)).status, status, `currentUserId ${userId}`);
    t.equal((await demo.open(links[index]?.url ?? '')).status, status, `link of ${userId}`);
  }
  t.equal((await mock.faults()).find(({ userId }) => userId === 'zoe')?.hits, 3);
});

t.test('pass: the request passes, between failures and while a fault without times is set', async (t) => {
  const { mock, demo } = await startWith(t, { status: 500 });
  await mock.failNext([{ status: 503 }, { effect: 'pass' }, { status: 502 }]);
  const statuses = [];
  for (let index = 0; index < 4; index++) statuses.push((await demo.list('zoe')).status);
  t.same(statuses, [503, 200, 502, 500]);
  t.match(await mock.requests({ status: 200 }), [{ fault: { effect: 'pass' } }]);
});

t.test('a filter for failures finds statuses from 400, resets and broken bodies', async (t) => {
  const { mock, demo } = await startWith(t, { userId: 'max', status: 404, body: 'x' });
  const faults = [
    { status: 503 },
    { effect: 'reset-before' },
    { effect: 'reset-after' },
    { effect: 'truncate' },
    { effect: 'malformed' },
    { effect: 'pass' },
    { effect: 'slow', bytesPerSecond: 1_000_000 },
    { status: 302 },
  ] as const;
  await mock.failNext(faults);
  const read = async () => void (await (await demo.list('zoe')).text());
  for (const _ of faults) await read().catch(() => {});
  await demo.list('max');
  await demo.list('zoe');
  const failed = await mock.requests({ status: 'failed' });
  t.same(
    failed.map(({ status, fault }) => fault?.effect ?? status),
    [503, 'reset-before', 'reset-after', 'truncate', 'malformed', 404],
  );
  t.equal(await mock.countRequests({ status: 'failed' }), failed.length);
  const answer = await send(`${mock.controlUrl}/countRequests?status=failed`);
  t.equal(answer.body, String(failed.length));
});

t.test('reset-before: the connection is reset, and the request has no effect', async (t) => {
  const { mock, demo } = await startWith(t, { route: 'createLink', effect: 'reset-before' });
  await t.rejects(demo.link('zoe'), { message: 'fetch failed' });
  t.equal(await mock.countLinks(), 0);
  t.match(await mock.waitForRequests(), [
    { route: 'createLink', status: null, fault: { effect: 'reset-before' } },
  ]);
});

t.test('reset-after: the request takes effect, then the connection is reset', async (t) => {
  const { mock, demo } = await startWith(t, { route: 'createLink', effect: 'reset-after' });
  await t.rejects(demo.link('zoe'), { message: 'fetch failed' });
  t.equal(await mock.countLinks(), 1);
  t.match(await mock.waitForRequests(), [
    { route: 'createLink', status: null, fault: { effect: 'reset-after' } },
  ]);
});

t.test('truncate: the response ends in the middle of its body', async (t) => {
  const { demo } = await startWith(t, { effect: 'truncate' });
  const response = await demo.list('user-1');
  t.equal(response.status, 200);
  t.ok(Number(response.headers.get('content-length')) > 0);
  let received = 0;
  await t.rejects(async () => {
    for await (const chunk of response.body ?? []) received += chunk.length;
  });
  t.equal(received, Math.floor(Number(response.headers.get('content-length')) / 2));
});

t.test('malformed: the whole length arrives and is no JSON; a page ends in spaces', async (t) => {
  const { mock, demo } = await startWith(t, { effect: 'malformed' });
  const response = await demo.list('user-1');
  const text = await response.text();
  t.equal(Buffer.byteLength(text), Number(response.headers.get('content-length')));
  t.throws(() => JSON.parse(text), SyntaxError);
  const page = await request(mock, 'openLink', 'text/html');
  t.equal(page.status, 200);
  t.match(page.body, / {100}$/);
});

t.test('slow: the whole body arrives in parts, not faster than its bytes per second', async (t) => {
  const { demo } = await startWith(t, { effect: 'slow', bytesPerSecond: 10_000 });
  const startedAt = performance.now();
  const response = await demo.list('user-many');
  const bytes = Number(response.headers.get('content-length'));
  t.equal(response.headers.get('x-claimlink-fault'), 'effect=slow');
  const reader = response.body?.getReader();
  const first = await reader?.read();
  t.ok((first?.value?.length ?? bytes) < bytes);
  await reader?.cancel();

  const text = await (await demo.list('user-1')).text();
  t.equal(JSON.parse(text).length > 0, true);
  t.ok(performance.now() - startedAt >= (text.length / 10_000) * 1000 - 5);
});
