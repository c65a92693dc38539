// Turns the problems of a claim into sentences, each for the field that it belongs to.
import type { ErrorDetail } from '../core/errors.js';
import { CONTACTS_POINTER, compareByForm, fieldAt, idOf, STEP_KEYS, type StepKey, stepOf } from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';
import { problemMessage } from './messages.js';
import type { FormValues } from './values.js';

/** One line of the summary. */
export interface SummaryLine {
  /** Element id of the field. Absent if the problem belongs to no field. */
  target?: string;
  text: string;
}

export interface FormProblems {
  readonly summary: readonly SummaryLine[];
  /** Messages by pointer; by "" the one that belongs to no field. */
  readonly byPointer: ReadonlyMap<string, string>;
  /** The first step with a problem. */
  readonly step?: StepKey;
}

const CONTACT = /^\/policy\/linkedContacts\/(\d+)\//;

/** Returns the place of a problem. A problem of a contact without a row belongs to the list of contacts. */
function locate(pointer: string, contactCount: number): { pointer: string; row?: number } | undefined {
  const index = Number(CONTACT.exec(pointer)?.[1]);
  if (fieldAt(pointer) !== undefined && !(index >= contactCount)) {
    return { pointer, ...(index >= 0 && { row: index + 1 }) };
  }
  return pointer.startsWith(CONTACTS_POINTER) ? { pointer: CONTACTS_POINTER } : undefined;
}

/**
 * Returns a message for the first problem of each field, in the order of the form. The summary also has the problems
 * without a field.
 */
export function formProblems(
  details: readonly ErrorDetail[],
  values: FormValues,
  texts: Texts,
): FormProblems {
  const summary: SummaryLine[] = [];
  const byPointer = new Map<string, string>();
  const steps = new Set<StepKey>();
  const fieldTexts: Readonly<Record<string, string>> = values.fields;
  const located = details.map(({ pointer = '', rule }) => {
    const place = locate(pointer, values.contacts.length);
    const key = place?.pointer ?? '';
    // An empty date is no date for the service, but the user has left it out.
    return { place, key, rule: fieldTexts[key] === '' ? 'required' : rule };
  });
  for (const { place, key, rule } of located.toSorted((a, b) => compareByForm(a.key, b.key))) {
    if (byPointer.has(key)) continue;
    const text = problemMessage(texts, key, rule);
    byPointer.set(key, text);
    if (!place) {
      summary.push({ text });
      continue;
    }
    const person = place.row && fillIn(texts.script.person, { number: place.row });
    summary.push({ target: idOf(place.pointer), text: person ? `${person} – ${text}` : text });
    const step = stepOf(place.pointer);
    if (step) steps.add(step);
  }
  const step = STEP_KEYS.find((key) => steps.has(key));
  return { summary, byPointer, ...(step && { step }) };
}
