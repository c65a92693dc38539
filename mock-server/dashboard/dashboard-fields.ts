// The fields of the dashboard's forms: labelled, with what was typed before, and with what is wrong at its place.
import type { ErrorDetail } from '../../lib/index.js';
import type { DashboardView } from './dashboard-view.js';
import { type Html, html } from './html.js';

/** One form as it is to be shown: fresh, or with what was refused. */
export interface FormState {
  action: string;
  /** What is in a field: what was typed, or else the default. */
  valueOf(name: string, fallback?: string): string;
  isChecked(name: string, fallback?: boolean): boolean;
  problemsOf(name: string): readonly ErrorDetail[];
  /** Whether something is wrong in a field whose name starts so. */
  hasProblemsIn(prefix: string): boolean;
}

/** The state of the form of that action. Fields are named by the JSON Pointer of what they become. */
export function formState({ refused }: Pick<DashboardView, 'refused'>, action: string): FormState {
  const typed = refused?.action === action ? refused : undefined;
  const problems = typed?.problem.details ?? [];
  return {
    action,
    valueOf: (name, fallback = '') => (typed ? (typed.fields.get(name) ?? '') : fallback),
    isChecked: (name, fallback = false) => (typed ? typed.fields.has(name) : fallback),
    problemsOf: (name) => problems.filter((problem) => placeOf(problem) === name),
    hasProblemsIn: (prefix) => problems.some((problem) => placeOf(problem)?.startsWith(prefix)),
  };
}

/** The name of the field that a problem is about. */
export function placeOf({ pointer, parameter }: ErrorDetail): string | undefined {
  return pointer ?? (parameter === undefined ? undefined : `/${parameter}`);
}

/** The id of a field: unique on the page. */
export function fieldId(action: string, name: string): string {
  return `${action}${name}`;
}

/** The start of a form, with the page that it stands on. `isKept`: after success it keeps what was typed. */
export function formStart(
  { root, client, userId, isForAll }: DashboardView,
  action: string,
  { className, isKept = false }: { className?: string; isKept?: boolean } = {},
): Html {
  return html`<form action="${root}__mock/dashboard/${action}" method="post" novalidate data-form="${action}"${className !== undefined && html` class="${className}"`}${isKept && html` data-keep`}>
<input type="hidden" name="client" value="${client.clientId}"><input type="hidden" name="user" value="${userId}">${isForAll && html`<input type="hidden" name="scope" value="all">`}`;
}

/** A form of one button. */
export function buttonForm(
  view: DashboardView,
  action: string,
  button: {
    label: string;
    about?: string;
    fields?: Readonly<Record<string, string>>;
    isDisabled?: boolean;
    isQuiet?: boolean;
  },
): Html {
  const fields = Object.entries(button.fields ?? {});
  const id = `${action} ${fields.map(([, value]) => value).join(' ')}`.trim();
  return html`${formStart(view, action, { className: 'inline' })}${fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${button.isQuiet ? 'button small quiet' : 'button small'}" id="${encodeURIComponent(id)}"${button.isDisabled && html` disabled`}>${button.label}${
    button.about !== undefined && html`<span class="vh"> ${button.about}</span>`
  }</button></form>`;
}

/** A line of text to type. */
export interface TextField {
  name: string;
  label: string;
  fallback?: string;
  hint?: string;
  placeholder?: string;
  /** Code: ids, URLs, keys. */
  isMono?: boolean;
  isWide?: boolean;
  maxLength?: number;
  inputMode?: 'numeric' | 'decimal' | 'email' | 'tel' | 'url';
  /** Offered while typing. */
  choices?: readonly string[];
}

/** A labelled text field. */
export function textField(form: FormState, field: TextField): Html {
  const { name, label, hint, placeholder, choices } = field;
  const id = fieldId(form.action, name);
  const list = choices && `${id}-choices`;
  return html`<div class="${field.isWide ? 'field wide' : 'field'}"><label for="${id}">${label}</label>
<input id="${id}" name="${name}" value="${form.valueOf(name, field.fallback)}"${field.isMono && html` class="mono"`}${placeholder !== undefined && html` placeholder="${placeholder}"`}${field.inputMode && html` inputmode="${field.inputMode}"`}${field.maxLength !== undefined && html` maxlength="${field.maxLength}"`}${list !== undefined && html` list="${list}"`} autocomplete="off" autocapitalize="off" spellcheck="false"${described(form, name, hint)}>${
    choices &&
    html`<datalist id="${list}">${choices.map((choice) => html`<option value="${choice}"></option>`)}</datalist>`
  }${notes(form, name, hint)}</div>`;
}

/** A labelled choice. */
export function selectField(
  form: FormState,
  field: {
    name: string;
    label: string;
    fallback?: string;
    choices: readonly (readonly [value: string, text: string])[];
  },
): Html {
  const id = fieldId(form.action, field.name);
  const chosen = form.valueOf(field.name, field.fallback);
  return html`<div class="field"><label for="${id}">${field.label}</label>
<select id="${id}" name="${field.name}"${described(form, field.name, undefined)}>${field.choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select>${notes(form, field.name, undefined)}</div>`;
}

/** A box to tick. */
export function checkField(
  form: FormState,
  field: { name: string; label: string; isChecked?: boolean },
): Html {
  return html`<label class="check"><input type="checkbox" name="${field.name}" value="true"${form.isChecked(field.name, field.isChecked) && html` checked`}> <span>${field.label}</span></label>`;
}

function described(form: FormState, name: string, hint: string | undefined): Html {
  const id = fieldId(form.action, name);
  const isWrong = form.problemsOf(name).length > 0;
  const ids = [...(isWrong ? [`${id}-problem`] : []), ...(hint === undefined ? [] : [`${id}-hint`])];
  return html`${isWrong && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`;
}

function notes(form: FormState, name: string, hint: string | undefined): Html {
  const id = fieldId(form.action, name);
  const problems = form.problemsOf(name);
  return html`${problems.length > 0 && html`<p class="wrong" id="${id}-problem">${problems.map(({ detail }) => detail).join('; ')}</p>`}${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}`;
}

/** A button that copies a text; only a script can, so that without one it is not shown. */
export function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" hidden>Copy<span class="vh"> ${what}</span></button>`;
}
