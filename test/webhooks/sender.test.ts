// The sender of webhooks: what a receiver gets, and which failures an event has.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import * as net from 'node:net';
import { type AddressInfo, isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { retryOf } from '../../lib/core/delivery-error.js';
import { EVENT_TYPES } from '../../lib/core/types.js';
import type { SubmissionEvent } from '../../lib/index.js';
import { createAddressCheck, createGuardedPost, nodeModules } from '../../lib/webhooks/guarded-post.js';
import { createWebhookSender, WebhookError, type WebhookSenderOptions } from '../../lib/webhooks/index.js';
import { signWebhook } from '../../lib/webhooks/request.js';
import { freePort, serve } from '../listen.js';
import { REPOSITORY } from '../repository.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEXT_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NOW = new Date('2026-03-02T10:00:00.900Z');
const secrets = [SECRET];
const now = () => NOW;

const event = {
  type: 'claim.submitted',
  id: '7f0c3f0e-0000-4000-8000-000000000001',
  attempt: 2,
  clientId: 'acme',
  userId: 'zoe',
  linkId: 'link-1',
  session: { reference: 'S-1', date: new Date('2026-03-01T09:00:00.000Z') },
} as unknown as SubmissionEvent;

/** Starts a receiver that responds with a status. Returns its origin and what it got. */
async function startReceiver(t: Test, status: number | null = 204, headers = {}) {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await text(req) });
    if (status !== null) res.writeHead(status, headers).end();
  });
  return { received, url: `${await serve(t, server)}/claims?key=secret` };
}

t.test('the signature is that of the example of Standard Webhooks', async (t) => {
  const body = '{"test": 2432232314}';
  const signature = signWebhook(SECRET, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', body);
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

t.test('a receiver gets the event once, with one signature of each secret', async (t) => {
  const { received, url } = await startReceiver(t);
  await createWebhookSender({ url, secrets: [NEXT_SECRET, SECRET], now })(event);
  const [message] = received;
  const { id, clientId, userId, linkId, session } = event;
  const body = JSON.stringify({
    type: 'claim.submitted',
    timestamp: '2026-03-01T09:00:00.000Z',
    data: { clientId, userId, linkId, session },
  });
  const sign = (secret: string) => signWebhook(secret, id, '1772445600', body);
  t.equal(received.length, 1);
  t.equal(message?.body, body);
  t.match(message?.headers, {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': '1772445600',
    'webhook-signature': `${sign(NEXT_SECRET)} ${sign(SECRET)}`,
  });
});

t.test('each other kind of event has the body of its fixture', async (t) => {
  const { received, url } = await startReceiver(t);
  const send = createWebhookSender({ url, secrets, now });
  for (const type of EVENT_TYPES.filter((type) => type !== 'claim.submitted')) {
    const name = type.replaceAll(/[._]/g, '-');
    const fixture = readFileSync(new URL(`fixtures/webhooks/${name}.json`, REPOSITORY), 'utf8');
    const { timestamp, data } = JSON.parse(fixture);
    const times = { at: new Date(timestamp), ...(data.expiresAt && { expiresAt: new Date(data.expiresAt) }) };
    await send({ ...data, ...times, id: event.id, attempt: 3, type });
    t.strictSame(JSON.parse(received.at(-1)?.body ?? ''), JSON.parse(fixture), type);
    t.equal(received.at(-1)?.headers['webhook-id'], event.id);
  }
});

t.test('every status but 2xx is a failed attempt, whose code says which', async (t) => {
  for (const [status, code] of [
    [400, 'HTTP_400'],
    [410, 'HTTP_410'],
    [503, 'HTTP_503'],
    [304, 'HTTP_304_redirect'],
  ] as const) {
    const { url } = await startReceiver(t, status);
    await t.rejects(createWebhookSender({ url, secrets })(event), { name: 'WebhookError', code });
  }
});

t.test(
  'the sender asks for no attempt after a 410, and for none before the time of Retry-After',
  async (t) => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
    for (const [status, headers, retry] of [
      [410, {}, false],
      [410, { 'retry-after': '5' }, false],
      [429, { 'retry-after': '120' }, at(120)],
      [503, { 'retry-after': 'Mon, 02 Mar 2026 12:00:00 GMT' }, new Date('2026-03-02T12:00:00Z')],
      [503, { 'retry-after': 'soon' }, undefined],
      [503, { 'retry-after': '-1' }, undefined],
      [503, {}, undefined],
      [307, { location: 'http://127.0.0.1:1/' }, undefined],
    ] as const) {
      const { url } = await startReceiver(t, status, headers);
      const error = await createWebhookSender({ url, secrets, now })(event).catch((cause: unknown) => cause);
      t.strictSame(retryOf(error), retry, `${status} ${JSON.stringify(headers)}`);
    }
  },
);

t.test('no redirect is followed', async (t) => {
  const other = await startReceiver(t, 200);
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await startReceiver(t, status, { location: other.url });
    await t.rejects(createWebhookSender({ url, secrets })(event), { code: `HTTP_${status}_redirect` });
  }
  t.equal(other.received.length, 0);
});

t.test('a receiver that is away or does not respond is a failed attempt', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  await t.rejects(createWebhookSender({ url, secrets })(event), { code: 'ECONNREFUSED' });
  const silent = await startReceiver(t, null);
  const send = createWebhookSender({ url: silent.url, secrets, timeoutSeconds: 1 });
  await t.rejects(send(event), { code: 'TimeoutError' });
});

t.test('the error has no URL, no secret and nothing of the event', async (t) => {
  const { url } = await startReceiver(t, 500);
  const error = await createWebhookSender({ url, secrets })(event).catch((error: unknown) => error);
  t.ok(error instanceof WebhookError);
  const shown = `${(error as Error).stack} ${JSON.stringify(error)} ${Object(error).cause}`;
  t.notMatch(shown, /key=|whsec_|127\.0\.0\.1|zoe|S-1/);
});

t.test('options that could lose or leak an event are rejected', async (t) => {
  const url = 'https://example.com/claims';
  for (const [options, pointer] of [
    [{}, '/url'],
    [{ url }, '/secrets'],
    [{ url: 'http://example.com/', secrets }, '/url'],
    [{ url: 'ftp://localhost/', secrets }, '/url'],
    [{ url: '/claims', secrets }, '/url'],
    [{ url: 7, secrets }, '/url'],
    [{ url: 'https://user:password@example.com/', secrets }, '/url'],
    [{ url: 'https://example.com/#a', secrets }, '/url'],
    [{ url: 'https://example.com:6000/', secrets }, '/url'],
    [{ url: 'http://localhost/', secrets, rejectPrivateAddresses: true }, '/url'],
    [{ url, secrets: [] }, '/secrets'],
    [{ url, secrets: Array(6).fill(SECRET) }, '/secrets'],
    [{ url, secrets: SECRET }, '/secrets'],
    [{ url, secrets: [SECRET, 'whsec_short'] }, '/secrets/1'],
    [{ url, secrets: [7] }, '/secrets/0'],
    [{ url, secrets, timeoutSeconds: 60 }, '/timeoutSeconds'],
    [{ url, secrets, rejectPrivateAddresses: 'yes' }, '/rejectPrivateAddresses'],
    [{ url, secrets, secret: SECRET }, '/secret'],
  ] as [WebhookSenderOptions, string][]) {
    const error = t.throws(() => createWebhookSender(options), {
      code: 'options_invalid',
      problems: [{ pointer }],
    });
    t.notMatch(String(error), SECRET);
  }
});

t.test('addresses that no public host has are not public', async (t) => {
  const isPublic = createAddressCheck(net);
  const special =
    `0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8
    192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1
    5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1`.split(/\s+/);
  for (const address of special) {
    t.ok(isIP(address), address);
    t.equal(isPublic(address), false, address);
  }
  for (const address of [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
  ])
    t.equal(isPublic(address), true, address);
  for (const address of [
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '223.255.255.255',
  ])
    t.equal(isPublic(address), true, address);
  for (const address of ['2001:200::1', '2606:4700:4700::1111', '2a00:1450:4001::1', '3ffe::1'])
    t.equal(isPublic(address), true, address);
});

/** Starts a receiver over TLS. Returns its port, the certificate, and the number of its connections. */
async function startTlsReceiver(
  t: Test,
  status: number | null | ((socket: net.Socket) => unknown) = 204,
  headers = {},
) {
  const [cert = '', key = ''] = await Promise.all(
    ['cert', 'key'].map((name) => readFile(new URL(`test/mock-server/tls/${name}.pem`, REPOSITORY), 'utf8')),
  );
  const bodies: string[] = [];
  let connections = 0;
  const server = createTlsServer({ cert, key }, async (req, res) => {
    bodies.push(await text(req));
    if (typeof status === 'function') status(req.socket);
    else if (status !== null) res.writeHead(status, headers).end();
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, cert, bodies, connections: () => connections };
}

const modules = nodeModules();
if (modules === undefined) throw new Error('This is not Node.');

t.test('with the guard, nothing connects to an address that is not public', async (t) => {
  const { port, connections } = await startTlsReceiver(t);
  for (const host of ['localhost', '127.0.0.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]']) {
    const send = createWebhookSender({
      url: `https://${host}:${port}/`,
      secrets,
      rejectPrivateAddresses: true,
    });
    await t.rejects(send(event), { code: 'private_address' }, host);
  }
  t.equal(connections(), 0);
});

t.test('with the guard, a host is rejected if one of its addresses is not public', async (t) => {
  const asked: string[] = [];
  const dns = {
    lookup: (_name: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]),
  } as unknown as typeof modules.dns;
  const { port, connections } = await startTlsReceiver(t);
  const post = createGuardedPost({ ...modules, dns }, (address) => asked.push(address) < 2);
  const request = { headers: {}, body: '{}' };
  const { signal } = new AbortController();
  await t.rejects(post(`https://claims.example:${port}/`, request, signal), { code: 'private_address' });
  t.same(asked, ['127.0.0.1', '10.0.0.1']);
  t.equal(connections(), 0);
});

t.test('with the guard, an event is posted over TLS to the address that was looked up', async (t) => {
  const { port, cert, bodies } = await startTlsReceiver(t);
  const post = createGuardedPost(modules, () => true, { ca: cert });
  const { signal } = new AbortController();
  const request = { headers: { 'webhook-id': '1' }, body: '{"a":1}' };
  t.match(await post(`https://localhost:${port}/`, request, signal), { status: 204 });
  t.same(bodies, ['{"a":1}']);
  const untrusted = createGuardedPost(modules, () => true);
  await t.rejects(untrusted(`https://localhost:${port}/`, request, signal), { code: /CERT|SELF_SIGNED/ });
});

t.test('with the guard, no redirect is followed, and an attempt ends with its time', async (t) => {
  const { port, cert } = await startTlsReceiver(t, 307, { location: 'https://127.0.0.1:1/' });
  const post = createGuardedPost(modules, () => true, { ca: cert });
  const request = { headers: {}, body: '{}' };
  t.match(await post(`https://localhost:${port}/`, request, new AbortController().signal), { status: 307 });
  const silent = await startTlsReceiver(t, null);
  const ended = new AbortController();
  const posting = post(`https://localhost:${silent.port}/`, request, ended.signal);
  ended.abort(new DOMException('It took too long.', 'TimeoutError'));
  await t.rejects(posting, { name: 'TimeoutError' });
});

/** What a receiver does with the socket of a request, and how the attempt ends. */
const ENDS: [what: string, end: (socket: net.Socket) => unknown, outcome: number | RegExp][] = [
  ['switches the protocol', (socket) => socket.write(`HTTP/1.1 101 Switching\r\n${UPGRADE}\r\n\r\n`), 101],
  [
    'switches the protocol and ends',
    (socket) => socket.end(`HTTP/1.1 101 Switching\r\n${UPGRADE}\r\n\r\n`),
    101,
  ],
  ['responds 200 with an upgrade', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${UPGRADE}\r\n\r\n`), 200],
  ['ends', (socket) => socket.end(), /^ECONNRESET$/],
  ['resets the connection', (socket) => socket.destroy(), /^ECONNRESET$/],
  ['ends within the head', (socket) => socket.end('HTTP/1.1 20'), /^(?:HPE_\w+|ECONNRESET)$/],
  ['sends what is no HTTP', (socket) => socket.write('220 mail\r\n'), /^HPE_/],
  [
    'sends an interim response and ends',
    (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
    /^ECONNRESET$/,
  ],
  ['ends within the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\na'), 200],
];
const UPGRADE = 'connection: upgrade\r\nupgrade: websocket';

for (const [what, end, outcome] of ENDS)
  t.test(`with the guard, an attempt ends if the receiver ${what}`, async (t) => {
    const { cert, port } = await startTlsReceiver(t, (socket) => end(socket));
    const post = createGuardedPost(modules, () => true, { ca: cert });
    const posting = post(
      `https://localhost:${port}/`,
      { headers: {}, body: '{}' },
      new AbortController().signal,
    );
    if (typeof outcome === 'number') t.match(await posting, { status: outcome });
    else await t.rejects(posting, { code: outcome });
  });

t.test('with the guard, an attempt ends with its time, whatever the receiver holds open', async (t) => {
  for (const head of ['', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 200 OK\r\n']) {
    let connected = () => {};
    const connection = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const { cert, port } = await startTlsReceiver(t, (socket) => {
      socket.write(head);
      connected();
    });
    const post = createGuardedPost(modules, () => true, { ca: cert });
    const ended = new AbortController();
    const posting = post(`https://localhost:${port}/`, { headers: {}, body: '{}' }, ended.signal);
    await connection;
    ended.abort(new DOMException('It took too long.', 'TimeoutError'));
    await t.rejects(posting, { name: 'TimeoutError' }, head);
  }
});

t.test('with the guard, a host without an address is a failed attempt', async (t) => {
  const dns = {
    lookup: (_name: string, _options: object, callback: (error: null, addresses: object[]) => void) =>
      callback(null, []),
  } as unknown as typeof modules.dns;
  const post = createGuardedPost({ ...modules, dns });
  const request = { headers: {}, body: '{}' };
  const posting = post('https://claims.example/', request, new AbortController().signal);
  await t.rejects(posting, { code: 'ENOTFOUND' });
});

t.test('a secret has 24 to 64 bytes', (t) => {
  const create = (bytes: number) => () =>
    createWebhookSender({
      url: 'https://example.com/',
      secrets: [`whsec_${Buffer.alloc(bytes, 7).toString('base64')}`],
    });
  for (let bytes = 1; bytes <= 80; bytes++)
    if (bytes >= 24 && bytes <= 64) t.ok(create(bytes)(), String(bytes));
    else t.throws(create(bytes), { code: 'options_invalid' }, String(bytes));
  t.end();
});

t.test('the guard is rejected where the address of a host cannot be chosen', async (t) => {
  t.intercept(process, 'getBuiltinModule', { value: undefined });
  const options = { url: 'https://example.com/', secrets, rejectPrivateAddresses: true };
  t.throws(() => createWebhookSender(options), {
    code: 'options_invalid',
    problems: [{ pointer: '/rejectPrivateAddresses' }],
  });
  t.ok(createWebhookSender({ ...options, rejectPrivateAddresses: false }));
});
