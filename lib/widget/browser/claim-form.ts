// The claim form in the page: its steps, its inputs and its rows of contacts.
import { type AskedField, CONTACTS_POINTER, idOf, type StepKey, visibleText } from '../fields.js';
import { find, findAll, findInPage } from './dom.js';
import { createDraft } from './draft.js';

/** An input, or the fieldset of a choice with radio buttons, which gets a `value` below. */
export type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export const form = findInPage<HTMLFormElement>('#claim');
/** What was typed, in the storage of the tab. */
export const draft = createDraft(form.dataset['link']);
export const steps = findAll(form, '[data-step]');
/** The list of contacts, if the form asks for them. */
export const contacts = form.querySelector<HTMLElement>(`#${idOf(CONTACTS_POINTER)}`);

/** Screen readers read its text aloud when it changes. */
export const status = findInPage('#status');

for (const group of findAll<HTMLFieldSetElement>(form, 'fieldset[name]')) {
  const radios = findAll<HTMLInputElement>(group, '[type=radio]');
  Object.defineProperty(group, 'value', {
    get: () => radios.find(({ checked }) => checked)?.value ?? '',
    set(value) {
      for (const radio of radios) radio.checked = radio.value === value;
    },
  });
}

export function stepAround(element: Element): HTMLElement | null {
  return element.closest<HTMLElement>('[data-step]');
}

export function headingOf(step: Element): HTMLElement {
  return find(step, 'h2');
}

/** Returns the inputs that the user sees: a hidden one has no place for a message, and keeps its value. */
export function inputsIn(element: ParentNode): Input[] {
  return findAll<Input>(element, '.field > [name]');
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

/** Returns the text of the label or the legend without the "(optional)" after it, or the element around one of another language. */
function labelNode(element: Input | HTMLFieldSetElement): (ChildNode & { lang?: string }) | null | undefined {
  const label = 'labels' in element ? element.labels?.[0] : element.querySelector('legend');
  return label?.firstChild;
}

export function labelOf(element: Input | HTMLFieldSetElement): string {
  return labelNode(element)?.textContent?.trim() ?? '';
}

export function isRequired(input: Element): boolean {
  return input.matches('[aria-required=true], [data-required]');
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
    lang: labelNode(element)?.lang,
    missing: element.dataset['missing'] ?? '',
    isRequired: isRequired(element),
    isDate: isDateInput(element),
    maxLength: maxLengthOf(element),
    // "No answer" is none.
    options: findAll<HTMLInputElement>(element, 'option, [type=radio]').map(
      (option) => [option.value, option.value && (option.labels?.[0] ?? option).textContent] as const,
    ),
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
