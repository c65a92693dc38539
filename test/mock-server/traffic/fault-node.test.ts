// Spoiled answers of a real server, as a raw socket and a real fetch see them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import type { FaultEffect } from '../../../mock-server/control.js';
import { spoil } from '../../../mock-server/traffic/fault-node.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const SESSIONS = '[{"reference":"Zoë","status":"submitted"}]';
const LENGTH = Buffer.byteLength(SESSIONS);
const HALF = Buffer.from(SESSIONS)
  .subarray(0, Math.floor(LENGTH / 2))
  .toString('latin1');

/** As the Node adapter does it. */
const plain: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(LENGTH) });
  response.end(SESSIONS);
};

/** Starts a server that spoils every answer of the handler; gives its URL. */
async function serve(t: Test, effect: FaultEffect, handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    spoil(response, effect);
    if (!response.destroyed) handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything that comes over the wire until the server ends the connection. */
async function readWire(url: string, method = 'GET'): Promise<{ head: string; body: string }> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is an end, too.
  socket.on('error', () => {});
  socket.write(`${method} / HTTP/1.1\r\nhost: a\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  const text = Buffer.concat(chunks).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? { head: text, body: '' } : { head: text.slice(0, end), body: text.slice(end + 4) };
}

for (const effect of ['cut', 'lose'] as const) {
  t.test(`${effect}: fetch fails, and not a byte came`, async (t) => {
    const url = await serve(t, effect, plain);
    await t.rejects(fetch(url), { name: 'TypeError', message: 'fetch failed' });
    t.same(await readWire(url), { head: '', body: '' });
  });
}

t.test('lose: the work has been done; cut: it has not', async (t) => {
  const done: string[] = [];
  for (const effect of ['cut', 'lose'] as const) {
    const url = await serve(t, effect, (request, response) => {
      done.push(effect);
      plain(request, response);
    });
    await t.rejects(fetch(url));
  }
  t.same(done, ['lose']);
});

t.test('lose: what was written before the end is not sent either', async (t) => {
  const url = await serve(t, 'lose', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    response.write('a', () => response.write('b', 'latin1', () => response.end('c')));
  });
  t.same(await readWire(url), { head: '', body: '' });
});

t.test('truncate: head and half of the body, whose length says more', async (t) => {
  const url = await serve(t, 'truncate', plain);
  const { head, body } = await readWire(url);
  t.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  t.match(head, `content-length: ${LENGTH}`);
  t.equal(body, HALF);
});

t.test('truncate: fetch gets the head, and its body fails', async (t) => {
  const response = await fetch(await serve(t, 'truncate', plain));
  t.equal(response.status, 200);
  await t.rejects(response.text(), { name: 'TypeError', message: 'terminated' });
});

t.test('truncate: without a length of the handler, one is set', async (t) => {
  const url = await serve(t, 'truncate', (_request, response) => {
    response.write(Buffer.from('hello '));
    response.end('world!');
  });
  const { head, body } = await readWire(url);
  t.match(head, /content-length: 12/i);
  t.equal(body, 'hello ');
});

t.test('truncate: a chunked answer breaks off before its last chunk', async (t) => {
  const url = await serve(t, 'truncate', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('hello world!');
  });
  t.equal((await readWire(url)).body, '6\r\nhello \r\n');
  await t.rejects((await fetch(url)).text(), { message: 'terminated' });
});

t.test('truncate: of one byte none comes', async (t) => {
  const url = await serve(t, 'truncate', (_request, response) => response.end('x'));
  const { head, body } = await readWire(url);
  t.match(head, /content-length: 1/i);
  t.equal(body, '');
});

t.test('truncate: half of a large body arrives whole', async (t) => {
  const size = 8 * 1024 * 1024;
  const url = await serve(t, 'truncate', (_request, response) => response.end(Buffer.alloc(size, 'x')));
  t.equal((await readWire(url)).body.length, size / 2);
});

t.test('truncate: without a body, and for HEAD, nothing comes', async (t) => {
  const empty = await serve(t, 'truncate', (_request, response) => response.writeHead(204).end());
  t.same(await readWire(empty), { head: '', body: '' });
  t.same(await readWire(await serve(t, 'truncate', plain), 'HEAD'), { head: '', body: '' });
});

t.test('malformed: status, headers and length are the same, the JSON does not parse', async (t) => {
  const url = await serve(t, 'malformed', plain);
  const response = await fetch(url);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json');
  t.equal(response.headers.get('content-length'), String(LENGTH));
  const text = await response.text();
  t.equal(Buffer.byteLength(text), LENGTH);
  t.throws(() => JSON.parse(text), SyntaxError);
  t.equal(
    text.slice(0, -1),
    SESSIONS.slice(0, -1),
    'for the end of it, since the type is told from the head',
  );
});

t.test('malformed: the type may have been set as a header, and the body comes in pieces', async (t) => {
  const url = await serve(t, 'malformed', (_request, response) => {
    response.setHeader('Content-Type', 'application/problem+json');
    Readable.from([Buffer.from('{"a":'), Buffer.from('1}')]).pipe(response);
  });
  t.equal(await (await fetch(url)).text(), '{"a":1<');
});

t.test('malformed: a page is cut and filled up', async (t) => {
  const url = await serve(t, 'malformed', (_request, response) => {
    response.writeHead(200, 'Fine', { 'content-type': 'text/html' });
    response.end(Buffer.from('<p>Hello</p>').toString('hex'), 'hex');
  });
  t.equal(await (await fetch(url)).text(), '<p>Hel      ');
});

t.test('malformed: a redirect leads where it led, an empty answer is empty, HEAD is answered', async (t) => {
  const redirect = await serve(t, 'malformed', (_request, response) => {
    response.writeHead(303, { location: '/next' }).end('Go on');
  });
  const response = await fetch(redirect, { redirect: 'manual' });
  t.equal(response.headers.get('location'), '/next');
  t.equal(await response.text(), 'Go on');
  const empty = await serve(t, 'malformed', (_request, response) => response.writeHead(204).end());
  t.equal((await fetch(empty)).status, 204);
  const head = await fetch(await serve(t, 'malformed', plain), { method: 'HEAD' });
  t.equal(head.headers.get('content-length'), String(LENGTH));
});

t.test('malformed: the connection is used again, and callbacks are called', async (t) => {
  let finished = 0;
  const url = await serve(t, 'malformed', (_request, response) => {
    response.write('{', 'utf8', () => response.end('}', () => finished++));
  });
  t.equal(await (await fetch(url)).text(), '{ ');
  t.equal(await (await fetch(url)).text(), '{ ');
  t.equal(finished, 2);
});

t.test('an answer that is ended twice is spoiled once', async (t) => {
  const url = await serve(t, 'malformed', (_request, response) => {
    response.end('ab');
    response.end('cd');
  });
  t.equal(await (await fetch(url)).text(), 'a ');
});

for (const effect of ['lose', 'truncate', 'malformed'] as const) {
  t.test(`${effect}: works under Fastify, whose other answers are whole`, async (t) => {
    const app = Fastify();
    app.addHook('onRequest', async (request, reply) => {
      if (request.url === '/spoiled') spoil(reply.raw, effect);
    });
    for (const path of ['/spoiled', '/whole']) app.get(path, async () => ({ name: 'Zoë' }));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    t.teardown(() => app.close());
    const reading = fetch(`${url}/spoiled`).then((response) => response.json());
    if (effect === 'malformed') await t.rejects(reading, SyntaxError);
    else await t.rejects(reading, TypeError);
    t.same(await (await fetch(`${url}/whole`)).json(), { name: 'Zoë' });
  });
}
