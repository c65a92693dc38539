// The opaque paging cursors of storages: positions in the order of a list.
import { invalidParameter } from './errors.js';
import type { Link, SessionRecord } from './types.js';

/** Position of a session in the listing of its user. */
export interface CursorPosition {
  createdAt: Date;
  reference: string;
}

/** Position of a link in the list of its client's links. */
export type LinkPosition = Pick<Link, 'userId' | 'createdAt' | 'accessCodeHash'>;

/** Position of a session in the order of submission of its client. */
export interface SubmissionPosition extends Pick<SessionRecord, 'date' | 'reference'> {
  /** Number of the submission among those of its client, from 1. 0 for a session without a number. */
  sequence: number;
}

/** Returns the `nextCursor` of a page of `listSessions`, from its last session. */
export function encodeCursor({ createdAt, reference }: CursorPosition): string {
  return encode([createdAt, reference]);
}

/** Returns the position after which a page of `listSessions` begins. @throws `request_invalid` unless `encodeCursor` wrote it. */
export function decodeCursor(cursor: string): CursorPosition {
  const [createdAt, reference] = decode(cursor, 'date', 'text');
  return { createdAt, reference };
}

/** Returns the `nextCursor` of a page of `listLinks`, from its last link. */
export function encodeLinkCursor({ userId, createdAt, accessCodeHash }: LinkPosition): string {
  return encode([userId, createdAt, accessCodeHash]);
}

/** Returns the position after which a page of `listLinks` begins. @throws `request_invalid` unless `encodeLinkCursor` wrote it. */
export function decodeLinkCursor(cursor: string): LinkPosition {
  const [userId, createdAt, accessCodeHash] = decode(cursor, 'text', 'date', 'text');
  return { userId, createdAt, accessCodeHash };
}

/** Returns the `nextCursor` of a page of `listClientSessions`, from its last session and the number of its submission. */
export function encodeSubmissionCursor({ sequence, date, reference }: SubmissionPosition): string {
  return encode([sequence, date, reference]);
}

/** Returns the position after which a page of `listClientSessions` begins. @throws `request_invalid` unless `encodeSubmissionCursor` wrote it. */
export function decodeSubmissionCursor(cursor: string): SubmissionPosition {
  const [sequence, date, reference] = decode(cursor, 'count', 'date', 'text');
  return { sequence, date, reference };
}

/** Types of the values in a cursor, by the name that `decode` takes. */
interface Parts {
  text: string;
  date: Date;
  count: number;
}
type Kind = keyof Parts;

function encode(parts: readonly Parts[Kind][]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the values of a cursor. Rejects every text but the one that `encode` writes for these values. */
function decode<K extends Kind[]>(cursor: string, ...kinds: K): { [I in keyof K]: Parts[K[I]] } {
  const entries = parseList(Buffer.from(cursor, 'base64url').toString());
  const parts = kinds.map((kind, index) => parsePart(entries[index], kind));
  const isComplete = parts.every((part) => part !== undefined);
  if (isComplete && encode(parts) === cursor) return parts as { [I in keyof K]: Parts[K[I]] };
  throw invalidParameter('cursor', 'cursor', 'is not a cursor that this service returned');
}

function parsePart(entry: unknown, kind: Kind): Parts[Kind] | undefined {
  if (kind === 'count') return Number.isSafeInteger(entry) && Number(entry) >= 0 ? Number(entry) : undefined;
  if (typeof entry !== 'string') return undefined;
  if (kind === 'text') return isStorableText(entry) ? entry : undefined;
  return isStorableTime(entry) ? new Date(entry) : undefined;
}

function parseList(json: string): unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

// A client can write its own cursor. A value that a database rejects must become a 400 here, not a 500 there.

/** Databases and the date format of the contract have no year 0, and no year of more than four digits. */
export function isStorableTime(time: string): boolean {
  return /^(?!0000)\d{4}-/.test(time);
}

/** Databases reject NUL and lone surrogates in text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
