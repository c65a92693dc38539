// What the script of a part of the form may use. Such a script comes before the script of the form, and only in forms that have
// the part: `lib/widget/form-parts.ts` lists them.
import type { Input } from './claim-form.js';

/** What the script of the form lends to a part. */
export interface FormAccess {
  form: HTMLFormElement;
  inputNamed(pointer: string): Input | undefined;
}

/** Starts a part, before the form shows what was typed earlier. Returns what to run after that. */
export type FormPart = (access: FormAccess) => () => void;

declare global {
  interface Window {
    claimlinkParts?: FormPart[];
  }
}

/** Adds a part to the form of this page. */
export function addPart(part: FormPart): void {
  window.claimlinkParts ??= [];
  window.claimlinkParts.push(part);
}
