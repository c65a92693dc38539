// The assertions of Node, for values of any realm: in Jest, structuredClone and node:sqlite return objects of another realm.
import strict from 'node:assert/strict';
import { isDate, isPlainObject } from '../../core/plain-data.js';

type Assertions = Pick<typeof strict, 'AssertionError' | 'deepEqual' | 'equal' | 'match' | 'ok' | 'rejects'>;

const assert: Assertions = {
  ...strict,
  deepEqual: (actual, expected, message) => strict.deepEqual(ownRealm(actual), ownRealm(expected), message),
};

export default assert;

/** Returns plain data as objects of this realm, which `deepEqual` requires. */
function ownRealm(value: unknown): unknown {
  if (isDate(value)) return new Date(value);
  if (Array.isArray(value)) return Array.from(value, ownRealm);
  if (!isPlainObject(value) || Object.getPrototypeOf(value) === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, ownRealm(member)]));
}
