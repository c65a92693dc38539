// The webhook of a mock: which requests it sends, when it repeats them, and what is logged.

import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { signWebhook } from '../../../lib/webhooks/request.js';
import { createMockFetch, type MockServerOptions, startMockServer } from '../../../mock-server/index.js';
import { serve } from '../../listen.js';
import { linkRequest, rejectionOf } from '../caller.js';
import { createSink } from '../client.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const route = 'claimSubmitted';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A response of a backend: a status and headers; null: it does not respond. */
type Response = number | [status: number, headers: OutgoingHttpHeaders] | null;

/** Starts a backend. It gives these responses, then 204. */
async function startReceiver(t: Test, ...responses: Response[]) {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await text(req) });
    const response = responses.length === 0 ? 204 : responses.shift();
    const [status, headers = {}] = Array.isArray(response) ? response : [response];
    if (typeof status === 'number') res.writeHead(status, headers).end();
  });
  return { received, url: `${await serve(t, server)}/claims?team=a` };
}

/** Starts a mock whose clocks stand still. */
const start = (webhook: string, options: MockServerOptions = {}) =>
  startMockServer({ port: 0, webhook, webhookSecret: SECRET, now: () => new Date('2026-03-02'), ...options });

function isSigned({ headers, body }: Received, secret = SECRET): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  return signature === signWebhook(secret, String(id), String(timestamp), body);
}

t.test('a submission on the page and one without a browser are sent once, and logged', async (t) => {
  const { url, received } = await startReceiver(t);
  await using mock = await start(url);
  const link = await mock.createLink('demo', linkRequest('zoe'));
  const { reference } = await mock.submitLink(link.url);
  const [entry] = await mock.waitForRequests({ route });
  t.match(entry, {
    clientId: 'demo',
    userId: 'zoe',
    method: 'POST',
    path: url.replace('team=a', 'team=[…]'),
    status: 204,
    headers: { 'webhook-id': String, 'webhook-signature': /^v1,/ },
    requestBody: { text: /"claim.submitted"/ },
  });
  const [message] = received;
  if (message === undefined) throw new Error('It was not sent.');
  t.ok(isSigned(message));
  const [session] = await mock.sessions('demo', 'zoe');
  t.strictSame(JSON.parse(message.body), {
    type: 'claim.submitted',
    timestamp: session?.date.toISOString(),
    data: {
      clientId: 'demo',
      userId: 'zoe',
      linkId: link.linkId,
      session: JSON.parse(JSON.stringify(session)),
    },
  });
  t.equal(session?.reference, reference);
  const age = Date.now() / 1000 - Number(message.headers['webhook-timestamp']);
  t.ok(age > -2 && age < 300, 'the time of the system clock');

  const second = await mock.createLink('demo', linkRequest('max'));
  const [listed] = await mock.sessions('demo', 'max');
  const policy = listed?.selectedPolicy;
  const response = await fetch(second.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ policy }),
  });
  t.equal(response.status, 200, await response.text());
  t.match(await mock.waitForRequests({ route, userId: 'max' }), [{ status: 204 }]);
  await mock.advanceClock(24 * 60 * 60 * 1000);
  t.equal(received.length, await mock.countRequests({ route }), 'nothing is repeated');
});

t.test('a failed attempt is repeated when the clock of the client is due, with the same id', async (t) => {
  const { url, received } = await startReceiver(t, 503, 302);
  const log = createSink();
  await using mock = await start(url, { log: 'pretty', logStream: log });
  const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
  await mock.submitLink(link);
  t.match(await mock.waitForRequests({ route }), [{ status: 503, code: 'HTTP_503' }]);
  await mock.advanceClock(4000);
  t.equal(await mock.countRequests({ route }), 1);
  await mock.advanceClock(6000);
  t.match(await mock.waitForRequests({ route, count: 2 }), [{}, { status: 302, code: 'HTTP_302_redirect' }]);
  await mock.advanceClock(20_000);
  t.match(await mock.waitForRequests({ route, count: 3 }), [{}, {}, { status: 204 }]);
  t.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const lines = log.text.trimEnd().split('\n');
  const shownUrl = url.slice(0, url.indexOf('?'));
  t.strictSame(
    lines.map((line) => line.replace(/^[\d:]+ (.*) [\d.]+ ms$/, '$1')),
    [
      `503 POST ${shownUrl} attempt 1 HTTP_503`,
      `302 POST ${shownUrl} attempt 2 HTTP_302_redirect`,
      `204 POST ${shownUrl} attempt 3`,
    ],
    'the terminal has one line for each attempt, without the query',
  );
});

t.test(
  'a redirect is a failed attempt: neither the claim nor its signature reaches the other host',
  async (t) => {
    const login = await startReceiver(t);
    const statuses = [301, 302, 303, 307, 308];
    const { url, received } = await startReceiver(
      t,
      ...statuses.map((status): Response => [status, { location: login.url }]),
    );
    await using mock = await start(url);
    const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
    await mock.submitLink(link);
    for (const [index, status] of statuses.entries()) {
      const attempts = await mock.waitForRequests({ route, count: index + 1 });
      t.match(attempts[index], { status, code: `HTTP_${status}_redirect` });
      await mock.advanceClock(24 * 60 * 60 * 1000);
    }
    t.match((await mock.waitForRequests({ route, count: 6 })).at(-1), { status: 204 });
    t.equal(received.length, 6, 'the event stays until the receiver accepts it');
    t.same(login.received, []);
  },
);

t.test('a clock that runs repeats an attempt without a call', async (t) => {
  const { url } = await startReceiver(t, 500);
  let time = Date.parse('2026-03-02');
  await using mock = await start(url, { now: () => new Date(time) });
  const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
  await mock.submitLink(link);
  await mock.waitForRequests({ route });
  time += 10_000;
  t.match(await mock.waitForRequests({ route, count: 2, timeoutMs: 60_000 }), [{}, { status: 204 }]);
});

t.test('a receiver that cannot be reached is in the log', async (t) => {
  const log = createSink();
  await using mock = await start('http://127.0.0.1:2/', { log: 'json', logStream: log });
  const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
  await mock.submitLink(link);
  const [entry] = await mock.waitForRequests({ route });
  t.match(entry, { status: null, code: String });
  const line = { msg: 'webhook', path: 'http://127.0.0.1:2/', status: null, code: entry?.code, attempt: 1 };
  t.match(JSON.parse(log.text), line);
});

t.test('faults of the route claimSubmitted apply to attempts', async (t) => {
  const { url, received } = await startReceiver(t);
  await using mock = await start(url);
  /** Submits a link with a fault, and returns the attempt. */
  async function attempt(fault: object) {
    await mock.clearRequests();
    await mock.failNext({ route, ...fault });
    const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
    await mock.submitLink(link);
    const [entry] = await mock.waitForRequests({ route });
    return { entry, sent: received.splice(0) };
  }
  const lost = await attempt({ status: 503 });
  t.match(lost, { entry: { status: 503, fault: { status: 503 } }, sent: [] });
  const early = await attempt({ effect: 'reset-before' });
  t.match(early, { entry: { status: null, code: 'reset-before' }, sent: [] });
  const late = await attempt({ effect: 'reset-after' });
  t.match(late, { entry: { status: null, code: 'reset-after' } });
  t.same(
    late.sent.map((each) => isSigned(each)),
    [true],
  );
  for (const effect of ['malformed', 'truncate']) {
    const { entry, sent } = await attempt({ effect });
    t.match(entry, { status: 204, fault: { effect } });
    t.same(
      sent.map((each) => isSigned(each)),
      [false],
      `${effect}: the signature is of the whole body`,
    );
  }
  await mock.advanceClock(10_000);
  await mock.waitForRequests({ route, count: 4 });
  t.equal(received.length, 3, 'the failed ones are repeated');
});

t.test('an attempt uses up no fault without a route', async (t) => {
  const { url } = await startReceiver(t);
  await using mock = await start(url);
  const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
  await mock.failNext({ status: 503 });
  await mock.submitLink(link);
  t.match(await mock.waitForRequests({ route }), [{ status: 204, fault: undefined }]);
  t.match((await mock.faults()).at(-1), { status: 503, times: 1 });
});

t.test(
  'close ends an attempt; the next mock on the persist file makes it again, then never more',
  async (t) => {
    const { url, received } = await startReceiver(t, null);
    const persistFile = join(t.testdir(), 'mock.json');
    const first = await start(url, { persistFile });
    const { url: link } = await first.createLink('demo', linkRequest('zoe'));
    await first.submitLink(link);
    while (received.length < 1) await new Promise(setImmediate);
    await first.close();
    const second = await start(url, { persistFile });
    await second.advanceClock(60_000);
    t.match(await second.waitForRequests({ route }), [{ status: 204 }]);
    t.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
    await second.close();
    await using third = await start(url, { persistFile });
    await third.advanceClock(60_000);
    const { url: another } = await third.createLink('demo', linkRequest('max'));
    await third.submitLink(another);
    t.match(await third.waitForRequests({ route }), [{ userId: 'max' }]);
    t.equal(received.length, 3);
  },
);

t.test('a session that is replaced, and a reset, end the attempts of a submission', async (t) => {
  const { url, received } = await startReceiver(t, 500, 500);
  await using mock = await start(url);
  for (const end of [() => mock.setSessions('demo', 'zoe', []), () => mock.reset()]) {
    const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
    await mock.submitLink(link);
    await mock.waitForRequests({ route });
    await end();
    await mock.clearRequests();
  }
  await mock.advanceClock(60_000);
  const { url: link } = await mock.createLink('demo', linkRequest('max'));
  await mock.submitLink(link);
  await mock.waitForRequests({ route });
  t.equal(received.length, 3);
});

t.test('a mock without a port sends as well, with a secret that it generated', async (t) => {
  const { url, received } = await startReceiver(t);
  const mock = createMockFetch({ webhook: url });
  t.match(mock.webhookSecret, /^whsec_[\w+/]{32}$/);
  t.not(createMockFetch({ webhook: url }).webhookSecret, mock.webhookSecret);
  t.equal(createMockFetch().webhookSecret, undefined);
  const { url: link } = await mock.createLink('demo', linkRequest('zoe'));
  await mock.submitLink(link);
  await mock.waitForRequests({ route });
  t.same(
    received.map((each) => isSigned(each, mock.webhookSecret)),
    [true],
  );
});

t.test('a webhook is a URL without a password, and a secret has 24 to 64 bytes and a webhook', async (t) => {
  const webhook = 'https://app.example.com/claims?team=a';
  for (const [options, place] of [
    [{ webhook: 'ftp://app.example.com' }, '/webhook'],
    [{ webhook: 'https://user:word@app.example.com' }, '/webhook'],
    [{ webhook: 'app.example.com' }, '/webhook'],
    [{ webhook, webhookSecret: 'secret' }, '/webhookSecret'],
    [{ webhook, webhookSecret: `whsec_${'A'.repeat(28)}` }, '/webhookSecret'],
    [{ webhook, webhookSecret: `whsec_${'A'.repeat(33)}` }, '/webhookSecret'],
    [{ webhookSecret: SECRET }, '/webhookSecret'],
  ] as const) {
    const { code, places } = await rejectionOf(() => createMockFetch(options));
    t.same([code, places], ['options_invalid', [place]], JSON.stringify(options));
  }
  for (const bytes of [24, 25, 26, 63, 64]) {
    const webhookSecret = `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;
    t.equal(createMockFetch({ webhook, webhookSecret }).webhookSecret, webhookSecret);
  }
});
