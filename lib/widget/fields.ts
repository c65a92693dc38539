// The steps, fields and messages of the claim form, for the server and the browser.
// The name of a field is the JSON Pointer of its member in the claim.

/** Steps of the built-in form, in order. They are the values of `config.initialStepKey`. */
export const STEP_KEYS = ['policy', 'incident', 'contact', 'review'] as const;

/** One of `STEP_KEYS`. */
export type StepKey = (typeof STEP_KEYS)[number];

/** Names of the steps: short in the progress bar, long in the heading. */
export const STEPS: Readonly<Record<StepKey, { short: string; title: string }>> = {
  policy: { short: 'Policy', title: 'Your policy' },
  incident: { short: 'Incident', title: 'What happened' },
  contact: { short: 'Contact', title: 'How we reach you' },
  review: { short: 'Review', title: 'Check and send' },
};

/** A field of the form. Its limits are those of the claim's JSON Schema. */
export interface Field {
  label: string;
  /** Default: one line of text. */
  kind?: 'email' | 'tel' | 'date' | 'textarea';
  /** `row`: required as soon as a field of its row has a text. Default: always required. */
  need?: 'row' | 'never';
  maxLength?: number;
  autocomplete?: string;
  hint?: string;
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

const VALID_FROM_LABEL = 'Valid from';
const DESCRIPTION_HINT = 'Where it was, who was involved, what was damaged. Up to 4000 characters.';

const fields = {
  '/policy/provider': { label: 'Insurance provider', maxLength: 200, autocomplete: 'off' },
  '/policy/number': { label: 'Policy number', maxLength: 100, autocomplete: 'off', code: true },
  '/policy/validFrom': { label: VALID_FROM_LABEL, kind: 'date' },
  '/policy/validTo': { label: 'Valid to', kind: 'date' },
  '/policy/vehicle/licensePlate': { label: 'License plate', maxLength: 32, autocomplete: 'off', code: true },
  '/incident/date': { label: 'Date of the incident', kind: 'date', need: 'never' },
  '/incident/description': {
    label: 'Description',
    kind: 'textarea',
    need: 'never',
    maxLength: 4000,
    hint: DESCRIPTION_HINT,
  },
  '/policy/holder/firstName': { label: 'First name', maxLength: 100, autocomplete: 'given-name' },
  '/policy/holder/lastName': { label: 'Last name', maxLength: 100, autocomplete: 'family-name' },
  '/policy/holder/phone': { label: 'Phone', kind: 'tel', maxLength: 40, autocomplete: 'tel' },
  '/policy/holder/email': { label: 'Email', kind: 'email', maxLength: 254, autocomplete: 'email' },
} as const satisfies Readonly<Record<string, Field>>;

/** Pointers of the fields that occur once in the form. */
export type FieldPointer = keyof typeof fields;

/** The fields that occur once in the form. */
export const FIELDS: Readonly<Record<FieldPointer, Field>> = fields;

/** Pointer of the contacts in the claim. */
export const CONTACTS_POINTER = '/policy/linkedContacts';
export const CONTACTS_TITLE = 'People we may also contact';
export const MAX_CONTACTS = 20;

export type ContactMember = 'firstName' | 'lastName' | 'email' | 'phone';

/** Fields of one row of contacts. */
export const CONTACT_FIELDS: Readonly<Record<ContactMember, Field>> = {
  firstName: { label: 'First name', need: 'row', maxLength: 100, autocomplete: 'off' },
  lastName: { label: 'Last name', need: 'row', maxLength: 100, autocomplete: 'off' },
  email: { label: 'Email', kind: 'email', need: 'row', maxLength: 254, autocomplete: 'off' },
  phone: { label: 'Phone', kind: 'tel', need: 'never', maxLength: 40, autocomplete: 'off' },
};

export const CONTACT_MEMBERS: readonly ContactMember[] = ['firstName', 'lastName', 'email', 'phone'];

/** What the contract accepts as an e-mail address. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Returns whether a text is a date that exists, as YYYY-MM-DD, from the year 1 on: what a date input accepts. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Replaces the label in a sentence about a problem that belongs to no field. */
export const NO_FIELD = 'Something in the form';

/** Returns the message for a problem: "Policy number must not be empty." */
export function sentence(label: string, detail: string): string {
  // validFrom is the only member that a detail names. The user knows it by its label.
  const words = detail.replace('validFrom', `“${VALID_FROM_LABEL}”`);
  const text = /^[a-z]/.test(words) ? `${label} ${words}` : words;
  return /[.!?]$/.test(text) ? text : `${text}.`;
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
