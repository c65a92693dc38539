// Takes a photo that a browser or a host sends: its limits, its type and its hash, while the bytes pass through.
import { createHash } from 'node:crypto';
import { ClaimlinkError, invalidParameter } from './errors.js';
import type { PhotoLimits } from './photo-options.js';
import type { ResolvedFormPhotos } from './photo-settings.js';
import type { PhotoEntry, PhotoRef, PhotoStore } from './photo-store.js';
import { PHOTO_HEAD_BYTES, photoTypeOf } from './photo-type.js';
import { markerIdOf, presentPhotos, unmarkRemoved } from './removed-photos.js';
import { untilAborted } from './until-aborted.js';

/** A photo on its way. */
export interface PhotoUpload extends PhotoRef {
  /** Number of bytes that the sender declares. */
  size: number;
  /** true: the id is random. Otherwise it is the SHA-256 of the bytes. */
  hasRandomId?: boolean;
  /** What the form of the client says. */
  form: ResolvedFormPhotos;
  body: AsyncIterable<Uint8Array>;
}

/** What the uploads of a link that run in this process have reserved. */
interface Reserved {
  uploads: number;
  bytes: number;
}

/** Seconds after which the sender of too many uploads may try again. */
const RETRY_SECONDS = 2;

/** Entries that a store may have for each photo of a link: photos that were removed stay until the claim is stored. */
const MOST_ENTRIES = 5;

/** Creates the use case. The limits of count and bytes are those of a process: processes do not tell each other. */
export function createPhotoUpload(store: PhotoStore, limits: PhotoLimits) {
  const running = new Map<string, Reserved>();

  /** Reserves a place for an upload, and returns a function that frees it. @throws `too_many_requests`. */
  function reserve({ clientId, linkId, size }: PhotoUpload) {
    const key = JSON.stringify([clientId, linkId]);
    const reserved = running.get(key) ?? { uploads: 0, bytes: 0 };
    if (reserved.uploads >= limits.maxUploads) {
      const message = `Send at most ${limits.maxUploads} photos at the same time.`;
      throw new ClaimlinkError('too_many_requests', message, { retryAfterSeconds: RETRY_SECONDS });
    }
    const others = { ...reserved };
    reserved.uploads += 1;
    reserved.bytes += size;
    running.set(key, reserved);
    const free = () => {
      reserved.uploads -= 1;
      reserved.bytes -= size;
      if (reserved.uploads === 0) running.delete(key);
    };
    return { others, free };
  }

  /** @throws `photo_limit_reached` if the link has no place for a photo of this size. */
  function assertPlace(
    photos: readonly PhotoEntry[],
    entries: readonly PhotoEntry[],
    others: Reserved,
    { size, form }: PhotoUpload,
  ): void {
    const { maxLinkBytes } = limits;
    const maxPhotos = Math.min(limits.maxPhotos, form.most);
    const total = photos.reduce((sum, photo) => sum + photo.size, 0);
    const isFull = entries.length >= MOST_ENTRIES * maxPhotos;
    if (isFull || photos.length + others.uploads >= maxPhotos)
      throw new ClaimlinkError(
        'photo_limit_reached',
        `The maximum number of photos of a claim is ${maxPhotos}.`,
      );
    if (total + others.bytes + size > maxLinkBytes)
      throw new ClaimlinkError(
        'photo_limit_reached',
        `The photos of a claim can have at most ${maxLinkBytes} bytes.`,
      );
  }

  /** Stores a photo of which no byte has been read. */
  async function receive(upload: PhotoUpload, chunks: AsyncIterator<Uint8Array>, signal: AbortSignal) {
    const { clientId, linkId, photoId, size, form, hasRandomId = false } = upload;
    if (form.need === 'hidden')
      throw new ClaimlinkError('photo_limit_reached', 'The form of the client takes no photos.');
    if (size > limits.maxPhotoBytes)
      throw new ClaimlinkError(
        'body_too_large',
        `A photo must not be larger than ${limits.maxPhotoBytes} bytes.`,
      );
    const { others, free } = reserve(upload);
    try {
      const entries = await store.list({ clientId, linkId });
      const photos = presentPhotos(entries);
      // A repetition after a lost response is the same photo.
      const present = photos.find((photo) => photo.photoId === photoId);
      if (present !== undefined) return present;
      assertPlace(photos, entries, others, upload);
      const head = await readHead(chunks);
      const start = Buffer.concat(head.map((chunk) => chunk.subarray(0, PHOTO_HEAD_BYTES)));
      const type = photoTypeOf(start.subarray(0, PHOTO_HEAD_BYTES));
      if (type === undefined || (type === 'image/heic' && !form.heic))
        throw new ClaimlinkError('content_type_unsupported', typesText(form.heic));
      const photo = { clientId, linkId, photoId, type, size };
      // A removed photo with this random id and another type would be back with its id.
      const isOther = entries.some((entry) => entry.photoId === photoId && entry.type !== type);
      if (isOther) await store.delete({ clientId, linkId, photoIds: [photoId] });
      await store.put(photo, hashed(head, chunks, hasRandomId ? undefined : photoId), { signal });
      if (entries.some((entry) => entry.photoId === markerIdOf(photoId))) await unmarkRemoved(store, photo);
      return { photoId, type, size };
    } finally {
      free();
    }
  }

  /**
   * Stores a photo. Reads and drops the rest of the body if it rejects the photo, up to the size of a photo: a browser that
   * still sends would not get the response.
   * @throws `body_too_large`, `too_many_requests`, `photo_limit_reached`, `content_type_unsupported`, `request_timeout`;
   * `request_invalid` if the bytes have another hash than the id; `request_aborted` and other errors of the body; those of the
   * store.
   */
  async function addPhoto(upload: PhotoUpload): Promise<PhotoEntry> {
    const controller = new AbortController();
    const timer = setTimeout(
      () => controller.abort(timeoutError(limits.bodyTimeoutSeconds)),
      limits.bodyTimeoutSeconds * 1000,
    );
    const chunks = untilAborted(upload.body, controller.signal);
    try {
      return await receive(upload, chunks, controller.signal);
    } finally {
      await drop(chunks, limits.maxPhotoBytes);
      clearTimeout(timer);
    }
  }

  return addPhoto;
}

/** Reads chunks until they tell the type of the photo. */
async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const head: Uint8Array[] = [];
  for (let length = 0; length < PHOTO_HEAD_BYTES; length += head.at(-1)?.length ?? 0) {
    const { done, value } = await chunks.next();
    if (done) break;
    head.push(value);
  }
  return head;
}

/**
 * Returns the chunks of a photo. It takes the first ones out of `head`, so that no upload holds them to its end. It does not end
 * the iteration of its source. @throws `request_invalid` for another hash. */
async function* hashed(
  head: Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  expected: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for (let chunk = head.shift(); chunk !== undefined; chunk = head.shift()) {
    hash.update(chunk);
    yield chunk;
  }
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    hash.update(next.value);
    yield next.value;
  }
  if (expected !== undefined && hash.digest('hex') !== expected)
    throw invalidParameter('photoId', 'value', 'is not the SHA-256 of the photo');
}

/** Reads and drops the body of a photo that is rejected before it is read, up to the size and the time of a photo. */
export async function dropBody(
  body: AsyncIterable<Uint8Array>,
  { maxPhotoBytes, bodyTimeoutSeconds }: Pick<PhotoLimits, 'maxPhotoBytes' | 'bodyTimeoutSeconds'>,
): Promise<void> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), bodyTimeoutSeconds * 1000);
  await drop(untilAborted(body, controller.signal), maxPhotoBytes);
  clearTimeout(timer);
}

/** Reads the rest of a body without a use for it, up to a limit. A body that fails has no rest. */
async function drop(chunks: AsyncGenerator<Uint8Array>, limit: number): Promise<void> {
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length >= limit) return;
    }
  } catch {}
}

function typesText(heic: boolean): string {
  return `Send a photo as JPEG, PNG${heic ? ', WebP or HEIC' : ' or WebP'}.`;
}

function timeoutError(seconds: number): ClaimlinkError {
  return new ClaimlinkError(
    'request_timeout',
    `The photo did not arrive within ${seconds} seconds. Send it again.`,
  );
}
