// The messages beside the fields, for the server and the browser: what the user can do about a problem.
import { ALL_FIELDS, CONTACTS_POINTER, type Field, MAX_CONTACTS } from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';

/** A problem of a claim: the pointer of the member, and the rule that its value breaks. */
export interface FieldProblem {
  pointer?: string;
  rule: string;
}

/** The texts that messages consist of. */
type MessageTexts = Pick<Texts, 'fields' | 'problems'>;

const TEXTS_BY_RULE = new Map<string, keyof Texts['problems']>([
  ['maxLength', 'tooLong'],
  ['maxItems', 'tooMany'],
  ['format', 'date'],
  ['email', 'email'],
  ['date_order', 'dateOrder'],
  ['date_future', 'dateFuture'],
  ['phone_digits', 'phoneDigits'],
  ['text', 'characters'],
]);

/**
 * Returns a message for the first problem of each field, by its pointer and in the order of the form. A problem of a
 * contact without an input belongs to the list of contacts. The last message, by "", is for problems of no field.
 */
export function messagesByPointer(
  texts: MessageTexts,
  problems: readonly FieldProblem[],
  hasInput: (pointer: string) => boolean,
): Map<string, string> {
  const located = problems.map(({ pointer = '', rule }) => {
    if (hasInput(pointer)) return { pointer, rule };
    return { pointer: pointer.startsWith(CONTACTS_POINTER) ? CONTACTS_POINTER : '', rule };
  });
  const messages = [...ALL_FIELDS, ['', undefined] as const].flatMap(([pointer, field]) => {
    const first = located.find((problem) => problem.pointer === pointer);
    return first ? [[pointer, message(texts, field, first.rule)] as const] : [];
  });
  return new Map(messages);
}

function message({ fields, problems }: MessageTexts, field: Field | undefined, rule: string): string {
  if (field === undefined) return problems.form;
  const { label, missing } = fields[field.text];
  if (rule === 'required' || rule === 'minLength') return missing;
  const max = rule === 'maxItems' ? MAX_CONTACTS : (field.maxLength ?? '');
  return fillIn(problems[TEXTS_BY_RULE.get(rule) ?? 'other'], { label, max });
}
