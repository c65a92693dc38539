// Responses that are sent before the request body arrived: the connection is closed, so that the upload ends.

import { type IncomingMessage, type RequestListener, request } from 'node:http';
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import fastify, { type preParsingHookHandler } from 'fastify';
import t, { type Test } from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { BodyOptions } from '../../lib/adapters/request-body.js';
import type { Claimlink, CoreResponse } from '../../lib/index.js';
import { serve } from '../listen.js';
import { createTestService, KEYS } from './service.js';

type StartHost = (t: Test, claimlink: Claimlink, options: BodyOptions) => Promise<number>;

async function listen(t: Test, listener: RequestListener): Promise<number> {
  return Number(new URL(await serve(t, listener)).port);
}

const HOSTS: Record<string, StartHost> = {
  'node:http': (t, claimlink, options) => listen(t, createNodeHandler(claimlink, options)),
  Express: (t, claimlink, options) => listen(t, express().use(createNodeHandler(claimlink, options))),
  Fastify: async (t, claimlink, options) => {
    const app = fastify();
    app.register(claimlinkPlugin, { claimlink, ...options });
    t.teardown(() => app.close());
    return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  },
};

/** Sends the head of a request and some bytes of its body. Resolves when the server has closed the connection. */
function sendUnfinished(port: number, head: readonly string[], start = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`${[...head, 'Host: localhost', '', ''].join('\r\n')}${start}`);
    });
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('close', () => resolve(response));
    // The server may reset the connection, because it does not read the rest of the body.
    socket.on('error', () => response === '' && reject(new Error('reset without a response')));
  });
}

const key = `x-api-key: ${KEYS.good}`;
const json = 'content-type: application/json';
const length = 'content-length: 1000';

const EARLY: Record<string, { head: string[]; status: number }> = {
  'without a key': { head: ['POST /acme/link HTTP/1.1', json, length], status: 401 },
  'for a method that is not allowed': { head: ['PUT /acme/link HTTP/1.1', key, json, length], status: 405 },
  'with a declared length over the limit': {
    head: ['POST /acme/link HTTP/1.1', key, json, 'content-length: 1000000'],
    status: 413,
  },
  'with an unsupported content type': {
    head: ['POST /acme/link HTTP/1.1', key, 'content-type: text/csv', length],
    status: 415,
  },
  'for an unknown client': { head: ['POST /nowhere/link HTTP/1.1', key, json, length], status: 404 },
  'with GET': { head: ['GET /acme/sessions/user-1 HTTP/1.1', key, json, length], status: 200 },
  'with GET, chunked': {
    head: ['GET /acme/sessions/user-1 HTTP/1.1', key, json, 'transfer-encoding: chunked'],
    status: 200,
  },
  'to a link that does not exist': {
    head: ['POST /verify/code?token=x HTTP/1.1', json, length],
    status: 404,
  },
};

for (const [host, start] of Object.entries(HOSTS)) {
  t.test(`${host}: a response before the body closes the connection`, async (t) => {
    const { claimlink } = await createTestService();
    const port = await start(t, claimlink, {});
    for (const [name, { head, status }] of Object.entries(EARLY)) {
      const response = await sendUnfinished(port, head);
      t.match(response, new RegExp(`^HTTP/1.1 ${status} `), name);
      t.match(response, /\r\nconnection: close\r\n/i, name);
    }
  });

  t.test(`${host}: a body that arrives too slowly is 408 and closes the connection`, async (t) => {
    const { claimlink, failures } = await createTestService();
    const port = await start(t, claimlink, { bodyTimeoutSeconds: 1 });
    const head = ['POST /acme/link HTTP/1.1', key, json, length];
    const response = await sendUnfinished(port, head, '{"callbackUrl":');
    t.match(response, /^HTTP\/1.1 408 /);
    t.match(response, /"code":"request_timeout"/);
    t.match(response, /\r\nconnection: close\r\n/i);
    t.same(failures, []);
  });

  t.test(`${host}: a body that was read completely keeps the connection open`, async (t) => {
    const { claimlink } = await createTestService();
    const port = await start(t, claimlink, {});
    const response = await fetch(`http://127.0.0.1:${port}/acme/link`, {
      method: 'POST',
      headers: { 'x-api-key': KEYS.good, 'content-type': 'application/json' },
      body: '{}',
    });
    t.equal(response.status, 400);
    t.equal(response.headers.get('connection'), 'keep-alive');
  });

  t.test(
    `${host}: a body of exactly the limit is accepted, one more byte is not, chunked or not`,
    async (t) => {
      const { claimlink } = await createTestService();
      const port = await start(t, claimlink, { bodyLimitBytes: 1024 });
      const post = async (body: string, isChunked: boolean) => {
        const { status } = await fetch(`http://127.0.0.1:${port}/acme/link`, {
          method: 'POST',
          headers: { 'x-api-key': KEYS.good, 'content-type': 'application/json' },
          ...(isChunked ? { body: new Blob([body]).stream(), duplex: 'half' } : { body }),
        });
        return status;
      };
      const bodyOf = (bytes: number) => `{"padding":"${'x'.repeat(bytes - 14)}"}`;
      for (const isChunked of [false, true]) {
        t.equal(await post(bodyOf(1024), isChunked), 400, 'parsed: its members are missing');
        t.equal(await post(bodyOf(1025), isChunked), 413);
      }
    },
  );
}

type StartHttp2Host = (t: Test, claimlink: Claimlink, options: BodyOptions) => Promise<Http2Server>;

const HTTP2_HOSTS: Record<string, StartHttp2Host> = {
  'node:http2': async (t, claimlink, options) => {
    const handler = createNodeHandler(claimlink, options);
    const server = createHttp2Server(handler as unknown as Parameters<typeof createHttp2Server>[1]);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    return server;
  },
  'Fastify over HTTP/2': async (t, claimlink, options) => {
    const app = fastify({ http2: true });
    app.register(claimlinkPlugin, { claimlink, ...options });
    // The hook of a host may send the response later.
    app.addHook('onSend', async () => void (await new Promise(setImmediate)));
    t.teardown(() => app.close());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const portOf = (server: Http2Server) => (server.address() as AddressInfo).port;

for (const [host, start] of Object.entries(HTTP2_HOSTS)) {
  t.test(`${host}: a response before the end of a body closes the stream, not the connection`, async (t) => {
    const { claimlink, failures } = await createTestService();
    const port = portOf(await start(t, claimlink, { bodyTimeoutSeconds: 1, bodyLimitBytes: 1024 }));
    /** Sends a body without its end. Resolves to the response when the server has closed the stream. */
    async function sendUnfinished(apiKey: string, body: string) {
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      const stream = session.request({
        ':method': 'POST',
        ':path': '/acme/link',
        'x-api-key': apiKey,
        'content-type': 'application/json',
      });
      stream.write(body);
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      const closed = new Promise((resolve) => stream.once('close', resolve));
      const status = await new Promise((resolve) =>
        stream.once('response', (headers) => resolve(headers[':status'])),
      );
      await closed;
      const isOpen = !session.destroyed;
      session.destroy();
      return { status, code: JSON.parse(text).code, reset: stream.rstCode, isOpen };
    }
    const slow = await sendUnfinished(KEYS.good, '{');
    t.same(slow, { status: 408, code: 'request_timeout', reset: 0, isOpen: true });
    // The last one is more than a client may send before the server reads it (RFC 9113, 6.9.2).
    for (const size of [2000, 200_000]) {
      const rejected = { status: 401, code: 'api_key_invalid', reset: 0, isOpen: true };
      t.same(await sendUnfinished('wrong', 'x'.repeat(size)), rejected, `${size} bytes without a key`);
      const large = { status: 413, code: 'body_too_large', reset: 0, isOpen: true };
      t.same(await sendUnfinished(KEYS.good, 'x'.repeat(size)), large, `${size} bytes with a key`);
    }
    t.same(failures, []);
  });
}

for (const [host, start] of Object.entries(HTTP2_HOSTS)) {
  t.test(`${host}: a request that is cancelled before its body is read is not reported`, async (t) => {
    const { claimlink, failures } = await createTestService();
    const server = await start(t, { ...claimlink, handle: (request) => handle(request) }, {});
    const closed = new Promise((resolve) =>
      server.once('stream', (stream: ServerHttp2Stream) => stream.once('close', resolve)),
    );
    const session = connectHttp2(`http://127.0.0.1:${portOf(server)}`);
    t.teardown(() => session.destroy());
    const upload = session.request({
      ':method': 'POST',
      ':path': '/acme/link',
      'x-api-key': KEYS.good,
      'content-type': 'application/json',
    });
    upload.write('{');
    let handle = claimlink.handle;
    const response = await new Promise<CoreResponse>((resolve) => {
      handle = async (request) => {
        upload.close(constants.NGHTTP2_CANCEL);
        await closed;
        const answer = await claimlink.handle(request);
        resolve(answer);
        return answer;
      };
    });
    t.equal(JSON.parse(response.body).code, 'request_aborted');
    t.same(failures, []);
  });
}

/** Round trips after which a stream counts as open for good. */
const MAX_TURNS = 1000;

const FAILING = '/acme/sessions/failing';

const UNENDED: Record<string, { path: string; key: string; status: number }> = {
  'a listing': { path: '/acme/sessions/user-1', key: KEYS.good, status: 200 },
  'a listing without a key': { path: '/acme/sessions/user-1', key: '', status: 401 },
  'a method that is not allowed': { path: '/acme/link', key: KEYS.good, status: 405 },
  'an unknown link': { path: '/verify/code?token=x', key: '', status: 404 },
  'a handle that fails': { path: FAILING, key: '', status: 500 },
};

for (const [host, start] of Object.entries(HTTP2_HOSTS)) {
  for (const method of ['GET', 'HEAD']) {
    t.test(`${host}: unended ${method} requests leave no open stream, and the session closes`, async (t) => {
      const { claimlink } = await createTestService();
      const handle: Claimlink['handle'] = (request) =>
        request.url === FAILING ? Promise.reject(new Error('on purpose')) : claimlink.handle(request);
      const server = await start(t, { ...claimlink, handle }, {});
      const sessions: ServerHttp2Session[] = [];
      const streams: ServerHttp2Stream[] = [];
      server.on('session', (session) => sessions.push(session));
      server.on('stream', (stream) => streams.push(stream));
      const client = connectHttp2(`http://127.0.0.1:${portOf(server)}`);
      t.teardown(() => client.destroy());
      for (const [name, { path, key, status }] of Object.entries(UNENDED)) {
        const headers = { ':method': method, ':path': path, 'x-api-key': key };
        const stream = client.request(headers, { endStream: false }).resume();
        stream.on('close', () => t.equal(stream.rstCode, 0, name));
        const response = await new Promise((resolve) => stream.once('response', resolve));
        t.match(response, { ':status': status }, name);
      }
      const open = () => streams.filter(({ destroyed }) => !destroyed).length;
      for (let turn = 0; open() > 0 && turn < MAX_TURNS; turn++)
        await new Promise<void>((resolve) => client.ping(() => resolve()));
      t.equal(streams.length, Object.keys(UNENDED).length);
      if (!t.equal(open(), 0, 'open streams')) return;
      const [session] = sessions;
      await new Promise<void>((resolve) => session?.close(resolve));
      t.ok(session?.destroyed);
    });
  }
}

/** Sends a part of a body of 1000 bytes, and returns the header Connection of the response. */
async function connectionAfterPart(port: number): Promise<string | undefined> {
  const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json', 'content-length': 1000 };
  const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/acme/link', headers });
  upload.on('error', () => {}).write('{');
  const response = await new Promise<IncomingMessage>((resolve) => upload.once('response', resolve));
  upload.destroy();
  return response.headers.connection;
}

const PRE_PARSING: Record<string, preParsingHookHandler> = {
  'deletes the length of the body': (request, _reply, payload, done) => {
    delete request.headers['content-length'];
    delete request.headers['content-type'];
    done(null, payload);
  },
  'returns another body': (_request, _reply, _payload, done) =>
    done(null, Readable.from([Buffer.from('{}')])),
};

for (const [what, hook] of Object.entries(PRE_PARSING)) {
  t.test(`Fastify: an unread body closes the connection, also after a hook that ${what}`, async (t) => {
    const { claimlink } = await createTestService();
    const app = fastify();
    app.addHook('preParsing', hook);
    app.register(claimlinkPlugin, { claimlink });
    t.teardown(() => app.close());
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    t.equal(await connectionAfterPart(Number(port)), 'close');
  });
}

t.test('Fastify: a response of a hook that is sent before the body closes the connection', async (t) => {
  const { claimlink } = await createTestService();
  const app = fastify();
  app.addHook('onRequest', (_request, reply) => reply.code(403).send({ host: 'forbidden' }));
  app.register(claimlinkPlugin, { claimlink });
  t.teardown(() => app.close());
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  t.equal(await connectionAfterPart(Number(port)), 'close');
});

t.test('node:http: a handle that fails before the body closes the connection', async (t) => {
  const { claimlink } = await createTestService();
  const handle = () => Promise.reject(new Error('on purpose'));
  const port = await listen(t, createNodeHandler({ ...claimlink, handle }));
  const response = await sendUnfinished(port, ['POST /acme/link HTTP/1.1', key, json, length]);
  t.match(response, /^HTTP\/1.1 500 /);
  t.match(response, /\r\nconnection: close\r\n/i);
});

t.test('fetch: a body that never arrives is 408, or 413 by its length, and is cancelled', async (t) => {
  const { claimlink, failures } = await createTestService();
  const handler = createFetchHandler(claimlink, { bodyTimeoutSeconds: 1 });
  const cases: [contentLength: string, apiKey: string, status: number][] = [
    ['1000', KEYS.good, 408],
    ['1000000', KEYS.good, 413],
    ['1000000', 'wrong', 401],
  ];
  for (const [contentLength, apiKey, status] of cases) {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const headers = {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'content-length': contentLength,
    };
    const init = { method: 'POST', headers, body, duplex: 'half' as const };
    const response = await handler(new Request('http://localhost/acme/link', init));
    t.equal(response.status, status);
    t.ok(cancelled, `${status} cancels the body`);
  }
  t.same(failures, []);
});
