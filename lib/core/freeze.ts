// Makes plain data immutable.

/** Freezes an object and everything in it. Skips parts that are frozen already. Returns the same object. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Object.values would create a list for each object, and every link is frozen.
  for (const name in value) deepFreeze(value[name]);
  return Object.freeze(value);
}

/** Returns whether an object and everything in it is frozen. */
export function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!Object.isFrozen(value)) return false;
  for (const name in value) if (!isDeepFrozen(value[name as keyof typeof value])) return false;
  return true;
}
