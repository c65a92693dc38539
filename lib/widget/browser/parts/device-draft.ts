// Keeps what is typed on the device, and shows what another tab has typed.
import { openCopy } from '../device-copy.js';
import { addPart } from '../form-part.js';

type Elements = [HTMLElement, HTMLElement, HTMLElement];

addPart(({ form, formFields, draft, show }) => {
  try {
    // The notes follow the form: `lib/widget/device-notes.ts`.
    const [status, newer, notes] = document.querySelectorAll('#claim~*') as unknown as Elements;
    const [text, newerButton, thisButton] = newer.children as unknown as Elements;
    const { key, life, prefill } = notes.dataset as { key: string; life: string; prefill?: string };
    const before = new URLSearchParams(prefill ?? formFields());
    const copy = openCopy(localStorage, sessionStorage, key, before, Date.now() + +life);

    /** Begins anew: with the prefill, or with what became of the link. */
    const restart = (): void => {
      draft.clear();
      // The URL of the page without a fragment.
      location.replace('');
    };

    const update = (): void => {
      notes.hidden = false;
      newer.hidden = !copy.isOpen();
    };

    const save = (): void => {
      notes.hidden = true;
      try {
        copy.save(formFields());
        if (copy.isOpen()) {
          (document.activeElement?.closest('.field') ?? status).after(newer);
          if (newer.hidden) status.textContent = text.textContent;
        }
        update();
      } catch {
        // The storage is full: the text is in the tab only.
      }
    };

    /** It updates the notes as well. */
    const takeOver = (): void => show(copy.read());

    /** Returns false if the form has text that is not on the device, is being sent, or has been sent. */
    const isUpToDate = (): boolean =>
      !notes.hidden && !copy.isOpen() && form.matches('body :not([aria-busy=true])');

    const decide = (action: () => void) => () => {
      copy.decide();
      action();
      // The button that has the focus goes.
      document.querySelector<HTMLElement>('[data-current] h2')?.focus();
    };

    self.onDevice = { ...copy, save };
    addEventListener('visibilitychange', () => isUpToDate() && copy.isOld() && takeOver());
    addEventListener('storage', (event) => {
      if (event.newValue !== '' || event.key !== key || !isUpToDate()) return;
      // Another tab has sent the claim, declined the link or removed the text.
      delete self.onDevice;
      restart();
    });
    (notes.lastElementChild as HTMLElement).onclick = restart;
    newerButton.onclick = decide(takeOver);
    thisButton.onclick = decide(save);
    return update;
  } catch {
    // The browser blocks the storage. The notes stay hidden.
    return undefined;
  }
});
