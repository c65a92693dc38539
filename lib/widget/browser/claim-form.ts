// The claim form in the page: its steps, its inputs and its rows of contacts.
import { CONTACTS_POINTER, idOf } from '../fields.js';
import { find, findAll } from './dom.js';
import { createDraft } from './draft.js';

export type Input = HTMLInputElement | HTMLTextAreaElement;

export const form = find<HTMLFormElement>(document, '#claim');
/** What was typed, in the storage of the tab. */
export const draft = createDraft(form.dataset['link']);
export const steps = findAll(form, '[data-step]');
export const contacts = find(form, `#${idOf(CONTACTS_POINTER)}`);

/** Screen readers read its text aloud when it changes. */
export const status = find(document, '#status');

export function stepAround(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>('[data-step]');
}

export function headingOf(step: Element): HTMLElement {
  return find(step, 'h2');
}

export function inputsIn(element: ParentNode): Input[] {
  return findAll<Input>(element, 'input, textarea');
}

export function inputNamed(pointer: string): Input | undefined {
  return inputsIn(form).find(({ name }) => name === pointer);
}

/** Returns the fields with their values, as they are sent. */
export function formFields(): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  return fields;
}

/** Returns the label without the "(optional)" after it. */
export function labelOf(input: Input): string {
  return input.labels?.[0]?.firstChild?.textContent?.trim() ?? '';
}

export function isRequired(input: Input): boolean {
  return input.getAttribute('aria-required') === 'true';
}

/** Reads the attribute, since browsers without date inputs give such an input the type "text". */
export function isDateInput(input: Input): boolean {
  return input.getAttribute('type') === 'date';
}

/** Returns the row of contacts around an element. */
export function rowAround(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>('[data-row]');
}

/** Returns what the user calls a row: "Person 2". */
export function nameOfRow(row: Element): string {
  return find(row, 'legend').textContent ?? '';
}

/** Returns whether a row is empty. An input with an incomplete date has an empty value and `badInput`. */
export function isBlankRow(row: Element): boolean {
  return inputsIn(row).every(({ value, validity }) => !value.trim() && !validity.badInput);
}
