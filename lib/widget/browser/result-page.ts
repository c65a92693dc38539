// The parts of a page that tells what became of a claim: times, buttons and the countdown.
import { formatLocalTime } from '../dates.js';
import { countDown } from './countdown.js';
import { create, find, findAll } from './dom.js';
import type { Draft } from './draft.js';
import { leave } from './leave.js';
import { locale } from './texts.js';

/** Writes the times of a page in the time zone of the user. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of findAll<HTMLTimeElement>(root, 'time[data-time]'))
    time.textContent = formatLocalTime(new Date(time.dateTime), locale);
}

/** Starts the countdown of a page, and makes its buttons work. */
export function activateResult(root: ParentNode, draft: Draft): void {
  showLocalTimes(root);
  for (const button of findAll<HTMLButtonElement>(root, '[data-copy]'))
    button.addEventListener('click', () => void copy(button, find(root, button.dataset['copy'] ?? '')));
  root.querySelector('[data-print]')?.addEventListener('click', () => print());
  const entered = root.querySelector<HTMLElement>('[data-entered]');
  const deleteButton = entered?.querySelector<HTMLElement>('[data-delete]');
  deleteButton?.addEventListener('click', () => {
    if (!entered) return;
    draft.clear();
    const before = [...entered.children];
    // Orca says the text of a paragraph that takes the focus twice, and that of a heading once.
    const note = create('h2', '', deleteButton.dataset['deleted']);
    note.tabIndex = -1;
    entered.prepend(note);
    note.focus();
    leave(before, (element) => element.remove());
  });
  countDown(root);
}

async function copy(button: HTMLButtonElement, source: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    button.textContent = button.dataset['copied'] ?? '';
  } catch {
    // Without a permission, or on http, the user copies the selected text.
    getSelection()?.selectAllChildren(source);
  }
}
