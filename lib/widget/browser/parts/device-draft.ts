// Keeps what is typed on the device, and shows what another tab has typed.
import { openCopy } from '../device-copy.js';
import { addPart, type FormAccess } from '../form-part.js';

type Elements = [HTMLElement, HTMLElement, HTMLElement];

function start({ formFields, draft, show }: FormAccess): () => void {
  // The notes follow the form: `lib/widget/device-notes.ts`.
  const [status, newer, notes] = document.querySelectorAll('#claim~*') as unknown as Elements;
  const [text, newerButton, thisButton] = newer.children as unknown as [
    HTMLElement,
    HTMLElement,
    HTMLElement,
  ];
  const { key, life, prefill } = notes.dataset as { key: string; life: string; prefill?: string };
  const before = new URLSearchParams(prefill ?? formFields());
  const copy = openCopy(localStorage, sessionStorage, key, before, Date.now() + Number(life));

  /** Begins anew: with the prefill, or with what became of the link. */
  function restart(): void {
    draft.clear();
    // The URL of the page without a fragment.
    location.replace('');
  }

  function update(): void {
    notes.hidden = false;
    newer.hidden = !copy.isOpen();
  }

  function save(): void {
    try {
      copy.save(formFields());
    } catch {
      // The storage is full.
      notes.hidden = true;
      return;
    }
    if (copy.isOpen()) {
      document.activeElement?.closest('.field')?.after(newer);
      if (newer.hidden) status.textContent = text.textContent;
    }
    update();
  }

  function takeOver(): void {
    copy.decide();
    // It updates the notes as well.
    show(copy.read());
  }

  window.onDevice = { ...copy, save };
  for (const type of ['visibilitychange', 'storage'])
    addEventListener(type, (event) => {
      const { key: changed, newValue } = event as StorageEvent;
      // The form has text that is not stored, is being sent, or has been sent.
      if (copy.isOpen() || !document.querySelector('#claim:not([aria-busy=true])')) return;
      if (newValue === '' && changed === key) {
        // Another tab has sent the claim, declined the link or removed the text.
        delete window.onDevice;
        restart();
      } else if (newValue === undefined && copy.isOld()) takeOver();
    });
  (notes.lastElementChild as HTMLElement).onclick = restart;
  newerButton.onclick = takeOver;
  thisButton.onclick = () => {
    copy.decide();
    save();
  };
  return update;
}

addPart((access) => {
  try {
    return start(access);
  } catch {
    // The browser blocks the storage. The notes stay hidden.
    return undefined;
  }
});
