// Holds a property against generated inputs: the same ones in every run, unless the environment asks for others.
import fc from 'fast-check';
import { sized } from '../size.js';

const { PROPERTY_SEED = '20260401', PROPERTY_FACTOR = '1' } = process.env;

/**
 * Number of inputs: the first number in the largest run, the second one in a short run, and half of the first one in CI.
 * `PROPERTY_FACTOR` multiplies it.
 */
export function inputs(long: number, short: number): number {
  return Math.ceil(sized(Math.max(long / 2, short), short, long) * Number(PROPERTY_FACTOR));
}

/** Throws with the seed and the smallest input that fast-check found, if the property does not hold. */
export async function check<T>(runs: number, property: fc.IRawProperty<T>): Promise<void> {
  await fc.assert(property, { seed: Number(PROPERTY_SEED), numRuns: runs });
}
