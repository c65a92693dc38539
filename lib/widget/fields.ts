// The steps and fields of the claim form, for the server and the browser.
// The name of a field is the JSON Pointer of its member in the claim.
import type { Texts } from './locales/texts.js';

export { hasPhoneDigits, isCalendarDate } from '../core/claim-rules.js';

/** Steps of the built-in form, in order. They are the values of `config.initialStepKey`. */
export const STEP_KEYS = ['policy', 'incident', 'contact', 'review'] as const;

/** One of `STEP_KEYS`. */
export type StepKey = (typeof STEP_KEYS)[number];

/** A field of the form. Its limits are those of the claim's JSON Schema. */
export interface Field {
  /** Its texts: the label, and what to do if it is empty. */
  text: keyof Texts['fields'];
  /** Default: one line of text. */
  kind?: 'email' | 'tel' | 'date' | 'textarea';
  /** `row`: required as soon as a field of its row has a text. Default: always required. */
  need?: 'row' | 'never';
  maxLength?: number;
  /** Autofill field name of the HTML standard. Default: `off`: browsers do not know the value or know another one. */
  autocomplete?: string;
  hint?: keyof Texts['form'];
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

// In the order of the form.
const fields = {
  '/policy/provider': { text: 'provider', maxLength: 200 },
  '/policy/number': { text: 'policyNumber', maxLength: 100, code: true },
  '/policy/validFrom': { text: 'validFrom', kind: 'date' },
  '/policy/validTo': { text: 'validTo', kind: 'date' },
  '/policy/vehicle/licensePlate': { text: 'licensePlate', maxLength: 32, code: true },
  '/incident/date': { text: 'incidentDate', kind: 'date', need: 'never' },
  '/incident/description': {
    text: 'description',
    kind: 'textarea',
    need: 'never',
    maxLength: 4000,
    hint: 'descriptionHint',
  },
  '/policy/holder/firstName': { text: 'firstName', maxLength: 100, autocomplete: 'given-name' },
  '/policy/holder/lastName': { text: 'lastName', maxLength: 100, autocomplete: 'family-name' },
  '/policy/holder/phone': { text: 'phone', kind: 'tel', maxLength: 40, autocomplete: 'tel' },
  '/policy/holder/email': { text: 'email', kind: 'email', maxLength: 254, autocomplete: 'email' },
} as const satisfies Readonly<Record<string, Field>>;

/** Pointers of the fields that occur once in the form. */
export type FieldPointer = keyof typeof fields;

/** The fields that occur once in the form, in its order. */
export const FIELDS: Readonly<Record<FieldPointer, Field>> = fields;

/** Pointer of the contacts in the claim. */
export const CONTACTS_POINTER = '/policy/linkedContacts';
export const MAX_CONTACTS = 20;

export type ContactMember = 'firstName' | 'lastName' | 'email' | 'phone';

/** Fields of one row of contacts. */
export const CONTACT_FIELDS: Readonly<Record<ContactMember, Field>> = {
  firstName: { text: 'firstName', need: 'row', maxLength: 100 },
  lastName: { text: 'lastName', need: 'row', maxLength: 100 },
  email: { text: 'email', kind: 'email', need: 'row', maxLength: 254 },
  phone: { text: 'phone', kind: 'tel', need: 'never', maxLength: 40 },
};

export const CONTACT_MEMBERS = Object.keys(CONTACT_FIELDS) as readonly ContactMember[];

/** Every field by its pointer, in the order of the form. The list of contacts comes before its rows. */
export const ALL_FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...Object.entries(fields),
  // The list has a label and messages, but it is no input.
  [CONTACTS_POINTER, { text: 'contacts' }],
  ...Array.from({ length: MAX_CONTACTS }, (_, row) =>
    CONTACT_MEMBERS.map(
      (member) => [`${CONTACTS_POINTER}/${row}/${member}`, CONTACT_FIELDS[member]] as const,
    ),
  ).flat(),
]);

/** An e-mail address that the contract accepts. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Returns the element id of the field with this pointer. */
export function idOf(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '-');
}

/** Returns the element id of a field's hint. */
export function hintId(id: string): string {
  return `${id}-hint`;
}

/** Returns the element id of a field's error message. */
export function errorId(id: string): string {
  return `${id}-error`;
}

/** Returns the element id of a note about a field's value. */
export function warningId(id: string): string {
  return `${id}-warning`;
}

/** Returns the step with the field of this pointer, or undefined if the form has no such field. */
export function stepOf(pointer: string): StepKey | undefined {
  if (pointer.startsWith('/incident/')) return 'incident';
  if (pointer.startsWith('/policy/holder/') || pointer.startsWith(CONTACTS_POINTER)) return 'contact';
  return pointer.startsWith('/policy/') ? 'policy' : undefined;
}
