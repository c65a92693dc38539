// Pages from rows. A statement selects one row more than the page has. If it returns that row, there is a next page.
import { encodeCursor, encodeLinkCursor, encodeSubmissionCursor } from '../../core/cursor.js';
import type {
  ClientSessionPage,
  ClientSessionQuery,
  LinkQuery,
  LinkRecordPage,
  SessionQuery,
} from '../../core/storage.js';
import type { SessionPage } from '../../core/types.js';
import { type Row, toLinkRecord, toSession, toSessionRecord } from './rows.js';

export function toSessionPage(rows: readonly Row[], { limit }: SessionQuery): SessionPage {
  const sessions = rows
    .slice(0, limit)
    .map(toSession)
    .filter((session) => session !== undefined);
  const last = rows.length > limit ? sessions.at(-1) : undefined;
  return { sessions, ...(last && { nextCursor: encodeCursor(last) }) };
}

export function toLinkPage(rows: readonly Row[], { limit }: LinkQuery): LinkRecordPage {
  const links = rows.slice(0, limit).map(toLinkRecord);
  const last = rows.length > limit ? links.at(-1) : undefined;
  return { links, ...(last && { nextCursor: encodeLinkCursor(last.link) }) };
}

export function toClientSessionPage(
  rows: readonly Row[],
  { clientId, limit, cursor }: ClientSessionQuery,
): ClientSessionPage {
  const page = rows.slice(0, limit);
  const sessions = page.map((row) => toSessionRecord(row, clientId));
  const last = sessions.at(-1);
  const sequence = Number(page.at(-1)?.['s_sequence']);
  const nextCursor = last ? encodeSubmissionCursor({ ...last, sequence }) : cursor;
  return { sessions, ...(nextCursor !== undefined && { nextCursor }), hasMore: rows.length > limit };
}
