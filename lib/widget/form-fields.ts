// Markup of the form's fields: label, hint, message and input, linked by their ids.
import {
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  contactPointer,
  errorId,
  hintId,
  idOf,
  MAX_CONTACTS,
} from './fields.js';
import type { ContactsModel, FieldKind, FormField, FormModel, MessageField } from './form-model.js';
import { attributes, type Content, html, inLanguage, type Markup, UNTRANSLATED } from './html.js';
import { fillIn, type Texts } from './locales/texts.js';
import type { ContactValues, FormValues } from './values.js';

// An empty row, for users without JavaScript. The script makes new rows of the last one.
const SPARE_ROWS = 1;

/** The browser cuts a longer text without a word. The service rejects it with one. */
export const MAX_PASTED = 16_000;

/** The part of the form's state that fields show. */
export interface FieldState {
  texts: Texts;
  locale: string;
  model: FormModel;
  values: FormValues;
  /** Messages by pointer. */
  messages: ReadonlyMap<string, string>;
  /** Latest date of the incident, YYYY-MM-DD. */
  latestIncidentDate: string;
}

/** A field with its value and its message. */
interface FieldView {
  texts: Texts;
  pointer: string;
  label: string;
  /** Language of the label and the hint, if it is not that of the page. */
  lang?: string | undefined;
  missing: string | undefined;
  kind?: FieldKind | undefined;
  maxLength?: number | undefined;
  autocomplete?: string | undefined;
  code?: boolean;
  hint?: string | undefined;
  /** Language of the hint, if it is neither that of the label nor that of the page. */
  hintLang?: string | undefined;
  options?: FormField['options'];
  isBoolean?: boolean | undefined;
  value: string;
  message: string | undefined;
  isRequired: boolean;
  /** The label says that the field is optional. */
  isOptional: boolean;
  need?: string | undefined;
  /** Latest date. */
  max?: string | undefined;
}

/** Returns what follows the label of a field that needs no answer. */
export function optional({ form }: Texts): Markup {
  return html` <span class="optional">${form.optional}</span>`;
}

/** Returns the message beside a field. */
export function messageMarkup({ page }: Texts, id: string, message: string | undefined): Markup | undefined {
  if (message === undefined) return undefined;
  return html`<p class="error" id="${errorId(id)}"><span class="vh">${page.errorPrefix} </span>${message}</p>`;
}

/** Returns the ids of the hint and the message of a field. */
export function describedBy(id: string, hasHint: boolean, message: string | undefined): string | undefined {
  const ids = [hasHint && hintId(id), message && errorId(id)];
  return ids.filter(Boolean).join(' ') || undefined;
}

function inputMarkup(view: FieldView): Markup {
  const { pointer, value, message, isRequired, kind = 'text', code, hint, options = [] } = view;
  const id = idOf(pointer);
  const isInput = kind !== 'textarea' && kind !== 'select';
  const isAddress = kind === 'email' || kind === 'tel';
  const common = attributes({
    id,
    name: pointer,
    type: isInput && kind !== 'text' && kind,
    value: isInput && value !== '' && value,
    // Addresses, numbers and codes are written from left to right in every language.
    dir: (code || isAddress) && 'ltr',
    rows: kind === 'textarea' && 3,
    // The browser cuts what is longer without a word. So that happens only where the request would be too large.
    maxlength: view.maxLength && MAX_PASTED,
    'data-max': view.maxLength,
    max: view.max,
    autocomplete: view.autocomplete,
    autocapitalize: code && 'characters',
    spellcheck: code && 'false',
    'aria-required': isRequired && 'true',
    'aria-invalid': message !== undefined && 'true',
    'aria-describedby': describedBy(id, hint !== undefined, message),
    'data-missing': view.missing,
    'data-row-need': view.need,
  });
  if (kind === 'select') {
    const all = [['', ''] as const, ...options];
    return html`<select${common}>${all.map(
      ([key, label, lang]) =>
        html`<option${attributes({ value: key, lang, selected: key === value })}>${label}`,
    )}</select>`;
  }
  // The HTML parser drops a line end at the start of a textarea. This one protects a line end in the value.
  return isInput ? html`<input${common}>` : html`<textarea${common}${UNTRANSLATED}>\n${value}</textarea>`;
}

/** Returns a text with its language, if that is not the one of the page. */
function inOther(lang: string | undefined, text: string): Content {
  return lang === undefined ? text : html`<span${inLanguage(lang)}>${text}</span>`;
}

/** Returns a choice whose options are all shown. It is named and described as a whole. */
function radiosMarkup(view: FieldView, legend: Content): Markup {
  const { texts, pointer, message, hint, isRequired, isBoolean, options = [] } = view;
  const id = idOf(pointer);
  const all = isRequired ? options : [...options, ['', texts.form.noAnswer, undefined] as const];
  const group = attributes({
    id,
    name: pointer,
    'aria-invalid': message !== undefined && 'true',
    'aria-describedby': describedBy(id, hint !== undefined, message),
    'data-missing': view.missing,
    'data-required': isRequired,
  });
  const radios = all.map(([key, label, lang]) => {
    const radio = attributes({
      type: 'radio',
      name: pointer,
      value: key,
      checked: key !== '' && key === view.value,
      required: isRequired,
    });
    return html`<label><input${radio}>${inOther(lang, label)}</label>`;
  });
  return html`<fieldset${group}><legend>${legend}</legend>${hintMarkup(view)}${messageMarkup(texts, id, message)}<div class="options${isBoolean && ' line'}">${radios}</div></fieldset>`;
}

function hintMarkup({ pointer, lang, hint, hintLang = lang }: FieldView): Content {
  return hint && html`<p class="hint" id="${hintId(idOf(pointer))}"${inLanguage(hintLang)}>${hint}</p>`;
}

/** Kinds whose inputs are as wide as a date. */
const DATE_KINDS: readonly FieldKind[] = ['date', 'time'];

function fieldMarkup(view: FieldView): Markup {
  const { texts, lang, kind, message } = view;
  const label: Content = [inOther(lang, view.label), view.isOptional && optional(texts)];
  const id = idOf(view.pointer);
  const isDate = kind !== undefined && DATE_KINDS.includes(kind);
  // Firefox names the parts of a date, and not the date.
  const group = attributes({ role: isDate && 'group', 'aria-labelledby': isDate && `${id}-label` });
  const control =
    kind === 'radio'
      ? radiosMarkup(view, label)
      : html`<label for="${id}"${isDate && attributes({ id: `${id}-label` })}>${label}</label>${hintMarkup(view)}${messageMarkup(texts, id, message)}${inputMarkup(view)}`;
  return html`<div class="field${isDate && ' date'}"${group}>${control}</div>
`;
}

/** Returns the markup of a field that occurs once in the form. */
export function field(asked: FormField, state: FieldState): Markup {
  const { texts, values, messages, latestIncidentDate } = state;
  const { pointer, isRequired } = asked;
  return fieldMarkup({
    ...asked,
    texts,
    value: values.fields[pointer] ?? '',
    message: messages.get(pointer),
    isOptional: !isRequired,
    max: pointer === '/incident/date' ? latestIncidentDate : undefined,
  });
}

/** Returns an input that the form sends without asking. */
export function hiddenInput(name: string, value: string): Markup {
  return html`<input${attributes({ type: 'hidden', name, value })}>`;
}

/** Returns the confirmation of the privacy policy. It is ticked only in a form that the user has sent ticked. */
export function confirmation(
  { pointer, label, missing }: MessageField,
  { texts, values, messages }: FieldState,
): Markup {
  const id = idOf(pointer);
  const message = messages.get(pointer);
  const checkbox = attributes({
    id,
    name: pointer,
    type: 'checkbox',
    value: 'true',
    checked: values.fields[pointer] === 'true',
    // With autocomplete, Firefox would restore the tick after a reload.
    autocomplete: 'off',
    'aria-required': 'true',
    'aria-invalid': message !== undefined && 'true',
    'aria-describedby': describedBy(id, false, message),
    'data-missing': missing,
  });
  return html`<div class="field choice">
${messageMarkup(texts, id, message)}<input${checkbox}>
<label for="${id}">${label}</label>
</div>
`;
}

/** Returns one row of contacts. It is optional while it is empty. */
function row(
  { texts, messages }: FieldState,
  { fields }: ContactsModel,
  index: number,
  contact: ContactValues | undefined,
): Markup {
  const { person, removePerson } = texts.script;
  const number = index + 1;
  return html`<fieldset class="person" data-row>
<legend>${fillIn(person, { number })}${contact === undefined && optional(texts)}</legend>
<div class="pair">
${CONTACT_MEMBERS.map((member) => {
  const pointer = contactPointer(index, member);
  const { need } = fields[member];
  const isNeeded = need === 'row' || (need === 'either' && contact?.phone === '');
  return fieldMarkup({
    ...fields[member],
    // A phone number alone is never missing.
    ...(need === undefined && { missing: undefined }),
    texts,
    pointer,
    value: contact?.[member] ?? '',
    message: messages.get(pointer),
    isRequired: contact !== undefined && isNeeded,
  });
})}</div>
<button type="button" class="button quiet js-only" data-remove aria-label="${fillIn(removePerson, { number })}">${texts.form.remove}</button>
</fieldset>
`;
}

/** Returns the rows of contacts: the filled ones, and some empty ones. */
export function contacts(state: FieldState, model: ContactsModel): Markup {
  const { texts, values, messages } = state;
  const id = idOf(CONTACTS_POINTER);
  const message = messages.get(CONTACTS_POINTER);
  const count = Math.min(values.contacts.length + SPARE_ROWS, MAX_CONTACTS);
  const rows = Array.from({ length: count }, (_, index) => row(state, model, index, values.contacts[index]));
  return html`<fieldset class="people"${attributes({
    id,
    tabindex: '-1',
    'aria-describedby': describedBy(id, true, message),
    'data-missing': model.missing,
    'data-required': model.isRequired,
  })}>
<legend>${model.label}${!model.isRequired && optional(texts)}</legend>
<p class="hint own" id="${hintId(id)}"${inLanguage(model.hintLang)}>${model.hint}</p>
${messageMarkup(texts, id, message)}${rows}<button type="button" class="button js-only" data-add>${texts.form.addPerson}</button>
</fieldset>
`;
}
