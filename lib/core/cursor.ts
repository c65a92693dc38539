// The opaque paging cursor of the built-in storages: a position in the order of a listing.
import { invalidParameter } from './errors.js';

/** Where a page ended: the sort key of its last session. */
export interface CursorPosition {
  createdAt: Date;
  reference: string;
}

/** Writes a position as a URL-safe string. */
export function encodeCursor(position: CursorPosition): string {
  return Buffer.from(JSON.stringify([position.createdAt.toISOString(), position.reference])).toString(
    'base64url',
  );
}

/** Reads a position back. @throws `request_invalid` for what `encodeCursor` did not write. */
export function decodeCursor(cursor: string): CursorPosition {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    decoded = undefined;
  }
  if (Array.isArray(decoded) && decoded.length === 2) {
    const [createdAt, reference]: unknown[] = decoded;
    if (typeof createdAt === 'string' && typeof reference === 'string' && isStorable(reference)) {
      const position = { createdAt: new Date(createdAt), reference };
      if (isIsoDate(createdAt) && encodeCursor(position) === cursor) return position;
    }
  }
  throw invalidParameter('cursor', 'is not one that this service gave');
}

function isIsoDate(value: string): boolean {
  const date = new Date(value);
  // Of the years that JavaScript can write, those that databases and the contract's date shape know, too.
  return /^(?!0000)\d{4}-/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString() === value;
}

/** A made-up position must not become a 500: databases refuse NUL and lone surrogates in text. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
