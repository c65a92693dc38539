// Bodies that are streamed, over a socket of each mount: nothing is held, and an end that comes too early is one for both sides.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express from 'express';
import t, { type Test } from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { CoreRequest, CoreResponse } from '../../lib/index.js';
import { serve } from '../listen.js';
import { createTestService } from './service.js';
import { HOSTS, type StartHost } from './stream-hosts.js';

const PATH = '/verify/code?token=x';
const MIB = 1_048_576;
const HEADERS = { 'content-type': 'image/jpeg' };

/** Returns a response without a body. */
const done = (status = 204): CoreResponse => ({ status, headers: {}, body: '' });

/** Starts a host whose service is one function. `errors` are those of reportError. */
async function start(t: Test, host: string, handle: (request: CoreRequest) => Promise<CoreResponse>) {
  const { claimlink } = await createTestService();
  const errors: unknown[] = [];
  const reportError = (error: unknown) => void errors.push(error);
  const startHost = HOSTS[host] as StartHost;
  const url = await startHost(t, { ...claimlink, handle, reportError });
  return { url, errors };
}

/** Sends the head of a request and some bytes of its body. */
async function sendHead(
  url: string,
  head: readonly string[],
  body: Uint8Array | string = '',
): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write([...head, 'host: localhost', '', ''].join('\r\n'));
  socket.write(body);
  return socket;
}

const uploadHead = (length: number) => [
  `POST ${PATH} HTTP/1.1`,
  'content-type: image/jpeg',
  `content-length: ${length}`,
];

for (const host of Object.keys(HOSTS)) {
  t.test(`${host}: the bytes of a body arrive in chunks, and in order`, async (t) => {
    let text = '';
    let count = 0;
    const { url, errors } = await start(t, host, async ({ stream }) => {
      for await (const chunk of stream?.() ?? []) {
        text += Buffer.from(chunk);
        count++;
      }
      return done();
    });
    const body = 'abcdefgh'.repeat(MIB / 8);
    const response = await fetch(url + PATH, { method: 'POST', headers: HEADERS, body });
    t.equal(response.status, 204);
    t.ok(text === body, 'the same bytes');
    t.ok(count > 1, `${count} chunks`);
    t.same(errors, []);
  });

  t.test(`${host}: a body whose chunks are not read is not read from the socket`, async (t) => {
    let release = () => {};
    let hasChunk = () => {};
    const first = new Promise<void>((resolve) => {
      hasChunk = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let length = 0;
    const { url } = await start(t, host, async ({ stream }) => {
      for await (const chunk of stream?.() ?? []) {
        length += chunk.length;
        hasChunk();
        await released;
      }
      return done();
    });
    const size = 64 * MIB;
    const socket = await sendHead(url, uploadHead(size));
    const block = Buffer.alloc(MIB);
    let accepted = 0;
    for (let sent = 0; sent < size; sent += MIB) socket.write(block, () => (accepted += MIB));
    await first;
    // Nothing tells that no byte follows: the turns of the event loop are more than a host that reads all needs.
    for (let turn = 0; turn < 2000; turn++) await new Promise((resolve) => setImmediate(resolve));
    t.ok(accepted < size / 2, `${accepted} bytes left the client`);
    release();
    const [response] = await once(socket, 'data');
    t.match(String(response), /^HTTP\/1.1 204 /);
    t.equal(length, size);
    socket.destroy();
  });

  t.test(`${host}: a client that goes away ends the iteration with request_aborted`, async (t) => {
    let report = (_error: unknown) => {};
    const failed = new Promise<unknown>((resolve) => {
      report = resolve;
    });
    let hasChunk = () => {};
    const first = new Promise<void>((resolve) => {
      hasChunk = resolve;
    });
    const { url, errors } = await start(t, host, async ({ stream }) => {
      try {
        for await (const _ of stream?.() ?? []) hasChunk();
        report(new Error('The body ended as if it were whole.'));
      } catch (error) {
        report(error);
      }
      return done(400);
    });
    const socket = await sendHead(url, uploadHead(MIB), Buffer.alloc(1000));
    await first;
    socket.destroy();
    t.match(await failed, { code: 'request_aborted' });
    t.same(errors, []);
  });

  t.test(
    `${host}: a service that stops reading sends its response, and the next connection works`,
    async (t) => {
      const { url, errors } = await start(t, host, async ({ stream }) => {
        for await (const _ of stream?.() ?? []) break;
        return done(415);
      });
      for (let round = 0; round < 3; round++) {
        const socket = await sendHead(url, uploadHead(MIB), Buffer.alloc(1000));
        const [response] = await once(socket, 'data');
        t.match(String(response), /^HTTP\/1.1 415 /);
        t.match(String(response), /connection: close/i);
        socket.destroy();
      }
      t.same(errors, []);
    },
  );

  t.test(
    `${host}: a service that reads on and drops sends its response over the same connection`,
    async (t) => {
      const { url } = await start(t, host, async ({ stream }) => {
        for await (const _ of stream?.() ?? []);
        return done(413);
      });
      const response = await fetch(url + PATH, {
        method: 'POST',
        headers: HEADERS,
        body: Buffer.alloc(8 * MIB),
      });
      t.equal(response.status, 413);
      t.not(response.headers.get('connection'), 'close');
    },
  );

  t.test(`${host}: a streamed response has its bytes and its length, and HEAD has none`, async (t) => {
    let opened = 0;
    async function* chunks() {
      opened++;
      for (let index = 0; index < 100; index++) yield Buffer.alloc(10_000, index);
    }
    const { url, errors } = await start(t, host, async ({ method }) => ({
      status: 200,
      headers: { 'content-type': 'image/jpeg', 'content-length': '1000000' },
      body: '',
      ...(method !== 'HEAD' && { stream: chunks() }),
    }));
    const response = await fetch(url + PATH);
    t.equal(response.headers.get('content-length'), '1000000');
    t.equal((await response.arrayBuffer()).byteLength, 1_000_000);
    const head = await fetch(url + PATH, { method: 'HEAD' });
    t.equal(head.headers.get('content-length'), '1000000');
    t.equal(opened, 1);
    t.same(errors, []);
  });

  t.test(
    `${host}: a client that stops reading ends the iteration of the response, and is no error`,
    async (t) => {
      let end = (_count: number) => {};
      const ended = new Promise<number>((resolve) => {
        end = resolve;
      });
      async function* chunks() {
        let count = 0;
        try {
          for (; count < 1000; count++) yield Buffer.alloc(MIB);
        } finally {
          end(count);
        }
      }
      const { url, errors } = await start(t, host, async () => ({
        status: 200,
        headers: { 'content-type': 'image/jpeg', 'content-length': String(1000 * MIB) },
        body: '',
        stream: chunks(),
      }));
      const socket = await sendHead(url, [`GET ${PATH} HTTP/1.1`]);
      await once(socket, 'data');
      socket.destroy();
      const count = await ended;
      t.ok(count < 500, `${count} chunks were read`);
      t.same(errors, []);
    },
  );

  for (const [name, chunk, error] of [
    ['throws', undefined, new Error('secret of the store')],
    ['is too short', Buffer.alloc(10), undefined],
    ['is too long', Buffer.alloc(5000), undefined],
  ] as const)
    for (const startBytes of [0, 500])
      t.test(
        `${host}: a streamed body that ${name} after ${startBytes} bytes closes the connection`,
        async (t) => {
          async function* chunks() {
            if (startBytes > 0) yield Buffer.alloc(startBytes);
            if (error) throw error;
            yield chunk;
          }
          const { url, errors } = await start(t, host, async () => ({
            status: 200,
            headers: { 'content-type': 'image/jpeg', 'content-length': '1000' },
            body: '',
            stream: chunks(),
          }));
          const socket = await sendHead(url, [`GET ${PATH} HTTP/1.1`]);
          let response = '';
          socket.on('data', (data) => {
            response += data;
            // Fastify responds with a problem of its own before the first byte, and goes on.
            if (response.startsWith('HTTP/1.1 500')) socket.destroy();
          });
          await once(socket, 'close');
          t.notMatch(response, /secret/);
          t.equal(errors.length, 1);
        },
      );
}

/** Reads a stream to its end. */
async function readAll(stream: CoreRequest['stream']): Promise<CoreResponse> {
  for await (const _ of stream?.() ?? []);
  return done();
}

t.test('fetch handler: a body with another length than its header is request_aborted', async (t) => {
  const { claimlink } = await createTestService();
  for (const [length, code] of [
    [999, 'request_aborted'],
    [1001, 'request_aborted'],
    [1000, undefined],
  ] as const) {
    let failure: unknown;
    const handle = ({ stream }: CoreRequest) =>
      readAll(stream).catch((error) => {
        failure = error;
        return done(400);
      });
    const handler = createFetchHandler({ ...claimlink, handle });
    const body = new Uint8Array(length);
    await handler(
      new Request(`http://x${PATH}`, { method: 'POST', body, headers: { 'content-length': '1000' } }),
    );
    t.match(failure, code && { code });
  }
});

t.test('a body that the host has read is body_consumed', async (t) => {
  const { claimlink } = await createTestService();
  const codes: unknown[] = [];
  const handle = ({ stream }: CoreRequest) =>
    readAll(stream).catch((error) => {
      codes.push(error.code);
      return done(500);
    });
  const request = new Request(`http://x${PATH}`, { method: 'POST', body: 'abc' });
  await request.text();
  await createFetchHandler({ ...claimlink, handle })(request);
  const app = express()
    .use(async (req, _res, next) => {
      for await (const _ of req);
      next();
    })
    .use(createNodeHandler({ ...claimlink, handle }));
  const url = await serve(t, app);
  await fetch(url + PATH, { method: 'POST', headers: HEADERS, body: 'abc' });
  t.same(codes, ['body_consumed', 'body_consumed']);
});

t.test('Express: bytes that a parser of the host has collected are streamed', async (t) => {
  const { claimlink } = await createTestService();
  let text = '';
  const handle = async ({ stream }: CoreRequest) => {
    for await (const chunk of stream?.() ?? []) text += Buffer.from(chunk);
    return done();
  };
  const app = express()
    .use(express.raw({ type: '*/*' }))
    .use(createNodeHandler({ ...claimlink, handle }));
  const url = await serve(t, app);
  await fetch(url + PATH, { method: 'POST', headers: HEADERS, body: 'abc' });
  t.equal(text, 'abc');
});
