// The S3 store: photos as objects of a bucket, over the client of the host.
import { Readable } from 'node:stream';
import { assertMethods, assertOptions, type OptionChecks } from '../core/assert-options.js';
import type { PhotoEntry, PhotoLink, PhotoStore } from '../core/photo-store.js';
import { isRecord } from '../core/plain-data.js';
import { BLOCK_BYTES, readBlocks } from './photo-chunks.js';
import { assertPhotoId, clientNameOf, fileNameOf, linkNameOf, parseFileName } from './photo-names.js';

/** The methods of `S3` of `@aws-sdk/client-s3` that the store calls. Another client may have them as well. */
export interface S3Client {
  /** Stores an object of a known length. */
  putObject(
    input: {
      Bucket: string;
      Key: string;
      Body: Readable | Uint8Array;
      ContentLength: number;
      ContentType: string;
    },
    options?: { abortSignal?: AbortSignal },
  ): Promise<unknown>;
  /** Returns an object. Its `Body` is an AsyncIterable of bytes. */
  getObject(input: { Bucket: string; Key: string }): Promise<{ Body?: unknown }>;
  /** Lists a page of objects in the order of their keys. */
  listObjectsV2(input: {
    Bucket: string;
    Prefix: string;
    StartAfter?: string;
    ContinuationToken?: string;
  }): Promise<S3Listing>;
  /** Removes at most 1,000 objects. */
  deleteObjects(input: {
    Bucket: string;
    Delete: { Objects: { Key: string }[]; Quiet: boolean };
  }): Promise<{ Errors?: { Key?: string; Code?: string; Message?: string }[] | undefined }>;
}

/** A page of `listObjectsV2`. */
export interface S3Listing {
  Contents?: { Key?: string | undefined; Size?: number | undefined }[] | undefined;
  /** Absent: the last page. */
  NextContinuationToken?: string | undefined;
}

/** Options of `fromS3`. */
export interface S3StoreOptions {
  /** Name of the bucket. */
  bucket: string;
  /** Text that each key begins with, such as `claims/`. Default: none. */
  prefix?: string;
}

const CHECKS: OptionChecks<S3StoreOptions> = {
  bucket: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be the name of a bucket'),
  prefix: (value) => (typeof value === 'string' ? undefined : 'must be text'),
};

/**
 * Creates a store of objects in a bucket, over a client that the host creates: `fromS3(new S3({}), { bucket: 'photos' })`.
 * The keys are hashes. The bucket needs the rights to put, get, list and delete objects.
 * @throws `options_invalid` for an unknown or invalid option, and for a client that lacks a method.
 */
export function fromS3(s3: S3Client, options: S3StoreOptions): PhotoStore {
  assertMethods('s3', s3, 'putObject', 'getObject', 'listObjectsV2', 'deleteObjects');
  assertOptions(options, CHECKS, { required: ['bucket'] });
  const { bucket: Bucket, prefix = '' } = options;
  const photos = `${prefix}photos/`;
  const clientKey = (clientName: string) => `${prefix}clients/${clientName}`;
  const folderOf = (link: PhotoLink) => `${photos}${linkNameOf(link)}/`;

  /** Returns the objects below a prefix, one page of the bucket after another. */
  async function* objects(Prefix: string, StartAfter?: string) {
    let position: { StartAfter?: string; ContinuationToken?: string } = StartAfter ? { StartAfter } : {};
    for (;;) {
      const { Contents = [], NextContinuationToken }: S3Listing = await s3.listObjectsV2({
        Bucket,
        Prefix,
        ...position,
      });
      for (const { Key = '', Size = 0 } of Contents) yield { key: Key, size: Size };
      if (NextContinuationToken === undefined) return;
      position = { ContinuationToken: NextContinuationToken };
    }
  }

  /** Returns the photos of a link whose names begin with a text. */
  async function photosOf(link: PhotoLink, start = ''): Promise<(PhotoEntry & { key: string })[]> {
    const folder = folderOf(link);
    const entries = [];
    for await (const { key, size } of objects(folder + start)) {
      const photo = parseFileName(key.slice(folder.length));
      if (photo !== undefined) entries.push({ ...photo, size, key });
    }
    return entries;
  }

  /**
   * Stores an object. If the body fails, it aborts the request, and its stream waits: the SDK does not end a request whose
   * stream fails, and one that it wraps for a checksum would end the process with an error event.
   */
  async function putBlocks(
    Key: string,
    { type, size }: Pick<PhotoEntry, 'type' | 'size'>,
    blocks: AsyncGenerator<Uint8Array, void>,
  ): Promise<void> {
    const controller = new AbortController();
    let failure: { error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure ??= { error };
      controller.abort();
    };
    const Body = new Readable({
      highWaterMark: BLOCK_BYTES,
      read() {
        blocks.next().then(({ value }) => Body.push(value ?? null), fail);
      },
      destroy(error, done) {
        blocks.return().catch(() => {});
        done(error);
      },
    });
    try {
      const input = { Bucket, Key, Body, ContentLength: size, ContentType: type };
      await s3.putObject(input, { abortSignal: controller.signal });
    } catch (error) {
      throw failure ? failure.error : error;
    } finally {
      Body.destroy();
    }
  }

  async function* read(Key: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { Body } = await s3.getObject({ Bucket, Key });
    if (!isIterable(Body)) throw new TypeError('The body of the S3 object is not an AsyncIterable.');
    yield* Body;
  }

  async function readClient(clientName: string): Promise<string | undefined> {
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of read(clientKey(clientName))) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    } catch (error) {
      if (isRecord(error) && error['name'] === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async function remove(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const { Errors = [] } = await s3.deleteObjects({ Bucket, Delete });
    // An object that is gone is not an error.
    if (Errors.length > 0) throw new Error(`S3 did not remove ${Errors.length} photos: ${Errors[0]?.Code}.`);
  }

  return {
    async put(photo, body, { signal }) {
      const key = folderOf(photo) + fileNameOf(photo);
      signal.throwIfAborted();
      // Each time: a rule of the bucket may have removed it.
      const clientId = Buffer.from(photo.clientId);
      await s3.putObject(
        {
          Bucket,
          Key: clientKey(clientNameOf(photo.clientId)),
          Body: clientId,
          ContentLength: clientId.length,
          ContentType: 'text/plain; charset=utf-8',
        },
        { abortSignal: signal },
      );
      await putBlocks(key, photo, readBlocks(photo, body, { signal }));
    },

    async list(link) {
      return (await photosOf(link)).map(({ photoId, type, size }) => ({ photoId, type, size }));
    },

    async get(ref) {
      const [photo] = await photosOf(ref, assertPhotoId(ref.photoId));
      if (photo === undefined) return undefined;
      const { key, ...entry } = photo;
      return { ...entry, body: read(key) };
    },

    async delete({ photoIds, ...link }) {
      const ids = photoIds && new Set(photoIds);
      const photos = (await photosOf(link)).filter(({ photoId }) => ids === undefined || ids.has(photoId));
      const keys = photos.map(({ key }) => key);
      for (let start = 0; start < keys.length; start += MOST_KEYS)
        await remove(keys.slice(start, start + MOST_KEYS));
    },

    async links({ after, limit }) {
      const clientIds = new Map<string, string | undefined>();
      const links: PhotoLink[] = [];
      // '0' is the character after '/': the first key behind those of the link.
      let start = after && `${photos}${linkNameOf(after)}0`;
      for await (const { key } of objects(photos, start)) {
        if (start !== undefined && key < start) continue;
        const [clientName = '', linkId = ''] = key.slice(photos.length).split('/');
        start = `${photos}${clientName}/${linkId}0`;
        if (!clientIds.has(clientName)) clientIds.set(clientName, await readClient(clientName));
        const clientId = clientIds.get(clientName);
        if (clientId === undefined) continue;
        links.push({ clientId, linkId });
        if (links.length === limit) break;
      }
      return links;
    },
  };
}

/** Maximum number of keys that `deleteObjects` takes. */
const MOST_KEYS = 1000;

function isIterable(value: unknown): value is AsyncIterable<Uint8Array> {
  return isRecord(value) && Symbol.asyncIterator in value;
}
