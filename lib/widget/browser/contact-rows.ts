// The rows of contacts: added, removed and numbered.
import { CONTACTS_POINTER, MAX_CONTACTS } from '../fields.js';
import { fillIn } from '../locales/texts.js';
import { contacts, inputsIn, isBlankRow, nameOfRow, status } from './claim-form.js';
import { find, findAll } from './dom.js';
import { clearProblems } from './problem-display.js';
import { writeTitle } from './steps.js';
import { texts } from './texts.js';

const addButton = find(contacts, '[data-add]');
const rowTemplate = find<HTMLTemplateElement>(document, '#person-template');

/** Attributes with the number of their row, after `linkedContacts/` or `linkedContacts-`. */
const NUMBERED_ATTRIBUTES = ['name', 'id', 'for', 'aria-describedby'];

function findRows(): HTMLElement[] {
  return findAll(contacts, '[data-row]');
}

function appendRow(): void {
  addButton.before(rowTemplate.content.cloneNode(true));
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
  addButton.focus();
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
    const required = String(!isBlankRow(row));
    for (const input of findAll(row, '[data-row-need]')) input.setAttribute('aria-required', required);
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
  addButton.hidden = rows.length >= MAX_CONTACTS;
  markRequired();
}
