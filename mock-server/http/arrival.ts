// The body of a request as it arrives: counts the bytes of an upload, and cuts it for a fault.
import { PHOTO_HEAD_BYTES, photoTypeOf } from '../../lib/core/photo-type.js';
import { isBytes } from '../../lib/core/plain-data.js';
import { ClaimlinkError, type CoreRequest } from '../../lib/index.js';
import type { LoggedUpload } from '../control/types.js';

/** What has arrived of an upload: the number of its bytes, and the first ones. */
interface Upload {
  bytes: number;
  head: Uint8Array;
}

/** @param cutAfter Returns after how many bytes a fault ends the body, once it is decided. */
export function watchBody({ body, stream }: CoreRequest, cutAfter: () => number | undefined) {
  let upload: Upload | undefined;
  let isCut = false;

  function cut(): ClaimlinkError {
    isCut = true;
    return new ClaimlinkError('request_aborted');
  }

  async function readWhole(): Promise<unknown> {
    const value: unknown = typeof body === 'function' ? await body() : body;
    const limit = cutAfter();
    if (limit !== undefined && isBytes(value) && value.length > limit) throw cut();
    return value;
  }

  async function* readChunks(chunks: AsyncIterable<Uint8Array>, counted: Upload) {
    for await (const chunk of chunks) {
      const limit = cutAfter() ?? Number.POSITIVE_INFINITY;
      const part = chunk.subarray(0, limit - counted.bytes);
      counted.bytes += part.length;
      if (counted.head.length < PHOTO_HEAD_BYTES)
        counted.head = Buffer.concat([counted.head, part]).subarray(0, PHOTO_HEAD_BYTES);
      if (part.length > 0) yield part;
      if (part.length < chunk.length) throw cut();
    }
  }

  return {
    body: readWhole,
    ...(stream && {
      stream: () => {
        upload = { bytes: 0, head: new Uint8Array() };
        return readChunks(stream(), upload);
      },
    }),
    /** Returns whether a fault has cut the body. */
    isCut: () => isCut,
    /** Returns what has arrived of an upload, or undefined if nothing was asked for. */
    logged(): LoggedUpload | undefined {
      return upload && { type: photoTypeOf(upload.head) ?? null, bytes: upload.bytes };
    },
  };
}
