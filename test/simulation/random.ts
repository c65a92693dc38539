// Random numbers from a seed: the same seed gives the same numbers on every machine.

export type Random = ReturnType<typeof createRandom>;

/** Creates a generator (mulberry32). Several numbers make one seed, so that each action has numbers of its own. */
export function createRandom(...seeds: readonly number[]) {
  let state = 0;
  for (const seed of seeds) state = scramble(state ^ seed);

  /** Returns a number from 0 up to, but not including, 1. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    return (scramble(state) >>> 0) / 2 ** 32;
  }
  /** Returns a whole number from 0 up to, but not including, `limit`. */
  const below = (limit: number) => Math.floor(fraction() * limit);

  return {
    below,
    between: (low: number, high: number) => low + below(high - low + 1),
    chance: (probability: number) => fraction() < probability,
    pick: <T>(values: readonly T[]): T => values[below(values.length)] as T,
    bytes: (size: number) => Buffer.from(Array.from({ length: size }, () => below(256))),
  };
}

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) + 0x9e3779b9;
}
