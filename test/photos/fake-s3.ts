// A bucket in memory with the rules of S3 that the store relies on: keys in order, pages, and objects that are whole.
import { Readable } from 'node:stream';
import type { S3Client } from '../../lib/photos/index.js';

/** Keys of a page. S3 has 1,000. */
const PAGE = 3;

/** A bucket, and what its clients asked for. */
export interface FakeS3 extends S3Client {
  readonly objects: Map<string, Uint8Array>;
  readonly calls: string[];
}

/** Returns what a client of S3 throws. */
export function s3Error(name: string): Error {
  return Object.assign(new Error(name), { name });
}

/** Creates an empty bucket. */
export function createFakeS3(bucket: string): FakeS3 {
  const objects = new Map<string, Uint8Array>();
  const calls: string[] = [];

  function called(name: string, { Bucket }: { Bucket: string }) {
    calls.push(name);
    if (Bucket !== bucket) throw s3Error('NoSuchBucket');
  }

  /** Reads a body as the SDK does: a stream that fails does not end the request, and one that waits does not either. */
  function readBody(body: Readable, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      signal?.addEventListener('abort', () => reject(s3Error('AbortError')));
      if (length === 0) resolve(Buffer.alloc(0));
      // S3 stores the object with its last byte.
      body.on('data', (chunk) => {
        chunks.push(Buffer.from(chunk));
        size += chunk.length;
        if (size >= length) resolve(Buffer.concat(chunks));
      });
    });
  }

  return {
    objects,
    calls,

    async putObject(input, { abortSignal } = {}) {
      called('putObject', input);
      if (abortSignal?.aborted) throw s3Error('AbortError');
      const { Body, ContentLength } = input;
      const bytes = Body instanceof Readable ? await readBody(Body, ContentLength, abortSignal) : Body;
      if (bytes.length !== ContentLength) throw s3Error('IncompleteBody');
      objects.set(input.Key, bytes);
    },

    async getObject(input) {
      called('getObject', input);
      const bytes = objects.get(input.Key);
      if (bytes === undefined) throw s3Error('NoSuchKey');
      return { Body: Readable.from([bytes]) };
    },

    async listObjectsV2(input) {
      called('listObjectsV2', input);
      const { Prefix, StartAfter = '', ContinuationToken = '' } = input;
      const start = ContinuationToken === '' ? StartAfter : atob(ContinuationToken);
      const keys = [...objects.keys()].filter((key) => key.startsWith(Prefix) && key > start).sort();
      const page = keys.slice(0, PAGE);
      return {
        ...(page.length > 0 && { Contents: page.map((Key) => ({ Key, Size: objects.get(Key)?.length })) }),
        ...(keys.length > PAGE && { NextContinuationToken: btoa(page.at(-1) ?? '') }),
      };
    },

    async deleteObjects(input) {
      called('deleteObjects', input);
      if (input.Delete.Objects.length === 0) throw s3Error('MalformedXML');
      for (const { Key } of input.Delete.Objects) objects.delete(Key);
      return {};
    },
  };
}
