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
    button.addEventListener(
      'click',
      () => void copy(button, find(root, button.dataset['copy'] ?? ''), find(root, '[data-result-status]')),
    );
  root.querySelector('[data-print]')?.addEventListener('click', () => print());
  const shareButton = root.querySelector<HTMLButtonElement>('[data-share]');
  if (shareButton) offerShare(shareButton, find(root, '.success'));
  const entered = root.querySelector<HTMLElement>('[data-entered]');
  const deleteButton = entered?.querySelector<HTMLElement>('[data-delete]');
  deleteButton?.addEventListener('click', () => {
    if (!entered) return;
    draft.clear();
    // They go with a form of the page.
    for (const input of findAll<HTMLInputElement>(entered, 'input')) input.remove();
    const before = [...entered.children];
    const note = create('h2', '', deleteButton.dataset['deleted']);
    note.tabIndex = -1;
    entered.prepend(note);
    note.focus();
    leave(before, (element) => element.remove());
  });
  countDown(root);
}

async function copy(button: HTMLButtonElement, source: HTMLElement, status: HTMLElement): Promise<void> {
  status.textContent = '';
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    button.textContent = button.dataset['copied'] ?? '';
    // A screen reader says no new name of the button that has the focus.
    status.textContent = button.textContent;
  } catch {
    // Without a permission, or on http, the user copies the selected text.
    getSelection()?.selectAllChildren(source);
  }
}

/** Shows the button that shares a receipt, where the browser and the frame of the page allow it. */
function offerShare(button: HTMLButtonElement, receipt: HTMLElement): void {
  const { canShare } = navigator as Partial<Navigator>;
  // False in a frame without the permission `web-share`.
  if (!canShare?.call(navigator, { text: '-' })) return;
  button.hidden = false;
  button.addEventListener('click', ({ detail }) => {
    // The second click of a double one meets an open sheet.
    if (detail < 2) void share(button, receipt);
  });
}

async function share(button: HTMLButtonElement, receipt: HTMLElement): Promise<void> {
  const status = find(receipt, '[data-result-status]');
  const { share: contact = '', failed = '' } = button.dataset;
  status.textContent = '';
  try {
    // The URL of the page is a secret.
    await navigator.share({ text: receiptText(receipt, contact) });
  } catch (error) {
    // The user has closed the sheet.
    if (Object(error).name === 'AbortError') return;
    status.className = '';
    status.textContent = failed;
  }
}

/** Returns a receipt as text: reference, time, contact and answers. */
function receiptText(receipt: HTMLElement, contact: string): string {
  const partsOf = ({ children }: Element) => [...children].map(({ textContent }) => textContent).join(': ');
  const [time] = findAll(receipt, 'time');
  const answers = findAll(receipt, '[data-answers] :is(h3, dl > div)').map((element) =>
    element.localName === 'h3' ? `\n${element.textContent}` : partsOf(element),
  );
  const lines = [partsOf(find(receipt, '.reference')), time?.parentElement?.textContent, contact, ...answers];
  return lines.filter(Boolean).join('\n');
}
