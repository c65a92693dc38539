// Merges one page of a listing from a user's seeded sessions and the stored ones.
import {
  decodeCursor,
  encodeCursor,
  type Session,
  type SessionPage,
  type SessionQuery,
} from '../../lib/index.js';

/** Compares in the order of a listing: newest `createdAt` first, then `reference` by code units. */
export function inListingOrder(a: Session, b: Session): number {
  const difference = b.createdAt.getTime() - a.createdAt.getTime();
  if (difference !== 0) return difference;
  return a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0;
}

/**
 * Returns the page of both sides together. No reference may be on both sides.
 * @param seeded all seeded sessions of the user in listing order
 * @param stored the page of stored sessions for the same query; it is full if it has a cursor
 * @throws `request_invalid` for a cursor that `encodeCursor` did not create
 */
export function mergePage(
  seeded: readonly Session[],
  stored: SessionPage,
  { cursor, limit, status }: SessionQuery,
): SessionPage {
  const isAfterCursor = cursor === undefined ? () => true : afterCursor(cursor);
  const selected = seeded
    .filter((session) => isAfterCursor(session) && (status === undefined || session.status === status))
    .slice(0, limit + 1);
  const sessions = [...selected, ...stored.sessions].sort(inListingOrder);
  const last = sessions[limit - 1];
  const hasMore = sessions.length > limit || stored.nextCursor !== undefined;
  if (last === undefined || !hasMore) return { sessions };
  return { sessions: sessions.slice(0, limit), nextCursor: encodeCursor(last) };
}

function afterCursor(cursor: string): (session: Session) => boolean {
  const { createdAt, reference } = decodeCursor(cursor);
  return (session) => {
    const difference = createdAt.getTime() - session.createdAt.getTime();
    return difference === 0 ? session.reference > reference : difference > 0;
  };
}
