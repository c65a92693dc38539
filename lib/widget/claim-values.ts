// The claim that a form makes, and the values of a claim.
import { CODE_MEMBERS } from '../core/claim-fields.js';
import type { Incident, PolicyPrefill } from '../core/types.js';
import { isCalendarDate, NOTICE_POINTER, visibleText } from './fields.js';
import type { FormField } from './form-model.js';
import { type FormValues, filledContacts } from './values.js';

/** Returns the date at the start of a text, YYYY-MM-DD, or "". */
function leadingDate(text: string): string {
  const [date = ''] = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(text.trim()) ?? [];
  return date;
}

/** Returns the values of a prefill: codes without invisible characters, and no date that the form would reject. */
export function prefillValues(policy: PolicyPrefill, fields: readonly FormField[]): FormValues {
  const { fields: texts, contacts } = valuesOf({ policy }, fields);
  const shown = fields.map(({ pointer, isDate }) => {
    const text = shownText(pointer.split('/').at(-1) ?? '', texts[pointer] ?? '');
    return [pointer, isDate && !isCalendarDate(text) ? '' : text];
  });
  return {
    fields: Object.fromEntries(shown),
    contacts: filledContacts(contacts.length, (index, member) =>
      shownText(member, contacts[index]?.[member] ?? ''),
    ),
  };
}

/** Returns a prefilled text as the form shows it. */
function shownText(member: string, text: string): string {
  const visible = visibleText(text);
  return visible === '' || CODE_MEMBERS.has(member) ? visible : text;
}

/** Returns the values of a stored claim. */
export function valuesOf(
  { policy = {}, incident }: { policy?: PolicyPrefill; incident?: Incident },
  fields: readonly FormField[],
): FormValues {
  const { linkedContacts = [] } = policy;
  const texts = fields.map(({ pointer, isDate }) => {
    const text = memberAt({ policy, incident }, pointer);
    return [pointer, isDate ? leadingDate(text) : text];
  });
  return {
    fields: Object.fromEntries(texts),
    contacts: filledContacts(linkedContacts.length, (index, member) => linkedContacts[index]?.[member] ?? ''),
  };
}

/** Returns the text at a JSON Pointer, or "". */
function memberAt(value: object, pointer: string): string {
  const member = pointer
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (parent, name) =>
        Object.hasOwn(Object(parent), name) ? (parent as Readonly<Record<string, unknown>>)[name] : undefined,
      value,
    );
  return typeof member === 'string' || typeof member === 'boolean' ? String(member) : '';
}

/** Returns the claim, unchecked. What is empty is absent. */
export function toClaim({ fields, contacts }: FormValues, formFields: readonly FormField[]): object {
  const claim = { policy: {}, ...(fields[NOTICE_POINTER] === 'true' && { noticeAccepted: true }) };
  for (const { pointer, isBoolean } of formFields) {
    const text = fields[pointer] ?? '';
    if (text !== '') setMember(claim, pointer, isBoolean ? (BOOLEANS.get(text) ?? text) : text);
  }
  if (contacts.length === 0) return claim;
  const linkedContacts = contacts.map((contact) =>
    Object.fromEntries(Object.entries(contact).filter(([, text]) => text !== '')),
  );
  return { ...claim, policy: { ...claim.policy, linkedContacts } };
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

/** Sets the member at a pointer of the form. */
function setMember(claim: Record<string, unknown>, pointer: string, value: string | boolean): void {
  const names = pointer.slice(1).split('/');
  const last = names.pop() ?? '';
  let parent = claim;
  for (const name of names) {
    parent[name] ??= {};
    parent = parent[name] as Record<string, unknown>;
  }
  parent[last] = value;
}
