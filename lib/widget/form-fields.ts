// Markup of the form's fields: label, hint, message and input, linked by their ids.
import {
  CONTACT_FIELDS,
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  errorId,
  FIELDS,
  type Field,
  type FieldPointer,
  hintId,
  idOf,
  MAX_CONTACTS,
} from './fields.js';
import { attributes, html, type Markup } from './html.js';
import { fillIn, type Texts } from './locales/texts.js';
import type { ContactValues, FormValues } from './values.js';

// Empty rows, for users without JavaScript.
const SPARE_ROWS = 2;

/** The part of the form's state that fields show. */
export interface FieldState {
  texts: Texts;
  values: FormValues;
  /** Messages by pointer. */
  messages: ReadonlyMap<string, string>;
  /** Latest date of the incident, YYYY-MM-DD. */
  latestIncidentDate: string;
  /** Pointer of the field that gets the focus when the page opens. */
  autofocus: FieldPointer | undefined;
}

/** A field with its value and its message. */
interface FieldView {
  texts: Texts;
  pointer: string;
  field: Field;
  value: string;
  message: string | undefined;
  required: boolean;
  /** Latest date. */
  max?: string | undefined;
  autofocus?: boolean;
}

function optional({ form }: Texts): Markup {
  return html` <span class="optional">${form.optional}</span>`;
}

function messageMarkup({ page }: Texts, id: string, message: string | undefined): Markup | undefined {
  if (message === undefined) return undefined;
  return html`<p class="error" id="${errorId(id)}"><span class="vh">${page.errorPrefix} </span>${message}</p>\n`;
}

function describedBy(id: string, hasHint: boolean, message: string | undefined): string | undefined {
  const ids = [hasHint && hintId(id), message && errorId(id)];
  return ids.filter(Boolean).join(' ') || undefined;
}

function inputMarkup({ pointer, field, value, message, required, max, autofocus }: FieldView): Markup {
  const id = idOf(pointer);
  const { kind = 'text' } = field;
  const isTextarea = kind === 'textarea';
  const common = attributes({
    id,
    name: pointer,
    type: isTextarea ? undefined : kind,
    value: isTextarea ? undefined : value,
    // Addresses, numbers and codes are written from left to right in every language.
    dir: (field.code || kind === 'email' || kind === 'tel') && 'ltr',
    rows: isTextarea && 6,
    maxlength: field.maxLength,
    max,
    inputmode: (kind === 'email' || kind === 'tel') && kind,
    autocomplete: field.autocomplete ?? 'off',
    autocapitalize: field.code && 'characters',
    spellcheck: field.code && 'false',
    autofocus,
    'aria-required': required && 'true',
    'aria-invalid': message !== undefined && 'true',
    'aria-describedby': describedBy(id, field.hint !== undefined, message),
    'data-row-need': field.need === 'row',
  });
  // The HTML parser drops a line end at the start of a textarea. This one protects a line end in the value.
  return isTextarea ? html`<textarea${common}>\n${value}</textarea>` : html`<input${common}>`;
}

function fieldMarkup(view: FieldView): Markup {
  const { texts, field, message } = view;
  const id = idOf(view.pointer);
  const hint = field.hint && texts.form[field.hint];
  return html`<div class="field ${field.kind ?? 'text'}">
<label for="${id}">${texts.fields[field.text].label}${field.need === 'never' && optional(texts)}</label>
${hint && html`<p class="hint" id="${hintId(id)}">${hint}</p>\n`}${messageMarkup(texts, id, message)}${inputMarkup(view)}
</div>
`;
}

/** Returns the markup of a field that occurs once in the form. */
export function field(pointer: FieldPointer, state: FieldState): Markup {
  const { texts, values, messages, latestIncidentDate, autofocus } = state;
  return fieldMarkup({
    texts,
    pointer,
    field: FIELDS[pointer],
    value: values.fields[pointer],
    message: messages.get(pointer),
    required: FIELDS[pointer].need === undefined,
    max: pointer === '/incident/date' ? latestIncidentDate : undefined,
    autofocus: autofocus === pointer,
  });
}

/** Returns one row of contacts. It is optional while it is empty. In the template that the script copies, `index` is `new`. */
function row(
  texts: Texts,
  index: number | 'new',
  contact: ContactValues | undefined,
  messages: FieldState['messages'],
): Markup {
  const number = index === 'new' ? 1 : index + 1;
  const { person, removePerson } = texts.script;
  return html`<fieldset class="person" data-row>
<legend>${fillIn(person, { number })}${contact === undefined && optional(texts)}</legend>
<div class="pair">
${CONTACT_MEMBERS.map((member) => {
  const pointer = `${CONTACTS_POINTER}/${index}/${member}`;
  return fieldMarkup({
    texts,
    pointer,
    field: CONTACT_FIELDS[member],
    value: contact?.[member] ?? '',
    message: messages.get(pointer),
    required: CONTACT_FIELDS[member].need === 'row' && contact !== undefined,
  });
})}</div>
<button type="button" class="button quiet js-only" data-remove aria-label="${fillIn(removePerson, { number })}">${texts.form.remove}</button>
</fieldset>
`;
}

/** Returns the template of a new row, for the script. */
export function rowTemplate(texts: Texts): Markup {
  return html`<template id="person-template">${row(texts, 'new', undefined, new Map())}</template>\n`;
}

/** Returns the rows of contacts: the filled ones, and some empty ones. */
export function contacts({ texts, values, messages }: FieldState): Markup {
  const id = idOf(CONTACTS_POINTER);
  const message = messages.get(CONTACTS_POINTER);
  const count = Math.min(values.contacts.length + SPARE_ROWS, MAX_CONTACTS);
  const rows = Array.from({ length: count }, (_, index) =>
    row(texts, index, values.contacts[index], messages),
  );
  return html`<fieldset class="people"${attributes({
    id,
    tabindex: '-1',
    'aria-describedby': describedBy(id, true, message),
  })}>
<legend>${texts.fields.contacts.label}${optional(texts)}</legend>
<p class="hint" id="${hintId(id)}">${texts.form.contactsHint}</p>
${messageMarkup(texts, id, message)}${rows}<button type="button" class="button js-only" data-add>${texts.form.addPerson}</button>
</fieldset>
`;
}
