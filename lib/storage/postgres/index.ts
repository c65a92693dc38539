/**
 * The PostgreSQL storage: durable, and shared by any number of processes.
 *
 * @module claimlink/postgres
 */

import { assertClientSettings } from '../../core/client-settings.js';
import { decodeCursor, encodeCursor } from '../../core/cursor.js';
import { ClaimlinkError, invalidOptions } from '../../core/errors.js';
import type { AdminStorage, LinkId, LinkWithClient, SessionQuery } from '../../core/storage.js';
import type { Session, SessionPage } from '../../core/types.js';
import { assertClientId } from '../../core/validators.js';
import { createExecutor, type PostgresDatabase, type Row } from './execute.js';
import { clientParams, toApiKey, toClient, toLink, toPresentedKey, toSession } from './rows.js';
import { createStatements, type PostgresTableOptions, tableNames } from './statements.js';

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
}

/** Maximum number of links that one statement of a sweep deletes. */
const SWEEP_SIZE = 5000;

/**
 * Creates a storage over PostgreSQL 13 or newer, or a compatible database. `migrate(database)` creates its tables.
 *
 * Every method runs single statements, so the storage works over a pool, behind a pooler in transaction mode, and in
 * any number of processes. It repeats a statement after a serialization failure or a deadlock, up to three times. If
 * the database cannot be reached it throws `storage_unavailable`; callers get a 503. It opens no connection and has
 * no `close`: end your pool yourself.
 * @throws `options_invalid` for an invalid schema, prefix or `prepareStatements`.
 */
export function createPostgresStorage(
  database: PostgresDatabase,
  options: PostgresStorageOptions = {},
): AdminStorage {
  const sql = createStatements(tableNames(options));
  const { prepareStatements = false } = options;
  if (typeof prepareStatements !== 'boolean')
    throw invalidOptions([{ pointer: '/prepareStatements', rule: 'type', detail: 'must be true or false' }]);
  const execute = createExecutor(database, prepareStatements);

  /** Runs a statement that returns a row for each change. Returns whether it changed anything. */
  async function changes(statement: string, params: readonly unknown[]): Promise<boolean> {
    return (await execute(statement, params)).length > 0;
  }

  async function findLink({ clientId, accessCodeHash }: LinkId): Promise<LinkWithClient | undefined> {
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
    findCredentials: ({ apiKeyHash, clientId }) =>
      execute(sql.findCredentials, [apiKeyHash, clientId]).then(([row = {}]) => {
        const apiKey = toPresentedKey(row);
        const client = toClient(row);
        return { ...(apiKey && { apiKey }), ...(client && { client }) };
      }),

    async findClient(clientId) {
      const [row = {}] = await execute(sql.findClient, [clientId]);
      return toClient(row);
    },

    async listSessions(query) {
      const [statement, params] = toListStatement(query);
      const rows = await execute(sql[statement], params);
      return toPage(rows, query.limit);
    },

    insertLink: (link) =>
      changes(sql.insertLink, [
        link.clientId,
        link.accessCodeHash,
        link.userId,
        link.callbackUrl,
        link.callbackOnSubmit,
        JSON.stringify(link.config),
        iso(link.createdAt),
        iso(link.expiresAt),
        iso(link.openedAt),
        iso(link.revokedAt),
        iso(link.submittedAt),
      ]),

    findLink,

    async markLinkOpened({ clientId, accessCodeHash, at }) {
      await execute(sql.markLinkOpened, [clientId, accessCodeHash, iso(at)]);
    },

    async submitLink({ clientId, accessCodeHash, at, session }) {
      const params = [clientId, accessCodeHash, iso(at), ...sessionParams(session)];
      const [row] = await execute(sql.submitLink, params);
      switch (row?.['outcome']) {
        case 'submitted':
          return { outcome: 'submitted', session };
        case 'already_submitted': {
          // A statement that waited for the first submission does not see the session that it inserted.
          const first = (await findLink({ clientId, accessCodeHash }))?.session;
          return first ? { outcome: 'already_submitted', session: first } : { outcome: 'not_found' };
        }
        case 'expired':
          return { outcome: 'expired' };
        case 'revoked':
          return { outcome: 'revoked' };
        case 'reference_taken':
          return { outcome: 'reference_taken' };
        default:
          return { outcome: 'not_found' };
      }
    },

    revokeLink: ({ clientId, accessCodeHash, at }) =>
      changes(sql.revokeLink, [clientId, accessCodeHash, iso(at)]),

    async deleteExpiredLinks(before) {
      let deleted = 0;
      for (;;) {
        const { length } = await execute(sql.deleteExpiredLinks, [iso(before), SWEEP_SIZE]);
        deleted += length;
        if (length < SWEEP_SIZE) return deleted;
      }
    },

    async insertClient(client) {
      assertClientId(client.clientId);
      assertClientSettings(client);
      if (!(await changes(sql.insertClient, clientParams(client)))) {
        throw new ClaimlinkError('already_exists', 'A client with this id exists already.');
      }
    },

    async listClients() {
      const rows = await execute(sql.listClients, []);
      return rows.map(toClient).filter((client) => client !== undefined);
    },

    async updateClient(client) {
      assertClientSettings(client);
      return changes(sql.updateClient, clientParams(client));
    },

    deleteClient: (clientId) => changes(sql.deleteClient, [clientId]),

    async insertApiKey(apiKey) {
      const { id, clientId, hash, hint, createdAt, expiresAt, revokedAt } = apiKey;
      const params = [id, clientId, hash, hint ?? null, iso(createdAt), iso(expiresAt), iso(revokedAt)];
      if (await changes(sql.insertApiKey, params)) return;
      await assertClientExists(clientId);
      throw new ClaimlinkError('already_exists', 'An API key with this id or value exists already.');
    },

    async listApiKeys(clientId) {
      const rows = await execute(sql.listApiKeys, [clientId]);
      return rows.map(toApiKey);
    },

    revokeApiKey: (id, at) => changes(sql.revokeApiKey, [id, iso(at)]),

    async findApiKey(id) {
      const [row] = await execute(sql.findApiKey, [id]);
      return row && toApiKey(row);
    },

    updateApiKey: (id, { expiresAt }) => changes(sql.updateApiKey, [id, iso(expiresAt)]),

    async insertSession({ clientId, userId, ...session }) {
      if (await changes(sql.insertSession, [clientId, userId, ...sessionParams(session)])) return;
      await assertClientExists(clientId);
      throw new ClaimlinkError('already_exists', 'A session with this reference exists already.');
    },
  };
}

type ListStatement = 'list' | 'listAfter' | 'listStatus' | 'listStatusAfter';

function toListStatement(query: SessionQuery): [ListStatement, unknown[]] {
  const { clientId, userId, limit, cursor, status } = query;
  // One more than the limit shows whether there is a next page.
  const params: unknown[] = [clientId, userId, limit + 1];
  if (status !== undefined) params.push(status);
  if (cursor === undefined) return [status === undefined ? 'list' : 'listStatus', params];
  const { createdAt, reference } = decodeCursor(cursor);
  params.push(iso(createdAt), reference);
  return [status === undefined ? 'listAfter' : 'listStatusAfter', params];
}

function toPage(rows: readonly Row[], limit: number): SessionPage {
  const sessions: Session[] = [];
  for (const row of rows) {
    const session = toSession(row);
    if (session !== undefined) sessions.push(session);
  }
  const last = sessions.length > limit ? sessions[limit - 1] : undefined;
  if (last === undefined) return { sessions };
  return { sessions: sessions.slice(0, limit), nextCursor: encodeCursor(last) };
}

/** Returns the parameters in the order of the statements that insert a session. */
function sessionParams(session: Session): unknown[] {
  return [
    session.reference,
    iso(session.date),
    session.camsReference,
    session.status,
    iso(session.createdAt),
    JSON.stringify(session.selectedPolicy),
    session.incident === undefined ? null : JSON.stringify(session.incident),
    session.extra === undefined ? null : JSON.stringify(session.extra),
  ];
}

/** Returns text with its time zone, which does not depend on settings of driver, process or server. */
function iso(date: Date | undefined): string | null {
  return date === undefined ? null : date.toISOString();
}
