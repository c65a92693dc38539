// Takes elements away after the focus has left them.

/**
 * Time in ms after which a screen reader knows where the focus is, also on a slow machine. If the elements around the old focus
 * go before, Orca says nothing of the new one. The user sees none of the elements meanwhile.
 */
const LEAVE_MS = 1000;

/** Hides elements from view now, and calls `remove` for each a moment later. */
export function leave<E extends Element>(elements: readonly E[], remove: (element: E) => void): void {
  for (const element of elements) element.classList.add('vh');
  setTimeout(() => elements.forEach(remove), LEAVE_MS);
}
