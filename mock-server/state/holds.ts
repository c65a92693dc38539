// Limits the requests that a mock holds: those that a fault or a preference delays, slow responses, delayed webhooks, and bodies
// that still arrive.
import type { MockControlError } from '../control/control-error.js';
import { controlError } from '../control/errors.js';
import { MIB } from './space.js';

/** Of each client, and of all callers without a valid key or token together. */
const MAX_REQUESTS = 100;
/** Of the bodies of these requests. */
const MAX_BYTES = 8 * MIB;
/** Of the photos that arrive, of each client: a form in parts puts them into temporary files. */
const MAX_PHOTO_BYTES = 64 * MIB;

/**
 * Counts a request until the signal is aborted. `clientId` null: its caller has no valid key or token. Returns the error, and
 * counts nothing, if there are too many.
 */
export type Hold = (
  clientId: string | null,
  bytes: number,
  until: AbortSignal,
) => MockControlError | undefined;

/** Creates the limit of delayed requests. */
export function createHold(maxBytes = MAX_BYTES): Hold {
  const what = `${MAX_REQUESTS} requests that a delay or a slow response holds, with ${mib(maxBytes)} of bodies`;
  return createLimit(what, MAX_REQUESTS, maxBytes);
}

/** Creates the limit of bodies that arrive at the same time: they are in memory until they are complete. */
export function createUpload(maxBytes = MAX_BYTES): Hold {
  return createLimit(`${mib(maxBytes)} of request bodies that arrive`, Number.POSITIVE_INFINITY, maxBytes);
}

/** Creates the limit of photos that arrive at the same time. */
export function createPhotoUpload(maxBytes = MAX_PHOTO_BYTES): Hold {
  return createLimit(`${mib(maxBytes)} of photos that arrive`, Number.POSITIVE_INFINITY, maxBytes);
}

function mib(bytes: number): string {
  return `${bytes / MIB} MiB`;
}

function createLimit(what: string, maxRequests: number, maxBytes: number): Hold {
  const heldByClient = new Map<string | null, { requests: number; bytes: number }>();
  return (clientId, bytes, until) => {
    if (until.aborted) return undefined;
    const held = heldByClient.get(clientId) ?? { requests: 0, bytes: 0 };
    if (held.requests >= maxRequests || held.bytes + bytes > maxBytes) {
      const who = clientId === null ? 'Callers without a valid key or token together' : 'This client';
      return controlError(
        'too_many_held',
        `${who} may have ${what} at once. Wait for their responses, close their connections, or reset.`,
      );
    }
    held.requests++;
    held.bytes += bytes;
    heldByClient.set(clientId, held);
    const release = () => {
      held.bytes -= bytes;
      if (--held.requests === 0) heldByClient.delete(clientId);
    };
    until.addEventListener('abort', release, { once: true });
    return undefined;
  };
}
