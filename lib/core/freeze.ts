// Makes values immutable, all the way down.

/** Freezes an object and everything in it; gives the same object. */
export function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member)) deepFreeze(member);
  }
  return Object.freeze(value);
}

/** Whether nobody can change plain data: frozen all the way down. Dates count as frozen, since nothing freezes them. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isDate(value)) return true;
  if (!Object.isFrozen(value)) return false;
  for (const name in value) if (!isDeepFrozen((value as Record<string, unknown>)[name])) return false;
  return true;
}

/**
 * A frozen copy of plain data: objects, arrays, dates and primitives. structuredClone takes longer, and freezes nothing.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (isDate(value)) return Object.freeze(new Date(value)) as T;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = frozenCopy((value as Record<string, unknown>)[name]);
  return Object.freeze(copy) as T;
}

/** Also one of another realm, such as a test runner's. */
function isDate(value: object): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === '[object Date]';
}
