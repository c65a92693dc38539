/**
 * The SQLite storage: one file, for a service of one process.
 *
 * @module claimlink/sqlite
 */

import type { OptionChecks } from '../../core/assert-options.js';
import { ClaimlinkError } from '../../core/errors.js';
import { isUsable, linkState } from '../../core/link-state.js';
import type {
  AdminStorage,
  EventKey,
  LinkRef,
  LinkWithClient,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
  StoredEvent,
  SubmitOutcome,
} from '../../core/storage.js';
import {
  type Bind,
  clientSessionConditions,
  eventConditions,
  linkConditions,
  sessionConditions,
} from '../sql/conditions.js';
import { toClientSessionPage, toLinkPage, toSessionPage } from '../sql/pages.js';
import {
  apiKeyParams,
  clientParams,
  linkParams,
  type Param,
  type Row,
  sessionParams,
  toApiKey,
  toClient,
  toCredentials,
  toLinkWithClient,
  toSession,
  toSessionRecord,
  toStoredEvent,
} from '../sql/rows.js';
import { createExecutor, type SqliteDatabase } from './execute.js';
import { type SqliteTableOptions, TABLE_CHECKS, tableNames } from './migrations.js';
import { createStatements } from './statements.js';

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './execute.js';
export {
  assertSchema,
  type MigrateOptions,
  migrate,
  migrationSql,
  SCHEMA_VERSION,
  type SqliteTableOptions,
} from './migrations.js';

/** Options of `createSqliteStorage`. */
export interface SqliteStorageOptions extends SqliteTableOptions {
  /**
   * When a write is acknowledged. `full`: after the disk has it. `normal`: before, so that a power cut or a crash of the
   * operating system may lose the last writes; a crash of the process loses none. Default: `full`.
   */
  synchronous?: 'full' | 'normal';
}

const CHECKS: OptionChecks<SqliteStorageOptions> = {
  ...TABLE_CHECKS,
  synchronous: (value) =>
    value === 'full' || value === 'normal' ? undefined : 'must be one of: full, normal',
};

/** A storage over SQLite. */
export interface SqliteStorage extends AdminStorage, OutboxStorage, RecordStorage, SearchStorage {}

/** Maximum number of rows that one statement of a sweep changes. */
const SWEEP_SIZE = 1000;

/**
 * Creates a storage over a connection to SQLite 3.38 or newer: a `DatabaseSync` of node:sqlite, or a `Database` of
 * better-sqlite3, libsql or bun:sqlite. `migrate(database)` creates its tables.
 *
 * The connection must belong to claimlink alone. The storage sets it to WAL, and to wait up to five seconds for the locks
 * of other connections. A call that writes several rows is a transaction. If the database is not available it throws
 * `storage_unavailable`; callers get a 503. It opens no connection and has no `close`: close your database yourself.
 * @throws `options_invalid` for a value that is not such a connection, and for an unknown or invalid option;
 * `storage_unavailable`.
 */
export function createSqliteStorage(
  database: SqliteDatabase,
  options: SqliteStorageOptions = {},
): SqliteStorage {
  const sql = createStatements(tableNames(options, CHECKS));
  const { exec, all, run, transaction } = createExecutor(database);
  exec(`PRAGMA synchronous = ${options.synchronous ?? 'full'}`);

  /** Runs a statement. Returns whether it changed a row. */
  const changesAny = (statement: string, params: readonly Param[]) => run(statement, params) > 0;

  /** Repeats a call that changes a limited number of rows until it changes fewer. Lets others run in between. */
  async function sweep(change: (limit: number) => number): Promise<number> {
    let total = 0;
    for (;;) {
      const changed = change(SWEEP_SIZE);
      total += changed;
      if (changed < SWEEP_SIZE) return total;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  function findLink({ clientId, accessCodeHash }: LinkRef): LinkWithClient | undefined {
    const [row] = all(sql.findLink, [clientId, accessCodeHash]);
    return row && toLinkWithClient(row);
  }

  function findSession(clientId: string, reference: string): Row | undefined {
    return all(sql.findSession, [clientId, reference])[0];
  }

  function settleEvent({ clientId, reference, id }: EventKey): void {
    run(sql.settleEvent, [clientId, reference, id]);
  }

  /** Returns the events of rows. Deletes an event whose session was deleted with SQL: there is nothing to deliver. */
  function toEvents(rows: readonly Row[]): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (const event of rows.map(toStoredEvent)) {
      if ('session' in event) events.push(event);
      else settleEvent(event);
    }
    return events;
  }

  /** Inserts a row that belongs to a client, or throws `client_not_found` or `already_exists`. */
  function insertOfClient(clientId: string, statement: string, params: readonly Param[], what: string): void {
    transaction(() => {
      if (all(sql.findClient, [clientId]).length === 0) throw new ClaimlinkError('client_not_found');
      if (!changesAny(statement, params))
        throw new ClaimlinkError('already_exists', `${what} exists already.`);
    });
  }

  return {
    findCredentials({ apiKeyHash, clientId }) {
      const [row] = all(sql.findCredentials, [clientId, apiKeyHash]);
      return row ? toCredentials(row) : {};
    },

    findClient(clientId) {
      const [row] = all(sql.findClient, [clientId]);
      return row && toClient(row);
    },

    listSessions(query) {
      const { params, bind } = collectParams(query.clientId, query.userId);
      const statement = sql.listSessions(sessionConditions(query, bind));
      return toSessionPage(all(statement, [...params, query.limit + 1]), query);
    },

    insertLink: (link) => changesAny(sql.insertLink, linkParams(link)),

    findLink,

    markLinkOpened({ clientId, accessCodeHash, at }) {
      run(sql.markLinkOpened, [at, clientId, accessCodeHash]);
    },

    submitLink: ({ clientId, accessCodeHash, at, session, event }) =>
      transaction((): SubmitOutcome => {
        const stored = findLink({ clientId, accessCodeHash });
        if (stored === undefined) return { outcome: 'not_found' };
        const state = linkState(stored.link, at);
        if (state === 'submitted')
          return stored.session
            ? { outcome: 'already_submitted', session: stored.session }
            : { outcome: 'not_found' };
        if (!isUsable(state)) return { outcome: state };
        const { reference } = session;
        if (!changesAny(sql.insertSession, [clientId, stored.link.userId, ...sessionParams(session)]))
          return { outcome: 'reference_taken' };
        run(sql.markLinkSubmitted, [at, reference, clientId, accessCodeHash]);
        if (event) run(sql.recordEvent, [clientId, reference, event.id, event.attempts, event.nextAttemptAt]);
        return { outcome: 'submitted', session };
      }),

    revokeLink: ({ clientId, accessCodeHash, at }) =>
      changesAny(sql.revokeLink, [at, clientId, accessCodeHash, at]),

    deleteExpiredLinks: (before) => sweep((limit) => run(sql.deleteExpiredLinks, [before, limit])),

    leaseEvents: ({ at, leaseUntil, limit }) =>
      transaction(() => {
        let rows: readonly Row[];
        let due: StoredEvent[];
        // A batch of events without sessions does not mean that no other event is due.
        do {
          rows = all(sql.dueEvents, [at, limit]);
          due = toEvents(rows);
        } while (due.length === 0 && rows.length > 0);
        for (const { clientId, reference } of due) run(sql.leaseEvent, [leaseUntil, clientId, reference]);
        return due.map((event) => ({ ...event, attempts: event.attempts + 1, nextAttemptAt: leaseUntil }));
      }),

    settleEvent,

    postponeEvent({ clientId, reference, id, attempts, nextAttemptAt, failedAt, reason }) {
      run(sql.postponeEvent, [nextAttemptAt, failedAt, reason, clientId, reference, id, attempts]);
    },

    countEvents({ limit }) {
      const [row] = all(sql.countEvents, [limit, limit]);
      return { pending: Number(row?.['pending']), failed: Number(row?.['failed']) };
    },

    listEvents({ state, clientId, limit }) {
      const { params, bind } = collectParams();
      const statement = sql.listEvents(state, eventConditions({ clientId }, bind));
      return toEvents(all(statement, [...params, limit]));
    },

    retryEvents({ clientId, reference, at }) {
      const { params, bind } = collectParams(at);
      return run(sql.retryEvents(eventConditions({ clientId, reference }, bind)), params);
    },

    findSession({ clientId, reference }) {
      const row = findSession(clientId, reference);
      return row && toSessionRecord(row, clientId);
    },

    updateSession: ({ clientId, reference, status, camsReference }) =>
      transaction(() => {
        run(sql.updateSession, [status, camsReference, clientId, reference]);
        return toSession(findSession(clientId, reference) ?? {});
      }),

    listLinks(query) {
      const { params, bind } = collectParams(query.clientId);
      const statement = sql.listLinks(linkConditions(query, bind));
      return toLinkPage(all(statement, [...params, query.limit + 1]), query);
    },

    revokeLinks: ({ clientId, userId, at }) =>
      run(sql.revokeLinks(userId === undefined ? 'all' : 'one'), [at, clientId, userId ?? '', at]),

    listClientSessions(query) {
      const { params, bind } = collectParams(query.clientId);
      const statement = sql.listClientSessions(clientSessionConditions(query, bind));
      return toClientSessionPage(all(statement, [...params, query.limit + 1]), query);
    },

    deleteUser: ({ clientId, userId }) =>
      transaction(() => ({
        events: run(sql.deleteEventsOfUser, [clientId, clientId, userId]),
        sessions: run(sql.deleteSessionsOfUser, [clientId, userId]),
        links: run(sql.deleteLinksOfUser, [clientId, userId]),
      })),

    deleteSessions: (before) =>
      sweep((limit) =>
        transaction(() => {
          run(sql.deleteEventsOfSessions, [before, limit]);
          return run(sql.deleteSessions, [before, limit]);
        }),
      ),

    reduceExpiredLinks: (before) => sweep((limit) => run(sql.reduceExpiredLinks, [before, limit])),

    findSessions: ({ reference }) =>
      all(sql.findSessions, [reference]).map((row) => toSessionRecord(row, String(row['s_client_id']))),

    findLinks: ({ accessCodeHash }) =>
      all(sql.findLinks, [accessCodeHash])
        .map(toLinkWithClient)
        .filter((link) => link !== undefined),

    insertClient(client) {
      if (!changesAny(sql.insertClient, clientParams(client)))
        throw new ClaimlinkError('already_exists', 'A client with this id exists already.');
    },

    listClients: () =>
      all(sql.listClients, [])
        .map(toClient)
        .filter((client) => client !== undefined),

    updateClient: (client) => changesAny(sql.updateClient, [...clientParams(client), client.clientId]),

    deleteClient: (clientId) =>
      transaction(() => {
        for (const statement of sql.deleteOfClient) run(statement, [clientId]);
        return changesAny(sql.deleteClient, [clientId]);
      }),

    insertApiKey(apiKey) {
      insertOfClient(
        apiKey.clientId,
        sql.insertApiKey,
        apiKeyParams(apiKey),
        'An API key with this id or value',
      );
    },

    listApiKeys: (clientId) => all(sql.listApiKeys, [clientId]).map(toApiKey),

    revokeApiKey: (id, at) => changesAny(sql.revokeApiKey, [at, id]),

    findApiKey(id) {
      const [row] = all(sql.findApiKey, [id]);
      return row && toApiKey(row);
    },

    updateApiKey: (id, { expiresAt }) => changesAny(sql.updateApiKey, [expiresAt, id]),

    insertSession({ clientId, userId, ...session }) {
      const params = [clientId, userId, ...sessionParams(session)];
      insertOfClient(clientId, sql.insertSession, params, 'A session with this reference');
    },
  };
}

/** Collects parameters in the order of their placeholders. `bind` adds one and returns its placeholder. */
function collectParams(...params: Param[]): { params: Param[]; bind: Bind } {
  const bind: Bind = (value) => {
    params.push(value);
    return '?';
  };
  return { params, bind };
}
