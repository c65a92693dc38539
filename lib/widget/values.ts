// The values of the form's fields, from the link request or a posted form, and the claim made of them.
import type { ClaimSubmission, Incident, LinkedContact, PolicyPrefill } from '../core/types.js';
import {
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  type ContactMember,
  FIELDS,
  type FieldPointer,
  isCalendarDate,
  MAX_CONTACTS,
} from './fields.js';

/** One row of contacts. */
export type ContactValues = Readonly<Record<ContactMember, string>>;

/** The text of every field. Rows of contacts without any text are left out. */
export interface FormValues {
  readonly fields: Readonly<Record<FieldPointer, string>>;
  readonly contacts: readonly ContactValues[];
}

function isBlank(contact: ContactValues): boolean {
  return CONTACT_MEMBERS.every((member) => contact[member] === '');
}

/** Returns the calendar date at the start of a text, or "". A date input accepts nothing else. */
function leadingDate(text: string): string {
  const [date = ''] = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(text.trim()) ?? [];
  return isCalendarDate(date) ? date : '';
}

/** Reads every field of the form, and every row of contacts that has a text. */
function readValues(
  textAt: (pointer: FieldPointer) => string,
  contactTextAt: (index: number, member: ContactMember) => string,
): FormValues {
  const fields = (Object.keys(FIELDS) as FieldPointer[]).map((pointer) => [pointer, textAt(pointer)]);
  const contacts = Array.from({ length: MAX_CONTACTS }, (_, index): ContactValues => {
    const members = CONTACT_MEMBERS.map((member) => [member, contactTextAt(index, member)]);
    return Object.fromEntries(members);
  });
  return { fields: Object.fromEntries(fields), contacts: contacts.filter((contact) => !isBlank(contact)) };
}

/** Returns the values of a prefill or of a stored claim. */
export function valuesOf({
  policy = {},
  incident,
}: {
  policy?: PolicyPrefill;
  incident?: Incident;
}): FormValues {
  const { linkedContacts = [] } = policy;
  return readValues(
    (pointer) => {
      const text = memberAt({ policy, incident }, pointer);
      return FIELDS[pointer].kind === 'date' ? leadingDate(text) : text;
    },
    (index, member) => linkedContacts[index]?.[member] ?? '',
  );
}

/** Returns the text at a JSON Pointer, or "". */
function memberAt(value: object, pointer: FieldPointer): string {
  const names = pointer.slice(1).split('/');
  const member = names.reduce<unknown>(
    (parent, name) => (parent as Readonly<Record<string, unknown>> | undefined)?.[name],
    value,
  );
  return typeof member === 'string' ? member : '';
}

/** Returns the posted values, trimmed. It ignores unknown names and repeated values. */
export function postedValues(posted: URLSearchParams): FormValues {
  // One pass: `posted.get` searches the whole list, and a body can have thousands of unknown names.
  const textsByName = new Map<string, string>();
  for (const [name, text] of posted) if (!textsByName.has(name)) textsByName.set(name, text);
  // A form posts each line end as CRLF. Two characters would count twice against the limit of the description.
  const text = (name: string): string => textsByName.get(name)?.replaceAll('\r\n', '\n').trim() ?? '';
  return readValues(text, (index, member) => text(`${CONTACTS_POINTER}/${index}/${member}`));
}

function toLinkedContact({ phone, ...contact }: ContactValues): LinkedContact {
  return phone === '' ? contact : { ...contact, phone };
}

/** Returns the claim, unchecked. Required members stay "", so that a problem can point to them. */
export function toClaim({ fields, contacts }: FormValues): ClaimSubmission {
  const date = fields['/incident/date'];
  const description = fields['/incident/description'];
  return {
    policy: {
      number: fields['/policy/number'],
      provider: fields['/policy/provider'],
      validFrom: fields['/policy/validFrom'],
      validTo: fields['/policy/validTo'],
      holder: {
        firstName: fields['/policy/holder/firstName'],
        lastName: fields['/policy/holder/lastName'],
        phone: fields['/policy/holder/phone'],
        email: fields['/policy/holder/email'],
      },
      ...(contacts.length > 0 && { linkedContacts: contacts.map(toLinkedContact) }),
      vehicle: { licensePlate: fields['/policy/vehicle/licensePlate'] },
    },
    ...((date !== '' || description !== '') && {
      incident: { ...(date !== '' && { date }), ...(description !== '' && { description }) },
    }),
  };
}
