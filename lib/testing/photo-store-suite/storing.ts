// Rules of put, list and get.
import { PHOTO_TYPES } from '../../core/photo-types.js';
import assert from '../storage-suite/assert.js';
import {
  assertAbsent,
  assertListed,
  assertRejects,
  assertStored,
  bodyOf,
  brokenBody,
  chunksOf,
  LINK,
  noAbort,
  OTHER_LINK,
  type PhotoRule,
  photoOf,
  withPhoto,
} from './photos.js';

const SIZE = 200_000;
const LARGEST = 10_485_760;

/** Returns the bytes of a photo one by one. */
async function* singleBytes(size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (const chunk of chunksOf(size)) for (const byte of chunk) yield Uint8Array.of(byte);
}

/** Returns a body that waits after some bytes, and calls a function then. */
async function* waitingBody(size: number, onWait: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunksOf(size);
  onWait();
  await new Promise(() => {});
}

export const storingRules: readonly PhotoRule[] = [
  {
    name: 'an empty store lists nothing, and gets nothing',
    async check(store) {
      await assertListed(store, []);
      assert.equal(await store.get(photoOf(1)), undefined);
      assert.deepEqual(await store.links({ limit: 10 }), []);
    },
  },
  {
    name: 'a photo that put has stored is listed, and get returns its bytes',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  },
  ...(PHOTO_TYPES.map((type) => ({
    name: `a photo of the type ${type} keeps its type`,
    async check(store) {
      const photo = await withPhoto(store, SIZE, { type });
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  })) satisfies PhotoRule[]),
  ...([0, 1, 65_535, 65_536, 65_537].map((size) => ({
    name: `a photo of ${size} bytes keeps its bytes`,
    async check(store) {
      const photo = await withPhoto(store, size);
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  })) satisfies PhotoRule[]),
  {
    name: 'a photo of 10 MiB keeps its bytes',
    async check(store) {
      await assertStored(store, await withPhoto(store, LARGEST));
    },
  },
  {
    name: 'a photo whose body comes byte by byte, and with empty chunks, keeps its bytes',
    async check(store) {
      async function* body() {
        yield new Uint8Array();
        for await (const byte of singleBytes(20_000)) yield byte;
        yield new Uint8Array();
      }
      const photo = photoOf(20_000);
      await store.put(photo, body(), { signal: noAbort() });
      await assertStored(store, photo);
    },
  },
  {
    name: 'a body whose chunks change after they were read does not change the photo',
    async check(store) {
      const buffer = new Uint8Array(10_000);
      async function* body() {
        for (const chunk of chunksOf(SIZE)) {
          buffer.set(chunk);
          yield buffer;
        }
        buffer.fill(0);
      }
      const photo = photoOf(SIZE);
      await store.put(photo, body(), { signal: noAbort() });
      await assertStored(store, photo);
    },
  },
  {
    name: 'a photo that is stored twice is listed once',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      await withPhoto(store, SIZE);
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  },
  {
    name: 'the same photo of two links is there for each of them',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      const copy = await withPhoto(store, SIZE, OTHER_LINK);
      await store.delete(LINK);
      await assertAbsent(store, photo);
      await assertStored(store, copy);
    },
  },
  {
    name: 'a body that is read in part, or not at all, does not hold its photo',
    async check(store) {
      const photo = await withPhoto(store, LARGEST);
      for (let count = 0; count < 20; count++) {
        const stored = await store.get(photo);
        assert.ok(stored);
        if (count % 2 === 0) for await (const _ of stored.body) break;
      }
      await store.delete(LINK);
      await assertListed(store, []);
    },
  },
  ...([0, 1, 70_000, SIZE].map((size) => ({
    name: `a body that fails after ${size} of ${SIZE} bytes leaves nothing, and put rejects with its error`,
    async check(store) {
      const error = new Error('The upload was cut.');
      const photo = photoOf(SIZE);
      const result = (async () => store.put(photo, brokenBody(size, error), { signal: noAbort() }))();
      await assert.rejects(result, error);
      await assertAbsent(store, photo);
      await withPhoto(store, SIZE);
      await assertStored(store, photo);
    },
  })) satisfies PhotoRule[]),
  {
    name: 'a body that ends before its size leaves nothing',
    async check(store) {
      for (const size of [0, 1, SIZE - 1]) await assertRejects(store, photoOf(SIZE), bodyOf(size));
    },
  },
  {
    name: 'a body that goes on after its size leaves nothing',
    async check(store) {
      for (const size of [SIZE + 1, SIZE * 2]) await assertRejects(store, photoOf(SIZE), bodyOf(size));
    },
  },
  {
    name: 'a call whose signal has aborted reads nothing and stores nothing',
    async check(store) {
      let hasRead = false;
      async function* body() {
        hasRead = true;
        yield* chunksOf(SIZE);
      }
      await assertRejects(store, photoOf(SIZE), body(), AbortSignal.abort());
      assert.equal(hasRead, false);
    },
  },
  {
    name: 'put rejects when its signal aborts, also while the body waits, and leaves nothing',
    async check(store) {
      for (const size of [0, 1, 70_000, SIZE]) {
        const controller = new AbortController();
        const body = waitingBody(size, () => controller.abort());
        await assertRejects(store, photoOf(SIZE), body, controller.signal);
      }
    },
  },
  {
    name: 'a call that fails leaves the photo with this id that was there before',
    async check(store) {
      const photo = await withPhoto(store, SIZE);
      await assert.rejects(async () =>
        store.put(photo, brokenBody(70_000, new Error()), { signal: noAbort() }),
      );
      await assertListed(store, [photo]);
      await assertStored(store, photo);
    },
  },
  {
    name: 'put ends the iteration of a body that it does not read to the end',
    async check(store) {
      let hasEnded = false;
      async function* body() {
        try {
          yield* chunksOf(SIZE * 4);
        } finally {
          hasEnded = true;
        }
      }
      await assertRejects(store, photoOf(SIZE), body());
      assert.equal(hasEnded, true);
    },
  },
];
