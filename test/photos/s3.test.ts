// The S3 store of photos: the conformance suite over a bucket in memory, and what is its own.
import t from 'tap';
import { fromS3, type S3Client } from '../../lib/photos/index.js';
import { photoStoreSuite } from '../../lib/testing/index.js';
import {
  brokenBody,
  idOf,
  LINK,
  noAbort,
  photoOf,
  withPhoto,
} from '../../lib/testing/photo-store-suite/photos.js';
import { createFakeS3, s3Error } from './fake-s3.js';

const OPTIONS = { bucket: 'photos', prefix: 'claims/' };

const cases = photoStoreSuite(() => fromS3(createFakeS3('photos'), OPTIONS), {
  createPair() {
    const s3 = createFakeS3('photos');
    return [fromS3(s3, OPTIONS), fromS3(s3, OPTIONS)];
  },
});
for (const { name, run } of cases) t.test(`conformance: ${name}`, run);

t.test('options that do not fit are rejected', async (t) => {
  const s3 = createFakeS3('photos');
  for (const options of [{}, { bucket: '' }, { bucket: 'b', prefix: 1 }, { bucket: 'b', Prefix: 'x' }])
    t.throws(() => fromS3(s3, options as { bucket: string }), { code: 'options_invalid' });
  t.throws(() => fromS3({ send() {} } as unknown as S3Client, { bucket: 'b' }), {
    code: 'options_invalid',
    message: /putObject/,
  });
});

t.test('every key begins with the prefix, and none has the id of a client', async (t) => {
  const s3 = createFakeS3('photos');
  await withPhoto(fromS3(s3, OPTIONS), 1000, { clientId: 'client-of-acme' });
  t.equal(s3.objects.size, 2);
  for (const key of s3.objects.keys()) t.match(key, /^claims\/(?:photos|clients)\/[0-9a-f]{64}/);
});

t.test('two prefixes of a bucket share nothing', async (t) => {
  const s3 = createFakeS3('photos');
  const [first, second] = ['a/', 'b/'].map((prefix) => fromS3(s3, { bucket: 'photos', prefix }));
  await withPhoto(first as never, 1000);
  t.same(await second?.list(LINK), []);
  t.same(await second?.links({ limit: 10 }), []);
});

t.test('a body that fails emits no error event: the SDK would end the process', async (t) => {
  const s3 = createFakeS3('photos');
  const error = new Error('cut');
  const errors: unknown[] = [];
  const store = fromS3(
    {
      ...s3,
      putObject(input, options) {
        if ('on' in input.Body) input.Body.on('error', (event) => errors.push(event));
        return s3.putObject(input, options);
      },
    },
    OPTIONS,
  );
  const photo = photoOf(200_000);
  await t.rejects(async () => store.put(photo, brokenBody(100_000, error), { signal: noAbort() }), error);
  t.same(errors, []);
});

t.test('the body of a call that S3 rejects ends, and put rejects with the error of S3', async (t) => {
  const s3 = createFakeS3('photos');
  const store = fromS3(s3, { bucket: 'other' });
  let hasEnded = true;
  async function* body() {
    hasEnded = false;
    try {
      yield new Uint8Array(1000);
    } finally {
      hasEnded = true;
    }
  }
  await t.rejects(async () => store.put(photoOf(1000), body(), { signal: noAbort() }), {
    name: 'NoSuchBucket',
  });
  t.ok(hasEnded);
});

t.test('an object that S3 does not remove is an error', async (t) => {
  const s3 = createFakeS3('photos');
  const deleteObjects: S3Client['deleteObjects'] = async ({ Delete }) => ({
    Errors: Delete.Objects.map(({ Key }) => ({ Key, Code: 'AccessDenied' })),
  });
  const store = fromS3({ ...s3, deleteObjects }, OPTIONS);
  await withPhoto(store, 1000);
  await t.rejects(async () => store.delete(LINK), { message: /AccessDenied/ });
});

t.test(
  'a link whose client is not there any more is left out, and other errors of S3 are thrown',
  async (t) => {
    const s3 = createFakeS3('photos');
    const store = fromS3(s3, OPTIONS);
    await withPhoto(store, 1000);
    await withPhoto(store, 1000, { clientId: 'other', linkId: idOf('other') });
    const [client = ''] = [...s3.objects.keys()].filter((key) => key.includes('clients/'));
    s3.objects.delete(client);
    t.equal((await store.links({ limit: 10 })).length, 1);
    const getObject = async () => {
      throw s3Error('AccessDenied');
    };
    await t.rejects(async () => fromS3({ ...s3, getObject }, OPTIONS).links({ limit: 10 }), {
      name: 'AccessDenied',
    });
  },
);
