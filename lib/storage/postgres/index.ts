/**
 * The PostgreSQL storage: durable, and shared by any number of processes.
 *
 * @module claimlink/postgres
 */

import { mustBeNumber, type OptionCheck } from '../../core/assert-options.js';
import { ClaimlinkError } from '../../core/errors.js';
import { isDate } from '../../core/plain-data.js';
import type {
  AdminStorage,
  CheckStorage,
  ClientStorage,
  EventKey,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  LinkRef,
  LinkWithClient,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
  StoredEvent,
  SubmitOutcome,
} from '../../core/storage.js';
import { clientAssignments, type JsonDialect } from '../sql/client-change.js';
import { eventConditions } from '../sql/conditions.js';
import { createCollect } from '../sql/parameters.js';
import { createReads } from '../sql/reads.js';
import {
  apiKeyParams,
  clientParams,
  idempotentLinkParams,
  linkParams,
  momentParam,
  type Param,
  type Row,
  sessionParams,
  toChoice,
  toCredentials,
  toLinkWithClient,
  toSession,
  toStoredEvent,
} from '../sql/rows.js';
import { codeOf, createExecutor, isPg, type PostgresDatabase } from './execute.js';
import { pageColumn, toListedPage } from './listed-page.js';
import { type PostgresTableOptions, TABLE_CHECKS, tableNames } from './statements/tables.js';
import { createStatements } from './statements.js';

export type { PostgresDatabase } from './execute.js';
export {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPostgres,
  fromPrisma,
  fromSequelize,
  fromTypeorm,
  type PostgresJsConnection,
} from './handles.js';
export {
  assertSchema,
  type MigrateOptions,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
} from './migrations.js';
export type { PostgresTableOptions } from './statements/tables.js';

/** Options of `createPostgresStorage`. */
export interface PostgresStorageOptions extends PostgresTableOptions {
  /**
   * Uses prepared statements: the database parses and plans each statement once per connection, not once per call. This needs
   * `pg`. `auto`: if a pooler does not support them, the first statement that fails for this reason is repeated without
   * preparation, and the storage prepares no further ones; Node emits one warning. `true`: such a statement fails. Default:
   * `auto` for a Pool or a Client of `pg`, false for others.
   */
  prepareStatements?: boolean | 'auto';
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
  prepareStatements: (value) =>
    typeof value === 'boolean' || value === 'auto' ? undefined : "must be true, false or 'auto'",
  queryTimeoutSeconds: (value) => (value === false ? undefined : isSeconds(value)),
};

/** A storage over PostgreSQL. */
export interface PostgresStorage
  extends AdminStorage,
    OutboxStorage,
    RecordStorage,
    SearchStorage,
    CheckStorage,
    IdempotencyStorage,
    LifeStorage,
    KeyUseStorage,
    ClientStorage {}

/** SQLSTATE for a key that exists already. Random hashes do not collide, so a link is inserted without ON CONFLICT. */
const UNIQUE_VIOLATION = '23505';

/** PostgreSQL cannot infer the types of the values that a query is restricted to. */
const collect = createCollect((value) =>
  isDate(value) ? '::timestamptz' : typeof value === 'number' ? '::bigint' : '',
);

/** JSON is passed as text. */
const JSONB: JsonDialect = {
  toJson: (text) => `${text}::text::jsonb`,
  setMember: (object, name, value, bind) =>
    `${object} || jsonb_build_object(${bind(name)}::text, ${bind(value)}::text::jsonb)`,
  removeMember: (object, name, bind) => `(${object}) - ${bind(name)}::text`,
};

/** Maximum number of rows that one statement of a sweep or of `retryEvents` changes. */
const SWEEP_SIZE = 5000;

/**
 * Creates a storage over PostgreSQL 13 or newer. `migrate(database)` creates its tables.
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
  const {
    prepareStatements = isPg(database) && 'auto',
    queryTimeoutSeconds = isPg(database) && DEFAULT_QUERY_TIMEOUT_SECONDS,
  } = options;
  const execute = createExecutor(database, { prepareStatements, queryTimeoutSeconds });

  /** Runs a statement that returns a row for each change. Returns their number. */
  async function countRows(statement: string, params: readonly Param[]): Promise<number> {
    return (await execute(statement, params)).length;
  }

  /** Runs a statement that returns a row for each change. Returns whether it changed anything. */
  async function changesAny(statement: string, params: readonly Param[]): Promise<boolean> {
    return (await countRows(statement, params)) > 0;
  }

  /** Runs a statement that returns a count. */
  async function count(statement: string, params: readonly Param[]): Promise<number> {
    const [row] = await execute(statement, params);
    return Number(row?.['count']);
  }

  /** Repeats a change of up to `SWEEP_SIZE` rows until it changes fewer. Returns the number of all. */
  async function sweep(change: () => Promise<number>): Promise<number> {
    let changed = 0;
    let rows: number;
    do {
      rows = await change();
      changed += rows;
    } while (rows === SWEEP_SIZE);
    return changed;
  }

  async function settleEvent({ clientId, id }: EventKey): Promise<void> {
    await execute(sql.settleEvent, [clientId, id]);
  }

  /** Returns the events of rows. Deletes an event whose session was deleted with SQL: there is nothing to deliver. */
  async function toEvents(rows: readonly Row[]): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (const event of rows.map(toStoredEvent)) {
      if ('attempts' in event) events.push(event);
      else await settleEvent(event);
    }
    return events;
  }

  async function findLink({ clientId, accessCodeHash }: LinkRef): Promise<LinkWithClient | undefined> {
    const [row] = await execute(sql.findLink, [clientId, accessCodeHash]);
    return row && toLinkWithClient(row);
  }

  async function assertClientExists(clientId: string): Promise<void> {
    if ((await execute(sql.findClient, [clientId])).length === 0)
      throw new ClaimlinkError('client_not_found');
  }

  return {
    ...createReads(sql, execute, collect),

    async findCredentials({ apiKeyHash, clientId, listing }) {
      const { params, bind } = collect(apiKeyHash, clientId);
      const page = listing && pageColumn(sql, listing, bind);
      const [row] = await execute(sql.findCredentials(page), params);
      return row ? { ...toCredentials(row), ...(listing && toListedPage(row, listing)) } : {};
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

    insertLinkOnce: (link, idempotency) =>
      changesAny(sql.insertLinkOnce, idempotentLinkParams(link, idempotency)),

    findLink,

    async markLinkOpened({ clientId, accessCodeHash, at }) {
      await execute(sql.markLinkOpened, [clientId, accessCodeHash, at]);
    },

    async submitLink({ clientId, accessCodeHash, at, session, event }) {
      const params = [
        clientId,
        accessCodeHash,
        at,
        ...sessionParams(session),
        event?.id,
        event?.attempts,
        event?.nextAttemptAt,
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
      changesAny(sql.revokeLink, [clientId, accessCodeHash, at]),

    async takeAttempt({ clientId, accessCodeHash, limit }) {
      const [row] = await execute(sql.takeAttempt, [clientId, accessCodeHash, limit]);
      return row && Number(row['attempts']);
    },

    async returnAttempt({ clientId, accessCodeHash }) {
      await execute(sql.returnAttempt, [clientId, accessCodeHash]);
    },

    unlockLink: ({ clientId, accessCodeHash }) => changesAny(sql.unlockLink, [clientId, accessCodeHash]),

    deleteExpiredLinks: (before, at) => sweep(() => count(sql.deleteExpiredLinks, [before, SWEEP_SIZE, at])),

    async leaseEvents({ at, leaseUntil, limit, kind }) {
      const { params, bind } = collect(at, leaseUntil, limit);
      const statement = sql.leaseEvents(eventConditions({ ...(kind && { kind }) }, bind));
      for (;;) {
        const rows = await execute(statement, params);
        const events = await toEvents(rows);
        // A batch of events without sessions does not mean that no other event is due.
        if (events.length > 0 || rows.length === 0) return events;
      }
    },

    settleEvent,

    async postponeEvent({ clientId, id, attempts, nextAttemptAt, failedAt, reason }) {
      await execute(sql.postponeEvent, [clientId, id, attempts, nextAttemptAt, failedAt, reason]);
    },

    async listEvents({ state, limit, ...selection }) {
      const { params, bind } = collect(limit);
      const selected = eventConditions(selection, bind);
      return toEvents(await execute(sql.listEvents(state, selected), params));
    },

    async retryEvents({ at, ...selection }) {
      const { params, bind } = collect(at, SWEEP_SIZE);
      const statement = sql.retryEvents(eventConditions(selection, bind));
      return sweep(() => countRows(statement, params));
    },

    async chooseEvents({ types, expiryNoticeSeconds }) {
      return toChoice(await execute(sql.chooseEvents, [JSON.stringify(types), expiryNoticeSeconds]));
    },

    addMoment({ clientId, accessCodeHash, moment, sequence, revoke }) {
      const { type, at, why } = moment;
      const params = [clientId, accessCodeHash, at, momentParam(moment), sequence, type, why];
      return changesAny(sql.addMoment(revoke), params);
    },

    addDueMoments: ({ at, limit }) => count(sql.addDueMoments, [at, limit]),

    async updateSession({ clientId, reference, status, camsReference }) {
      const [row = {}] = await execute(sql.updateSession, [clientId, reference, status, camsReference]);
      return toSession(row);
    },

    revokeLinks: ({ clientId, userId, at }) =>
      count(sql.revokeLinks(userId === undefined ? 'all' : 'one'), [clientId, userId ?? '', at]),

    async deleteUser({ clientId, userId, at }) {
      // Two statements: the first waits for submissions that run, and prevents further ones. The second one sees
      // the sessions that they inserted.
      const links = await count(sql.deleteLinksOfUser, [clientId, userId, at]);
      const [row = {}] = await execute(sql.deleteSessionsOfUser, [clientId, userId, at]);
      return { sessions: Number(row['sessions']), links, events: Number(row['events']) };
    },

    deleteSessions: (before, at) => sweep(() => count(sql.deleteSessions, [before, SWEEP_SIZE, at])),

    reduceExpiredLinks: (before) => sweep(() => countRows(sql.reduceExpiredLinks, [before, SWEEP_SIZE])),

    async insertClient(client) {
      if (!(await changesAny(sql.insertClient, clientParams(client)))) {
        throw new ClaimlinkError('already_exists', 'A client with this id exists already.');
      }
    },

    async updateClient(client) {
      return changesAny(sql.updateClient, clientParams(client));
    },

    changeClient(change) {
      const { params, bind } = collect(change.clientId);
      const assignments = clientAssignments(change, bind, JSONB);
      return changesAny(sql.changeClient(assignments), params);
    },

    async deleteClient(clientId, at) {
      const deleted = (await count(sql.deleteClient, [clientId, at])) > 0;
      // The first statement waits for submissions and insertions that run, and does not see what they insert.
      if (deleted) await execute(sql.deleteRestOfClient, [clientId, at]);
      return deleted;
    },

    async insertApiKey(apiKey) {
      if (await changesAny(sql.insertApiKey, apiKeyParams(apiKey))) return;
      await assertClientExists(apiKey.clientId);
      throw new ClaimlinkError('already_exists', 'An API key with this id or value exists already.');
    },

    revokeApiKey: (id, at) => changesAny(sql.revokeApiKey, [id, at]),

    updateApiKey: (id, { expiresAt }) => changesAny(sql.updateApiKey, [id, expiresAt]),

    async recordKeyUse({ apiKeyHash, at }) {
      await execute(sql.recordKeyUse, [apiKeyHash, at]);
    },

    async insertSession({ clientId, userId, ...session }) {
      if (await changesAny(sql.insertSession, [clientId, userId, ...sessionParams(session)])) return;
      await assertClientExists(clientId);
      throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
    },
  };
}
