// Turns the problems of a claim into sentences, each for the field that it belongs to.
import type { Problem } from '../core/errors.js';
import { idOf, type StepKey } from './fields.js';
import { type FormModel, messageFields } from './form-model.js';
import type { Language } from './locales/languages.js';
import { fillIn } from './locales/texts.js';
import { type LocatedMessage, locatedMessages } from './messages.js';
import type { FormValues } from './values.js';

/** One line of the summary. */
export interface SummaryLine {
  /** Element id of the field. Absent if the problem belongs to no field. */
  target?: string;
  text: string;
}

export interface FormProblems {
  readonly summary: readonly SummaryLine[];
  /** The message of each field by its pointer. */
  readonly byPointer: ReadonlyMap<string, string>;
  /** The first step with a problem. */
  readonly step: StepKey | undefined;
}

/** Returns the number of the row of contacts with this field, from 1 on, or 0 for a field outside of the rows. */
function rowNumber(pointer: string): number {
  const [, index = -1] = /^\/policy\/linkedContacts\/(\d+)\//.exec(pointer) ?? [];
  return Number(index) + 1;
}

/** After the message about a date that was typed as text. */
const DATE_EXAMPLE = ' (2026-12-31)';

/** Returns whether an input for dates sends such a value. It sends a year of more than four digits as well. */
function isOfDateInput(value: string): boolean {
  return /^(?:\d{4,}-\d\d-\d\d)?$/.test(value);
}

/**
 * Returns a message for the first problem of each field, in the order of the form. The summary also has the problems
 * without a field.
 */
export function formProblems(
  problems: readonly Problem[],
  model: FormModel,
  { contacts, fields: values }: FormValues,
  { texts, locale }: Language,
): FormProblems {
  const fields = messageFields(model, contacts.length);
  // A browser without an input for dates has sent it: its user does not see how to type a date.
  const typedDates = problems
    .filter(({ pointer = '', rule }) => rule === 'format' && !isOfDateInput(values[pointer] ?? ''))
    .map(({ pointer }) => pointer);
  const messages = locatedMessages(texts, locale, fields, problems).map(([pointer, text]) => [
    pointer,
    typedDates.includes(pointer) ? text + DATE_EXAMPLE : text,
  ]) as LocatedMessage[];
  const summary = messages.map(([pointer, text]) => {
    if (pointer === '') return { text };
    const number = rowNumber(pointer);
    const person = number > 0 ? `${fillIn(texts.script.person, { number })} – ` : '';
    return { target: idOf(pointer), text: person + text };
  });
  const byPointer = new Map(messages.filter(([pointer]) => pointer !== ''));
  return { summary, byPointer, step: fields.find(({ pointer }) => byPointer.has(pointer))?.step };
}
