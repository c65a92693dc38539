// How much a client of a mock may hold: it fills neither the memory nor the persist file that it shares with others.
import { ClaimlinkError } from '../../lib/index.js';

export const MIB = 1024 * 1024;

/** Sessions with their changes to come, links, settings: as JSON. */
export const MAX_STATE_BYTES = 16 * MIB;

/** Counts the bytes that a client holds. */
export interface Space {
  /** Returns whether so many bytes can be added. */
  fits(bytes: number): boolean;
  /** Counts bytes before they are added. @throws `storage_unavailable` if they do not fit */
  reserve(bytes: number): void;
  /** Measures the space anew when it is needed: everything was replaced. */
  invalidate(): void;
}

/**
 * Creates the space of a client. What was removed counts until space gets short: then `measure` is called.
 * @param measure returns the bytes that the client holds
 */
export function createSpace(clientId: string, measure: () => number): Space {
  let used: number | undefined;

  function fits(bytes: number): boolean {
    used ??= measure();
    if (used + bytes <= MAX_STATE_BYTES) return true;
    used = measure();
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
      used = (used ?? measure()) + bytes;
    },
    invalidate() {
      used = undefined;
    },
  };
}
