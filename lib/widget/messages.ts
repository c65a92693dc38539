// The messages beside the fields, for the server and the browser: what the user can do about a problem.
import { type AskedField, CONTACTS_POINTER, MAX_CONTACTS } from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';

/** A problem of a claim: the pointer of the member, and the rule that its value breaks. */
export interface FieldProblem {
  pointer?: string;
  rule: string;
  detail?: string;
  /** Sentences by BCP 47 tag. Present if the host found the problem. */
  messages?: Readonly<Record<string, string>>;
}

/** The message of a field, with its pointer; "" if the problem belongs to no field. */
export type LocatedMessage = readonly [pointer: string, text: string];

/** The texts that messages consist of. */
type MessageTexts = Pick<Texts, 'problems'>;

/** A field that a message belongs to. */
type MessageField = Pick<AskedField, 'pointer' | 'label' | 'missing' | 'maxLength'>;

const TEXTS_BY_RULE = new Map<string, keyof Texts['problems']>([
  ['maxLength', 'tooLong'],
  ['maxItems', 'tooMany'],
  ['format', 'date'],
  ['incomplete', 'dateParts'],
  ['email', 'email'],
  ['date_order', 'dateOrder'],
  ['date_future', 'dateFuture'],
  ['phone_digits', 'phoneDigits'],
  ['text', 'characters'],
  ['time', 'time'],
]);

/** Rules that the user follows by an answer. */
const MISSING = ['required', 'minLength', 'choice', 'accepted'];

/**
 * Returns a message for the first problem of each field, in the order of the fields. A problem of a contact without an
 * input belongs to the list of contacts. The last messages are for problems of no field: one for those of claimlink, and
 * one for each that the host found.
 */
export function locatedMessages(
  { problems: texts }: MessageTexts,
  locale: string,
  fields: readonly MessageField[],
  problems: readonly FieldProblem[],
): LocatedMessage[] {
  const pointers = new Set(fields.map(({ pointer }) => pointer));
  const firstAt = new Map<string, FieldProblem>();
  const others = new Set<string>();
  for (const problem of problems) {
    const { pointer = '' } = problem;
    const inList = pointer.startsWith(CONTACTS_POINTER) ? CONTACTS_POINTER : '';
    const place = [pointer, inList].find((place) => pointers.has(place));
    if (place === undefined) others.add(hostMessage(problem, locale) ?? texts.form);
    else if (!firstAt.has(place)) firstAt.set(place, problem);
  }
  const ofFields = fields.flatMap((field): LocatedMessage[] => {
    const problem = firstAt.get(field.pointer);
    return problem
      ? [[field.pointer, hostMessage(problem, locale) ?? message(texts, field, problem.rule)]]
      : [];
  });
  return [...ofFields, ...Array.from(others, (text): LocatedMessage => ['', text])];
}

/** Returns the sentence of a problem that the host found: in this language, in its language without the region, or any. */
function hostMessage({ detail, messages }: FieldProblem, locale: string): string | undefined {
  return messages && (messages[locale] ?? messages[locale.split('-', 1)[0] ?? ''] ?? detail);
}

function message(
  texts: Texts['problems'],
  { label, missing, maxLength }: MessageField,
  rule: string,
): string {
  if (MISSING.includes(rule)) return missing;
  // The form lacks the texts of fields that it does not have.
  const text = texts[TEXTS_BY_RULE.get(rule) as 'other'] ?? texts.other;
  const max = rule === 'maxItems' ? MAX_CONTACTS : (maxLength ?? '');
  return fillIn(text, { label: label.replace(/\?$/, ''), max });
}
