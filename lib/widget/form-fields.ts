// Markup of the form's fields: label, hint, message and input, tied together by their ids.
import {
  CONTACT_FIELDS,
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  CONTACTS_TITLE,
  FIELDS,
  type Field,
  type FieldPointer,
  idOf,
  MAX_CONTACTS,
} from './fields.js';
import { attributes, html, type Markup, raw } from './html.js';
import type { ContactValues, FormValues } from './values.js';

// Rows to type into where no script adds any.
const SPARE_ROWS = 2;

const OPTIONAL = raw(' <span class="optional">(optional)</span>');

/** What the markup of a field depends on, apart from the field. */
export interface FieldState {
  values: FormValues;
  /** Messages by pointer. */
  messages: ReadonlyMap<string, string>;
  /** The field that gets the focus when the page opens. */
  autofocus?: string;
}

function message(id: string, text: string | undefined): Markup | undefined {
  if (text === undefined) return undefined;
  return html`<p class="error" id="${id}-error"><span class="vh">Error: </span>${text}</p>\n`;
}

function control(
  pointer: string,
  field: Field,
  value: string,
  messages: FieldState['messages'],
  autofocus?: boolean,
): Markup {
  const id = idOf(pointer);
  const bad = messages.has(pointer);
  const area = field.kind === 'textarea';
  const describedBy = [field.hint && `${id}-hint`, bad && `${id}-error`].filter(Boolean).join(' ');
  const common = attributes({
    id,
    name: pointer,
    type: area ? undefined : field.kind,
    value: area ? undefined : value,
    rows: area && 6,
    maxlength: field.maxLength,
    placeholder: field.kind === 'date' && 'YYYY-MM-DD',
    inputmode: field.kind === 'email' || field.kind === 'tel' ? field.kind : undefined,
    autocomplete: field.autocomplete,
    autocapitalize: field.code && 'characters',
    spellcheck: field.code && 'false',
    autofocus,
    'aria-required': field.need === 'always' && 'true',
    'aria-invalid': bad && 'true',
    'aria-describedby': describedBy || undefined,
    'data-row-need': field.need === 'row',
  });
  // The parser drops a line end right after the tag, so one is given up there.
  return area ? html`<textarea${common}>\n${value}</textarea>` : html`<input${common}>`;
}

function fieldMarkup(
  pointer: string,
  field: Field,
  value: string,
  messages: FieldState['messages'],
  autofocus?: boolean,
): Markup {
  const id = idOf(pointer);
  const text = messages.get(pointer);
  return html`<div class="field ${field.kind}">
<label for="${id}">${field.label}${field.need === 'never' && OPTIONAL}</label>
${field.hint && html`<p class="hint" id="${id}-hint">${field.hint}</p>\n`}${message(id, text)}${control(pointer, field, value, messages, autofocus)}
</div>
`;
}

/** A field that stands in the form once. */
export function single(pointer: FieldPointer, state: FieldState): Markup {
  return fieldMarkup(
    pointer,
    FIELDS[pointer],
    state.values.fields[pointer],
    state.messages,
    state.autofocus === pointer,
  );
}

/** One row of contacts; `index` is `new` in the template that the script copies. */
function row(
  index: number | 'new',
  contact: ContactValues | undefined,
  messages: FieldState['messages'],
): Markup {
  const number = index === 'new' ? 1 : index + 1;
  return html`<fieldset class="person" data-row>
<legend>Person <span data-number>${number}</span></legend>
<div class="pair">
${CONTACT_MEMBERS.map((member) =>
  fieldMarkup(
    `${CONTACTS_POINTER}/${index}/${member}`,
    CONTACT_FIELDS[member],
    contact?.[member] ?? '',
    messages,
  ),
)}</div>
<button type="button" class="button quiet js-only" data-remove>Remove<span class="vh"> person <span data-number>${number}</span></span></button>
</fieldset>
`;
}

/** What the script copies to make a row. */
export const ROW_TEMPLATE = html`<template id="person-template">${row('new', undefined, new Map())}</template>\n`;

/** The rows of contacts: those with a value, and some to spare. */
export function contacts(state: FieldState): Markup {
  const id = idOf(CONTACTS_POINTER);
  const text = state.messages.get(CONTACTS_POINTER);
  const known = state.values.contacts;
  const count = Math.min(known.length + SPARE_ROWS, MAX_CONTACTS);
  return html`<fieldset class="people"${attributes({
    id,
    tabindex: '-1',
    'aria-describedby': [`${id}-hint`, text && `${id}-error`].filter(Boolean).join(' '),
    'data-max': MAX_CONTACTS,
  })}>
<legend>${CONTACTS_TITLE}${OPTIONAL}</legend>
<p class="hint" id="${id}-hint">For example another driver, or somebody who looks after this for you.</p>
${message(id, text)}${Array.from({ length: count }, (_, index) => row(index, known[index], state.messages))}<button type="button" class="button js-only" data-add>Add a person</button>
</fieldset>
`;
}
