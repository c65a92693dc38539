// Shared by the tests of the two request bodies: bad values by JSON pointer, and the problem that each one has.
import type { Problem } from '../../lib/core/errors.js';

/** A member, a value for it, and the rule that the value breaks. */
export type FieldCase = [pointer: string, value: unknown, problem: Problem];
export const REMOVE = Symbol('remove');

export const REQUIRED: Problem = { rule: 'required', detail: 'is required' };
export const EMPTY: Problem = { rule: 'minLength', detail: 'must not be empty' };
export const EMAIL: Problem = { rule: 'email', detail: 'must be an e-mail address' };
export const EARLY: Problem = { rule: 'format', detail: 'must be a date from 1900-01-01 on, YYYY-MM-DD' };
export const WEB: Problem = { rule: 'url', detail: 'must be an http or https URL' };
export const DATE: Problem = { rule: 'format', detail: 'must be a date, YYYY-MM-DD' };
export const CONTROL: Problem = {
  rule: 'control_characters',
  detail: 'must not contain control characters',
};
export const SURROGATE: Problem = { rule: 'text', detail: 'must not contain lone surrogates' };
export const UNSTORABLE: Problem = {
  rule: 'text',
  detail: 'must not contain NUL characters or lone surrogates',
};
export const DOTS: Problem = { rule: 'id', detail: 'must not be "." or ".."' };
export const DATE_ORDER: Problem = { rule: 'date_order', detail: 'must not be before validFrom' };
export const FUTURE: Problem = { rule: 'date_future', detail: 'must not be after today' };
export const PHONE: Problem = { rule: 'phone_digits', detail: 'must have at least three digits' };
export const TOO_MANY: Problem = { rule: 'maxItems', detail: 'must not have more than 20 items' };

export function longer(limit: number): Problem {
  return { rule: 'maxLength', detail: `must not be longer than ${limit} UTF-16 code units` };
}

export function type(name: string): Problem {
  return { rule: 'type', detail: `must be ${name}` };
}

export function unsafe(rule: 'minimum' | 'maximum'): Problem {
  return { rule, detail: 'must be a safe integer, or a string' };
}

export const URL_2048 = `https://example.com/${'a'.repeat(2028)}`;

/** Returns a copy in which the member at the pointer is replaced or removed. */
export function change(body: object, pointer: string, value: unknown): unknown {
  const copy: unknown = structuredClone(body);
  const path = pointer.split('/').slice(1);
  const last = path.pop() ?? '';
  const parent = path.reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], copy);
  if (value === REMOVE) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = value;
  return copy;
}

/** Returns a value as the name of a test shows it. */
export function shown(value: unknown): string {
  if (value === REMOVE) return 'missing';
  const json = JSON.stringify(value);
  return json.length > 40 ? `of ${Array.isArray(value) ? value.length : json.length - 2} (too many)` : json;
}
