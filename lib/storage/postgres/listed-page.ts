// The page of a listing that `findCredentials` reads with the API key: one statement in place of two.
import { encodeCursor } from '../../core/cursor.js';
import type { ListedPage, ListedSession, Listing } from '../../core/storage.js';
import type { SelectedPolicy } from '../../core/types.js';
import { type Bind, sessionConditions } from '../sql/conditions.js';
import { json, type Row } from '../sql/rows.js';
import type { Statements } from './statements.js';

/** The members of a session in the JSON of a page, in the order of the statement. */
type JsonSession = [
  reference: string,
  date: number,
  camsReference: string,
  status: string,
  createdAt: number,
  selectedPolicy: SelectedPolicy,
];

/**
 * Returns the column of the page. Returns nothing for a cursor that this storage did not create: `listSessions` reports it,
 * after the caller was authenticated.
 */
export function pageColumn(sql: Statements, { at, userId, limit, ...page }: Listing, bind: Bind): string {
  try {
    const conditions = sessionConditions(page, bind);
    return sql.listedPage({ at: bind(at), userId: bind(userId), limit: bind(limit + 1), conditions });
  } catch {
    return '';
  }
}

/** Returns the page of a row: none if the database did not read it. */
export function toListedPage({ listed_page: text }: Row, { limit }: Listing): { page?: ListedPage } {
  if (text == null) return {};
  const rows = json<JsonSession[]>(text);
  const sessions = rows.slice(0, limit).map(toListedSession);
  const last = rows.length > limit ? sessions.at(-1) : undefined;
  return { page: { sessions, ...(last && { nextCursor: encodeCursor(last) }) } };
}

function toListedSession([
  reference,
  date,
  camsReference,
  status,
  createdAt,
  selectedPolicy,
]: JsonSession): ListedSession {
  return {
    reference,
    // The database calculates milliseconds with floating point.
    date: new Date(Math.round(date)),
    camsReference,
    status,
    createdAt: new Date(Math.round(createdAt)),
    selectedPolicy,
  };
}
