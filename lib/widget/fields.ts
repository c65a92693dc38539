// The steps and fields of the claim form. The name of a field is the JSON Pointer of its member in the claim.

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

export interface Field {
  label: string;
  kind: 'text' | 'email' | 'tel' | 'date' | 'textarea';
  /** `row`: needed as soon as a field of its row has a text. */
  need: 'always' | 'row' | 'never';
  maxLength?: number;
  autocomplete?: string;
  hint?: string;
  /** The text is a code: upper case, without spell checking. */
  code?: boolean;
}

/** Pointers of the fields that occur once in the form. */
export type FieldPointer =
  | '/policy/provider'
  | '/policy/number'
  | '/policy/validFrom'
  | '/policy/validTo'
  | '/policy/vehicle/licensePlate'
  | '/incident/date'
  | '/incident/description'
  | '/policy/holder/firstName'
  | '/policy/holder/lastName'
  | '/policy/holder/phone'
  | '/policy/holder/email';

export const VALID_FROM_LABEL = 'Valid from';

export const FIELDS: Readonly<Record<FieldPointer, Field>> = {
  '/policy/provider': {
    label: 'Insurance provider',
    kind: 'text',
    need: 'always',
    maxLength: 200,
    autocomplete: 'off',
  },
  '/policy/number': {
    label: 'Policy number',
    kind: 'text',
    need: 'always',
    maxLength: 100,
    autocomplete: 'off',
    code: true,
  },
  '/policy/validFrom': { label: VALID_FROM_LABEL, kind: 'date', need: 'always' },
  '/policy/validTo': { label: 'Valid to', kind: 'date', need: 'always' },
  '/policy/vehicle/licensePlate': {
    label: 'License plate',
    kind: 'text',
    need: 'always',
    maxLength: 32,
    autocomplete: 'off',
    code: true,
  },
  '/incident/date': { label: 'Date of the incident', kind: 'date', need: 'never' },
  '/incident/description': {
    label: 'Description',
    kind: 'textarea',
    need: 'never',
    maxLength: 4000,
    hint: 'Where it was, who was involved, what was damaged. Up to 4000 characters.',
  },
  '/policy/holder/firstName': {
    label: 'First name',
    kind: 'text',
    need: 'always',
    maxLength: 100,
    autocomplete: 'given-name',
  },
  '/policy/holder/lastName': {
    label: 'Last name',
    kind: 'text',
    need: 'always',
    maxLength: 100,
    autocomplete: 'family-name',
  },
  '/policy/holder/phone': {
    label: 'Phone',
    kind: 'tel',
    need: 'always',
    maxLength: 40,
    autocomplete: 'tel',
  },
  '/policy/holder/email': {
    label: 'Email',
    kind: 'email',
    need: 'always',
    maxLength: 254,
    autocomplete: 'email',
  },
};

/** Pointer of the contacts in the claim. */
export const CONTACTS_POINTER = '/policy/linkedContacts';
export const CONTACTS_TITLE = 'People we may also contact';
export const MAX_CONTACTS = 20;

export type ContactMember = 'firstName' | 'lastName' | 'email' | 'phone';

/** Fields of one row of contacts. */
export const CONTACT_FIELDS: Readonly<Record<ContactMember, Field>> = {
  firstName: { label: 'First name', kind: 'text', need: 'row', maxLength: 100, autocomplete: 'off' },
  lastName: { label: 'Last name', kind: 'text', need: 'row', maxLength: 100, autocomplete: 'off' },
  email: { label: 'Email', kind: 'email', need: 'row', maxLength: 254, autocomplete: 'off' },
  phone: { label: 'Phone', kind: 'tel', need: 'never', maxLength: 40, autocomplete: 'off' },
};

export const CONTACT_MEMBERS: readonly ContactMember[] = ['firstName', 'lastName', 'email', 'phone'];

/** What the contract accepts as an e-mail address. */
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

/** Returns the step with the field of this pointer, or undefined if the form has no such field. */
export function stepOf(pointer: string): StepKey | undefined {
  if (pointer.startsWith('/incident/')) return 'incident';
  if (pointer.startsWith('/policy/holder/') || pointer.startsWith(CONTACTS_POINTER)) return 'contact';
  return pointer.startsWith('/policy/') ? 'policy' : undefined;
}
