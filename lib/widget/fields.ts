// The steps and fields of the claim form, for the server and the browser.
// The name of a field is the JSON Pointer of its member in the claim.

export { EMAIL, hasPhoneDigits, isCalendarDate, MAX_CONTACTS, visibleText } from '../core/claim-rules.js';

/** Steps of the built-in form, in order. They are the values of `config.initialStepKey`. */
export const STEP_KEYS = ['policy', 'incident', 'contact', 'review'] as const;

/** One of `STEP_KEYS`. */
export type StepKey = (typeof STEP_KEYS)[number];

/** A field as messages and answers need it, on the server and in the browser. */
export interface AskedField {
  /** JSON Pointer of the member in the claim: the name of the input. */
  pointer: string;
  step: StepKey;
  label: string;
  /** Language of the label and the hint, if it is not that of the page. */
  lang?: string | undefined;
  /** What to do if the field is empty. */
  missing: string;
  isRequired: boolean;
  isDate?: boolean | undefined;
  maxLength?: number | undefined;
  /** The values of a list to choose from, with their labels, and the languages of these that are not that of the page. */
  options?: readonly (readonly [value: string, label: string, lang?: string | undefined])[] | undefined;
}

/** Returns the label of a question without the mark at its end, for a sentence. */
export function withoutMark(label: string): string {
  return label.replace(/\s*[?:]$/, '');
}

/** Pointer of the contacts in the claim. */
export const CONTACTS_POINTER = '/policy/linkedContacts';

export const CONTACT_MEMBERS = ['firstName', 'lastName', 'email', 'phone'] as const;

export type ContactMember = (typeof CONTACT_MEMBERS)[number];

/** Pointer of the confirmation of the privacy policy in the claim: a checkbox. */
export const NOTICE_POINTER = '/noticeAccepted';

/** Pointer of the photos in the claim. */
export const PHOTOS_POINTER = '/incident/photos';

/** Returns the pointer of a member of a contact. In the template of a row, `index` is `new`. */
export function contactPointer(index: number | string, member: ContactMember): string {
  return `${CONTACTS_POINTER}/${index}/${member}`;
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

/** Returns the element id of a field's count of characters. */
export function countId(id: string): string {
  return `${id}-count`;
}

/** Returns the element id of a note about a field's value. */
export function warningId(id: string): string {
  return `${id}-warning`;
}
