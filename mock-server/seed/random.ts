// A seeded generator of random numbers: the same seed draws the same numbers on every machine.
import { createHash } from 'node:crypto';

/** Makes a generator of numbers in [0, 1). Not for secrets: it is sfc32, seeded with the SHA-256 of the text. */
export function createRandom(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);

  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
