// Tells the script of framed pages what became of an attempt. Pages that no other may frame do not have that script.
import type { Outcome } from '../outcome.js';

export const ANNOUNCEMENT = 'claimlink';

export function announce(detail: Outcome): void {
  document.dispatchEvent(new CustomEvent(ANNOUNCEMENT, { detail }));
}
