// How much a client of a mock may hold: it fills neither the memory nor the persist file that it shares with others.
import { ClaimlinkError } from '../../lib/index.js';

export const MIB = 1024 * 1024;

/** Sessions with their changes to come, links, settings: as JSON. */
export const MAX_STATE_BYTES = 16 * MIB;

/** A measurement takes long: a full client causes one in this time, and one more after room was made. */
const REMEASURE_MS = 1000;

/** Counts the bytes that a client holds. */
export interface Space {
  /**
   * Counts bytes before they are added.
   * @param makeRoom removes something if they do not fit, at most once a second
   * @throws `storage_unavailable` if they do not fit
   */
  reserve(bytes: number, makeRoom?: () => void): void;
  /** Measures the space anew: the state was replaced. */
  measure(): void;
}

/**
 * Creates the space of a client. What was removed counts until space gets short: then it is measured, at most once a second.
 * @param size returns the bytes that the client holds
 */
export function createSpace(clientId: string, size: () => number, now: () => Date): Space {
  let used = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let roomMadeAt = Number.NEGATIVE_INFINITY;

  const fits = (bytes: number) => bytes <= 0 || used + bytes <= MAX_STATE_BYTES;

  return {
    reserve(bytes, makeRoom) {
      const time = now().getTime();
      const isLongAgo = (moment: number) => Math.abs(time - moment) > REMEASURE_MS;
      if (!fits(bytes) && isLongAgo(measuredAt)) {
        measuredAt = time;
        used = size();
      }
      if (!fits(bytes) && makeRoom !== undefined && isLongAgo(roomMadeAt)) {
        roomMadeAt = time;
        makeRoom();
        used = size();
      }
      if (!fits(bytes))
        throw new ClaimlinkError(
          'storage_unavailable',
          `The client ${clientId} may hold ${MAX_STATE_BYTES / MIB} MiB of sessions and links: set fewer sessions, or reset the client.`,
        );
      used += bytes;
    },
    measure() {
      used = size();
    },
  };
}
