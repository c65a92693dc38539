// The two kinds of events that an outbox keeps.
import type { EventKind } from './storage.js';
import type { EventType } from './types.js';

export const EVENT_KINDS: readonly EventKind[] = ['submission', 'life'];

/** Returns whether an event is that of a submission. One without a type is: a storage of submissions alone may leave it out. */
export function isSubmission<E extends { type?: EventType }>(
  event: E,
): event is Extract<E, { type?: 'claim.submitted' }> {
  return event.type === undefined || event.type === 'claim.submitted';
}
