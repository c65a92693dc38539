// Sample photos, and the calls that the rules share.
import { createHash } from 'node:crypto';
import type { NewPhoto, PhotoLink, PhotoRef, PhotoStore } from '../../core/photo-store.js';
import assert from '../storage-suite/assert.js';

/** A rule; `check` gets a new, empty store, or two on one place. */
export interface PhotoRule {
  name: string;
  check(store: PhotoStore): Promise<void>;
}

/** Returns a hash as claimlink makes ids. */
export function idOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export const LINK: PhotoLink = { clientId: 'acme', linkId: idOf('link-1') };
export const OTHER_LINK: PhotoLink = { clientId: 'acme', linkId: idOf('link-2') };

const CHUNK_BYTES = 10_000;

/** Returns bytes that differ at each place, in chunks. */
export function* chunksOf(size: number, seed = 7): Generator<Uint8Array, void, undefined> {
  let state = seed;
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - start));
    for (let index = 0; index < chunk.length; index++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      chunk[index] = state >>> 24;
    }
    yield chunk;
  }
}

/** Returns the bytes of a photo as a body. */
export async function* bodyOf(size: number, seed?: number): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunksOf(size, seed);
}

/** Returns a body that fails after some bytes. */
export async function* brokenBody(size: number, error: unknown): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunksOf(size);
  throw error;
}

/** Returns a photo with the bytes of `bodyOf(size, seed)`. */
export function photoOf(size: number, changes: Partial<NewPhoto> & { seed?: number } = {}): NewPhoto {
  const { seed, ...members } = changes;
  return { ...LINK, photoId: hashOf(chunksOf(size, seed)), type: 'image/jpeg', size, ...members };
}

/** Stores a photo with the bytes of `bodyOf(size, seed)`, and returns it. */
export async function withPhoto(
  store: PhotoStore,
  size: number,
  changes: Partial<NewPhoto> & { seed?: number } = {},
): Promise<NewPhoto> {
  const photo = photoOf(size, changes);
  await store.put(photo, bodyOf(size, changes.seed), { signal: noAbort() });
  return photo;
}

/** Returns a signal that never aborts. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}

function hashOf(chunks: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Checks that the link has these photos and no others. */
export async function assertListed(
  store: PhotoStore,
  photos: readonly NewPhoto[],
  link: PhotoLink = LINK,
): Promise<void> {
  const listed = [...(await store.list(link))].sort(byId);
  const expected = photos.map(({ photoId, type, size }) => ({ photoId, type, size })).sort(byId);
  assert.deepEqual(listed, expected);
}

function byId(a: { photoId: string }, b: { photoId: string }): number {
  return a.photoId < b.photoId ? -1 : 1;
}

/** Checks that a photo can be read, with all of its bytes. Its id is their hash. */
export async function assertStored(store: PhotoStore, photo: NewPhoto): Promise<void> {
  const stored = await store.get(photo);
  assert.ok(stored !== undefined, 'the photo is there');
  const { photoId, type, size, body } = stored;
  assert.deepEqual({ photoId, type, size }, { photoId: photo.photoId, type: photo.type, size: photo.size });
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    length += chunk.length;
  }
  assert.equal(length, size, 'number of bytes');
  assert.equal(hash.digest('hex'), photoId, 'the bytes');
}

/** Checks that the store has nothing of a photo. */
export async function assertAbsent(store: PhotoStore, photo: PhotoRef): Promise<void> {
  assert.equal(await store.get(photo), undefined);
  const listed = await store.list(photo);
  assert.ok(!listed.some(({ photoId }) => photoId === photo.photoId), 'it is not listed');
}

/** Calls `put` with a body that fails, and checks that it rejects and stores nothing. */
export async function assertRejects(
  store: PhotoStore,
  photo: NewPhoto,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal = noAbort(),
): Promise<void> {
  await assert.rejects(async () => store.put(photo, body, { signal }));
  await assertAbsent(store, photo);
}
