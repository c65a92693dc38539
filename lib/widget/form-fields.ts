// Markup of the form's fields: label, hint, message and input, linked by their ids.
import {
  CONTACT_FIELDS,
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  CONTACTS_TITLE,
  errorId,
  FIELDS,
  type Field,
  type FieldPointer,
  hintId,
  idOf,
  MAX_CONTACTS,
} from './fields.js';
import { attributes, html, type Markup, raw } from './html.js';
import type { ContactValues, FormValues } from './values.js';

// Empty rows, for users without JavaScript.
const SPARE_ROWS = 2;

const CONTACTS_HINT = 'For example another driver, or a person who handles this claim for you.';

const OPTIONAL = raw(' <span class="optional">(optional)</span>');

/** The part of the form's state that fields show. */
export interface FieldState {
  values: FormValues;
  /** Messages by pointer. */
  messages: ReadonlyMap<string, string>;
  /** Pointer of the field that gets the focus when the page opens. */
  autofocus?: string;
}

/** A field with its value and its message. */
interface FieldView {
  pointer: string;
  field: Field;
  value: string;
  message: string | undefined;
  autofocus?: boolean;
}

function messageMarkup(id: string, message: string | undefined): Markup | undefined {
  if (message === undefined) return undefined;
  return html`<p class="error" id="${errorId(id)}"><span class="vh">Error: </span>${message}</p>\n`;
}

function describedBy(id: string, hint: string | undefined, message: string | undefined): string | undefined {
  const ids = [hint && hintId(id), message && errorId(id)];
  return ids.filter(Boolean).join(' ') || undefined;
}

function inputMarkup({ pointer, field, value, message, autofocus }: FieldView): Markup {
  const id = idOf(pointer);
  const { kind = 'text' } = field;
  const isTextarea = kind === 'textarea';
  const common = attributes({
    id,
    name: pointer,
    type: isTextarea ? undefined : kind,
    value: isTextarea ? undefined : value,
    rows: isTextarea && 6,
    maxlength: field.maxLength,
    placeholder: kind === 'date' && 'YYYY-MM-DD',
    inputmode: (kind === 'email' || kind === 'tel') && kind,
    autocomplete: field.autocomplete,
    autocapitalize: field.code && 'characters',
    spellcheck: field.code && 'false',
    autofocus,
    'aria-required': field.need === undefined && 'true',
    'aria-invalid': message !== undefined && 'true',
    'aria-describedby': describedBy(id, field.hint, message),
    'data-row-need': field.need === 'row',
  });
  // The HTML parser drops a line end at the start of a textarea. This one protects a line end in the value.
  return isTextarea ? html`<textarea${common}>\n${value}</textarea>` : html`<input${common}>`;
}

function fieldMarkup(view: FieldView): Markup {
  const { field, message } = view;
  const id = idOf(view.pointer);
  return html`<div class="field ${field.kind ?? 'text'}">
<label for="${id}">${field.label}${field.need === 'never' && OPTIONAL}</label>
${field.hint && html`<p class="hint" id="${hintId(id)}">${field.hint}</p>\n`}${messageMarkup(id, message)}${inputMarkup(view)}
</div>
`;
}

/** Returns the markup of a field that occurs once in the form. */
export function single(pointer: FieldPointer, { values, messages, autofocus }: FieldState): Markup {
  return fieldMarkup({
    pointer,
    field: FIELDS[pointer],
    value: values.fields[pointer],
    message: messages.get(pointer),
    autofocus: autofocus === pointer,
  });
}

/** Returns one row of contacts. In the template that the script copies, `index` is `new`. */
function row(
  index: number | 'new',
  contact: ContactValues | undefined,
  messages: FieldState['messages'],
): Markup {
  const number = index === 'new' ? 1 : index + 1;
  return html`<fieldset class="person" data-row>
<legend>Person <span data-number>${number}</span></legend>
<div class="pair">
${CONTACT_MEMBERS.map((member) => {
  const pointer = `${CONTACTS_POINTER}/${index}/${member}`;
  return fieldMarkup({
    pointer,
    field: CONTACT_FIELDS[member],
    value: contact?.[member] ?? '',
    message: messages.get(pointer),
  });
})}</div>
<button type="button" class="button quiet js-only" data-remove>Remove<span class="vh"> person <span data-number>${number}</span></span></button>
</fieldset>
`;
}

/** The template of a new row, for the script. */
export const ROW_TEMPLATE = html`<template id="person-template">${row('new', undefined, new Map())}</template>\n`;

/** Returns the rows of contacts: the filled ones, and some empty ones. */
export function contacts({ values, messages }: FieldState): Markup {
  const id = idOf(CONTACTS_POINTER);
  const message = messages.get(CONTACTS_POINTER);
  const count = Math.min(values.contacts.length + SPARE_ROWS, MAX_CONTACTS);
  const rows = Array.from({ length: count }, (_, index) => row(index, values.contacts[index], messages));
  return html`<fieldset class="people"${attributes({
    id,
    tabindex: '-1',
    'aria-describedby': describedBy(id, CONTACTS_HINT, message),
  })}>
<legend>${CONTACTS_TITLE}${OPTIONAL}</legend>
<p class="hint" id="${hintId(id)}">${CONTACTS_HINT}</p>
${messageMarkup(id, message)}${rows}<button type="button" class="button js-only" data-add>Add a person</button>
</fieldset>
`;
}
