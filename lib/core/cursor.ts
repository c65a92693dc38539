// The opaque paging cursor of the built-in storages: a position in the order of a listing.
import { invalidParameter } from './errors.js';

/** Position of the last session of a page: its sort key. */
export interface CursorPosition {
  createdAt: Date;
  reference: string;
}

/** Returns a position as a URL-safe string. */
export function encodeCursor({ createdAt, reference }: CursorPosition): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), reference])).toString('base64url');
}

/** Parses a cursor. @throws `request_invalid` unless `encodeCursor` wrote it. */
export function decodeCursor(cursor: string): CursorPosition {
  const position = parsePosition(cursor);
  if (position !== undefined && encodeCursor(position) === cursor) return position;
  throw invalidParameter('cursor', 'cursor', 'is not a cursor that this service returned');
}

function parsePosition(cursor: string): CursorPosition | undefined {
  const entries = parseList(Buffer.from(cursor, 'base64url').toString());
  const [time, reference] = entries;
  if (entries.length !== 2 || typeof time !== 'string' || typeof reference !== 'string') return undefined;
  const createdAt = new Date(time);
  return isStorableDate(time, createdAt) && isStorableText(reference) ? { createdAt, reference } : undefined;
}

function parseList(json: string): unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

// A client can write its own cursor. A value that a database refuses must become a 400 here, not a 500 there.

/** Databases and the date format of the contract have no year 0, and no year of more than four digits. */
function isStorableDate(time: string, date: Date): boolean {
  return /^(?!0000)\d{4}-/.test(time) && !Number.isNaN(date.getTime());
}

/** Databases refuse NUL and lone surrogates in text. */
function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
