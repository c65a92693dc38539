// The photos of a mock: the routes of the service, in memory, until the state is replaced.
import { createHash } from 'node:crypto';
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
