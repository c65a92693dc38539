// The photos of a link, called by a host: who may add, list, read and remove them, and what a link that ends leaves.
import { createHash } from 'node:crypto';
import t from 'tap';
import type { ClaimlinkOptions, PhotosOptions } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createTestService, linkRequest } from '../adapters/service.js';
import { claim } from './world.js';

const PHOTO = Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(5000, 1)]);
const PHOTO_ID = createHash('sha256').update(PHOTO).digest('hex');

async function* chunks(bytes: Uint8Array) {
  yield bytes;
}

const sent = (bytes: Uint8Array = PHOTO, photoId?: string) => ({
  size: bytes.length,
  body: chunks(bytes),
  ...(photoId !== undefined && { photoId }),
});

/** Creates a service with photos, and a link. */
async function createWorld(options: Partial<ClaimlinkOptions> = {}) {
  const store = createMemoryPhotoStore();
  const world = await createTestService({ photos: { store }, ...options });
  await world.claimlink.updateClient({
    clientId: 'acme',
    settings: { form: { photos: { need: 'optional' } } },
  });
  const { url, linkId } = await world.claimlink.createLink('acme', linkRequest());
  const { pathname, searchParams } = new URL(url);
  const link = [pathname.split('/').at(-1) ?? '', searchParams.get('token') ?? ''] as const;
  return { ...world, store, link, photoLink: { clientId: 'acme', linkId } };
}

t.test('a photo that was added is listed and read, and is gone after it was removed', async (t) => {
  const { claimlink, link } = await createWorld();
  const photo = await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID));
  t.same(photo, { photoId: PHOTO_ID, type: 'image/jpeg', size: PHOTO.length });
  t.same(await claimlink.listPhotos(...link), [photo]);
  const stored = await claimlink.readPhoto(...link, PHOTO_ID);
  const bytes = [];
  for await (const chunk of stored?.body ?? []) bytes.push(chunk);
  t.ok(Buffer.concat(bytes).equals(PHOTO));
  await claimlink.removePhoto(...link, PHOTO_ID);
  t.same(await claimlink.listPhotos(...link), []);
  t.equal(await claimlink.readPhoto(...link, PHOTO_ID), undefined);
  await claimlink.removePhoto(...link, PHOTO_ID);
});

t.test(
  'the bytes of a removed photo stay until the claim is stored: one on its way may name it',
  async (t) => {
    const { claimlink, link, store, photoLink } = await createWorld();
    await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID));
    await claimlink.removePhoto(...link, PHOTO_ID);
    t.ok(await store.get({ ...photoLink, photoId: PHOTO_ID }));
  },
);

t.test('a removed photo can be added again', async (t) => {
  const { claimlink, link } = await createWorld();
  const photo = await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID));
  await claimlink.removePhoto(...link, PHOTO_ID);
  t.same(await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID)), photo);
  t.same(await claimlink.listPhotos(...link), [photo]);
});

t.test('removed photos make place for others, but not without end', async (t) => {
  const store = createMemoryPhotoStore();
  const { claimlink, link } = await createWorld({ photos: { store, maxPhotos: 1 } });
  const addAndRemove = async (seed: number) => {
    const bytes = Buffer.concat([PHOTO, Buffer.of(seed)]);
    const { photoId } = await claimlink.addPhoto(...link, sent(bytes));
    await claimlink.removePhoto(...link, photoId);
  };
  await addAndRemove(1);
  await addAndRemove(2);
  await t.rejects(
    async () => {
      for (let seed = 3; seed < 20; seed++) await addAndRemove(seed);
    },
    { code: 'photo_limit_reached' },
  );
});

t.test('a photo without an id has a random one', async (t) => {
  const { claimlink, link } = await createWorld();
  const [first, second] = [
    await claimlink.addPhoto(...link, sent()),
    await claimlink.addPhoto(...link, sent()),
  ];
  t.match(first.photoId, /^[0-9a-f]{64}$/);
  t.not(first.photoId, second.photoId);
});

t.test('a client whose form takes no photos has no place for one', async (t) => {
  for (const form of [null, {}, { photos: { need: 'hidden' } }] as const) {
    const { claimlink, link } = await createWorld();
    await claimlink.updateClient({ clientId: 'acme', settings: { form } });
    await t.rejects(claimlink.addPhoto(...link, sent()), {
      code: 'photo_limit_reached',
      message: 'The form of the client takes no photos.',
    });
    t.same(await claimlink.listPhotos(...link), []);
  }
});

t.test('the form of a client lowers the number of photos, and lets HEIC pass', async (t) => {
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  const { claimlink, link } = await createWorld();
  await t.rejects(claimlink.addPhoto(...link, sent(heic)), { code: 'content_type_unsupported' });
  const photos = { need: 'required', most: 1, heic: true } as const;
  await claimlink.updateClient({ clientId: 'acme', settings: { form: { photos } } });
  t.match(await claimlink.addPhoto(...link, sent(heic)), { type: 'image/heic' });
  await t.rejects(claimlink.addPhoto(...link, sent()), {
    code: 'photo_limit_reached',
    message: 'The maximum number of photos of a claim is 1.',
  });
});

t.test('no photo of another link can be read or removed', async (t) => {
  const { claimlink, link } = await createWorld();
  await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID));
  const { url } = await claimlink.createLink('acme', linkRequest());
  const { pathname, searchParams } = new URL(url);
  const other = [pathname.split('/').at(-1) ?? '', searchParams.get('token') ?? ''] as const;
  t.same(await claimlink.listPhotos(...other), []);
  t.equal(await claimlink.readPhoto(...other, PHOTO_ID), undefined);
  await claimlink.removePhoto(...other, PHOTO_ID);
  for (const photoId of ['..', `../${PHOTO_ID}`, '', PHOTO_ID.toUpperCase(), '__proto__'])
    t.equal(await claimlink.readPhoto(...link, photoId), undefined);
  await t.rejects(claimlink.listPhotos(link[0], other[1]), { code: 'link_not_found' });
  t.equal((await claimlink.listPhotos(...link)).length, 1);
});

t.test('a link that is submitted or over takes no photo, and shows none', async (t) => {
  for (const code of ['link_submitted', 'link_expired', 'link_revoked'] as const) {
    const { claimlink, link, clock, photoLink } = await createWorld();
    await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID));
    if (code === 'link_submitted') await claimlink.submitClaim(...link, claim());
    else if (code === 'link_revoked') await claimlink.revokeLink('acme', photoLink.linkId);
    else clock.now = new Date(clock.now.getTime() + 100 * 86_400_000);
    await t.rejects(claimlink.addPhoto(...link, sent()), { code });
    await t.rejects(claimlink.listPhotos(...link), { code });
    await t.rejects(claimlink.readPhoto(...link, PHOTO_ID), { code });
    await t.rejects(claimlink.removePhoto(...link, PHOTO_ID), { code });
  }
});

t.test('a photo that arrives after its link ended is not taken', async (t) => {
  const { claimlink, link, photoLink } = await createWorld();
  async function* body() {
    yield PHOTO;
    await claimlink.revokeLink('acme', photoLink.linkId);
  }
  await t.rejects(claimlink.addPhoto(...link, { size: PHOTO.length, body: body() }), {
    code: 'link_revoked',
  });
});

t.test('a photo that arrives after its link was deleted is removed', async (t) => {
  const { claimlink, link, store, photoLink } = await createWorld();
  async function* body() {
    yield PHOTO;
    await claimlink.deleteUser('acme', 'user-1');
  }
  await t.rejects(claimlink.addPhoto(...link, { size: PHOTO.length, body: body() }), {
    code: 'link_not_found',
  });
  t.same(await store.list(photoLink), []);
});

t.test('the recipient of a link proves the answer for its photos as well', async (t) => {
  const { claimlink } = await createWorld();
  await claimlink.updateClient({
    clientId: 'acme',
    settings: { recipientCheck: ['/policy/vehicle/licensePlate'] },
  });
  const request = linkRequest();
  const vehicle = { licensePlate: 'B-CL 2026' };
  const { url } = await claimlink.createLink('acme', {
    ...request,
    config: { ...request.config, policy: { vehicle } },
  });
  const { pathname, searchParams } = new URL(url);
  const link = [pathname.split('/').at(-1) ?? '', searchParams.get('token') ?? ''] as const;
  await t.rejects(claimlink.addPhoto(...link, sent()), { code: 'recipient_check_required' });
  await t.rejects(claimlink.listPhotos(...link), { code: 'recipient_check_required' });
  await t.rejects(claimlink.readPhoto(...link, PHOTO_ID), { code: 'recipient_check_required' });
  await t.rejects(claimlink.removePhoto(...link, PHOTO_ID), { code: 'recipient_check_required' });
  await t.rejects(claimlink.listPhotos(...link, { recipientAnswer: 'X' }), {
    code: 'recipient_check_failed',
  });
  const proof = { recipientAnswer: 'B-CL 2026' };
  await claimlink.addPhoto(...link, sent(PHOTO, PHOTO_ID), proof);
  t.equal((await claimlink.listPhotos(...link, proof)).length, 1);
});

t.test('a sent photo that does not fit is rejected before its body is read', async (t) => {
  const { claimlink, link } = await createWorld();
  const body = chunks(PHOTO);
  for (const photo of [
    { size: -1, body },
    { size: 1.5, body },
    { size: '5' as unknown as number, body },
    { size: 5, body, photoId: 'A'.repeat(64) },
    { size: 5, body, photoId: '../a' },
    { size: 5, body: PHOTO as unknown as AsyncIterable<Uint8Array> },
  ])
    await t.rejects(claimlink.addPhoto(...link, photo), { code: 'request_invalid' });
  await t.rejects(claimlink.addPhoto(...link, { size: 5 } as never), { code: 'options_invalid' });
});

t.test('a service without the option photos has none', async (t) => {
  const { claimlink } = await createTestService();
  const { url } = await claimlink.createLink('acme', linkRequest());
  const { pathname, searchParams } = new URL(url);
  const link = [pathname.split('/').at(-1) ?? '', searchParams.get('token') ?? ''] as const;
  await t.rejects(claimlink.addPhoto(...link, sent()), {
    code: 'options_invalid',
    message: /photos is required/,
  });
  await t.rejects(claimlink.listPhotos(...link), { code: 'options_invalid' });
});

t.test('options of photos that are not valid are rejected, each with its name', async (t) => {
  const store = createMemoryPhotoStore();
  const cases: [object, RegExp][] = [
    [{}, /photos\/store is required/],
    [{ store: { put() {} } }, /photos\/store must have the methods put, list, get, delete, links/],
    [{ store, maxPhotos: 0 }, /photos\/maxPhotos/],
    [{ store, maxPhotoBytes: 1 }, /photos\/maxPhotoBytes/],
    [{ store, maxPhoto: 1 }, /did you mean maxPhotos/],
  ];
  for (const [photos, message] of cases)
    await t.rejects(createTestService({ photos: photos as PhotosOptions }), {
      code: 'options_invalid',
      message,
    });
});
