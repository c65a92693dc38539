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
  CheckStorage,
  ClientStorage,
  IdempotencyStorage,
  KeyUseStorage,
  LifeStorage,
  LinkRef,
  LinkWithClient,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
  SubmitOutcome,
} from '../../core/storage.js';
import { clientAssignments, type JsonDialect } from '../sql/client-change.js';
import { createCollect } from '../sql/parameters.js';
import { createReads } from '../sql/reads.js';
import {
  apiKeyParams,
  clientParams,
  idempotentLinkParams,
  linkParams,
  momentParam,
  type Param,
  sessionParams,
  submissionEventParams,
  toLinkWithClient,
  toSession,
} from '../sql/rows.js';
import { createExecutor, type SqliteDatabase } from './execute.js';
import { createSqliteLife } from './life.js';
import { type SqliteTableOptions, TABLE_CHECKS, tableNames } from './migrations.js';
import { createSqliteOutbox } from './outbox.js';
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
export interface SqliteStorage
  extends AdminStorage,
    OutboxStorage,
    RecordStorage,
    SearchStorage,
    CheckStorage,
    IdempotencyStorage,
    LifeStorage,
    KeyUseStorage,
    ClientStorage {}

const collect = createCollect();

const JSON_TEXT: JsonDialect = {
  toJson: (text) => text,
  setMember: (object, name, value, bind) => `json_set(${object}, ${bind(`$.${name}`)}, json(${bind(value)}))`,
  removeMember: (object, name, bind) => `json_remove(${object}, ${bind(`$.${name}`)})`,
};

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
  const executor = createExecutor(database);
  const { exec, all, run, transaction } = executor;
  const life = createSqliteLife(executor, sql);
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

  /** Inserts a row that belongs to a client, or throws `client_not_found` or `already_exists`. */
  function insertOfClient(clientId: string, statement: string, params: readonly Param[], what: string): void {
    transaction(() => {
      if (all(sql.findClient, [clientId]).length === 0) throw new ClaimlinkError('client_not_found');
      if (!changesAny(statement, params))
        throw new ClaimlinkError('already_exists', `${what} exists already.`);
    });
  }

  return {
    ...createReads(sql, all, collect),
    ...life.storage,
    ...createSqliteOutbox(executor, sql, collect),

    insertLink: (link) => changesAny(sql.insertLink, [...linkParams(link), life.noticeOf(link)]),

    insertLinkOnce: (link, idempotency) =>
      changesAny(sql.insertLinkOnce, [...idempotentLinkParams(link, idempotency), life.noticeOf(link)]),

    findLink,

    markLinkOpened({ clientId, accessCodeHash, at }) {
      run(sql.markLinkOpened, [clientId, accessCodeHash, at]);
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
        run(sql.markLinkSubmitted, [clientId, accessCodeHash, at, reference]);
        if (event) run(sql.replaceEvent, submissionEventParams({ clientId, reference }, event));
        return { outcome: 'submitted', session };
      }),

    revokeLink: ({ clientId, accessCodeHash, at }) =>
      transaction(() => {
        const moment = { type: 'link.revoked', at } as const;
        const query = [clientId, accessCodeHash, at];
        life.recordRevocation(sql.usableLink, query, moment);
        return changesAny(sql.revokeLink, [...query, momentParam(moment)]);
      }),

    takeAttempt: ({ clientId, accessCodeHash, limit }) =>
      transaction(() => {
        if (!changesAny(sql.takeAttempt, [clientId, accessCodeHash, limit])) return undefined;
        const [row] = all(sql.attemptsOfLink, [clientId, accessCodeHash]);
        return Number(row?.['attempts']);
      }),

    returnAttempt({ clientId, accessCodeHash }) {
      run(sql.returnAttempt, [clientId, accessCodeHash]);
    },

    unlockLink: ({ clientId, accessCodeHash }) => changesAny(sql.unlockLink, [clientId, accessCodeHash]),

    deleteExpiredLinks: (before, at) =>
      sweep((limit) =>
        transaction(() => {
          life.recordDeletion(sql.removedExpiredLinks, [before, limit], 'retention', at);
          return run(sql.deleteExpiredLinks, [before, limit]);
        }),
      ),

    updateSession: ({ clientId, reference, status, camsReference }) =>
      transaction(() => {
        run(sql.updateSession, [clientId, reference, status, camsReference]);
        const [row = {}] = all(sql.findSession, [clientId, reference]);
        return toSession(row);
      }),

    revokeLinks: ({ clientId, userId, at }) =>
      transaction(() => {
        const users = userId === undefined ? 'all' : 'one';
        const moment = { type: 'link.revoked', at } as const;
        const query = [clientId, userId ?? '', at];
        life.recordRevocation(sql.usableLinks(users), query, moment);
        return run(sql.revokeLinks(users), [...query, momentParam(moment)]);
      }),

    deleteUser: ({ clientId, userId, at }) =>
      transaction(() => {
        const user = [clientId, userId];
        life.recordDeletion(sql.removedLinksOfUser, user, 'user', at);
        const links = run(sql.deleteLinksOfUser, user);
        life.recordDeletion(sql.removedSessionsOfUser, user, 'user', at);
        const events = run(sql.deleteEventsOfUser, user);
        return { events, sessions: run(sql.deleteSessionsOfUser, user), links };
      }),

    deleteSessions: (before, at) =>
      sweep((limit) =>
        transaction(() => {
          life.recordDeletion(sql.removedSessions, [before, limit], 'retention', at);
          run(sql.deleteEventsOfSessions, [before, limit]);
          return run(sql.deleteSessions, [before, limit]);
        }),
      ),

    reduceExpiredLinks: (before) => sweep((limit) => run(sql.reduceExpiredLinks, [before, limit])),

    insertClient(client) {
      if (!changesAny(sql.insertClient, clientParams(client)))
        throw new ClaimlinkError('already_exists', 'A client with this id exists already.');
    },

    updateClient: (client) => changesAny(sql.updateClient, clientParams(client)),

    changeClient(change) {
      const { params, bind } = collect(change.clientId);
      return changesAny(sql.changeClient(clientAssignments(change, bind, JSON_TEXT)), params);
    },

    deleteClient: (clientId, at) =>
      transaction(() => {
        life.recordDeletion(sql.removedLinksOfClient, [clientId], 'client', at);
        life.recordDeletion(sql.removedSessionsOfClient, [clientId], 'client', at);
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

    revokeApiKey: (id, at) => changesAny(sql.revokeApiKey, [id, at]),

    updateApiKey: (id, { expiresAt }) => changesAny(sql.updateApiKey, [id, expiresAt]),

    recordKeyUse({ apiKeyHash, at }) {
      run(sql.recordKeyUse, [apiKeyHash, at]);
    },

    insertSession({ clientId, userId, ...session }) {
      const params = [clientId, userId, ...sessionParams(session)];
      insertOfClient(clientId, sql.insertSession, params, 'A session with this reference');
    },
  };
}
