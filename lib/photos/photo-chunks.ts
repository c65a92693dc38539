// Reads the body of a photo that is stored: in blocks, with its length checked, until the signal aborts.
import type { NewPhoto, PutOptions } from '../core/photo-store.js';
import { untilAborted } from '../core/until-aborted.js';

/** Size of a block in bytes. S3 accepts chunks from 8 KiB on, and a client may send one byte at a time. */
export const BLOCK_BYTES = 65_536;

/**
 * Returns the bytes of a body in blocks. The last block comes when the body has ended well: a receiver that knows the length
 * would take a photo for complete that the caller is about to reject. With `reusesBlock`, the next block is in the same memory.
 * @throws what the body throws; the reason of the signal; RangeError if the body has another length.
 */
export async function* readBlocks(
  { size }: Pick<NewPhoto, 'size'>,
  body: AsyncIterable<Uint8Array>,
  { signal }: PutOptions,
  { reusesBlock = false } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let block = new Uint8Array(Math.min(BLOCK_BYTES, size));
  let filled = 0;
  let total = 0;
  for await (const chunk of untilAborted(body, signal)) {
    total += chunk.length;
    if (total > size) throw lengthError(size);
    for (let start = 0; start < chunk.length; ) {
      if (filled === block.length) {
        yield block;
        if (!reusesBlock) block = new Uint8Array(Math.min(BLOCK_BYTES, size - total + chunk.length - start));
        filled = 0;
      }
      const part = chunk.subarray(start, start + block.length - filled);
      block.set(part, filled);
      filled += part.length;
      start += part.length;
    }
  }
  if (total < size) throw lengthError(size);
  if (filled > 0) yield block.subarray(0, filled);
}

function lengthError(size: number): RangeError {
  return new RangeError(`The body of the photo does not have ${size} bytes.`);
}
