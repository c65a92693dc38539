/**
 * The PostgreSQL storage: durable, and shared by any number of processes.
 *
 * @module claimlink/postgres
 */

import { mustBeBoolean, mustBeNumber, type OptionCheck } from '../../core/assert-options.js';
import {
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
} from '../../core/cursor.js';
import { ClaimlinkError } from '../../core/errors.js';
import type {
  AdminStorage,
  ClientSessionQuery,
  EventKey,
  LinkQuery,
  LinkRef,
  LinkWithClient,
  OutboxStorage,
  RecordStorage,
  SessionQuery,
  StoredEvent,
  SubmitOutcome,
} from '../../core/storage.js';
import type { LinkState } from '../../core/types.js';
import { codeOf, createExecutor, isPg, type PostgresDatabase, type Row } from './execute.js';
import {
  clientParams,
  iso,
  linkParams,
  sessionParams,
  toApiKey,
  toClient,
  toLink,
  toLinkRecord,
  toPresentedKey,
  toSession,
  toSessionRecord,
  toStoredEvent,
} from './rows.js';
import { createStatements, type PostgresTableOptions, TABLE_CHECKS, tableNames } from './statements.js';

export type { PostgresDatabase } from './execute.js';
export {
  assertSchema,
  type MigrateOptions,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
} from './migrations.js';
export type { PostgresTableOptions } from './statements.js';

/** Options of `createPostgresStorage`. */
export interface PostgresStorageOptions extends PostgresTableOptions {
  /**
   * Uses prepared statements: the database parses and plans each statement once per connection, not once per call.
   * Needs `pg` and direct connections, or a pooler that supports prepared statements in transaction mode (PgBouncer
   * 1.21 or newer with `max_prepared_statements`). Default: false.
   */
  prepareStatements?: boolean;
  /**
   * Maximum duration of a statement in seconds, as `query_timeout` of `pg` 8.13 or newer: 0.05 .. 300, or false for no
   * limit. It must be under `storageTimeoutSeconds`. A Pool of `pg` then closes the connection and opens another one, so that it recovers
   * from a database that stops answering. Default: 8 for a Pool or a Client of `pg`, which get it with each statement in
   * place of their own `query_timeout`; false for others. Set it for a wrapper that passes the first argument of
   * `query` on to `pg`.
   */
  queryTimeoutSeconds?: number | false;
}

/** Below the default of `storageTimeoutSeconds`. */
const DEFAULT_QUERY_TIMEOUT_SECONDS = 8;
const isSeconds = mustBeNumber(0.05, 300);

const CHECKS: Readonly<Record<keyof PostgresStorageOptions, OptionCheck>> = {
  ...TABLE_CHECKS,
  prepareStatements: mustBeBoolean,
  queryTimeoutSeconds: (value) => (value === false ? undefined : isSeconds(value)),
};

/** A storage over PostgreSQL. */
export interface PostgresStorage extends AdminStorage, OutboxStorage, RecordStorage {}

/** SQLSTATE for a key that exists already. Random hashes do not collide, so a link is inserted without ON CONFLICT. */
const UNIQUE_VIOLATION = '23505';

/** Maximum number of rows that one statement of a sweep or of `retryEvents` changes. */
const SWEEP_SIZE = 5000;

/**
 * Creates a storage over PostgreSQL 13 or newer, or a compatible database. `migrate(database)` creates its tables.
 *
 * Every method runs single statements, each of which is a transaction. So the storage works over a pool, behind a pooler
 * in transaction mode, and in any number of processes. It repeats a statement after a serialization failure or a
 * deadlock, up to nine times. If the database is not available it throws `storage_unavailable`; callers get a 503. It
 * opens no connection and has no `close`: end your pool yourself.
 * @throws `options_invalid` for a value without `query`, and for an unknown or invalid option.
 */
export function createPostgresStorage(
  database: PostgresDatabase,
  options: PostgresStorageOptions = {},
): PostgresStorage {
  const sql = createStatements(tableNames(options, CHECKS));
  const { prepareStatements = false, queryTimeoutSeconds = isPg(database) && DEFAULT_QUERY_TIMEOUT_SECONDS } =
    options;
  const execute = createExecutor(database, { prepareStatements, queryTimeoutSeconds });

  /** Runs a statement that returns a row for each change. Returns whether it changed anything. */
  async function changesAny(statement: string, params: readonly unknown[]): Promise<boolean> {
    return (await execute(statement, params)).length > 0;
  }

  /** Runs a statement that returns a count. */
  async function count(statement: string, params: readonly unknown[]): Promise<number> {
    const [row] = await execute(statement, params);
    return Number(row?.['count']);
  }

  /** Repeats a statement that returns a row for each change until it changes fewer rows than its limit. */
  async function sweep(statement: string, params: readonly unknown[]): Promise<number> {
    let changed = 0;
    for (;;) {
      const { length } = await execute(statement, params);
      changed += length;
      if (length < SWEEP_SIZE) return changed;
    }
  }

  async function settleEvent({ clientId, reference, id }: EventKey): Promise<void> {
    await execute(sql.settleEvent, [clientId, reference, id]);
  }

  /** Returns the events of rows. Deletes an event whose session was deleted with SQL: there is nothing to deliver. */
  async function toEvents(rows: readonly Row[]): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (const event of rows.map(toStoredEvent)) {
      if ('session' in event) events.push(event);
      else await settleEvent(event);
    }
    return events;
  }

  async function findLink({ clientId, accessCodeHash }: LinkRef): Promise<LinkWithClient | undefined> {
    const [row] = await execute(sql.findLink, [clientId, accessCodeHash]);
    const client = row && toClient(row);
    if (row === undefined || client === undefined) return undefined;
    const session = toSession(row);
    return { link: toLink(row), client, ...(session && { session }) };
  }

  async function assertClientExists(clientId: string): Promise<void> {
    if ((await execute(sql.findClient, [clientId])).length === 0)
      throw new ClaimlinkError('client_not_found');
  }

  return {
    async findCredentials({ apiKeyHash, clientId }) {
      const [row] = await execute(sql.findCredentials, [apiKeyHash, clientId]);
      if (row === undefined) return {};
      const client = toClient(row);
      return { apiKey: toPresentedKey(row), ...(client && { client }) };
    },

    async findClient(clientId) {
      const [row = {}] = await execute(sql.findClient, [clientId]);
      return toClient(row);
    },

    async listSessions(query) {
      const { params, selected } = toSessionConditions(query);
      const rows = await execute(sql.listSessions(selected), params);
      const page = rows.slice(0, query.limit);
      const sessions = page.map(toSession).filter((session) => session !== undefined);
      const last = rows.length > query.limit ? sessions.at(-1) : undefined;
      return { sessions, ...(last && { nextCursor: encodeCursor(last) }) };
    },

    async insertLink(link) {
      try {
        await execute(sql.insertLink, linkParams(link));
        return true;
      } catch (error) {
        if (codeOf(error) === UNIQUE_VIOLATION) return false;
        throw error;
      }
    },

    findLink,

    async markLinkOpened({ clientId, accessCodeHash, at }) {
      await execute(sql.markLinkOpened, [clientId, accessCodeHash, iso(at)]);
    },

    async submitLink({ clientId, accessCodeHash, at, session, event }) {
      const params = [
        clientId,
        accessCodeHash,
        iso(at),
        ...sessionParams(session),
        event?.id ?? null,
        event?.attempts ?? null,
        iso(event?.nextAttemptAt),
      ];
      const [row] = await execute(sql.submitLink, params);
      const outcome = (row?.['outcome'] ?? 'not_found') as SubmitOutcome['outcome'];
      if (outcome === 'submitted') return { outcome, session };
      if (outcome !== 'already_submitted') return { outcome };
      // A statement that waited for the first submission does not see the session that it inserted.
      const first = (await findLink({ clientId, accessCodeHash }))?.session;
      return first ? { outcome, session: first } : { outcome: 'not_found' };
    },

    revokeLink: ({ clientId, accessCodeHash, at }) =>
      changesAny(sql.revokeLink, [clientId, accessCodeHash, iso(at)]),

    deleteExpiredLinks: (before) => sweep(sql.deleteExpiredLinks, [iso(before), SWEEP_SIZE]),

    async leaseEvents({ at, leaseUntil, limit }) {
      return toEvents(await execute(sql.leaseEvents, [iso(at), iso(leaseUntil), limit]));
    },

    settleEvent,

    async postponeEvent({ clientId, reference, id, attempts, nextAttemptAt, failedAt, reason }) {
      const failure = [iso(nextAttemptAt), iso(failedAt), reason];
      await execute(sql.postponeEvent, [clientId, reference, id, attempts, ...failure]);
    },

    async countEvents({ limit }) {
      const [row] = await execute(sql.countEvents, [limit]);
      return { pending: Number(row?.['pending']), failed: Number(row?.['failed']) };
    },

    async listEvents({ state, clientId, limit }) {
      const { params, condition } = conditions(limit);
      const ofClient = clientId === undefined ? '' : condition`e.client_id = ${clientId}`;
      return toEvents(await execute(sql.listEvents(state, ofClient), params));
    },

    async retryEvents({ clientId, reference, at }) {
      const { params, condition } = conditions(iso(at), SWEEP_SIZE);
      const selected =
        (clientId === undefined ? '' : condition`e.client_id = ${clientId}`) +
        (reference === undefined ? '' : condition`e.reference = ${reference}`);
      return sweep(sql.retryEvents(selected), params);
    },

    async findSession({ clientId, reference }) {
      const [row] = await execute(sql.findSession, [clientId, reference]);
      return row && toSessionRecord(row, clientId);
    },

    async updateSession({ clientId, reference, status = null, camsReference = null }) {
      const [row = {}] = await execute(sql.updateSession, [clientId, reference, status, camsReference]);
      return toSession(row);
    },

    async listLinks(query) {
      const { params, selected } = toLinkConditions(query);
      const rows = await execute(sql.listLinks(selected), params);
      const links = rows.slice(0, query.limit).map(toLinkRecord);
      const last = rows.length > query.limit ? links.at(-1) : undefined;
      return { links, ...(last && { nextCursor: encodeLinkCursor(last.link) }) };
    },

    revokeLinks: ({ clientId, userId, at }) =>
      count(sql.revokeLinks(userId === undefined ? 'all' : 'one'), [clientId, userId ?? '', iso(at)]),

    async listClientSessions(query) {
      const { clientId, limit, cursor } = query;
      const { params, selected } = toClientSessionConditions(query);
      const rows = await execute(sql.listClientSessions(selected), params);
      const page = rows.slice(0, limit);
      const sessions = page.map((row) => toSessionRecord(row, clientId));
      const last = sessions.at(-1);
      const sequence = Number(page.at(-1)?.['s_sequence']);
      const nextCursor = last ? encodeSubmissionCursor({ ...last, sequence }) : cursor;
      return { sessions, ...(nextCursor !== undefined && { nextCursor }), hasMore: rows.length > limit };
    },

    async deleteUser({ clientId, userId }) {
      // Two statements: the first waits for submissions that run, and prevents further ones. The second one sees
      // the sessions that they inserted.
      const links = await count(sql.deleteLinksOfUser, [clientId, userId]);
      const [row] = await execute(sql.deleteSessionsOfUser, [clientId, userId]);
      return { sessions: Number(row?.['sessions']), links, events: Number(row?.['events']) };
    },

    deleteSessions: (before) => sweep(sql.deleteSessions, [iso(before), SWEEP_SIZE]),

    reduceExpiredLinks: (before) => sweep(sql.reduceExpiredLinks, [iso(before), SWEEP_SIZE]),

    async insertClient(client) {
      if (!(await changesAny(sql.insertClient, clientParams(client)))) {
        throw new ClaimlinkError('already_exists', 'A client with this id exists already.');
      }
    },

    async listClients() {
      const rows = await execute(sql.listClients, []);
      return rows.map(toClient).filter((client) => client !== undefined);
    },

    async updateClient(client) {
      return changesAny(sql.updateClient, clientParams(client));
    },

    async deleteClient(clientId) {
      const deleted = await changesAny(sql.deleteClient, [clientId]);
      // The first statement waits for submissions and insertions that run, and does not see what they insert.
      if (deleted) await execute(sql.deleteRestOfClient, [clientId]);
      return deleted;
    },

    async insertApiKey(apiKey) {
      const { id, clientId, hash, hint, createdAt, expiresAt, revokedAt } = apiKey;
      const params = [id, clientId, hash, hint ?? null, iso(createdAt), iso(expiresAt), iso(revokedAt)];
      if (await changesAny(sql.insertApiKey, params)) return;
      await assertClientExists(clientId);
      throw new ClaimlinkError('already_exists', 'An API key with this id or value exists already.');
    },

    async listApiKeys(clientId) {
      const rows = await execute(sql.listApiKeys, [clientId]);
      return rows.map(toApiKey);
    },

    revokeApiKey: (id, at) => changesAny(sql.revokeApiKey, [id, iso(at)]),

    async findApiKey(id) {
      const [row] = await execute(sql.findApiKey, [id]);
      return row && toApiKey(row);
    },

    updateApiKey: (id, { expiresAt }) => changesAny(sql.updateApiKey, [id, iso(expiresAt)]),

    async insertSession({ clientId, userId, ...session }) {
      if (await changesAny(sql.insertSession, [clientId, userId, ...sessionParams(session)])) return;
      await assertClientExists(clientId);
      throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
    },
  };
}

// A statement selects one row more than the page has. If it returns that row, there is a next page.

function toSessionConditions({ clientId, userId, limit, cursor, status }: SessionQuery) {
  const { params, condition } = conditions(clientId, userId, limit + 1);
  let selected = status === undefined ? '' : condition`s.status = ${status}`;
  if (cursor !== undefined) {
    const last = decodeCursor(cursor);
    const createdAt = iso(last.createdAt);
    selected += condition`s.created_at <= ${createdAt}::timestamptz`;
    selected += condition`(s.created_at < ${createdAt}::timestamptz OR s.reference > ${last.reference})`;
  }
  return { params, selected };
}

/** Collects parameters: the tag `condition` returns ` AND ...` with a placeholder for each value. */
function conditions(...params: unknown[]) {
  const condition = (texts: TemplateStringsArray, ...values: unknown[]) =>
    ` AND ${texts.reduce((text, part, index) => `${text}$${params.push(values[index - 1])}${part}`)}`;
  return { params, condition };
}

const STATE_CONDITIONS: Record<LinkState, string> = {
  submitted: ' AND l.submitted_at IS NOT NULL',
  revoked: ' AND l.submitted_at IS NULL AND l.revoked_at IS NOT NULL',
  expired: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL',
  created: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL AND l.opened_at IS NULL',
  opened: ' AND l.submitted_at IS NULL AND l.revoked_at IS NULL AND l.opened_at IS NOT NULL',
};

function toLinkConditions({ clientId, userId, state, at, limit, cursor }: LinkQuery) {
  const { params, condition } = conditions(clientId, limit + 1);
  let selected = userId === undefined ? '' : condition`l.user_id = ${userId}`;
  if (state !== undefined) selected += STATE_CONDITIONS[state];
  if (state === 'expired') selected += condition`l.expires_at <= ${iso(at)}::timestamptz`;
  if (state === 'created' || state === 'opened')
    selected += condition`l.expires_at > ${iso(at)}::timestamptz`;
  if (cursor !== undefined) {
    const last = decodeLinkCursor(cursor);
    const createdAt = iso(last.createdAt);
    // The first condition bounds the range of the index.
    selected += condition`l.user_id >= ${last.userId}`;
    selected += condition`(l.user_id > ${last.userId} OR l.created_at < ${createdAt}::timestamptz OR (l.created_at = ${createdAt}::timestamptz AND l.access_code_hash > ${last.accessCodeHash}))`;
  }
  return { params, selected };
}

function toClientSessionConditions({ clientId, since, limit, cursor }: ClientSessionQuery) {
  const { params, condition } = conditions(clientId, limit + 1);
  let selected = since === undefined ? '' : condition`s.date >= ${iso(since)}::timestamptz`;
  if (cursor !== undefined) {
    const { sequence, date, reference } = decodeSubmissionCursor(cursor);
    selected += condition`(s.sequence, s.date, s.reference) > (${sequence}::bigint, ${iso(date)}::timestamptz, ${reference})`;
  }
  return { params, selected };
}
