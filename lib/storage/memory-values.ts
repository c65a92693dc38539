// Keys, orders and frozen copies of what the storage in memory keeps.
import { ClaimlinkError } from '../core/errors.js';
import { deepFreeze, isDeepFrozen } from '../core/plain-data.js';
import type { LinkRef } from '../core/storage.js';

/** Returns the object if it is frozen at every level, otherwise a frozen copy. So callers cannot change stored data. */
export function toFrozen<T extends object>(value: T): T {
  return isDeepFrozen(value) ? value : deepFreeze(structuredClone(value));
}

/** Ids contain no control characters, so NUL separates them: ("a", "bc") and ("ab", "c") get different keys. */
export function compoundKey(clientId: string, id: string): string {
  return `${clientId}\0${id}`;
}

export function linkKey({ clientId, accessCodeHash }: LinkRef): string {
  return compoundKey(clientId, accessCodeHash);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}
