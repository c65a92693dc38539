// Photos over a socket of each mount: the same bytes come back, and no part of a photo is one.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import t, { type Test } from 'tap';
import claimlinkPlugin from '../../lib/adapters/fastify.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { serve } from '../listen.js';
import { CLAIM, createTestService, mintLink } from './service.js';
import { HOSTS, type StartHost } from './stream-hosts.js';

const MIB = 1_048_576;
const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(3 * MIB, 'photo')]);
const PHOTO_ID = createHash('sha256').update(PHOTO).digest('hex');
const ENTRY = { id: PHOTO_ID, type: 'image/jpeg', size: PHOTO.length };
const HEADERS = { accept: 'application/json' };
const BODY_SECONDS = 300;

/** Every mount over a socket: also below a prefix, and behind a parser of bodies. */
const MOUNTS: Record<string, StartHost> = {
  ...HOSTS,
  'node:http with a basePath': async (t, claimlink) =>
    `${await serve(t, createNodeHandler(claimlink, { basePath: '/claims' }))}/claims`,
  'Express, express.json() before it': (t, claimlink) =>
    serve(t, express().use(express.json()).use(createNodeHandler(claimlink))),
  'Fastify under a prefix': async (t, claimlink) => {
    const app = fastify();
    app.register(claimlinkPlugin, { claimlink, prefix: '/claims' });
    t.teardown(() => app.close());
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/claims`;
  },
};

/** Starts a host whose client takes photos. `puts` are the outcomes of the calls of the store. */
async function start(t: Test, host: string, limits = {}) {
  const memory = createMemoryPhotoStore();
  const puts: Promise<string>[] = [];
  const store: PhotoStore = {
    ...memory,
    put(...args) {
      const result = Promise.resolve(memory.put(...args));
      puts.push(
        result.then(
          () => 'stored',
          ({ code }) => code,
        ),
      );
      return result;
    },
  };
  const service = await createTestService({ photos: { store, ...limits } });
  service.storage.updateClient({ clientId: 'acme', settings: { form: { photos: { need: 'optional' } } } });
  const url = await (MOUNTS[host] as StartHost)(t, service.claimlink);
  const [page, query] = (await mintLink(service)).split('?');
  const target = (path: string, parameters = '') => `${page}/photos${path}?${query}${parameters}`;
  const list = async () => {
    const response = await fetch(url + target(''), { headers: HEADERS });
    return ((await response.json()) as { data: unknown[] }).data;
  };
  const submit = () =>
    fetch(`${url}${page}?${query}`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify(CLAIM),
    });
  return { ...service, url, target, puts, list, submit, links: () => memory.links({ limit: 10 }) };
}

/** Sends the head of an upload and some bytes of its body. */
async function sendPart(
  url: string,
  target: string,
  head: readonly string[],
  body: Uint8Array,
): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const { pathname, search } = new URL(url + target);
  const lines = [
    `POST ${pathname}${search} HTTP/1.1`,
    'host: localhost',
    'accept: application/json',
    ...head,
    '',
    '',
  ];
  socket.write(lines.join('\r\n'));
  socket.write(body);
  return socket;
}

/** Waits until the store gets a photo. */
async function untilStoring(puts: readonly unknown[]): Promise<void> {
  while (puts.length === 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the response on a socket, up to its end or its last brace. */
async function responseOf(socket: Socket): Promise<string> {
  let text = '';
  while (!text.endsWith('}')) text += String((await once(socket, 'data'))[0]);
  return text;
}

for (const host of Object.keys(MOUNTS)) {
  t.test(`${host}: a photo is sent, listed, read and removed`, async (t) => {
    const { url, target, list, failures } = await start(t, host);
    const path = url + target(`/${PHOTO_ID}`);
    // A browser sends no Content-Type for a file whose type it does not know.
    for (const type of [{}, { 'content-type': 'image/jpeg' }]) {
      const sent = await fetch(path, { method: 'POST', headers: { ...HEADERS, ...type }, body: PHOTO });
      t.same([sent.status, await sent.json()], [200, { data: ENTRY }]);
    }
    t.same(await list(), [ENTRY]);
    const read = await fetch(path);
    t.equal(read.headers.get('content-type'), 'image/jpeg');
    t.match(read.headers.get('content-disposition'), /^attachment/);
    t.equal(read.headers.get('content-length'), String(PHOTO.length));
    t.ok(Buffer.from(await read.arrayBuffer()).equals(PHOTO), 'the same bytes');
    const head = await fetch(path, { method: 'HEAD' });
    t.same([head.status, head.headers.get('content-length')], [200, String(PHOTO.length)]);
    const removed = await fetch(`${path}&action=remove`, { method: 'POST', headers: HEADERS });
    t.equal(removed.status, 204);
    t.same(await list(), []);
    t.same(failures, []);
  });

  t.test(`${host}: a photo without Content-Length is a 411`, async (t) => {
    const { url, target, list } = await start(t, host);
    const body = `${PHOTO.length.toString(16)}\r\n`;
    const chunked = Buffer.concat([Buffer.from(body), PHOTO, Buffer.from('\r\n0\r\n\r\n')]);
    const head = ['transfer-encoding: chunked', 'content-type: image/jpeg'];
    const socket = await sendPart(url, target(`/${PHOTO_ID}`), head, chunked);
    const [response] = await once(socket, 'data');
    t.match(String(response), /^HTTP\/1.1 411 /);
    socket.destroy();
    t.same(await list(), []);
  });

  t.test(`${host}: a photo of which not every byte arrives is not stored`, async (t) => {
    const { url, target, puts, list, failures } = await start(t, host);
    const head = [`content-length: ${PHOTO.length}`, 'content-type: image/jpeg'];
    const socket = await sendPart(url, target(`/${PHOTO_ID}`), head, PHOTO.subarray(0, MIB));
    await untilStoring(puts);
    socket.destroy();
    t.equal(await puts[0], 'request_aborted');
    t.same(await list(), []);
    t.same(failures, []);
  });

  t.test(`${host}: a photo that does not arrive in time is a 408`, async (t) => {
    const { url, target, puts, list, failures } = await start(t, host, { bodyTimeoutSeconds: BODY_SECONDS });
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const head = [`content-length: ${PHOTO.length}`, 'content-type: image/jpeg'];
    const socket = await sendPart(url, target(`/${PHOTO_ID}`), head, PHOTO.subarray(0, MIB));
    await untilStoring(puts);
    mock.timers.tick(BODY_SECONDS * 1000);
    const response = await responseOf(socket);
    t.match(response, /^HTTP\/1.1 408 /);
    t.match(response, /"code":"request_timeout"/);
    socket.destroy();
    mock.timers.reset();
    t.equal(await puts[0], 'request_timeout');
    t.same(await list(), []);
    t.same(failures, []);
  });

  t.test(`${host}: a photo that arrives after the claim is a 410`, async (t) => {
    const { url, target, puts, submit, links, failures } = await start(t, host);
    const head = [`content-length: ${PHOTO.length}`, 'content-type: image/jpeg'];
    const socket = await sendPart(url, target(`/${PHOTO_ID}`), head, PHOTO.subarray(0, MIB));
    await untilStoring(puts);
    t.equal((await submit()).status, 200);
    socket.write(PHOTO.subarray(MIB));
    const response = await responseOf(socket);
    t.match(response, /^HTTP\/1.1 410 /);
    t.match(response, /This photo is not part of the claim/);
    socket.destroy();
    t.same(await links(), [], 'nothing of it is stored');
    t.same(failures, []);
  });

  t.test(`${host}: a browser that still sends gets the response of an early rejection`, async (t) => {
    const { url, target } = await start(t, host, { maxPhotoBytes: 2 * MIB });
    const cases = [
      [target(`/${PHOTO_ID}`), 413, 'body_too_large'],
      [target(`/${PHOTO_ID}`, '&action=share'), 400, 'request_invalid'],
      [target('/no-id'), 400, 'request_invalid'],
      [`/verify/code/photos/${PHOTO_ID}?token=forged`, 404, 'link_not_found'],
    ] as const;
    for (const [path, status, code] of cases) {
      // As large as a photo may be, but for the one that is too large: its connection may end.
      const body = code === 'body_too_large' ? PHOTO.subarray(0, 2 * MIB + 1) : PHOTO.subarray(0, 2 * MIB);
      const response = await fetch(url + path, { method: 'POST', headers: HEADERS, body });
      t.equal(response.status, status);
      t.match(await response.json(), { code });
    }
  });
}
