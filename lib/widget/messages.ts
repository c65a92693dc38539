// The messages beside the fields, for the server and the browser: what the user can do about a problem.
import { type AskedField, CONTACTS_POINTER, MAX_CONTACTS } from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';

/** A problem of a claim: the pointer of the member, and the rule that its value breaks. */
export interface FieldProblem {
  pointer?: string;
  rule: string;
}

/** The texts that messages consist of. */
type MessageTexts = Pick<Texts, 'problems'>;

/** A field that a message belongs to. */
type MessageField = Pick<AskedField, 'pointer' | 'label' | 'missing' | 'maxLength'>;

const TEXTS_BY_RULE = new Map<string, keyof Texts['problems']>([
  ['maxLength', 'tooLong'],
  ['maxItems', 'tooMany'],
  ['format', 'date'],
  ['email', 'email'],
  ['date_order', 'dateOrder'],
  ['date_future', 'dateFuture'],
  ['phone_digits', 'phoneDigits'],
  ['text', 'characters'],
  ['time', 'time'],
]);

/** Rules that the user follows by an answer. */
const MISSING = ['required', 'minLength', 'choice'];

/**
 * Returns a message for the first problem of each field, by its pointer and in the order of the fields. A problem of a
 * contact without an input belongs to the list of contacts. The last message, by "", is for problems of no field.
 */
export function messagesByPointer(
  { problems: texts }: MessageTexts,
  fields: readonly MessageField[],
  problems: readonly FieldProblem[],
): Map<string, string> {
  const pointers = new Set(fields.map(({ pointer }) => pointer));
  const rules = new Map<string, string>();
  for (const { pointer = '', rule } of problems) {
    const inList = pointer.startsWith(CONTACTS_POINTER) ? CONTACTS_POINTER : '';
    const place = [pointer, inList].find((place) => pointers.has(place)) ?? '';
    if (!rules.has(place)) rules.set(place, rule);
  }
  const messages = fields.flatMap((field) => {
    const rule = rules.get(field.pointer);
    return rule === undefined ? [] : [[field.pointer, message(texts, field, rule)] as const];
  });
  return new Map(rules.has('') ? [...messages, ['', texts.form]] : messages);
}

function message(
  texts: Texts['problems'],
  { label, missing, maxLength }: MessageField,
  rule: string,
): string {
  if (MISSING.includes(rule)) return missing;
  const max = rule === 'maxItems' ? MAX_CONTACTS : (maxLength ?? '');
  return fillIn(texts[TEXTS_BY_RULE.get(rule) ?? 'other'], { label, max });
}
