// Plain data of any origin: recognises objects and bytes, and makes data immutable.

/** Returns whether a value is an object or an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a value is a plain object: only that is the same after it was stored as JSON. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // `Object.prototype` of any realm: a test runner may have its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns whether a value is an Error, also one of another realm: in Jest, errors of Node itself are. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** Returns whether a value is bytes. `instanceof` rejects those of Node in a test under jsdom, which has a Uint8Array of its own. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** Freezes an object and everything in it. Skips parts that are frozen already. Returns the same object. */
export function deepFreeze<T>(value: T): T {
  if (!isRecord(value) || Object.isFrozen(value)) return value;
  // Object.values would create a list for each object, and every link is frozen.
  for (const name in value) deepFreeze(value[name]);
  return Object.freeze(value);
}

/** Returns JSON that does not depend on the order of members: those of each object are sorted by their names. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member) && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Returns whether an object and everything in it is frozen. */
export function isDeepFrozen(value: unknown): boolean {
  if (!isRecord(value)) return true;
  if (!Object.isFrozen(value)) return false;
  for (const name in value) if (!isDeepFrozen(value[name])) return false;
  return true;
}
