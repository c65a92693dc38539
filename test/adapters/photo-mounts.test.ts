// Photos over a socket of each mount: the same bytes come back, and no part of a photo is one.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createTestService, mintLink } from './service.js';
import { HOSTS, type StartHost } from './stream-hosts.js';

const MIB = 1_048_576;
const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(3 * MIB, 'photo')]);
const PHOTO_ID = createHash('sha256').update(PHOTO).digest('hex');
const ENTRY = { id: PHOTO_ID, type: 'image/jpeg', size: PHOTO.length };
const HEADERS = { accept: 'application/json' };

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
  const url = await (HOSTS[host] as StartHost)(t, service.claimlink);
  const [page, query] = (await mintLink(service)).split('?');
  const target = (path: string, parameters = '') => `${page}/photos${path}?${query}${parameters}`;
  const list = async () => {
    const response = await fetch(url + target(''), { headers: HEADERS });
    return ((await response.json()) as { data: unknown[] }).data;
  };
  return { ...service, url, target, puts, list };
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
  const lines = [`POST ${target} HTTP/1.1`, 'host: localhost', 'accept: application/json', ...head, '', ''];
  socket.write(lines.join('\r\n'));
  socket.write(body);
  return socket;
}

for (const host of Object.keys(HOSTS)) {
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
    while (puts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    t.equal(await puts[0], 'request_aborted');
    t.same(await list(), []);
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
