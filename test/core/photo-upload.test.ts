// Taking a photo: limits, type and hash while its bytes pass through, and what is read of a photo that is rejected.
import { createHash } from 'node:crypto';
import t from 'tap';
import type { PhotoLimits } from '../../lib/core/photo-options.js';
import { photosOf } from '../../lib/core/photo-settings.js';
import type { PhotoStore } from '../../lib/core/photo-store.js';
import { createPhotoUpload, type PhotoUpload } from '../../lib/core/photo-upload.js';
import { markRemoved, presentPhotos } from '../../lib/core/removed-photos.js';
import { createFolderStore } from '../../lib/photos/folder.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';

const LIMITS: PhotoLimits = {
  maxPhotos: 3,
  maxPhotoBytes: 20_000,
  maxLinkBytes: 40_000,
  maxUploads: 2,
  bodyTimeoutSeconds: 60,
};
const FORM = photosOf({ form: { photos: { need: 'optional' } } });
const LINK = { clientId: 'acme', linkId: 'a'.repeat(64) };
const JPEG = Buffer.from('ffd8ffe1', 'hex');
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Returns a photo of a size. */
function photoOf(size: number, { start = JPEG, seed = 0 } = {}): Buffer {
  return Buffer.concat([start, Buffer.alloc(size - start.length, seed)]);
}

/** Returns an upload of bytes in chunks, and counts how many of them are read. */
function uploadOf(bytes: Uint8Array, changes: Partial<PhotoUpload> = {}) {
  const read = { bytes: 0, hasEnded: false };
  async function* body() {
    try {
      for (let start = 0; start < bytes.length; start += 1000) {
        const chunk = bytes.subarray(start, start + 1000);
        read.bytes += chunk.length;
        yield chunk;
      }
    } finally {
      read.hasEnded = true;
    }
  }
  const upload: PhotoUpload = {
    ...LINK,
    photoId: sha256(bytes),
    size: bytes.length,
    body: body(),
    form: FORM,
    ...changes,
  };
  return { upload, read };
}

function createStore(limits: Partial<PhotoLimits> = {}, store: PhotoStore = createMemoryPhotoStore()) {
  return { store, addPhoto: createPhotoUpload(store, { ...LIMITS, ...limits }) };
}

/** Returns a store whose `put` waits until `release` is called. */
function createWaitingStore() {
  const store = createMemoryPhotoStore();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting: PhotoStore = {
    ...store,
    async put(...args) {
      await released;
      await store.put(...args);
    },
  };
  return { waiting, release };
}

t.test('a photo is stored with its type and its size', async (t) => {
  const { store, addPhoto } = createStore();
  const bytes = photoOf(10_000);
  const photo = { photoId: sha256(bytes), type: 'image/jpeg' as const, size: 10_000 };
  t.same(await addPhoto(uploadOf(bytes).upload), photo);
  t.same(await store.list(LINK), [photo]);
});

t.test('a photo whose first chunks are single bytes has its type', async (t) => {
  const { store, addPhoto } = createStore();
  const bytes = photoOf(100);
  async function* body() {
    for (const byte of bytes) yield Uint8Array.of(byte);
  }
  await addPhoto(uploadOf(bytes, { body: body() }).upload);
  t.match(await store.list(LINK), [{ type: 'image/jpeg', size: 100 }]);
});

t.test('a photo that is there is the same photo again, and its body is read and dropped', async (t) => {
  const { store, addPhoto } = createStore({ maxPhotos: 1 });
  const bytes = photoOf(10_000);
  const photo = await addPhoto(uploadOf(bytes).upload);
  const { upload, read } = uploadOf(bytes);
  t.same(await addPhoto(upload), photo);
  t.equal(read.bytes, 10_000);
  t.same(await store.list(LINK), [photo]);
});

t.test('a photo with another hash than its id is rejected, and not stored', async (t) => {
  const { store, addPhoto } = createStore();
  const { upload } = uploadOf(photoOf(10_000), { photoId: 'b'.repeat(64) });
  await t.rejects(addPhoto(upload), { code: 'request_invalid', problems: [{ parameter: 'photoId' }] });
  t.same(await store.list(LINK), []);
  const { upload: random } = uploadOf(photoOf(10_000), { photoId: 'b'.repeat(64), hasRandomId: true });
  t.match(await addPhoto(random), { photoId: 'b'.repeat(64) });
});

t.test('other data is rejected, whatever it is called', async (t) => {
  const { store, addPhoto } = createStore();
  const others = [
    '<!doctype html><script>alert(1)</script>',
    '<svg onload="alert(1)">',
    'GIF89a',
    '%PDF-1.7',
  ];
  for (const text of [...others, '']) {
    const size = text === '' ? 0 : 10_000;
    const { upload, read } = uploadOf(Buffer.from(text.padEnd(size)));
    await t.rejects(addPhoto(upload), { code: 'content_type_unsupported' }, text);
    t.equal(read.bytes, size, 'the rest is read and dropped');
  }
  t.same(await store.list(LINK), []);
});

t.test('HEIC is for clients that accept it', async (t) => {
  const { addPhoto } = createStore();
  const bytes = photoOf(10_000, { start: HEIC });
  await t.rejects(addPhoto(uploadOf(bytes).upload), { message: 'Send a photo as JPEG, PNG or WebP.' });
  t.match(await addPhoto(uploadOf(bytes, { form: { ...FORM, heic: true } }).upload), { type: 'image/heic' });
});

t.test('a photo that is too large is rejected, and read on up to the size of a photo', async (t) => {
  const { addPhoto } = createStore();
  const { upload, read } = uploadOf(photoOf(1_000_000));
  await t.rejects(addPhoto(upload), { code: 'body_too_large', message: /20000 bytes/ });
  t.equal(read.bytes, 20_000);
  t.ok(read.hasEnded);
});

t.test('a link takes photos up to its number, and up to its bytes', async (t) => {
  const { store, addPhoto } = createStore();
  for (const seed of [1, 2, 3]) await addPhoto(uploadOf(photoOf(1000, { seed })).upload);
  const error = { code: 'photo_limit_reached', statusCode: 409 };
  await t.rejects(addPhoto(uploadOf(photoOf(1000, { seed: 4 })).upload), error);
  const other = { linkId: 'b'.repeat(64) };
  await addPhoto(uploadOf(photoOf(20_000, { seed: 1 }), other).upload);
  await addPhoto(uploadOf(photoOf(19_999, { seed: 2 }), other).upload);
  await t.rejects(
    addPhoto(uploadOf(photoOf(2, { seed: 3, start: JPEG.subarray(0, 2) }), other).upload),
    error,
  );
  t.equal((await store.list(LINK)).length, 3);
});

t.test('uploads at the same time count before they are stored', async (t) => {
  const { waiting, release } = createWaitingStore();
  const { addPhoto } = createStore({ maxPhotos: 2, maxUploads: 3 }, waiting);
  const results = Promise.allSettled(
    [1, 2, 3].map((seed) => addPhoto(uploadOf(photoOf(1000, { seed })).upload)),
  );
  release();
  const statuses = (await results).map(({ status }) => status);
  t.same(statuses.toSorted(), ['fulfilled', 'fulfilled', 'rejected']);
});

t.test('a link has a number of uploads at the same time; another link has its own', async (t) => {
  const { waiting, release } = createWaitingStore();
  const { addPhoto } = createStore({}, waiting);
  const uploads = [1, 2].map((seed) => addPhoto(uploadOf(photoOf(1000, { seed })).upload));
  const tooMany = { code: 'too_many_requests', retryAfterSeconds: 2 };
  await t.rejects(addPhoto(uploadOf(photoOf(1000, { seed: 3 })).upload), tooMany);
  uploads.push(addPhoto(uploadOf(photoOf(1000, { seed: 3 }), { clientId: 'other' }).upload));
  release();
  await Promise.all(uploads);
  await addPhoto(uploadOf(photoOf(1000, { seed: 3 })).upload);
});

t.test('a rejected upload frees its place', async (t) => {
  const { addPhoto } = createStore();
  for (let count = 0; count < 5; count++)
    await t.rejects(addPhoto(uploadOf(Buffer.from('no photo')).upload), { code: 'content_type_unsupported' });
  await addPhoto(uploadOf(photoOf(1000)).upload);
});

t.test('a body that fails rejects with its error, and stores nothing', async (t) => {
  const { store, addPhoto } = createStore();
  for (const length of [0, 10, 5000, 10_000]) {
    async function* body() {
      yield photoOf(10_000).subarray(0, length);
      throw Object.assign(new Error('cut'), { code: 'request_aborted' });
    }
    await t.rejects(addPhoto(uploadOf(photoOf(10_000), { body: body() }).upload), {
      code: 'request_aborted',
    });
  }
  t.same(await store.list(LINK), []);
});

t.test('a body that stops is a timeout, also while it is dropped', async (t) => {
  const { store, addPhoto } = createStore({ bodyTimeoutSeconds: 0.05 });
  for (const start of [photoOf(5000), Buffer.alloc(5000)]) {
    async function* body() {
      yield start;
      await new Promise(() => {});
    }
    const { upload } = uploadOf(photoOf(10_000), { body: body() });
    const code = start[0] === 0 ? 'content_type_unsupported' : 'request_timeout';
    await t.rejects(addPhoto(upload), { code });
  }
  t.same(await store.list(LINK), []);
});

t.test('the error of a store reaches the caller, after the rest of the body was read', async (t) => {
  const error = new Error('The disk is full.');
  const put = async () => {
    throw error;
  };
  const { addPhoto } = createStore({}, { ...createMemoryPhotoStore(), put });
  const { upload, read } = uploadOf(photoOf(10_000));
  await t.rejects(addPhoto(upload), error);
  t.equal(read.bytes, 10_000);
});

t.test('a random id of a removed photo is that of one photo, also with another type', async (t) => {
  const { store, addPhoto } = createStore({}, createFolderStore(t.testdir()));
  const photoId = 'cd'.repeat(32);
  const random = { photoId, hasRandomId: true };
  await addPhoto(uploadOf(photoOf(1000), random).upload);
  await markRemoved(store, { ...LINK, photoId }, AbortSignal.timeout(60_000));
  const start = Buffer.from('89504e470d0a1a0a', 'hex');
  await addPhoto(uploadOf(photoOf(2000, { start }), random).upload);
  t.same(presentPhotos(await store.list(LINK)), [{ photoId, type: 'image/png', size: 2000 }]);
});
