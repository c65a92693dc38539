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

// `instanceof` rejects values of another realm: in Jest and jsdom, a test has classes of its own, and Node keeps its own.

/** Returns the name of the class of a built-in object of any realm. */
function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Returns whether a value is an Error of any realm, such as that of an aborted signal. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || ['Error', 'DOMException'].includes(classOf(value));
}

/** Returns whether a value is bytes of any realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return classOf(value) === 'Uint8Array';
}

/** Returns whether a value is a Date of any realm. It may be invalid. */
export function isDate(value: unknown): value is Date {
  return classOf(value) === 'Date';
}

/** Returns whether a value is a URL of any realm. */
export function isUrl(value: unknown): value is URL {
  return classOf(value) === 'URL';
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
