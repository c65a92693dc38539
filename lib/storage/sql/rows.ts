// Converts rows of the SQL storages to the domain types, and the domain types to parameters. Rows have times in
// milliseconds since 1970, and JSON as text. They do not depend on what a driver parses: booleans and numbers may be text.
import type {
  Credentials,
  EventChoice,
  EventKey,
  IdempotentLink,
  LifeEvent,
  LinkIdempotency,
  LinkRecord,
  LinkWithClient,
  NewEvent,
  SessionKey,
  StoredEvent,
} from '../../core/storage.js';
import type {
  ApiKey,
  Branding,
  Client,
  ClientSettings,
  DataDeletedEvent,
  EventType,
  Incident,
  JsonObject,
  LifeEventType,
  Link,
  LinkEvent,
  LinkMoment,
  SelectedPolicy,
  Session,
  SessionLink,
  SessionNotice,
  SessionRecord,
  WidgetConfig,
} from '../../core/types.js';
import { driverMismatch } from './driver.js';

/** A row as the driver returns it. */
export type Row = Record<string, unknown>;

/** A value of a statement. Each storage converts dates and booleans to what its drivers accept. */
export type Param = string | number | boolean | Date | null | undefined;

/** Returns the client of a row, or undefined if an outer join found none. */
export function toClient(row: Row): Client | undefined {
  if (row['c_client_id'] == null) return undefined;
  return {
    clientId: String(row['c_client_id']),
    ...optional('name', row['c_name'], String),
    ...optional('callbackOrigins', row['c_callback_origins'], json<string[]>),
    ...optional('locale', row['c_locale'], String),
    ...optional('branding', row['c_branding'], json<Branding>),
    ...optional('frameAncestors', row['c_frame_ancestors'], json<string[]>),
    ...optional('settings', row['c_settings'], json<ClientSettings>),
  };
}

/** Returns the parameters of the statements that write a client. */
export function clientParams(client: Client): Param[] {
  const { clientId, name, callbackOrigins, locale, branding, frameAncestors, settings } = client;
  return [
    clientId,
    name,
    toJson(callbackOrigins),
    locale,
    toJson(branding),
    toJson(frameAncestors),
    toJson(settings),
  ];
}

/** Returns the parameters of the statement that inserts a link. */
export function linkParams(link: Link): Param[] {
  return [
    link.clientId,
    link.accessCodeHash,
    link.userId,
    link.callbackUrl,
    link.callbackOnSubmit,
    toJson(link.config),
    link.createdAt,
    link.expiresAt,
    link.openedAt,
    link.revokedAt,
    link.submittedAt,
    link.createdBy,
  ];
}

/** Returns the parameters of the statement that inserts a link with an Idempotency-Key. */
export function idempotentLinkParams(link: Link, { keyMac, requestMac, sealed }: LinkIdempotency): Param[] {
  return [...linkParams(link), keyMac, requestMac, sealed];
}

/** Returns the parameters of a session in the statements that insert one. */
export function sessionParams(session: Session): Param[] {
  return [
    session.reference,
    session.date,
    session.camsReference,
    session.status,
    session.createdAt,
    toJson(session.selectedPolicy),
    toJson(session.incident),
    toJson(session.extra),
    toJson(session.link),
    toJson(session.notice),
  ];
}

/** Returns the parameters of the statement that inserts an API key. */
export function apiKeyParams(apiKey: ApiKey): Param[] {
  const { id, clientId, hash, hint, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKey;
  return [id, clientId, hash, hint, createdAt, expiresAt, revokedAt, lastUsedAt];
}

/** Returns the API key of a row and its client, for authentication. */
export function toCredentials(row: Row): Credentials {
  const client = toClient(row);
  return {
    apiKey: {
      id: String(row['k_id']),
      clientId: String(row['k_client_id']),
      ...optional('expiresAt', row['k_expires_at'], date),
      ...optional('revokedAt', row['k_revoked_at'], date),
    },
    ...(client && { client }),
  };
}

/** Returns the API key of a row. */
export function toApiKey(row: Row): ApiKey {
  return {
    id: String(row['k_id']),
    clientId: String(row['k_client_id']),
    hash: String(row['k_hash']),
    ...optional('hint', row['k_hint'], String),
    createdAt: date(row['k_created_at']),
    ...optional('expiresAt', row['k_expires_at'], date),
    ...optional('revokedAt', row['k_revoked_at'], date),
    ...optional('lastUsedAt', row['k_last_used_at'], date),
  };
}

/** Returns the session of a row, or undefined if an outer join found none. */
export function toSession(row: Row): Session | undefined {
  if (row['s_reference'] == null) return undefined;
  return {
    reference: String(row['s_reference']),
    date: date(row['s_date']),
    camsReference: String(row['s_cams_reference']),
    status: String(row['s_status']),
    createdAt: date(row['s_created_at']),
    selectedPolicy: json<SelectedPolicy>(row['s_selected_policy']),
    ...optional('incident', row['s_incident'], json<Incident>),
    ...optional('extra', row['s_extra'], json<JsonObject>),
    ...optional('link', row['s_link'], json<SessionLink>),
    ...optional('notice', row['s_notice'], notice),
  };
}

/** Returns the session of a row with its owner. */
export function toSessionRecord(row: Row, clientId: string): SessionRecord {
  return { clientId, userId: String(row['s_user_id']), ...(toSession(row) as Session) };
}

/** Returns the event of a row, or only its key if its session does not exist any more. */
export function toStoredEvent(row: Row): StoredEvent | EventKey {
  const key = { id: String(row['e_event_id']), clientId: String(row['e_client_id']) };
  const state = {
    attempts: Number(row['e_attempts']),
    nextAttemptAt: date(row['e_next_attempt_at']),
    ...optional('failedAt', row['e_failed_at'], date),
    ...optional('reason', row['e_reason'], String),
  };
  const type = String(row['e_type']) as EventType;
  if (type !== 'claim.submitted') return { ...key, type, ...eventMembers(row), ...state } as StoredEvent;
  const submission = { ...key, reference: String(row['e_reference']) };
  const session = toSession(row);
  return session ? { ...submission, type, userId: String(row['s_user_id']), session, ...state } : submission;
}

/** The members of an event that its row has as JSON. Times are in milliseconds since 1970. */
type EventData =
  | (Pick<LinkEvent, 'linkId' | 'sequence' | 'why'> & { expiresAt: number })
  | Pick<DataDeletedEvent, 'why' | 'linkIds' | 'references'>;

/** Returns the choice of events from the rows of its types. */
export function toChoice(rows: readonly Row[]): EventChoice {
  return {
    types: rows.map((row) => String(row['type']) as LifeEventType),
    expiryNoticeSeconds: Number(rows[0]?.['notice_seconds'] ?? 0),
  };
}

/** Returns the members of the event of a link or of a deletion that are no part of every event. */
function eventMembers(row: Row) {
  const event = { at: date(row['e_occurred_at']), ...optional('userId', row['e_user_id'], String) };
  const data = json<EventData>(row['e_data']);
  return { ...event, ...data, ...('expiresAt' in data && { expiresAt: date(data.expiresAt) }) };
}

/** Returns the moments of a link. Their JSON has times in milliseconds since 1970. */
export function toMoments(row: Row): LinkMoment[] {
  const moments = json<(Omit<LinkMoment, 'at'> & { at: number })[]>(row['l_moments'] ?? '[]');
  return moments.map(({ type, at, ...others }) => ({ type, at: date(at), ...others }));
}

/** A link with its moments, and the time at which it is due. */
export interface LivedLink {
  link: Link;
  moments: LinkMoment[];
  noticeAt?: Date;
}

export function toLivedLink(row: Row): LivedLink {
  return { link: toLink(row), moments: toMoments(row), ...optional('noticeAt', row['notice_at'], date) };
}

/** Returns the parameters of the statement that records the event of a link or of a deletion. */
export function lifeEventParams({ id, type, at, clientId, ...members }: LifeEvent): Param[] {
  const { userId, ...data } = members as typeof members & { userId?: string };
  const stored = 'expiresAt' in data ? { ...data, expiresAt: data.expiresAt.getTime() } : data;
  return [id, type, clientId, userId, undefined, at, JSON.stringify(stored), 0, at, undefined, undefined];
}

/** Returns the parameters of the same statement for the event of a submission. */
export function submissionEventParams(
  { clientId, reference }: SessionKey,
  { id, attempts, nextAttemptAt }: NewEvent,
): Param[] {
  const type: EventType = 'claim.submitted';
  return [
    id,
    type,
    clientId,
    undefined,
    reference,
    undefined,
    undefined,
    attempts,
    nextAttemptAt,
    undefined,
    undefined,
  ];
}

/** Returns the JSON of a moment, for a statement. */
export function momentParam({ at, ...others }: LinkMoment): string {
  return JSON.stringify({ ...others, at: at.getTime() });
}

/** Returns the link of a row with the reference of its session. */
export function toLinkRecord(row: Row): LinkRecord {
  return { link: toLink(row), ...optional('reference', row['l_session_reference'], String) };
}

/** Returns the link of a row with its client, its session and its attempts. */
export function toLinkWithClient(row: Row): LinkWithClient | undefined {
  const client = toClient(row);
  const session = toSession(row);
  const checkAttempts = Number(row['l_check_attempts']);
  return (
    client && {
      link: toLink(row),
      client,
      ...(session && { session }),
      ...(checkAttempts > 0 && { checkAttempts }),
    }
  );
}

/** Returns the link of a row. */
function toLink(row: Row): Link {
  return {
    accessCodeHash: String(row['l_access_code_hash']),
    clientId: String(row['l_client_id']),
    userId: String(row['l_user_id']),
    callbackUrl: String(row['l_callback_url']),
    callbackOnSubmit: isTrue(row['l_callback_on_submit']),
    config: json<WidgetConfig>(row['l_config']),
    createdAt: date(row['l_created_at']),
    expiresAt: date(row['l_expires_at']),
    ...optional('openedAt', row['l_opened_at'], date),
    ...optional('revokedAt', row['l_revoked_at'], date),
    ...optional('submittedAt', row['l_submitted_at'], date),
    ...optional('createdBy', row['l_created_by'], String),
  };
}

/** Returns the link of a row with what it keeps of its Idempotency-Key. */
export function toIdempotentLink(row: Row): IdempotentLink {
  return {
    accessCodeHash: String(row['l_access_code_hash']),
    expiresAt: date(row['l_expires_at']),
    keyMac: String(row['l_idempotency_mac']),
    requestMac: String(row['l_request_mac']),
    sealed: String(row['l_sealed_url']),
  };
}

/** Converts the JSON of a notice. JSON has its time as a text. */
function notice(value: unknown): SessionNotice {
  const { at, ...others } = json<Omit<SessionNotice, 'at'> & { at: string }>(value);
  return { ...others, at: new Date(at) };
}

/** Converts milliseconds since 1970: a number, a bigint or text. PostgreSQL calculates them with floating point. */
function date(value: unknown): Date {
  return new Date(Math.round(Number(value)));
}

/** SQLite has no booleans, and PostgreSQL writes them as `t` and `f`. */
function isTrue(value: unknown): boolean {
  return value === 't' || Number(value) === 1;
}

/** Returns an object with one member, or without members for a NULL. */
function optional<K extends string, T>(name: K, value: unknown, convert: (value: unknown) => T) {
  return (value == null ? {} : { [name]: convert(value) }) as { [P in K]?: T };
}

function toJson(value: object | undefined): string | undefined {
  return value && JSON.stringify(value);
}

/**
 * Returns the value of JSON, which each statement returns as text: a host may have changed what its driver parses.
 * @throws `schema_mismatch` if the driver converted the text.
 */
export function json<T>(value: unknown): T {
  if (typeof value !== 'string') throw driverMismatch('converts JSON texts');
  return JSON.parse(value);
}
