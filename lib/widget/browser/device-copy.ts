// What was typed for one link, in the storage that all tabs of this browser share. Its key has no secret: client and link id.

import { KEY_START } from '../device-key.js';

/** A storage of a browser. Its members can be read, set and deleted as those of an object. */
export type Texts = Record<string, string | undefined>;

/** What a page does with the text on the device. It may throw: the browser may block a storage, or it is full. */
export interface DeviceCopy {
  /** Returns the text as fields, or undefined if there is none, or this tab has text that is not stored. */
  read(): URLSearchParams | undefined;
  /** Removes the text. `isStored`: a claim is stored, and a newer text of another tab, which the claim lacks, stays. */
  clear(isStored?: boolean): void;
}

/** What the form does with it. */
export interface FormCopy extends DeviceCopy {
  /**
   * Stores the fields that differ from the prefill. If another tab has stored a text since, it stores nothing until the person
   * decides.
   */
  save(fields: URLSearchParams): void;
  /** Returns whether another tab has stored a newer text. */
  isOld(): boolean;
  /** Returns whether this tab has text that is not stored. */
  isOpen(): boolean;
  /** Lets this tab store text again. */
  decide(): void;
}

/** Returns the fields of a text, which has its end before them. */
export const fieldsOf = (text: string) => new URLSearchParams(text.split(' ')[1]);

/**
 * Opens the text of a link.
 * @param key a key of `device-key.ts`
 * @param prefill the fields of the form before anything is typed
 * @param end time in ms after which any page removes the text
 */
export function openCopy(
  device: Texts,
  tab: Texts,
  key: string,
  prefill: URLSearchParams,
  end: number,
): FormCopy {
  let lastText = device[key];
  const isOld = () => !!device[key] && device[key] !== lastText;
  const decide = () => {
    delete tab[key];
    lastText = device[key];
  };
  return {
    decide,
    // It outlives a reload.
    isOpen: () => !!tab[key],
    isOld,
    read() {
      lastText = device[key];
      return lastText && !tab[key]
        ? new URLSearchParams(Object.fromEntries([...prefill, ...fieldsOf(lastText)]))
        : undefined;
    },
    save(fields) {
      if (tab[key] || isOld()) {
        tab[key] = '1';
        return;
      }
      const text = new URLSearchParams();
      for (const [name] of [...prefill, ...fields]) {
        const value = fields.get(name) ?? '';
        // An empty field that the prefill lacks is part of an added row, or the choice of no answer.
        if (value !== prefill.get(name)) text.set(name, value);
      }
      // If the storage is full, an older text would be taken for the last one.
      delete device[key];
      lastText = `${end} ${text}`;
      device[key] = lastText;
    },
    clear(isStored) {
      if (!isStored || !isOld()) remove(device, key);
      decide();
    },
  };
}

/** Removes a text. The empty one before tells other tabs that a person did it, and not the browser. */
export function remove(device: Texts, key: string): void {
  // A full storage has no room for a new text.
  if (device[key]) device[key] = '';
  delete device[key];
}

/** Removes the texts of all links whose end has come. */
export function removeEnded(device: Texts, now: number): void {
  for (const key of Object.keys(device))
    if (key.startsWith(KEY_START) && !(Number.parseFloat(device[key] as string) > now)) delete device[key];
}
