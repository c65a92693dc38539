// Rules about calls at the same time.
import type { NewPhoto } from '../../core/photo-store.js';
import assert from '../storage-suite/assert.js';
import {
  assertListed,
  assertStored,
  bodyOf,
  brokenBody,
  chunksOf,
  idOf,
  LINK,
  noAbort,
  type PhotoRule,
  photoOf,
  withPhoto,
} from './photos.js';

const SIZE = 200_000;

export const photoRaceRules: readonly PhotoRule[] = [
  {
    name: 'of ten writers of one photo each one resolves, and the photo is whole',
    async check(store) {
      const photo = photoOf(SIZE);
      await Promise.all(Array.from({ length: 10 }, () => withPhoto(store, SIZE)));
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  },
  {
    name: 'of two writers of one photo, one that is cut leaves the photo of the other one',
    async check(store) {
      const photo = photoOf(SIZE);
      for (const size of [1, 70_000, SIZE]) {
        const cut = (async () => store.put(photo, brokenBody(size, new Error()), { signal: noAbort() }))();
        await Promise.all([withPhoto(store, SIZE), assert.rejects(cut)]);
        await assertListed(store, [photo]);
        await assertStored(store, photo);
        await store.delete(LINK);
      }
    },
  },
  {
    name: 'a photo is listed when it is whole, and not before',
    async check(store) {
      async function* body() {
        for (const chunk of chunksOf(SIZE)) {
          await assertListed(store, []);
          yield chunk;
        }
        await assertListed(store, []);
      }
      const photo = photoOf(SIZE);
      await store.put(photo, body(), { signal: noAbort() });
      await assertListed(store, [photo]);
    },
  },
  {
    name: 'a list that is read while photos are written and removed has whole photos only',
    async check(store) {
      const photos = [1, 2, 3, 4].map((seed) => ({ seed, photo: photoOf(SIZE, { seed }) }));
      let isWriting = true;
      const reader = (async () => {
        while (isWriting) {
          for (const { photoId, size } of await store.list(LINK)) {
            assert.equal(size, SIZE);
            assert.ok(
              photos.some(({ photo }) => photo.photoId === photoId),
              'a photo that was stored',
            );
          }
          // A store in memory would not let the writers go on.
          await new Promise((resolve) => setTimeout(resolve));
        }
      })();
      const writers = photos.map(async ({ seed, photo }) => {
        for (let round = 0; round < 5; round++) {
          await withPhoto(store, SIZE, { seed });
          if (seed % 2 === 0) await store.delete({ ...LINK, photoIds: [photo.photoId] });
        }
      });
      const writing = Promise.all(writers).finally(() => {
        isWriting = false;
      });
      await Promise.all([writing, reader]);
      await assertListed(
        store,
        photos.filter(({ seed }) => seed % 2 === 1).map(({ photo }) => photo),
      );
    },
  },
  {
    name: 'a delete while a photo is written does not make put reject, and a later one removes the photo',
    async check(store) {
      async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
        for (const chunk of chunksOf(SIZE)) {
          await store.delete(LINK);
          yield chunk;
        }
      }
      const photo = photoOf(SIZE);
      await store.put(photo, body(), { signal: noAbort() });
      await assertListed(store, [photo]);
      await assertStored(store, photo);
      await Promise.all([
        ...[1, 2, 3, 4, 5].map((seed) => withPhoto(store, 10, { seed })),
        ...Array.from({ length: 20 }, async () => store.delete(LINK)),
      ]);
      await store.delete(LINK);
      await assertListed(store, []);
      assert.deepEqual(await store.links({ limit: 10 }), []);
    },
  },
  {
    name: 'a body that is read while its photo is removed has all bytes, or rejects',
    async check(store) {
      const photo = await withPhoto(store, SIZE * 10);
      const stored = await store.get(photo);
      assert.ok(stored);
      let length = 0;
      try {
        for await (const chunk of stored.body) {
          if (length === 0) await store.delete(LINK);
          length += chunk.length;
        }
      } catch {
        return;
      }
      assert.equal(length, photo.size);
    },
  },
  {
    name: '50 photos of five links that are written at the same time are all there',
    async check(store) {
      const photos: NewPhoto[] = await Promise.all(
        Array.from({ length: 50 }, (_, seed) =>
          withPhoto(store, 20_000, { linkId: idOf(`link ${seed % 5}`), seed }),
        ),
      );
      for (const photo of photos) await assertStored(store, photo);
      assert.equal((await store.links({ limit: 10 })).length, 5);
    },
  },
  {
    name: 'a photo that one caller stores is there for the next one at once',
    async check(store) {
      for (let seed = 0; seed < 10; seed++) {
        const photo = photoOf(SIZE, { seed });
        await store.put(photo, bodyOf(SIZE, seed), { signal: noAbort() });
        await assertStored(store, photo);
        await store.delete({ ...LINK, photoIds: [photo.photoId] });
        await assertListed(store, []);
      }
    },
  },
];
