// Keeps what the user has typed in the storage of the tab, so that neither a reload nor the end of the link loses it.
// Only a stored claim and the user remove it. A part of the page may keep it on the device as well.
import { KEY_START } from '../device-key.js';
import type { DeviceCopy } from './device-copy.js';

declare global {
  interface Window {
    /** The text on the device, if the client keeps it there. */
    onDevice?: DeviceCopy & { save(): void };
  }
}

/** What was typed for one link. */
export interface Draft {
  save(fields: URLSearchParams): void;
  /** Returns the saved fields, or undefined if there are none. */
  read(): URLSearchParams | undefined;
  /** `isStored`: a stored claim has the text. */
  clear(isStored?: boolean): void;
}

/** Creates the draft of a link. Its id is not secret, unlike the URL of the page. It keeps the texts of two links apart. */
export function createDraft(linkId: string | undefined): Draft {
  const key = KEY_START + linkId;
  return {
    save(fields) {
      useStorage((storage) => storage.setItem(key, fields.toString()));
      self.onDevice?.save();
    },
    read() {
      const draft = useStorage((storage) => storage.getItem(key));
      return self.onDevice?.read() ?? (draft ? new URLSearchParams(draft) : undefined);
    },
    clear(isStored) {
      useStorage((storage) => {
        storage.removeItem(key);
        self.onDevice?.clear(isStored);
      });
    },
  };
}

/** Uses a storage: that of the tab, or another one. */
export function useStorage<T>(run: (storage: Storage) => T): T | undefined {
  try {
    return run(sessionStorage);
  } catch {
    // The browser blocks the storage, or it is full. The form works without it, so the user need not know.
    return undefined;
  }
}
