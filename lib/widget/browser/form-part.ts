// What the script of a part of the form may use. Such a script comes before the script of the form, and only in forms that have
// the part: `lib/widget/form-parts.ts` lists them.
import type { Draft } from './draft.js';

/** What the script of the form lends to a part. */
export interface FormAccess {
  form: HTMLFormElement;
  formFields(): URLSearchParams;
  draft: Draft;
  /** Shows fields in place of those that are shown. */
  show(fields: URLSearchParams | undefined): void;
}

/** Starts a part, before the form shows what was typed earlier. Returns what to run after that, if there is something. */
export type FormPart = (access: FormAccess) => (() => void) | undefined;

declare global {
  interface Window {
    claimlinkParts?: FormPart[];
  }
}

/** Adds a part to the form of this page. */
export function addPart(part: FormPart): void {
  // biome-ignore lint/suspicious/noAssignInExpressions: each form has these bytes for each of its parts.
  (self.claimlinkParts ??= []).push(part);
}
