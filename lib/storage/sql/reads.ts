// What both SQL storages read: the same statements, and the methods that run one of them.
import type {
  AdminStorage,
  IdempotencyStorage,
  IdempotentLink,
  LifeStorage,
  OutboxStorage,
  RecordStorage,
  SearchStorage,
} from '../../core/storage.js';
import type { Awaitable } from '../../core/types.js';
import {
  API_KEY,
  CLIENT,
  EVENT,
  IDEMPOTENCY,
  LINK,
  PRESENTED_CLIENT,
  PRESENTED_KEY,
  SESSION,
  type Selection,
  columns as sqlColumns,
} from './columns.js';
import {
  clientSessionConditions,
  eventConditions,
  keyMacConditions,
  linkConditions,
  sessionConditions,
} from './conditions.js';
import { toClientSessionPage, toLinkPage, toSessionPage } from './pages.js';
import type { Collect } from './parameters.js';
import {
  type Param,
  type Row,
  toApiKey,
  toClient,
  toCredentials,
  toIdempotentLink,
  toLinkWithClient,
  toMoments,
  toSessionRecord,
} from './rows.js';

/** Names of the tables, as statements write them. */
export interface ReadTables {
  clients: string;
  apiKeys: string;
  sessions: string;
  links: string;
  /** The events that are not delivered yet. */
  outbox: string;
}

/** Returns the statements that do not depend on the database. */
export function createQueries(
  { clients, apiKeys, sessions, links, outbox }: ReadTables,
  selection?: Selection,
) {
  const columns = (alias: string, names: readonly string[]) => sqlColumns(alias, names, selection);
  const listed = columns('s', SESSION);
  /** Selects events `e` with their sessions. A session that was deleted by other means leaves NULLs. */
  const storedEvents = (from: string) => `
SELECT ${columns('e', EVENT)}, s.user_id AS s_user_id, ${listed}
FROM ${from} e
LEFT JOIN ${sessions} s ON s.client_id = e.client_id AND s.reference = e.reference`;

  /** Selects links `l` with their attempts, clients and sessions. */
  const linksWithClients = `
SELECT ${columns('l', [...LINK, 'check_attempts'])}, ${columns('c', CLIENT)}, ${listed}
FROM ${links} l
JOIN ${clients} c ON c.client_id = l.client_id
LEFT JOIN ${sessions} s ON s.client_id = l.client_id AND s.reference = l.session_reference AND s.user_id = l.user_id`;

  return {
    /* `column` is a further one. */
    findCredentials: (column = '') => `
SELECT ${columns('k', PRESENTED_KEY)}, ${columns('c', PRESENTED_CLIENT)}${column}
FROM ${apiKeys} k
LEFT JOIN ${clients} c ON c.client_id = $2
WHERE k.hash = $1`,

    findClient: `
SELECT ${columns('c', CLIENT)}
FROM ${clients} c
WHERE c.client_id = $1`,

    listClients: `
SELECT ${columns('c', CLIENT)}
FROM ${clients} c`,

    listApiKeys: `
SELECT ${columns('k', API_KEY)}
FROM ${apiKeys} k
WHERE k.client_id = $1
ORDER BY k.created_at, k.id`,

    findApiKey: `
SELECT ${columns('k', API_KEY)}
FROM ${apiKeys} k
WHERE k.id = $1`,

    findLink: `${linksWithClients}
WHERE l.client_id = $1 AND l.access_code_hash = $2`,

    findLinks: `${linksWithClients}
WHERE l.access_code_hash = $1`,

    listLinks: (conditions: string) => `
SELECT ${columns('l', LINK)}, l.session_reference AS l_session_reference
FROM ${links} l
WHERE l.client_id = $1${conditions}
ORDER BY l.user_id, l.created_at DESC, l.access_code_hash
LIMIT $2`,

    findIdempotentLinks: (conditions: string) => `
SELECT ${columns('l', ['access_code_hash', 'expires_at', ...IDEMPOTENCY])}
FROM ${links} l
WHERE l.client_id = $1${conditions}`,

    findSession: `
SELECT s.user_id AS s_user_id, ${listed}
FROM ${sessions} s
WHERE s.client_id = $1 AND s.reference = $2`,

    findSessions: `
SELECT s.client_id AS s_client_id, s.user_id AS s_user_id, ${listed}
FROM ${sessions} s
WHERE s.reference = $1`,

    /* Keyset paging on the index (client_id, user_id, created_at DESC, reference), without OFFSET and sort. */
    listSessions: (conditions: string) => `
SELECT ${listed}
FROM ${sessions} s
WHERE s.client_id = $1 AND s.user_id = $2${conditions}
ORDER BY s.created_at DESC, s.reference
LIMIT $3`,

    listClientSessions: (conditions: string) => `
SELECT s.user_id AS s_user_id, CAST(s.sequence AS text) AS s_sequence, ${listed}
FROM ${sessions} s
WHERE s.client_id = $1${conditions}
ORDER BY s.sequence, s.date, s.reference
LIMIT $2`,

    storedEvents,

    listEvents: (state: 'pending' | 'failed', conditions: string) => `${storedEvents(outbox)}
WHERE e.failed_at IS ${state === 'pending' ? '' : 'NOT '}NULL${conditions}
ORDER BY e.${state === 'pending' ? 'next_attempt_at' : 'failed_at'}, e.event_id
LIMIT $1`,

    /* Counts events of each state up to $1. The orders are those of the indexes. */
    countEvents: (conditions: string) => `
SELECT
  (SELECT count(*) FROM (SELECT 1 FROM ${outbox} e WHERE e.failed_at IS NULL${conditions} ORDER BY e.next_attempt_at LIMIT $1) AS counted) AS pending,
  (SELECT count(*) FROM (SELECT 1 FROM ${outbox} e WHERE e.failed_at IS NOT NULL${conditions} ORDER BY e.failed_at LIMIT $1) AS counted) AS failed`,

    settleEvent: `DELETE FROM ${outbox} WHERE client_id = $1 AND event_id = $2`,

    listMoments: `
SELECT ${columns('l', ['moments'])}
FROM ${links} l
WHERE l.client_id = $1 AND l.access_code_hash = $2`,
  };
}

/** The methods that run one of these statements. */
export type Reads = Pick<
  AdminStorage & OutboxStorage & RecordStorage & SearchStorage & IdempotencyStorage & LifeStorage,
  | 'findCredentials'
  | 'findClient'
  | 'listClients'
  | 'listApiKeys'
  | 'findApiKey'
  | 'listLinks'
  | 'findSession'
  | 'findSessions'
  | 'findLinks'
  | 'findIdempotentLink'
  | 'listSessions'
  | 'listClientSessions'
  | 'countEvents'
  | 'listMoments'
>;

/** Creates these methods over a function that runs a statement, and one that collects its parameters. */
export function createReads(
  sql: ReturnType<typeof createQueries>,
  execute: (text: string, params: readonly Param[]) => Awaitable<Row[]>,
  collect: Collect,
): Reads {
  return {
    async findCredentials({ apiKeyHash, clientId }) {
      const [row] = await execute(sql.findCredentials(), [apiKeyHash, clientId]);
      return row ? toCredentials(row) : {};
    },

    async findClient(clientId) {
      const [row] = await execute(sql.findClient, [clientId]);
      return row && toClient(row);
    },

    async listClients() {
      const rows = await execute(sql.listClients, []);
      return rows.map(toClient).filter((client) => client !== undefined);
    },

    async listApiKeys(clientId) {
      return (await execute(sql.listApiKeys, [clientId])).map(toApiKey);
    },

    async findApiKey(id) {
      const [row] = await execute(sql.findApiKey, [id]);
      return row && toApiKey(row);
    },

    async listLinks(query) {
      const { params, bind } = collect(query.clientId, query.limit + 1);
      const statement = sql.listLinks(linkConditions(query, bind));
      return toLinkPage(await execute(statement, params), query);
    },

    async findSession({ clientId, reference }) {
      const [row] = await execute(sql.findSession, [clientId, reference]);
      return row && toSessionRecord(row, clientId);
    },

    async findSessions({ reference }) {
      const rows = await execute(sql.findSessions, [reference]);
      return rows.map((row) => toSessionRecord(row, String(row['s_client_id'])));
    },

    async findLinks({ accessCodeHash }) {
      const rows = await execute(sql.findLinks, [accessCodeHash]);
      return rows.map(toLinkWithClient).filter((link) => link !== undefined);
    },

    async findIdempotentLink({ clientId, keyMacs }) {
      const { params, bind } = collect(clientId);
      const statement = sql.findIdempotentLinks(keyMacConditions(keyMacs, bind));
      const links = (await execute(statement, params)).map(toIdempotentLink);
      const order = ({ keyMac }: IdempotentLink) => keyMacs.indexOf(keyMac);
      return links.sort((a, b) => order(a) - order(b))[0];
    },

    async listSessions(query) {
      const { params, bind } = collect(query.clientId, query.userId, query.limit + 1);
      const statement = sql.listSessions(sessionConditions(query, bind));
      return toSessionPage(await execute(statement, params), query);
    },

    async listClientSessions(query) {
      const { params, bind } = collect(query.clientId, query.limit + 1);
      const statement = sql.listClientSessions(clientSessionConditions(query, bind));
      return toClientSessionPage(await execute(statement, params), query);
    },

    async countEvents({ limit, kind }) {
      const { params, bind } = collect(limit);
      const [row] = await execute(sql.countEvents(eventConditions({ kind }, bind)), params);
      return { pending: Number(row?.['pending']), failed: Number(row?.['failed']) };
    },

    async listMoments({ clientId, accessCodeHash }) {
      const [row] = await execute(sql.listMoments, [clientId, accessCodeHash]);
      return row && toMoments(row);
    },
  };
}
