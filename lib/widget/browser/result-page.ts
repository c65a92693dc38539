// The parts of a page that tells what became of a claim: times, buttons and the countdown.
import { formatLocalTime } from '../dates.js';
import { countDown } from './countdown.js';
import { find, findAll } from './dom.js';
import type { Draft } from './draft.js';
import { locale, texts } from './texts.js';

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
  entered?.querySelector('[data-delete]')?.addEventListener('click', () => {
    draft.clear();
    entered.textContent = texts.script.deleted;
    entered.tabIndex = -1;
    entered.focus();
  });
  countDown(root);
}

async function copy(button: HTMLButtonElement, source: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    button.textContent = texts.script.copied;
  } catch {
    // Without a permission, or on http, the user copies the selected text.
    getSelection()?.selectAllChildren(source);
  }
}
