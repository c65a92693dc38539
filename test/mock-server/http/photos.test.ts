// The photos of a mock: the routes of the service, in memory, until the state is replaced.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import t, { type Test } from 'tap';
import { createMockFetch } from '../../../mock-server/mock-fetch.js';
import { startMockServer } from '../../../mock-server/server.js';
import { linkRequest } from '../../adapters/service.js';

const MIB = 1_048_576;
const photoOf = (seed: number, size = 5000) =>
  Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(size - 4, seed)]);
const PHOTO = photoOf(1);
const idOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const SETTINGS = { form: { photos: { need: 'optional' } } } as const;
const HEADERS = { accept: 'application/json' };

type Send = (url: string, init?: RequestInit) => Promise<Response>;

/** Returns what a test does with the photos of a link. */
function photosOf(send: Send, link: string) {
  const at = (path: string, parameters = '') => link.replace('?', `/photos${path}?`) + parameters;
  return {
    at,
    add: (bytes: Uint8Array = PHOTO) =>
      send(at(`/${idOf(bytes)}`), {
        method: 'POST',
        headers: HEADERS,
        body: bytes as Uint8Array<ArrayBuffer>,
      }),
    read: (bytes: Uint8Array = PHOTO) => send(at(`/${idOf(bytes)}`), { headers: HEADERS }),
    remove: (bytes: Uint8Array = PHOTO) =>
      send(at(`/${idOf(bytes)}`, '&action=remove'), { method: 'POST', headers: HEADERS }),
    async list() {
      const response = await send(at(''), { headers: HEADERS });
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    },
  };
}

async function startServer(t: Test) {
  const mock = await startMockServer({
    port: 0,
    clients: [{ clientId: 'acme', apiKey: 'clk_test_acme', settings: SETTINGS }],
  });
  t.teardown(() => mock.close());
  const { url } = await mock.createLink('acme', linkRequest());
  return { mock, link: url, photos: photosOf(fetch, url) };
}

t.test('a mock server takes, lists, shows and removes photos of a client that asks for them', async (t) => {
  const { mock, photos } = await startServer(t);
  t.equal((await photos.add()).status, 200);
  t.same(await photos.list(), [idOf(PHOTO)]);
  const read = await photos.read();
  t.equal(read.headers.get('content-disposition'), 'attachment; filename="photo.jpg"');
  t.ok(Buffer.from(await read.arrayBuffer()).equals(PHOTO));
  t.equal((await photos.remove()).status, 204);
  t.same(await photos.list(), []);
  const log = JSON.stringify(await mock.requests());
  t.notMatch(log, idOf(PHOTO), 'no log has the id');
  t.match(log, /"route":"sendPhoto"/);
});

t.test('a mock without a port does the same', async (t) => {
  const mock = createMockFetch({
    clients: [{ clientId: 'acme', apiKey: 'clk_test_acme', settings: SETTINGS }],
  });
  const { url } = await mock.createLink('acme', linkRequest());
  const photos = photosOf(mock as Send, url);
  t.equal((await photos.add()).status, 200);
  t.same(await photos.list(), [idOf(PHOTO)]);
  t.ok(Buffer.from(await (await photos.read()).arrayBuffer()).equals(PHOTO));
});

t.test('a mock fetch and a mock server take the form of a browser without JavaScript', async (t) => {
  const clients = [{ clientId: 'acme', apiKey: 'clk_test_acme', settings: SETTINGS }];
  const mock = createMockFetch({ clients });
  const server = await startServer(t);
  const { url } = await mock.createLink('acme', linkRequest());
  for (const [send, link] of [
    [mock as Send, url],
    [fetch, server.link],
  ] as const) {
    const form = new FormData();
    form.append('photos', new Blob([PHOTO]), 'front.jpg');
    form.append('photos', new Blob(['no photo']), 'bill.pdf');
    const response = await send(link, { method: 'POST', body: form });
    t.equal(response.status, 400);
    t.match(await response.text(), /bill\.pdf\u2069: This file cannot be read as a photo/);
    t.same(await photosOf(send, link).list(), [idOf(PHOTO)]);
  }
});

t.test('a reset ends photos, and a restored snapshot has its own again', async (t) => {
  const { mock, link, photos } = await startServer(t);
  await photos.add();
  await mock.snapshot('before');
  await photos.add(photoOf(2));
  await mock.restore('before');
  t.same(await photos.list(), [idOf(PHOTO)]);
  t.ok(Buffer.from(await (await photos.read()).arrayBuffer()).equals(PHOTO));
  await mock.reset();
  t.equal((await photos.read()).status, 404);
  await mock.restore('before');
  t.match(await mock.photos(link), [{ id: idOf(PHOTO), isMissing: false }]);
});

t.test('a client has space for 16 MiB of photos', async (t) => {
  const { photos } = await startServer(t);
  const large = [1, 2].map((seed) => photoOf(seed, 8 * MIB));
  for (const photo of large) t.equal((await photos.add(photo)).status, 200);
  t.equal((await photos.add()).status, 503);
});

t.test('faults name the routes of photos', async (t) => {
  const { mock, photos } = await startServer(t);
  await mock.failNext({ route: 'sendPhoto', status: 429 });
  t.equal((await photos.add()).status, 429);
  t.equal((await photos.add()).status, 200);
});

t.test('a client that begins to ask for photos takes them at once', async (t) => {
  const mock = await startMockServer({ port: 0, clients: [{ clientId: 'acme', apiKey: 'clk_test_acme' }] });
  t.teardown(() => mock.close());
  const { url } = await mock.createLink('acme', linkRequest());
  const photos = photosOf(fetch, url);
  t.equal((await photos.add()).status, 404);
  await mock.updateClient('acme', { settings: SETTINGS });
  t.equal((await photos.add()).status, 200);
});

t.test(
  'the log has the type and the size of an upload, also of one that is rejected, and not its bytes',
  async (t) => {
    const { mock, photos } = await startServer(t);
    const text = 'SECRET-BYTES';
    const photo = Buffer.concat([PHOTO, Buffer.from(text)]);
    await photos.add(photo);
    await photos.add(Buffer.from(`<svg onload="alert(1)">${text}</svg>`));
    const logged = await mock.requests({ route: 'sendPhoto' });
    t.match(logged, [
      { status: 200, upload: { type: 'image/jpeg', bytes: photo.length } },
      { status: 415, upload: { type: null } },
    ]);
    t.notMatch(JSON.stringify(logged), text);
    t.notMatch(JSON.stringify(logged), 'eyJ', 'no token');
  },
);

t.test('a fault cuts an upload after some bytes, and nothing is stored', async (t) => {
  const { mock, photos } = await startServer(t);
  const photo = photoOf(3, 500_000);
  await mock.failNext({ route: 'sendPhoto', effect: 'cut-upload', afterBytes: 100_000 });
  await t.rejects(photos.add(photo), { message: 'fetch failed' });
  t.same(await photos.list(), []);
  const [cut] = await mock.requests({ route: 'sendPhoto', status: 'failed' });
  t.match(cut, {
    status: null,
    upload: { type: 'image/jpeg', bytes: 100_000 },
    fault: { effect: 'cut-upload', afterBytes: 100_000 },
  });
  t.equal((await photos.add(photo)).status, 200, 'the next one arrives');
});

t.test('a body with fewer bytes than the fault passes', async (t) => {
  const { mock, photos } = await startServer(t);
  await mock.failNext({ effect: 'cut-upload', afterBytes: PHOTO.length });
  t.equal((await photos.add()).status, 200);
});

t.test('a fault cuts other bodies and uploads to a mock without a port as well', async (t) => {
  const mock = createMockFetch({
    clients: [{ clientId: 'acme', apiKey: 'clk_test_acme', settings: SETTINGS }],
  });
  const { url } = await mock.createLink('acme', linkRequest());
  const photos = photosOf(mock as Send, url);
  await mock.addFault({ effect: 'cut-upload', afterBytes: 10 });
  await t.rejects(photos.add(), { message: 'fetch failed' });
  const create = mock(`${mock.publicUrl}/acme/link`, {
    method: 'POST',
    headers: { 'x-api-key': 'clk_test_acme', 'content-type': 'application/json' },
    body: JSON.stringify(linkRequest()),
  });
  await t.rejects(create, { message: 'fetch failed' });
  t.equal(await mock.countLinks(), 1);
  t.same(await photos.list(), []);
});

for (const [fault, message] of [
  [{ effect: 'slow', afterBytes: 5 }, /cut-upload beside afterBytes/],
  [{ status: 503, afterBytes: 5 }, /cut-upload beside afterBytes/],
  [{ effect: 'cut-upload', route: 'claimSubmitted' }, /another effect than slow and cut-upload/],
] as const)
  t.test(`the fault ${JSON.stringify(fault)} is rejected`, async (t) => {
    await t.rejects(createMockFetch().addFault(fault), { code: 'request_invalid', message });
  });

t.test('the control API serves a photo as an attachment that runs nothing', async (t) => {
  const { mock, link } = await startServer(t);
  const { id, type } = await mock.addPhoto(link, PHOTO);
  const [{ linkId = '' } = {}] = await mock.links();
  const at = (name: string) => `${mock.controlUrl}/photo?${new URLSearchParams({ link: linkId, id: name })}`;
  const response = await fetch(at(id));
  t.equal(response.status, 200);
  t.match(Object.fromEntries(response.headers), {
    'content-type': type,
    'content-length': String(PHOTO.length),
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  t.ok(Buffer.from(await response.arrayBuffer()).equals(PHOTO));
  t.equal((await fetch(at('0'.repeat(64)))).status, 404);
  t.equal((await fetch(at('..'))).status, 404);
  t.equal((await fetch(`${mock.controlUrl}/photo`)).status, 404);
  t.equal((await fetch(at(id), { method: 'POST' })).status, 405);
  const otherSite = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'image',
  };
  t.equal((await fetch(at(id), { headers: otherSite })).status, 403, 'no page of another site shows it');
});

t.test('a photo of the control API needs the token of its client', async (t) => {
  const controlToken = 'operator-token-0123';
  const clients = ['acme', 'globex'].map((clientId) => ({
    clientId,
    apiKey: `clk_test_${clientId}`,
    controlToken: `token-of-${clientId}-0123`,
    settings: SETTINGS,
  }));
  const mock = await startMockServer({ port: 0, controlToken, clients });
  t.teardown(() => mock.close());
  const { url, linkId } = await mock.createLink('acme', linkRequest());
  const { id } = await mock.addPhoto(url, PHOTO);
  const statusFor = async (token?: string, more = {}) => {
    const query = new URLSearchParams({ link: linkId, id, ...more });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${mock.controlUrl}/photo?${query}`, { headers })).status;
  };
  t.equal(await statusFor(), 401);
  t.equal(await statusFor('token-of-globex-0123'), 404);
  t.equal(await statusFor('token-of-globex-0123', { clientId: 'acme' }), 403);
  t.equal(await statusFor('token-of-acme-0123'), 200);
  t.equal(await statusFor(controlToken), 200);
});

t.test('the OpenAPI documents of the mock describe the routes of photos', async (t) => {
  const { mock } = await startServer(t);
  const paths = async (name: string) =>
    ((await (await fetch(`${mock.controlUrl}/${name}`)).json()) as { paths: Record<string, object> }).paths;
  const service = await paths('service-openapi.json');
  t.same(Object.keys(service['/verify/{accessCode}/photos/{photoId}'] ?? {}).sort(), ['get', 'post']);
  t.ok(service['/verify/{accessCode}/photos']);
  const control = await paths('openapi.json');
  for (const path of ['/photos', '/addPhoto', '/photo']) t.ok(control[path], path);
});

t.test(
  'a form without JavaScript sends its photos with its fields, and the log has none of its bytes',
  async (t) => {
    const { mock, link } = await startServer(t);
    const body = new FormData();
    body.append('/incident/description', 'SECRET-FIELD');
    body.append('photos', new Blob([photoOf(4, 300_000)], { type: 'image/jpeg' }), 'front.jpg');
    const response = await fetch(link, { method: 'POST', headers: { accept: 'text/html' }, body });
    t.equal(response.status, 400, 'the claim is not complete');
    t.match(await mock.photos(link), [{ size: 300_000 }]);
    const [logged] = await mock.requests({ route: 'submitClaim' });
    t.match(logged, { status: 400, upload: { type: null } });
    t.ok((logged?.upload?.bytes ?? 0) > 300_000);
    t.equal(logged?.requestBody, undefined);
  },
);

t.test('the photos that arrive at once have a limit for each client', async (t) => {
  const clients = ['acme', 'beta'].map((clientId) => ({
    clientId,
    apiKey: `clk_test_${clientId}`,
    settings: SETTINGS,
  }));
  const mock = await startMockServer({ port: 0, clients });
  t.teardown(() => mock.close());
  const linkOf = async (clientId: string) => (await mock.createLink(clientId, linkRequest())).url;
  /** Begins a form in parts that announces 20 MiB, and leaves it open. */
  async function begin() {
    const headers = {
      ...HEADERS,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(20 * MIB),
    };
    const form = request(await linkOf('acme'), { method: 'POST', headers });
    form.on('error', () => {}).write('--b\r\n');
    return form;
  }
  const forms = await Promise.all(Array.from({ length: 7 }, begin));
  const [response] = await Promise.race(forms.map((form) => once(form, 'response')));
  t.equal(response.statusCode, 429);
  t.match(String(await response.toArray()), /64 MiB of photos that arrive/);
  t.equal((await photosOf(fetch, await linkOf('beta')).add()).status, 200, 'another client');
  for (const form of forms) form.destroy();
});
