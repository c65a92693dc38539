// The values of the form's fields, from the link request or a posted form, and the claim made of them.
import type { ClaimSubmission, LinkedContact, PolicyPrefill } from '../core/types.js';
import { isCalendarDate } from './calendar-date.js';
import {
  CONTACT_MEMBERS,
  CONTACTS_POINTER,
  type ContactMember,
  FIELDS,
  type FieldPointer,
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
function leadingDate(text = ''): string {
  const [date = ''] = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(text.trim()) ?? [];
  return isCalendarDate(date) ? date : '';
}

/** Returns the values that the link request contains. */
export function prefilledValues(policy: PolicyPrefill = {}): FormValues {
  const { holder = {}, vehicle = {}, linkedContacts = [] } = policy;
  return {
    fields: {
      '/policy/provider': policy.provider ?? '',
      '/policy/number': policy.number ?? '',
      '/policy/validFrom': leadingDate(policy.validFrom),
      '/policy/validTo': leadingDate(policy.validTo),
      '/policy/vehicle/licensePlate': vehicle.licensePlate ?? '',
      '/incident/date': '',
      '/incident/description': '',
      '/policy/holder/firstName': holder.firstName ?? '',
      '/policy/holder/lastName': holder.lastName ?? '',
      '/policy/holder/phone': holder.phone ?? '',
      '/policy/holder/email': holder.email ?? '',
    },
    contacts: linkedContacts
      .map(({ firstName = '', lastName = '', email = '', phone = '' }) => ({
        firstName,
        lastName,
        email,
        phone,
      }))
      .filter((contact) => !isBlank(contact))
      .slice(0, MAX_CONTACTS),
  };
}

/** Returns the posted values, trimmed. It ignores unknown names and repeated values. */
export function postedValues(posted: URLSearchParams): FormValues {
  // A form posts each line end as CRLF. Two characters would count twice against the limit of the description.
  const text = (name: string): string => posted.get(name)?.replaceAll('\r\n', '\n').trim() ?? '';
  const fields = { ...prefilledValues().fields };
  for (const pointer of Object.keys(FIELDS) as FieldPointer[]) fields[pointer] = text(pointer);
  const contacts = Array.from({ length: MAX_CONTACTS }, (_, index) => ({
    firstName: text(`${CONTACTS_POINTER}/${index}/firstName`),
    lastName: text(`${CONTACTS_POINTER}/${index}/lastName`),
    email: text(`${CONTACTS_POINTER}/${index}/email`),
    phone: text(`${CONTACTS_POINTER}/${index}/phone`),
  }));
  return { fields, contacts: contacts.filter((contact) => !isBlank(contact)) };
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
