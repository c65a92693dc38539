// What the tests of the two request bodies share: bad values by JSON pointer, and what is said about them.
/** A member, a value for it, and what is said about it. */
export type FieldCase = [pointer: string, value: unknown, detail: string];
export const REMOVE = Symbol('remove');
export const longer = (than: number) => `must not be longer than ${than} characters`;
export const EMPTY = 'must not be empty';
export const EMAIL = 'must be an e-mail address';
export const WEB = 'must be an http or https URL';
export const DATE = 'must be a date, YYYY-MM-DD';
export const SAFE = 'must be a safe integer, or a string';
export const NUMBER_OR_STRING = 'must be string or integer';
export const URL_2048 = `https://example.com/${'a'.repeat(2028)}`;

/** A copy with the member at the pointer replaced or removed. */
export function change(body: object, pointer: string, value: unknown): unknown {
  const copy: unknown = structuredClone(body);
  const path = pointer.split('/').slice(1);
  const last = path.pop() ?? '';
  const parent = path.reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], copy);
  if (value === REMOVE) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = value;
  return copy;
}

/** A value as a test's name shows it. */
export function shown(value: unknown): string {
  if (value === REMOVE) return 'missing';
  const json = JSON.stringify(value);
  return json.length > 40 ? `of ${Array.isArray(value) ? value.length : json.length - 2} (too many)` : json;
}
