// Random numbers that are the same in every run.

export interface Dice {
  /** A whole number, 0 to `maximum`. */
  upTo(maximum: number): number;
  /** true with this probability. */
  chance(probability: number): boolean;
  /** One of them. */
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    upTo: (maximum) => Math.floor(next() * (maximum + 1)),
    chance: (probability) => next() < probability,
    pick<T>(items: readonly T[]): T {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('Nothing to pick from.');
      return item;
    },
  };
}
