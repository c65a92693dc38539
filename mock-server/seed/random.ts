// Random numbers from a seed.
import { hash } from 'node:crypto';

/**
 * Returns the `index`-th number of a stream, in [0, 1). The same seed gives the same numbers on every machine.
 * Not for secrets.
 */
export function randomAt(seed: string, index: number): number {
  return Number.parseInt(hash('sha256', JSON.stringify([seed, index]), 'hex').slice(0, 13), 16) / 2 ** 52;
}
