// The steps and fields of the claim form, for the server and the browser.
// The name of a field is the JSON Pointer of its member in the claim.
import type { Texts } from './locales/texts.js';

export { hasPhoneDigits, latestIncidentDate } from '../core/claim-rules.js';

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
  /** Autofill field name of the HTML standard. `off`: browsers know no such value, or only that of the user. */
  autocomplete: string;
  hint?: keyof Texts['form'];
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

// In the order of the form.
const fields = {
  '/policy/provider': { text: 'provider', maxLength: 200, autocomplete: 'off' },
  '/policy/number': { text: 'policyNumber', maxLength: 100, autocomplete: 'off', code: true },
  '/policy/validFrom': { text: 'validFrom', kind: 'date', autocomplete: 'off' },
  '/policy/validTo': { text: 'validTo', kind: 'date', autocomplete: 'off' },
  '/policy/vehicle/licensePlate': { text: 'licensePlate', maxLength: 32, autocomplete: 'off', code: true },
  '/incident/date': { text: 'incidentDate', kind: 'date', need: 'never', autocomplete: 'off' },
  '/incident/description': {
    text: 'description',
    kind: 'textarea',
    need: 'never',
    maxLength: 4000,
    autocomplete: 'off',
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
  firstName: { text: 'firstName', need: 'row', maxLength: 100, autocomplete: 'off' },
  lastName: { text: 'lastName', need: 'row', maxLength: 100, autocomplete: 'off' },
  email: { text: 'email', kind: 'email', need: 'row', maxLength: 254, autocomplete: 'off' },
  phone: { text: 'phone', kind: 'tel', need: 'never', maxLength: 40, autocomplete: 'off' },
};

export const CONTACT_MEMBERS: readonly ContactMember[] = ['firstName', 'lastName', 'email', 'phone'];

const FIELDS_BY_POINTER = new Map<string, Field>(Object.entries(fields));
const CONTACT_FIELDS_BY_MEMBER = new Map<string, Field>(Object.entries(CONTACT_FIELDS));
const CONTACT = /^\/policy\/linkedContacts\/(\d+|new)\/(\w+)$/;

/** Returns the field with this pointer, or undefined if the form has none. */
export function fieldAt(pointer: string): Field | undefined {
  const member = CONTACT.exec(pointer)?.[2] ?? '';
  return FIELDS_BY_POINTER.get(pointer) ?? CONTACT_FIELDS_BY_MEMBER.get(member);
}

/** Compares two pointers by the order of the form. A pointer without a place in the form comes last. */
export function compareByForm(a: string, b: string): number {
  return positionOf(a) - positionOf(b);
}

function positionOf(pointer: string): number {
  const position = [...FIELDS_BY_POINTER.keys()].indexOf(pointer);
  if (position >= 0) return position;
  const [, row, member = ''] = CONTACT.exec(pointer) ?? [];
  const firstContact = FIELDS_BY_POINTER.size + 1;
  const index = CONTACT_MEMBERS.indexOf(member as ContactMember);
  if (index >= 0) return firstContact + Number(row) * CONTACT_MEMBERS.length + index;
  return pointer.startsWith(CONTACTS_POINTER) ? firstContact - 1 : Number.MAX_SAFE_INTEGER;
}

/** What the contract accepts as an e-mail address. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Returns whether a text is a date that exists, as YYYY-MM-DD, from the year 1 on: what a date input accepts. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

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

/** Returns the step with the field of this pointer, or undefined if the form has no such field. */
export function stepOf(pointer: string): StepKey | undefined {
  if (pointer.startsWith('/incident/')) return 'incident';
  if (pointer.startsWith('/policy/holder/') || pointer.startsWith(CONTACTS_POINTER)) return 'contact';
  return pointer.startsWith('/policy/') ? 'policy' : undefined;
}
