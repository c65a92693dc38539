// Keeps what the user has typed in the storage of the tab, so that a reload does not lose it.
import { form, formFields } from './claim-form.js';

/** The id of the link is not secret, unlike the URL of the page. It keeps the texts of two links apart. */
const KEY = `claimlink-draft:${form.dataset['link']}`;

export function saveDraft(): void {
  useStorage((storage) => storage.setItem(KEY, formFields().toString()));
}

/** Returns the saved fields of this link, or undefined if there are none. */
export function readDraft(): URLSearchParams | undefined {
  const draft = useStorage((storage) => storage.getItem(KEY));
  return draft ? new URLSearchParams(draft) : undefined;
}

export function clearDraft(): void {
  useStorage((storage) => storage.removeItem(KEY));
}

function useStorage<T>(run: (storage: Storage) => T): T | undefined {
  try {
    return run(sessionStorage);
  } catch {
    // The browser blocks the storage, or it is full. The form works without it, so the user need not know.
    return undefined;
  }
}
