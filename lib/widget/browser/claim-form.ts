// The claim form in the page: its steps, its inputs and its rows of contacts.
import { type AskedField, CONTACTS_POINTER, idOf, type StepKey, visibleText } from '../fields.js';
import { find, findAll, findInPage } from './dom.js';
import { createDraft } from './draft.js';

export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export const form = findInPage<HTMLFormElement>('#claim');
/** What was typed, in the storage of the tab. */
export const draft = createDraft(form.dataset['link']);
export const steps = findAll(form, '[data-step]');
/** The list of contacts, if the form asks for them. */
export const contacts = form.querySelector<HTMLElement>(`#${idOf(CONTACTS_POINTER)}`);

/** Screen readers read its text aloud when it changes. */
export const status = findInPage('#status');

export function stepAround(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>('[data-step]');
}

export function headingOf(step: Element): HTMLElement {
  return find(step, 'h2');
}

/** Returns the inputs that the user sees: a hidden one has no place for a message, and keeps its value. */
export function inputsIn(element: ParentNode): Input[] {
  return findAll<Input>(element, 'input:not([type=hidden]), select, textarea');
}

export function inputNamed(pointer: string): Input | undefined {
  return inputsIn(form).find(({ name }) => name === pointer);
}

/** Returns the fields with their values, without the proof of the recipient: nothing keeps or shows it. */
export function formFields(): URLSearchParams {
  const fields = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  fields.delete('proof');
  return fields;
}

/** The proof of the recipient, as the form sends it. */
export const proof = [...new FormData(form)].filter(([name]) => name === 'proof') as [string, string][];

/** Returns the label, or the legend of the list of contacts, without the "(optional)" after it. */
export function labelOf(element: Input | HTMLFieldSetElement): string {
  const label = 'labels' in element ? element.labels?.[0] : element.querySelector('legend');
  return label?.firstChild?.textContent?.trim() ?? '';
}

/** Returns the language of the label, if it is not that of the page. */
function languageOf(element: Input | HTMLFieldSetElement): string | undefined {
  return (
    ('labels' in element && element.labels?.[0]?.querySelector<HTMLElement>('[lang]')?.lang) || undefined
  );
}

export function isRequired(input: Element): boolean {
  return input.getAttribute('aria-required') === 'true';
}

/** Returns the greatest length of a text, or 0. */
export function maxLengthOf(input: HTMLElement): number {
  return Number(input.dataset['max'] ?? 0);
}

/** Returns the length of the text in UTF-16 code units, as the service counts it. */
export function lengthOf(input: Input): number {
  return input.value.trim().length;
}

/** Returns what the form asks: its inputs, and the list of contacts before its rows. */
export function askedFields(): AskedField[] {
  return findAll<Input | HTMLFieldSetElement>(form, '.field > [name], .people').map((element) => ({
    pointer: element.name || CONTACTS_POINTER,
    step: stepAround(element)?.dataset['step'] as StepKey,
    label: labelOf(element),
    lang: languageOf(element),
    missing: element.dataset['missing'] ?? '',
    isRequired: isRequired(element),
    isDate: isDateInput(element),
    maxLength: maxLengthOf(element),
    options:
      element instanceof HTMLSelectElement
        ? Array.from(element.options, ({ value, text }) => [value, text] as const)
        : undefined,
  }));
}

/** Reads the attribute, since browsers without date inputs give such an input the type "text". */
export function isDateInput(input: Element): boolean {
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
  return inputsIn(row).every(({ value, validity }) => !visibleText(value) && !validity.badInput);
}
