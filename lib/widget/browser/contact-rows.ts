// The rows of contacts: added, removed and numbered.
import { CONTACTS_POINTER, MAX_CONTACTS, visibleText } from '../fields.js';
import { fillIn } from '../locales/texts.js';
import { contacts, inputsIn, isBlankRow, nameOfRow, status } from './claim-form.js';
import { find, findAll } from './dom.js';
import { clearProblems } from './problem-display.js';
import { writeTitle } from './steps.js';
import { texts } from './texts.js';

const addButton = contacts?.querySelector<HTMLElement>('[data-add]');
const rowTemplate = createTemplate();

/** Attributes with the number of their row, after `linkedContacts/` or `linkedContacts-`. */
const NUMBERED_ATTRIBUTES = ['name', 'id', 'for', 'aria-describedby'];

function findRows(): HTMLElement[] {
  return contacts ? findAll(contacts, '[data-row]') : [];
}

/** Returns an empty copy of the last row. */
function createTemplate(): Node | undefined {
  const row = findRows().pop()?.cloneNode(true) as HTMLElement | undefined;
  if (!row) return undefined;
  for (const message of findAll(row, '.error')) message.remove();
  for (const input of findAll<HTMLInputElement>(row, 'input')) {
    input.defaultValue = '';
    input.value = '';
    for (const name of ['aria-invalid', 'aria-describedby']) input.removeAttribute(name);
  }
  return row;
}

function appendRow(): void {
  if (rowTemplate) addButton?.before(rowTemplate.cloneNode(true));
}

export function addRow(): void {
  appendRow();
  numberRows();
  const newRow = findRows().pop();
  if (newRow) inputsIn(newRow)[0]?.focus();
}

export function removeRow(row: HTMLElement): void {
  const name = nameOfRow(row);
  clearProblems();
  writeTitle();
  row.remove();
  numberRows();
  status.textContent = fillIn(texts.script.personRemoved, { person: name });
  addButton?.focus();
}

/** Shows as many rows as the saved fields have. */
export function restoreRows(draft: URLSearchParams): void {
  const names = [...draft.keys()].filter(
    (name) => name.startsWith(CONTACTS_POINTER) && name.endsWith('/email'),
  );
  const rows = findRows();
  for (const row of rows.slice(names.length)) row.remove();
  for (let count = rows.length; count < Math.min(names.length, MAX_CONTACTS); count++) appendRow();
  numberRows();
}

export function removeBlankRows(): void {
  for (const row of findRows()) if (isBlankRow(row)) row.remove();
  numberRows();
}

/** Marks the members that a row needs as soon as one of its members has a text. */
export function markRequired(): void {
  for (const row of findRows()) {
    const isBlank = isBlankRow(row);
    const hasPhone = inputsIn(row).some(({ type, value }) => type === 'tel' && visibleText(value));
    for (const input of findAll(row, '[data-row-need]')) {
      const isNeeded = input.dataset['rowNeed'] === 'row' || !hasPhone;
      input.setAttribute('aria-required', String(!isBlank && isNeeded));
    }
  }
}

function numberRows(): void {
  const rows = findRows();
  rows.forEach((row, index) => {
    for (const attribute of NUMBERED_ATTRIBUTES) {
      for (const element of findAll(row, `[${attribute}]`)) {
        const value = element.getAttribute(attribute) ?? '';
        element.setAttribute(attribute, value.replace(/(linkedContacts[-/])[^-/]+/g, `$1${index}`));
      }
    }
    const number = index + 1;
    find(row, 'legend').textContent = fillIn(texts.script.person, { number });
    find(row, '[data-remove]').setAttribute('aria-label', fillIn(texts.script.removePerson, { number }));
  });
  if (addButton) addButton.hidden = rows.length >= MAX_CONTACTS;
  markRequired();
}
