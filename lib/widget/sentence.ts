// The wording of a problem, the same on the server and in the browser.
import { VALID_FROM_LABEL } from './fields.js';

/** Stands for the label of a problem that belongs to no field. */
export const NO_FIELD = 'Something in the form';

/** Returns a sentence such as "Policy number must not be empty." */
export function sentence(label: string, detail: string): string {
  // validFrom is the only member that a detail names. The user knows it by its label.
  const words = detail.replace('validFrom', `“${VALID_FROM_LABEL}”`);
  const text = /^[a-z]/.test(words) ? `${label} ${words}` : words;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
