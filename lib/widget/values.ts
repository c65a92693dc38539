// The values of the form's fields, from a posted form.
import {
  CONTACT_MEMBERS,
  type ContactMember,
  contactPointer,
  MAX_CONTACTS,
  NOTICE_POINTER,
  visibleText,
} from './fields.js';

/** One row of contacts. */
export type ContactValues = Readonly<Record<ContactMember, string>>;

/** The text of every field. Rows of contacts without any text are left out. */
export interface FormValues {
  readonly fields: Readonly<Record<string, string>>;
  readonly contacts: readonly ContactValues[];
}

function isBlank(contact: ContactValues): boolean {
  return CONTACT_MEMBERS.every((member) => contact[member] === '');
}

/** Returns the rows of contacts that have a text. */
export function filledContacts(
  count: number,
  textAt: (index: number, member: ContactMember) => string,
): ContactValues[] {
  return Array.from({ length: count }, (_, index): ContactValues => {
    const members = CONTACT_MEMBERS.map((member) => [member, textAt(index, member)]);
    return Object.fromEntries(members);
  }).filter((contact) => !isBlank(contact));
}

/** Returns the posted values, trimmed, without texts in which nothing can be seen, and the confirmation of the privacy policy. It ignores unknown names and repeated values. */
export function postedValues(posted: URLSearchParams, pointers: readonly string[]): FormValues {
  // One pass: `posted.get` searches the whole list, and a body can have thousands of unknown names.
  const textsByName = new Map<string, string>();
  for (const [name, text] of posted) if (!textsByName.has(name)) textsByName.set(name, text);
  // A form posts each line end as CRLF. Two characters would count twice against the limit of the description.
  const text = (name: string): string => {
    const typed = textsByName.get(name)?.replaceAll('\r\n', '\n').trim() ?? '';
    return visibleText(typed) && typed;
  };
  return {
    fields: Object.fromEntries([...pointers, NOTICE_POINTER].map((pointer) => [pointer, text(pointer)])),
    contacts: filledContacts(MAX_CONTACTS, (index, member) => text(contactPointer(index, member))),
  };
}
