// The conditions that a query selects rows with, for the WHERE of a statement.
import { decodeCursor, decodeLinkCursor, decodeSubmissionCursor } from '../../core/cursor.js';
import type { ClientSessionQuery, EventKind, LinkQuery } from '../../core/storage.js';
import type { LinkState, PageRequest } from '../../core/types.js';

/** Adds a value to the parameters of a statement and returns its placeholder. */
export type Bind = (value: string | number | Date) => string;

/** Creates a tag that returns ` AND ...` with a placeholder for each value. */
function conditionTag(bind: Bind) {
  return (texts: TemplateStringsArray, ...values: (string | number | Date)[]) =>
    values.reduce(
      (text: string, value, index) => `${text}${bind(value)}${texts[index + 1]}`,
      ` AND ${texts[0]}`,
    );
}

/** Selects sessions `s` of a user. */
export function sessionConditions({ status, cursor }: PageRequest, bind: Bind): string {
  const position = cursor === undefined ? undefined : decodeCursor(cursor);
  const condition = conditionTag(bind);
  let selected = status === undefined ? '' : condition`s.status = ${status}`;
  if (position !== undefined) {
    const { createdAt, reference } = position;
    // The first condition bounds the range of the index.
    selected += condition`s.created_at <= ${createdAt}`;
    selected += condition`(s.created_at < ${createdAt} OR s.reference > ${reference})`;
  }
  return selected;
}

const STATE_CONDITIONS: Record<LinkState, string> = {
  submitted: ' AND l.submitted_at IS NOT NULL',
  revoked: ' AND l.submitted_at IS NULL AND l.revoked_at IS NOT NULL',
  expired: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL',
  created: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL AND l.opened_at IS NULL',
  opened: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL AND l.opened_at IS NOT NULL',
};

/** Selects links `l` of a client. */
export function linkConditions({ userId, state, at, cursor }: LinkQuery, bind: Bind): string {
  const condition = conditionTag(bind);
  let selected = userId === undefined ? '' : condition`l.user_id = ${userId}`;
  if (state !== undefined) selected += STATE_CONDITIONS[state];
  if (state === 'expired') selected += condition`l.expires_at <= ${at}`;
  if (state === 'created' || state === 'opened') selected += condition`l.expires_at > ${at}`;
  if (cursor !== undefined) {
    const last = decodeLinkCursor(cursor);
    selected += condition`l.user_id >= ${last.userId}`;
    selected += condition`(l.user_id > ${last.userId} OR l.created_at < ${last.createdAt} OR (l.created_at = ${last.createdAt} AND l.access_code_hash > ${last.accessCodeHash}))`;
  }
  return selected;
}

/** Selects links `l` that have one of these MACs. */
export function keyMacConditions(keyMacs: readonly string[], bind: Bind): string {
  return ` AND l.idempotency_mac IN (${keyMacs.map(bind).join(', ')})`;
}

/** Selects sessions `s` of a client. */
export function clientSessionConditions({ since, cursor }: ClientSessionQuery, bind: Bind): string {
  const condition = conditionTag(bind);
  let selected = since === undefined ? '' : condition`s.date >= ${since}`;
  if (cursor !== undefined) {
    const { sequence, date, reference } = decodeSubmissionCursor(cursor);
    selected += condition`(s.sequence, s.date, s.reference) > (${sequence}, ${date}, ${reference})`;
  }
  return selected;
}

const KIND_CONDITIONS: Record<EventKind, string> = {
  submission: " AND e.type = 'claim.submitted'",
  life: " AND e.type <> 'claim.submitted'",
};

/** What selects events. A member that is undefined selects all of them. */
interface EventSelection {
  kind?: EventKind | undefined;
  clientId?: string | undefined;
  reference?: string | undefined;
}

/** Selects events `e` of a kind, of a client or of a session. */
export function eventConditions({ kind, clientId, reference }: EventSelection, bind: Bind): string {
  const condition = conditionTag(bind);
  return [
    kind === undefined ? '' : KIND_CONDITIONS[kind],
    clientId === undefined ? '' : condition`e.client_id = ${clientId}`,
    reference === undefined ? '' : condition`e.reference = ${reference}`,
  ].join('');
}
