// Forms with photos over a socket of each mount: the claim has them, and a form that is cut leaves nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import t, { type Test } from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { END, formInParts, idOf, jpeg, PARTS_TYPE } from '../http/form-parts.js';
import { serve } from '../listen.js';
import { createTestService, mintLink } from './service.js';
import { HOSTS, type StartHost, serveFetch } from './stream-hosts.js';

const MIB = 1_048_576;
const FRONT = jpeg(3 * MIB, 1);
const BACK = jpeg(MIB, 2);
const TEXT = 'A bump at the corner.';
const FIELDS = Object.entries({
  '/policy/provider': 'Acme',
  '/policy/number': 'A-1',
  '/policy/validFrom': '2025-01-01',
  '/policy/validTo': '2025-12-31',
  '/policy/vehicle/licensePlate': 'AB 123',
  '/incident/description': TEXT,
  '/policy/holder/firstName': 'Ada',
  '/policy/holder/lastName': 'Lovelace',
  '/policy/holder/phone': '123',
  '/policy/holder/email': 'ada@example.com',
});
const HEADERS = { 'content-type': PARTS_TYPE };

/** Starts a host whose client takes photos. */
async function start(t: Test, startHost: StartHost, photos = {}) {
  const store: PhotoStore = createMemoryPhotoStore();
  const service = await createTestService({ widget: createStandaloneWidget(), photos: { store, ...photos } });
  service.storage.updateClient({ clientId: 'acme', settings: { form: { photos: { need: 'optional' } } } });
  const url = await startHost(t, service.claimlink);
  const target = await mintLink(service);
  const claims = async () => {
    const { sessions } = await service.storage.listSessions({
      clientId: 'acme',
      userId: 'user-1',
      limit: 10,
    });
    return sessions.flatMap(({ incident }) =>
      incident?.photos ? [incident.photos.map(({ id }) => id)] : [],
    );
  };
  const send = (body: Uint8Array, headers = {}) =>
    fetch(url + target, { method: 'POST', redirect: 'manual', headers: { ...HEADERS, ...headers }, body });
  return { ...service, url, target, store, claims, send };
}

/** Hosts that read a form before claimlink, and have none of its bytes. */
const READ_BEFORE: Record<string, StartHost> = {
  'a parser of Express': (t, claimlink) =>
    serve(
      t,
      express()
        .use((req, _res, next) => {
          req.body = { '/incident/description': TEXT };
          req.resume().on('end', next);
        })
        .use(createNodeHandler(claimlink)),
    ),
  'request.formData()': (t, claimlink) => {
    const handler = createFetchHandler(claimlink);
    const read = async (request: Request) => {
      await request.formData();
      return handler(request);
    };
    return serve(t, createServer(serveFetch(read)) as never);
  },
};
for (const [host, startHost] of Object.entries(READ_BEFORE)) {
  t.test(
    `${host} before claimlink: an error that names the cause, and no claim without its photos`,
    async (t) => {
      const { send, claims, failures } = await start(t, startHost);
      t.equal((await send(formInParts(FIELDS, [['back.jpg', BACK]]))).status, 500);
      t.match(failures, [{ error: { code: 'body_consumed' } }]);
      t.same(await claims(), []);
    },
  );
}

for (const [host, startHost] of Object.entries(HOSTS)) {
  t.test(`${host}: a form with two photos stores the claim with both`, async (t) => {
    const { send, claims, failures } = await start(t, startHost);
    const response = await send(
      formInParts(FIELDS, [
        ['front.jpg', FRONT],
        ['back.jpg', BACK],
      ]),
    );
    t.equal(response.status, 303);
    t.same(await claims(), [[idOf(FRONT), idOf(BACK)].sort()]);
    t.same(failures, []);
  });

  t.test(`${host}: a photo that is too large brings the form back, after all of it was sent`, async (t) => {
    const { send, claims, failures } = await start(t, startHost, { maxPhotoBytes: MIB });
    const response = await send(
      formInParts(FIELDS, [
        ['front.jpg', FRONT],
        ['back.jpg', BACK],
      ]),
    );
    t.equal(response.status, 400);
    const page = await response.text();
    t.match(page, /front\.jpg\u2069: This photo is too large/);
    t.match(page, '<bdi translate="no">back.jpg</bdi>');
    t.match(page, TEXT);
    t.same(await claims(), []);
    t.same(failures, []);
  });

  t.test(`${host}: a form without a length is read as well`, async (t) => {
    const { url, target, claims } = await start(t, startHost);
    const bytes = formInParts(FIELDS, [['back.jpg', BACK]]);
    async function* chunks() {
      for (let from = 0; from < bytes.length; from += 100_000) yield bytes.subarray(from, from + 100_000);
    }
    const body = ReadableStream.from(chunks());
    const response = await fetch(url + target, {
      method: 'POST',
      redirect: 'manual',
      headers: HEADERS,
      body,
      duplex: 'half',
    } as never);
    t.equal(response.status, 303);
    t.same(await claims(), [[idOf(BACK)]]);
  });

  t.test(`${host}: a form that is cut stores no claim and no photo, and the link goes on`, async (t) => {
    const { url, target, send, store, claims, failures } = await start(t, startHost);
    const bytes = formInParts(FIELDS, [['front.jpg', FRONT]]);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    const head = [`POST ${target} HTTP/1.1`, 'host: localhost', `content-type: ${PARTS_TYPE}`];
    socket.write([...head, `content-length: ${bytes.length}`, '', ''].join('\r\n'));
    await new Promise<void>((resolve) => socket.write(bytes.subarray(0, MIB), () => resolve()));
    socket.destroy();
    const response = await send(formInParts(FIELDS, [['back.jpg', BACK]]));
    t.equal(response.status, 303);
    t.same(await claims(), [[idOf(BACK)]]);
    t.same((await store.links({ limit: 10 })).length, 1);
    t.same(failures, []);
  });

  t.test(`${host}: texts over the limit of the adapter are a 413`, async (t) => {
    const { send, claims } = await start(t, startHost);
    const body = formInParts([['/incident/description', 'x'.repeat(70_000)]], []);
    const response = await send(body, { accept: 'application/json' });
    t.equal(response.status, 413);
    t.match(await response.json(), { code: 'body_too_large' });
    t.same(await claims(), []);
  });

  t.test(`${host}: a client without photos takes no form in parts`, async (t) => {
    const { storage, send } = await start(t, startHost);
    storage.updateClient({ clientId: 'acme', settings: {} });
    t.equal((await send(END)).status, 415);
  });
}
