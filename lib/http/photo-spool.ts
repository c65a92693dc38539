// Keeps a photo of a form in a temporary file until its size and its hash are known. It is loaded on use.
import { createHash } from 'node:crypto';

/** A photo whose bytes have arrived. */
export interface SpooledPhoto {
  /** SHA-256 of the bytes in hex. */
  photoId: string;
  /** Number of bytes that have arrived. */
  size: number;
  /** false: the photo was larger than the limit, and its bytes are not here. */
  isWhole: boolean;
  read(): AsyncIterable<Uint8Array>;
}

/** Where the bytes are meanwhile. */
interface Spool {
  maxBytes: number;
  write(chunk: Uint8Array): Promise<void>;
  read(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

/** Bytes that a process without temporary files holds of a photo. */
const MAX_MEMORY_BYTES = 1_048_576;
const READ_BYTES = 65_536;

/** Runs a step with a photo that has arrived. Nothing of it remains after the step, and after an error of the body. */
export async function withSpooled(
  body: AsyncIterable<Uint8Array>,
  maxPhotoBytes: number,
  use: (photo: SpooledPhoto) => Promise<void>,
): Promise<void> {
  const spool = (await createFileSpool(maxPhotoBytes)) ?? createMemorySpool(maxPhotoBytes);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > spool.maxBytes) continue;
      hash.update(chunk);
      await spool.write(chunk);
    }
    const isWhole = size <= spool.maxBytes;
    await use({ photoId: hash.digest('hex'), size, isWhole, read: spool.read });
  } finally {
    await spool.remove();
  }
}

/** Creates a file that only this user may read. Returns undefined where there are no files. */
async function createFileSpool(maxBytes: number): Promise<Spool | undefined> {
  try {
    const [{ mkdtemp, open, rm }, { tmpdir }, { join }] = await Promise.all([
      import('node:fs/promises'),
      import('node:os'),
      import('node:path'),
    ]);
    // Its mode is 0700.
    const folder = await mkdtemp(join(tmpdir(), 'claimlink-'));
    const removeFolder = () => rm(folder, { recursive: true, force: true }).catch(() => {});
    const file = await open(join(folder, 'photo'), 'wx+', 0o600).catch(async (error: unknown) => {
      await removeFolder();
      throw error;
    });
    // The bytes stay until the file is closed, so a process that is killed leaves nothing. Windows may keep the file until then.
    await removeFolder();
    let length = 0;
    return {
      maxBytes,
      async write(chunk) {
        for (let start = 0; start < chunk.length; ) {
          const { bytesWritten } = await file.write(chunk, start, chunk.length - start, length);
          start += bytesWritten;
          length += bytesWritten;
        }
      },
      async *read() {
        for (let start = 0; start < length; ) {
          const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, length - start));
          const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
          if (bytesRead === 0)
            throw new RangeError('The temporary file of a photo is shorter than the photo.');
          start += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      },
      async remove() {
        await file.close().catch(() => {});
        await removeFolder();
      },
    };
  } catch {
    return undefined;
  }
}

function createMemorySpool(maxPhotoBytes: number): Spool {
  const chunks: Uint8Array[] = [];
  return {
    maxBytes: Math.min(maxPhotoBytes, MAX_MEMORY_BYTES),
    async write(chunk) {
      // The chunk is a part of a larger buffer.
      chunks.push(chunk.slice());
    },
    async *read() {
      yield* chunks;
    },
    async remove() {
      chunks.length = 0;
    },
  };
}
