// The messages beside the fields, for the server and the browser: what the user can do about a problem.
import { CONTACTS_POINTER, type Field, fieldAt, MAX_CONTACTS } from './fields.js';
import { fillIn, type Texts } from './locales/texts.js';

/** The texts that messages consist of. */
export type MessageTexts = Pick<Texts, 'fields' | 'problems'>;

/** The list of contacts has a label and messages, but it is no input. */
const CONTACTS: Field = { text: 'contacts' };

/** Returns the message for a problem, by its rule. */
export function problemMessage(texts: MessageTexts, pointer: string, rule: string): string {
  const { problems } = texts;
  const field = fieldAt(pointer) ?? (pointer.startsWith(CONTACTS_POINTER) ? CONTACTS : undefined);
  if (field === undefined) return problems.form;
  const { label, missing } = texts.fields[field.text];
  switch (rule) {
    case 'required':
    case 'minLength':
      return missing;
    case 'maxLength':
      return fillIn(problems.tooLong, { label, max: field.maxLength ?? '' });
    case 'maxItems':
      return fillIn(problems.tooMany, { label, max: MAX_CONTACTS });
    case 'format':
      return fillIn(problems.date, { label });
    case 'email':
      return fillIn(problems.email, { label });
    case 'date_order':
      return fillIn(problems.dateOrder, { label });
    case 'date_future':
      return fillIn(problems.dateFuture, { label });
    case 'phone_digits':
      return fillIn(problems.phoneDigits, { label });
    case 'text':
      return fillIn(problems.characters, { label });
    default:
      return fillIn(problems.other, { label });
  }
}
