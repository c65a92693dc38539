// The example with photos: what an upload needs, where the photos are, and when they are deleted.
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import type { RawResponse } from '../adapters/http-client.js';
import { CLAIM, createTestService, linkRequest, NOW } from '../adapters/service.js';
import { temporaryFile } from '../storage/sqlite-drivers.js';
import { pathOf } from './host.js';
import { type PhotoHost, type PhotoLink, photo, sha256Of, startPhotoHost, upload } from './photos.js';

const MEBIBYTE = 1024 * 1024;
const YEAR_MS = 366 * 24 * 3_600_000;

const example = (name: string) => import(pathToFileURL(pathOf(`attachments/${name}`)).href);
const { createOnEvent, EVENTS } = await example('on-event.mjs');
const { createPhotoStore } = await example('photo-store.mjs');
const { createUploadRoute } = await example('upload-route.mjs');

const detailOf = ({ body }: RawResponse) => JSON.parse(body).detail;

async function submit(host: PhotoHost, { path }: PhotoLink, photos: unknown): Promise<string> {
  const response = await fetch(host.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...CLAIM, extra: { photos } }),
  });
  const { data } = (await response.json()) as { data: { reference: string } };
  return data.reference;
}

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(50);
}

t.test('photos belong to the claim of their link, and are deleted with their user', async (t) => {
  const host = await startPhotoHost(t);
  const [first, second] = [await host.createLink('user-1'), await host.createLink('user-2')];
  const hashes: string[] = [];
  for (const [index, link] of [first, first, first, second].entries()) {
    const response = await upload(host, link, photo(index));
    t.equal(response.status, 201, response.body);
    t.equal(response.headers['cache-control'], 'no-store');
    hashes.push(JSON.parse(response.body).sha256);
  }
  t.same(hashes, [0, 1, 2, 3].map(photo).map(sha256Of));
  const [one, two, unnamed, other] = hashes as [string, string, string, string];
  t.equal(host.files().length, 4);
  t.ok(
    host.files().every((path) => /^pending\/[\w-]{43,64}\/[0-9a-f]{64}\.png$/.test(path)),
    host.files().join(),
  );
  const mode = statSync(join(dirname(host.database), 'photos', String(host.files()[0]))).mode;
  t.equal(mode & 0o777, 0o600, 'only the owner may read them');

  // A claim may name a photo of another link: it does not get it.
  const reference = await submit(host, first, [one, two, other, 7]);
  await until(() => host.log().includes(`claim ${reference} was submitted, 2 of 4 photos`));
  const otherReference = await submit(host, second, [other]);
  await until(() => host.log().includes(`claim ${otherReference} was submitted, 1 of 1 photos`));
  const names = host.files().map((path) => path.replace(/^(\w+)\/.*\/(\w+)\.png$/, '$1 $2'));
  t.same(names.sort(), [one, two, other].map((hash) => `claims ${hash}`).sort());
  t.notMatch(host.files().join(), unnamed, 'a photo that the claim does not name is removed');

  const exported = JSON.parse(await host.claimlink('users', 'export', '--user', 'user-1'));
  t.match(exported, { sessions: [{ reference, extra: { photos: [one, two, other, 7] } }] });
  const [{ link }] = exported.sessions as [{ link: { linkId: string } }];
  t.ok(
    host.files().includes(`claims/${link.linkId}/${one}.png`),
    'the id of the link ties the claim to its photos',
  );

  const late = await upload(host, first, photo(9));
  t.equal(late.status, 410);
  t.equal(detailOf(late), 'This link takes no more photos.');

  await host.claimlink('users', 'delete', '--user', 'user-1', '--yes');
  await until(() => !host.files().join().includes(link.linkId));
  t.same(
    host.files().map((path) => path.split('/').at(-1)),
    [`${other}.png`],
    'the photos of a living claim stay',
  );
  t.notMatch(host.log().replace(/^curl.*\nhttp.*$/m, ''), /Zoë|Muster|token=|clk_|user-/);
  t.equal(await host.end(), 0);
});

t.test('an upload needs a valid link, and a photo that is small enough', async (t) => {
  const host = await startPhotoHost(t);
  const [link, another] = [await host.createLink('user-1'), await host.createLink('user-1')];
  const forged = `${link.token.slice(0, -4)}AAAA`;
  for (const token of ['', 'x', forged, another.token]) {
    const response = await upload(host, { ...link, token }, photo(1));
    t.equal(response.status, 404, token);
    t.equal(detailOf(response), 'This link is not valid.');
  }
  t.same(host.files(), []);

  const TYPE = 'This is no photo that we can read. Send a JPEG, PNG or WebP file.';
  const texts = [
    '%PDF-1.7 and more',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a and more bytes',
    '',
    'x',
  ];
  for (const text of texts) {
    const response = await upload(host, link, Buffer.from(text));
    t.equal(response.status, 415, text);
    t.equal(detailOf(response), TYPE);
  }
  const large = await upload(host, link, Buffer.concat([photo(1), Buffer.alloc(10 * MEBIBYTE)]));
  t.equal(large.status, 413);
  t.equal(detailOf(large), 'A photo has at most 10 MB.');
  // Without a Content-Length, the bytes are counted.
  const chunked = await upload(host, link, ['RIFF0000WEBP', ...Array(11).fill('x'.repeat(MEBIBYTE))]);
  t.equal(chunked.status, 413);
  t.same(host.files(), [], 'nothing of them is stored');

  for (const [index, bytes] of [
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Array(20).fill(0)]),
    Buffer.from('RIFF0000WEBPVP8 '),
  ].entries())
    t.equal((await upload(host, link, bytes)).status, 201, `type ${index}`);
  t.same(
    host
      .files()
      .map((path) => path.split('.')[1])
      .sort(),
    ['jpg', 'webp'],
  );

  for (let number = 0; number < 8; number++) t.equal((await upload(host, link, photo(number))).status, 201);
  const eleventh = await upload(host, link, photo(8));
  t.equal(eleventh.status, 409);
  t.equal(detailOf(eleventh), 'A claim has at most 10 photos. Remove one first.');
  t.equal((await upload(host, another, photo(8))).status, 201, 'each link has its number');

  const remove = (token: string) =>
    fetch(`${host.origin}/photos/${link.accessCode}/${sha256Of(photo(0))}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
  t.equal((await remove(another.token)).status, 404);
  t.equal(host.files().length, 11);
  t.equal((await remove(link.token)).status, 204);
  t.equal((await upload(host, link, photo(8))).status, 201);
  t.same((await fetch(`${host.origin}/photos/${link.accessCode}`)).status, 405);
});

/** The pieces of the example over a storage in memory, with a clock. */
async function startService(t: Test) {
  const folder = join(dirname(temporaryFile(t)), 'photos');
  const store = createPhotoStore(folder);
  const errors: unknown[] = [];
  const onEvent = createOnEvent({ store, log: () => {} });
  const { claimlink, clock } = await createTestService({ events: EVENTS, onEvent });
  const route = createUploadRoute({ claimlink, store, onError: (error: unknown) => errors.push(error) });
  const server = createServer(route).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function createLink() {
    const { url, linkId } = await claimlink.createLink('acme', linkRequest());
    const { pathname, searchParams } = new URL(url);
    return {
      linkId,
      accessCode: pathname.split('/').at(-1) ?? '',
      token: searchParams.get('token') ?? '',
    };
  }
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { claimlink, clock, origin, createLink, files, errors };
}

t.test('the photos of a claim outlive its link, and go with the claim', async (t) => {
  const { claimlink, clock, origin, createLink, files } = await startService(t);
  const [link, unused] = [await createLink(), await createLink()];
  t.equal((await upload({ origin }, link, photo(1))).status, 201);
  t.equal((await upload({ origin }, unused, photo(2))).status, 201);
  const extra = { photos: [sha256Of(photo(1))] };
  await claimlink.submitClaim(link.accessCode, link.token, { ...CLAIM, extra });
  await claimlink.idle();
  t.equal(files().length, 2);

  clock.now = new Date(NOW.getTime() + YEAR_MS);
  await claimlink.deliverPending();
  t.same(
    files(),
    [`${sha256Of(photo(1))}.png`],
    'the photos of a link that expired without a claim are removed',
  );
  await claimlink.deleteExpiredLinks(clock.now);
  await claimlink.deliverPending();
  await claimlink.idle();
  t.equal(files().length, 1, 'the link is deleted, the claim is not');
  await claimlink.deleteSessions(clock.now);
  await claimlink.idle();
  t.same(files(), []);
});

t.test('a photo that arrives while its link is deleted is not stored', async (t) => {
  const { claimlink, origin, createLink, files, errors } = await startService(t);
  const { accessCode, token } = await createLink();
  const { port } = new URL(origin);
  const headers = { authorization: `Bearer ${token}`, 'content-length': String(photo(1).length) };
  const running = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: `/photos/${accessCode}`,
    headers,
  });
  running.write(photo(1).subarray(0, 100));
  await until(() => files().length === 1);
  await claimlink.deleteUser('acme', 'user-1');
  await claimlink.idle();
  running.end(photo(1).subarray(100));
  const [response] = await once(running, 'response');
  t.equal(response.statusCode, 404);
  response.resume();
  t.same(files(), []);

  // An upload that its browser gives up.
  const link = await createLink();
  const aborted = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: `/photos/${link.accessCode}`,
    headers: { ...headers, authorization: `Bearer ${link.token}` },
  });
  aborted.on('error', () => {});
  aborted.write(photo(1).subarray(0, 100));
  await until(() => files().length === 1);
  aborted.destroy();
  await until(() => files().length === 0);
  t.same(errors, []);
});
