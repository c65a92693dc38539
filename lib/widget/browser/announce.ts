// Tells the script of framed pages what happens in the form. Pages that no other may frame do not have that script.
import type { Outcome } from '../outcome.js';

export const ANNOUNCEMENT = 'claimlink';

/** The first answer of a person, or what became of an attempt to send the claim. */
export type Announcement = { kind: 'started' } | Outcome;

export function announce(detail: Announcement): void {
  document.dispatchEvent(new CustomEvent(ANNOUNCEMENT, { detail }));
}
