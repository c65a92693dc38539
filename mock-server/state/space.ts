// How much a client of a mock may hold: it fills neither the memory nor the persist file that it shares with others.
import { ClaimlinkError } from '../../lib/index.js';

export const MIB = 1024 * 1024;

/** Sessions with their changes to come, links, settings: as JSON. */
export const MAX_STATE_BYTES = 16 * MIB;

/** A measurement takes long: a full client causes one in this time. */
const REMEASURE_MS = 1000;

/** Counts the bytes that a client holds. */
export interface Space {
  /** Returns whether so many bytes can be added. */
  fits(bytes: number): boolean;
  /** Counts bytes before they are added. @throws `storage_unavailable` if they do not fit */
  reserve(bytes: number): void;
  /** Measures the space anew when it is needed: something was removed. */
  invalidate(): void;
}

/**
 * Creates the space of a client. What was removed counts until space gets short: then `measure` is called,
 * at most once a second.
 * @param measure returns the bytes that the client holds
 */
export function createSpace(clientId: string, measure: () => number): Space {
  let used: number | undefined;
  let measuredAt = Number.NEGATIVE_INFINITY;

  function measureNow(): number {
    measuredAt = performance.now();
    return measure();
  }

  function fits(bytes: number): boolean {
    used ??= measureNow();
    if (used + bytes > MAX_STATE_BYTES && performance.now() - measuredAt > REMEASURE_MS) used = measureNow();
    return used + bytes <= MAX_STATE_BYTES;
  }

  return {
    fits,
    reserve(bytes) {
      if (bytes > 0 && !fits(bytes))
        throw new ClaimlinkError(
          'storage_unavailable',
          `The client ${clientId} may hold ${MAX_STATE_BYTES / MIB} MiB of sessions and links: set fewer sessions, or reset the client.`,
        );
      used = (used ?? measureNow()) + bytes;
    },
    invalidate() {
      used = undefined;
    },
  };
}
