// Pages of a listing that comes from two sides: a user's seeds, and what is stored.
import {
  decodeCursor,
  encodeCursor,
  type Session,
  type SessionPage,
  type SessionQuery,
} from '../../lib/index.js';

/** The order of a listing: newest `createdAt` first, then `reference` by code units. */
export function inListingOrder(a: Session, b: Session): number {
  const difference = b.createdAt.getTime() - a.createdAt.getTime();
  if (difference !== 0) return difference;
  return a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0;
}

/**
 * The page that both sides give together. No reference may be on both sides.
 * @param seeds all of the user's, in the order of the listing
 * @param stored the stored ones' page for the same query: full, if it has a cursor
 * @throws `request_invalid` for a cursor that `encodeCursor` did not write
 */
export function mergePage(
  seeds: readonly Session[],
  stored: SessionPage,
  { cursor, limit, status }: SessionQuery,
): SessionPage {
  const isAfter = cursor === undefined ? () => true : after(cursor);
  const wanted: Session[] = [];
  for (const seed of seeds) {
    if (wanted.length > limit) break;
    if (isAfter(seed) && (status === undefined || seed.status === status)) wanted.push(seed);
  }
  // Both are sorted already: this only merges them.
  const sessions = [...wanted, ...stored.sessions].sort(inListingOrder);
  const last = sessions[limit - 1];
  const hasMore = sessions.length > limit || stored.nextCursor !== undefined;
  if (last === undefined || !hasMore) return { sessions };
  const nextCursor = encodeCursor({ createdAt: last.createdAt, reference: last.reference });
  return { sessions: sessions.slice(0, limit), nextCursor };
}

/** Whether a session comes after the position that the cursor names. */
function after(cursor: string): (session: Session) => boolean {
  const { createdAt, reference } = decodeCursor(cursor);
  const time = createdAt.getTime();
  return (session) => {
    const difference = time - session.createdAt.getTime();
    return difference === 0 ? session.reference > reference : difference > 0;
  };
}
