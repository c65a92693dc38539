// A storage over MariaDB 10.6 or later, with every interface of lib/core/storage.ts. docs/own-storage.md is its commentary.
// sql.mjs runs its statements, and life.mjs has the moments of links and records their events.
import { ClaimlinkError } from 'claimlink';
import {
  changedClient,
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
  reduceConfig,
} from 'claimlink/storage';
import {
  createLifeStorage,
  END_LINK,
  EVENT,
  INSERT_EVENT,
  isUsable,
  LIFE_TABLES,
  lockLink,
  lockUsableLinks,
  noticeOf,
  recordDeletion,
  revoke,
  SAME_LINK,
} from './life.mjs';
import {
  assignments,
  boolean,
  columns,
  createExecutor,
  datedJson,
  insert,
  insertInto,
  json,
  read,
  record,
  text,
  time,
  toList,
  write,
} from './sql.mjs';

/**
 * The tables. A column has the name of its member. Times are milliseconds since 1970, and JSON is text: a column of the type
 * JSON rejects more than 32 levels. The collation compares code points, and a space at the end of a text as well.
 */
export const TABLES = [
  `CREATE TABLE IF NOT EXISTS clients (
    clientId VARCHAR(100) NOT NULL PRIMARY KEY,
    name VARCHAR(100),
    callbackOrigins MEDIUMTEXT,
    locale MEDIUMTEXT,
    branding MEDIUMTEXT,
    frameAncestors MEDIUMTEXT,
    settings MEDIUMTEXT,
    -- Number of the last session. Counts up under a lock of this row, so that a higher number is committed later.
    lastSequence BIGINT NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS apiKeys (
    id VARCHAR(100) NOT NULL PRIMARY KEY,
    clientId VARCHAR(100) NOT NULL,
    hash VARCHAR(64) NOT NULL UNIQUE,
    hint VARCHAR(100),
    createdAt BIGINT NOT NULL,
    expiresAt BIGINT,
    revokedAt BIGINT,
    lastUsedAt BIGINT,
    KEY ofClient (clientId, createdAt)
  )`,
  `CREATE TABLE IF NOT EXISTS links (
    accessCodeHash VARCHAR(64) NOT NULL,
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(256) NOT NULL,
    callbackUrl VARCHAR(2048) NOT NULL,
    callbackOnSubmit BOOLEAN NOT NULL,
    config MEDIUMTEXT NOT NULL,
    -- What a submission and a revocation leave of config.
    reducedConfig MEDIUMTEXT NOT NULL,
    createdAt BIGINT NOT NULL,
    expiresAt BIGINT NOT NULL,
    openedAt BIGINT,
    revokedAt BIGINT,
    submittedAt BIGINT,
    -- Number of the session of the submission. A reference could be that of a later session.
    sequence BIGINT,
    attempts INT NOT NULL DEFAULT 0,
    keyMac VARCHAR(43),
    requestMac VARCHAR(43),
    sealed TEXT,
    createdBy VARCHAR(100),
    moments LONGTEXT NOT NULL DEFAULT '[]',
    -- When link.expiring or link.expired is due.
    noticeAt BIGINT,
    PRIMARY KEY (clientId, accessCodeHash),
    UNIQUE KEY ofIdempotencyKey (clientId, keyMac),
    KEY ofUser (clientId, userId, createdAt DESC, accessCodeHash),
    KEY ofHash (accessCodeHash),
    KEY expiring (expiresAt),
    KEY due (noticeAt)
  )`,
  `CREATE TABLE IF NOT EXISTS sessions (
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(256) NOT NULL,
    reference VARCHAR(100) NOT NULL,
    date BIGINT NOT NULL,
    camsReference VARCHAR(100) NOT NULL,
    status VARCHAR(100) NOT NULL,
    createdAt BIGINT NOT NULL,
    selectedPolicy MEDIUMTEXT NOT NULL,
    incident MEDIUMTEXT,
    extra MEDIUMTEXT,
    link MEDIUMTEXT,
    notice MEDIUMTEXT,
    sequence BIGINT NOT NULL,
    -- The linkId of link, for data.deleted: functions for JSON read at most 32 levels.
    linkId VARCHAR(64),
    PRIMARY KEY (clientId, reference),
    UNIQUE KEY inOrder (clientId, sequence),
    KEY ofUser (clientId, userId, createdAt DESC, reference),
    KEY ofReference (reference),
    KEY byDate (date)
  )`,
  // The events that are not delivered yet. one-outbox.sql moves those of the two tables that this example had before.
  `CREATE TABLE IF NOT EXISTS outbox (
    id VARCHAR(36) NOT NULL PRIMARY KEY,
    type VARCHAR(100) NOT NULL,
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(256),
    -- The session of a submission. It gives the user as well. Other events have none.
    reference VARCHAR(100),
    at BIGINT,
    -- The members that only some types have.
    data MEDIUMTEXT,
    attempts INT NOT NULL,
    nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT,
    reason VARCHAR(200),
    UNIQUE KEY ofSession (clientId, reference),
    KEY ofUser (clientId, userId),
    KEY due (failedAt, nextAttemptAt, id),
    FOREIGN KEY (clientId, reference) REFERENCES sessions (clientId, reference) ON DELETE CASCADE
  )`,
  ...LIFE_TABLES,
].map((table) => `${table} ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`);

/** Creates the tables that are missing. */
export async function migrate(pool) {
  for (const table of TABLES) await pool.query(table);
}

const CLIENT = record(
  'c',
  [text, 'clientId name locale'],
  [json, 'callbackOrigins branding frameAncestors settings'],
);
const API_KEY = record(
  'k',
  [text, 'id clientId hash hint'],
  [time, 'createdAt expiresAt revokedAt lastUsedAt'],
);
const LINK = record(
  'l',
  [text, 'accessCodeHash clientId userId callbackUrl createdBy'],
  [boolean, 'callbackOnSubmit'],
  [json, 'config'],
  [time, 'createdAt expiresAt openedAt revokedAt submittedAt'],
);
const IDEMPOTENCY = record('l', [text, 'keyMac requestMac sealed']);
const IDEMPOTENT_LINK = record('l', [text, 'keyMac requestMac sealed accessCodeHash'], [time, 'expiresAt']);
const SESSION_COLUMNS = [
  [text, 'reference camsReference status'],
  [time, 'date createdAt'],
  [json, 'selectedPolicy incident extra link'],
  [datedJson, 'notice'],
];
const SESSION = record('s', ...SESSION_COLUMNS);
const SESSION_RECORD = record('s', [text, 'clientId userId'], ...SESSION_COLUMNS);

const LINK_STATE = `CASE WHEN l.submittedAt IS NOT NULL THEN 'submitted' WHEN l.revokedAt IS NOT NULL THEN 'revoked'
  WHEN l.expiresAt <= :at THEN 'expired' WHEN l.openedAt IS NOT NULL THEN 'opened' ELSE 'created' END`;
const FROM_LINKS = `FROM links l JOIN clients c ON c.clientId = l.clientId
  LEFT JOIN sessions s ON s.clientId = l.clientId AND s.sequence = l.sequence`;
const FROM_EVENTS =
  'FROM outbox e LEFT JOIN sessions s ON s.clientId = e.clientId AND s.reference = e.reference';
const SAME_EVENT = 'clientId = :clientId AND id = :id';
const SAME_KIND = `(:kind IS NULL OR IF(e.reference IS NULL, 'life', 'submission') = :kind)`;
/** Number of rows that one transaction of a sweep deletes, so that none holds locks for long. */
const BATCH_SIZE = 500;

const SQL = {
  findCredentials: `SELECT ${columns(API_KEY, CLIENT)} FROM (SELECT 1) always
    LEFT JOIN apiKeys k ON k.hash = :apiKeyHash LEFT JOIN clients c ON c.clientId = :clientId`,

  insertClient: insertInto('clients', CLIENT.names),
  findClient: `SELECT ${columns(CLIENT)} FROM clients c WHERE clientId = :clientId`,
  listClients: `SELECT ${columns(CLIENT)} FROM clients c`,
  lockClient: 'SELECT lastSequence FROM clients WHERE clientId = :clientId FOR UPDATE',
  updateClient: `UPDATE clients SET ${assignments(CLIENT.names)} WHERE clientId = :clientId`,
  setLastSequence: 'UPDATE clients SET lastSequence = :sequence WHERE clientId = :clientId',
  deleteClient: 'DELETE FROM clients WHERE clientId = :clientId',

  insertApiKey: insertInto('apiKeys', API_KEY.names),
  findApiKey: `SELECT ${columns(API_KEY)} FROM apiKeys k WHERE id = :id`,
  listApiKeys: `SELECT ${columns(API_KEY)} FROM apiKeys k WHERE clientId = :clientId ORDER BY createdAt, id`,
  revokeApiKey: 'UPDATE apiKeys SET revokedAt = :at WHERE id = :id AND revokedAt IS NULL',
  updateApiKey: 'UPDATE apiKeys SET expiresAt = :expiresAt WHERE id = :id AND revokedAt IS NULL',
  recordKeyUse: `UPDATE apiKeys SET lastUsedAt = :at
    WHERE hash = :apiKeyHash AND (lastUsedAt IS NULL OR lastUsedAt < :at)`,
  deleteApiKeys: 'DELETE FROM apiKeys WHERE clientId = :clientId',

  insertLink: insertInto('links', [...LINK.names, ...IDEMPOTENCY.names, 'reducedConfig', 'noticeAt']),
  findLink: `SELECT ${columns(LINK, CLIENT, SESSION)}, l.attempts ${FROM_LINKS}
    WHERE l.clientId = :clientId AND l.accessCodeHash = :accessCodeHash`,
  findLinks: `SELECT ${columns(LINK, CLIENT, SESSION)}, l.attempts ${FROM_LINKS} WHERE l.accessCodeHash = :accessCodeHash`,
  findIdempotentLink: (places) => `SELECT ${columns(IDEMPOTENT_LINK)} FROM links l
    WHERE clientId = :clientId AND keyMac IN (${places}) ORDER BY FIELD(keyMac, ${places}) LIMIT 1`,
  listLinks: `SELECT ${columns(LINK)}, s.reference ${FROM_LINKS}
    WHERE l.clientId = :clientId AND (:userId IS NULL OR l.userId = :userId) AND (:state IS NULL OR ${LINK_STATE} = :state)
      AND l.userId >= :lastUserId AND (l.userId > :lastUserId OR l.createdAt < :lastCreatedAt
        OR (l.createdAt = :lastCreatedAt AND l.accessCodeHash > :lastHash))
    ORDER BY l.userId, l.createdAt DESC, l.accessCodeHash LIMIT :limit`,
  markLinkOpened: `UPDATE links SET openedAt = :at WHERE ${SAME_LINK} AND openedAt IS NULL`,
  markLinkSubmitted: `UPDATE links SET submittedAt = :at, sequence = :sequence, ${END_LINK} WHERE ${SAME_LINK}`,
  reduceExpiredLinks: `UPDATE links SET config = reducedConfig WHERE expiresAt < :before AND config <> reducedConfig`,
  takeAttempt: `UPDATE links SET attempts = LAST_INSERT_ID(attempts + 1) WHERE ${SAME_LINK} AND attempts < :limit`,
  returnAttempt: `UPDATE links SET attempts = attempts - 1 WHERE ${SAME_LINK} AND attempts > 0`,
  unlockLink: `UPDATE links SET attempts = 0 WHERE ${SAME_LINK}`,
  deleteExpiredLinks: `DELETE FROM links WHERE expiresAt < :before LIMIT :limit
    RETURNING clientId, accessCodeHash AS linkId, sequence`,
  deleteLinks: `DELETE FROM links WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
    RETURNING clientId, accessCodeHash AS linkId`,

  insertSession: insertInto('sessions', [...SESSION_RECORD.names, 'sequence', 'linkId']),
  findSession: `SELECT ${columns(SESSION_RECORD)} FROM sessions s WHERE clientId = :clientId AND reference = :reference`,
  findSubmission: `SELECT ${columns(SESSION)} FROM sessions s WHERE clientId = :clientId AND sequence = :sequence`,
  findSessions: `SELECT ${columns(SESSION_RECORD)} FROM sessions s WHERE reference = :reference`,
  listSessions: `SELECT ${columns(SESSION)} FROM sessions s
    WHERE clientId = :clientId AND userId = :userId AND (:status IS NULL OR status = :status)
      AND createdAt <= :lastCreatedAt AND (createdAt < :lastCreatedAt OR reference > :lastReference)
    ORDER BY createdAt DESC, reference LIMIT :limit`,
  listClientSessions: `SELECT ${columns(SESSION_RECORD)}, sequence FROM sessions s
    WHERE clientId = :clientId AND sequence > :lastSequence AND (:since IS NULL OR date >= :since)
    ORDER BY sequence LIMIT :limit`,
  updateSession: `UPDATE sessions SET status = COALESCE(:status, status), camsReference = COALESCE(:camsReference, camsReference)
    WHERE clientId = :clientId AND reference = :reference`,
  findSubmissions: (places) =>
    `SELECT clientId, sequence FROM sessions WHERE (clientId, sequence) IN (${places})`,
  deleteOldSessions: `DELETE FROM sessions WHERE date < :before LIMIT :limit
    RETURNING clientId, reference, linkId`,
  deleteSessions: `DELETE FROM sessions WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
    RETURNING clientId, reference, linkId`,

  // Without FORCE INDEX, MariaDB scans a small table and locks all of its events.
  lockEvents: `SELECT id FROM outbox e FORCE INDEX (due) WHERE failedAt IS NULL AND nextAttemptAt <= :at AND ${SAME_KIND}
    ORDER BY nextAttemptAt, id LIMIT :limit FOR UPDATE SKIP LOCKED`,
  findEvents: (places) => `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS} WHERE e.id IN (${places})
    ORDER BY e.nextAttemptAt, e.id`,
  leaseEvents: (places) =>
    `UPDATE outbox SET attempts = attempts + 1, nextAttemptAt = :leaseUntil WHERE id IN (${places})`,
  settleEvent: `DELETE FROM outbox WHERE ${SAME_EVENT}`,
  postponeEvent: `UPDATE outbox SET nextAttemptAt = :nextAttemptAt, failedAt = :failedAt, reason = :reason
    WHERE ${SAME_EVENT} AND attempts = :attempts`,
  countEvents: `SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM outbox e WHERE failedAt IS NULL AND ${SAME_KIND} LIMIT :limit) counted) AS pending,
    (SELECT COUNT(*) FROM (SELECT 1 FROM outbox e WHERE failedAt IS NOT NULL AND ${SAME_KIND} LIMIT :limit) counted) AS failed`,
  listPendingEvents: `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS} WHERE e.failedAt IS NULL
    AND (:clientId IS NULL OR e.clientId = :clientId) AND ${SAME_KIND} ORDER BY e.nextAttemptAt, e.id LIMIT :limit`,
  listFailedEvents: `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS} WHERE e.failedAt IS NOT NULL
    AND (:clientId IS NULL OR e.clientId = :clientId) AND ${SAME_KIND} ORDER BY e.failedAt, e.id LIMIT :limit`,
  retryEvents: `UPDATE outbox SET failedAt = NULL, attempts = 0, nextAttemptAt = :at WHERE failedAt IS NOT NULL
    AND (:clientId IS NULL OR clientId = :clientId) AND (:reference IS NULL OR reference = :reference)`,
  // The foreign key deletes the events of deleted sessions, without a number.
  deleteSubmissionEvents: `DELETE e ${FROM_EVENTS} WHERE s.clientId = :clientId AND s.userId = :userId`,
  deleteLifeEvents: `DELETE FROM outbox WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
    AND reference IS NULL AND type <> 'data.deleted'`,
};

/** Locks the row of a client until the transaction ends. Returns the number of its last session, or `undefined`. */
const lockClient = async (run, clientId) => (await run(SQL.lockClient, { clientId }))[0]?.lastSequence;

/** Inserts a session with a number. The row of the client is locked. Returns false if the reference is taken. */
async function insertSession(run, session, sequence) {
  const isInserted = await insert(run, SQL.insertSession, {
    ...write(SESSION_RECORD, session),
    sequence,
    linkId: session.link?.linkId,
  });
  if (isInserted) await run(SQL.setLastSequence, { clientId: session.clientId, sequence });
  return isInserted;
}

const toLink = (row) => {
  const session = read(SESSION, row);
  const { attempts } = row;
  return {
    link: read(LINK, row),
    client: read(CLIENT, row),
    ...(session && { session }),
    ...(attempts > 0 && { checkAttempts: attempts }),
  };
};
const toEvent = (row) => {
  const { data, ...event } = read(EVENT, row);
  const session = read(SESSION, row);
  return { ...event, ...data, ...(session && { userId: row.s_userId, session }) };
};

/** Deletes the links, sessions and events of a client or of a user, whose client is locked. Returns their numbers. */
async function deleteRecords(run, { clientId, userId }, why, at) {
  const owner = { clientId, userId };
  const links = await run(SQL.deleteLinks, owner);
  const ofSessions = userId === undefined ? undefined : await run(SQL.deleteSubmissionEvents, owner);
  const sessions = await run(SQL.deleteSessions, owner);
  const ofLinks = await run(SQL.deleteLifeEvents, owner);
  const events = (ofSessions?.affectedRows ?? 0) + ofLinks.affectedRows;
  const linksOfSessions = new Set(sessions.map(({ linkId }) => linkId));
  const otherLinks = links.filter(({ linkId }) => !linksOfSessions.has(linkId));
  await recordDeletion(run, [...sessions, ...otherLinks], why, at);
  return { sessions: sessions.length, links: links.length, events };
}

/** Returns the links, of those that were deleted, whose session is not there. */
async function withoutSessions(run, links) {
  const submitted = links.filter(({ sequence }) => sequence !== null);
  if (submitted.length === 0) return links;
  const { places, parameters } = toList(submitted.map(({ clientId, sequence }) => [clientId, sequence]));
  const sessions = await run(SQL.findSubmissions(places), parameters);
  const keyOf = ({ clientId, sequence }) => JSON.stringify([clientId, sequence]);
  const remaining = new Set(sessions.map(keyOf));
  return links.filter((link) => !remaining.has(keyOf(link)));
}

/** The position before the first record of a list. */
const FIRST = { userId: '', createdAt: new Date(8.64e15), reference: '', accessCodeHash: '', sequence: 0 };

/**
 * Takes a pool of `mysql2/promise` whose database has the tables. Its options for types and flags, such as `bigNumberStrings`,
 * have their defaults. Ten connections let ten calls run at the same time.
 */
export function createMariadbStorage(pool) {
  const executor = createExecutor(pool);
  const { run, find, list, changes, transaction, changeAll } = executor;

  /**
   * Deletes old links or sessions in batches, and returns their number.
   * @param deleteBatch returns what it deleted, and of that what the events name
   */
  async function sweep(at, deleteBatch) {
    let total = 0;
    for (let count = BATCH_SIZE; count === BATCH_SIZE; total += count) {
      count = await transaction(async (run) => {
        const { deleted, named = deleted } = await deleteBatch(run);
        await recordDeletion(run, named, 'retention', at);
        return deleted.length;
      });
    }
    return total;
  }

  const insertLink = async (link, idempotency = {}) =>
    insert(run, SQL.insertLink, {
      ...write(LINK, link),
      ...write(IDEMPOTENCY, idempotency),
      reducedConfig: reduceConfig(link.config),
      noticeAt: await noticeOf(run, link),
    });

  return {
    // Storage
    async findCredentials({ apiKeyHash, clientId }) {
      const [row] = await run(SQL.findCredentials, { apiKeyHash, clientId });
      const apiKey = read(API_KEY, row);
      const client = read(CLIENT, row);
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },
    findClient: (clientId) => find(CLIENT, SQL.findClient, { clientId }),
    async listSessions({ clientId, userId, status, limit, cursor }) {
      const last = cursor === undefined ? FIRST : decodeCursor(cursor);
      const position = { lastCreatedAt: last.createdAt, lastReference: last.reference };
      const parameters = { clientId, userId, status, limit: limit + 1, ...position };
      const following = await list(SESSION, SQL.listSessions, parameters);
      const sessions = following.slice(0, limit);
      return { sessions, ...(following.length > limit && { nextCursor: encodeCursor(sessions.at(-1)) }) };
    },
    insertLink: (link) => insertLink(link),
    async findLink(id) {
      const [row] = await run(SQL.findLink, id);
      return row && toLink(row);
    },
    async markLinkOpened(query) {
      await run(SQL.markLinkOpened, query);
    },
    submitLink: ({ at, session, event, ...id }) =>
      transaction(async (run) => {
        // Every transaction locks in this order: the client, links, sessions, events.
        const lastSequence = await lockClient(run, id.clientId);
        const link = await lockLink(run, id);
        if (lastSequence === undefined || link === undefined) return { outcome: 'not_found' };
        const { clientId, userId, submittedAt, revokedAt, expiresAt } = link;
        if (submittedAt) {
          const [first] = await run(SQL.findSubmission, { clientId, sequence: link.sequence });
          return first
            ? { outcome: 'already_submitted', session: read(SESSION, first) }
            : { outcome: 'not_found' };
        }
        if (revokedAt) return { outcome: 'revoked' };
        if (at >= expiresAt) return { outcome: 'expired' };
        const sequence = lastSequence + 1;
        const isInserted = await insertSession(run, { ...session, clientId, userId }, sequence);
        if (!isInserted) return { outcome: 'reference_taken' };
        if (event) {
          const { reference } = session;
          await run(INSERT_EVENT, write(EVENT, { ...event, type: 'claim.submitted', clientId, reference }));
        }
        await run(SQL.markLinkSubmitted, { ...id, at, sequence });
        return { outcome: 'submitted', session };
      }),
    revokeLink: ({ at, ...id }) =>
      transaction(async (run) => {
        const link = await lockLink(run, id);
        if (link === undefined || !isUsable(link, at)) return false;
        await revoke(run, [link], { type: 'link.revoked', at });
        return true;
      }),
    deleteExpiredLinks: (before, at) =>
      sweep(at, async (run) => {
        const deleted = await run(SQL.deleteExpiredLinks, { before, limit: BATCH_SIZE });
        return { deleted, named: await withoutSessions(run, deleted) };
      }),

    // OutboxStorage
    leaseEvents: ({ at, leaseUntil, limit, kind }) =>
      transaction(async (run) => {
        const locked = await run(SQL.lockEvents, { at, limit, kind });
        if (locked.length === 0) return [];
        const { places, parameters } = toList(locked.map(({ id }) => id));
        const events = (await run(SQL.findEvents(places), parameters)).map(toEvent);
        await run(SQL.leaseEvents(places), { ...parameters, leaseUntil });
        return events.map((event) => ({
          ...event,
          attempts: event.attempts + 1,
          nextAttemptAt: leaseUntil,
        }));
      }),
    async settleEvent(key) {
      await run(SQL.settleEvent, key);
    },
    async postponeEvent(failure) {
      await run(SQL.postponeEvent, write(EVENT, failure));
    },
    async countEvents({ limit, kind }) {
      const [{ pending, failed }] = await run(SQL.countEvents, { limit, kind });
      return { pending, failed };
    },
    async listEvents({ state, clientId, kind, limit }) {
      const sql = state === 'failed' ? SQL.listFailedEvents : SQL.listPendingEvents;
      return (await run(sql, { clientId, kind, limit })).map(toEvent);
    },
    retryEvents: ({ clientId, reference, at }) => changeAll(SQL.retryEvents, { clientId, reference, at }),

    // RecordStorage
    findSession: (key) => find(SESSION_RECORD, SQL.findSession, key),
    updateSession: ({ clientId, reference, status, camsReference }) =>
      transaction(async (run) => {
        await run(SQL.updateSession, { clientId, reference, status, camsReference });
        const [row] = await run(SQL.findSession, { clientId, reference });
        return row && read(SESSION, row);
      }),
    async listLinks({ clientId, userId, state, at, limit, cursor }) {
      const last = cursor === undefined ? FIRST : decodeLinkCursor(cursor);
      const position = {
        lastUserId: last.userId,
        lastCreatedAt: last.createdAt,
        lastHash: last.accessCodeHash,
      };
      const rows = await run(SQL.listLinks, { clientId, userId, state, at, limit: limit + 1, ...position });
      const links = rows.slice(0, limit).map(({ reference, ...row }) => ({
        link: read(LINK, row),
        ...(reference !== null && { reference }),
      }));
      return { links, ...(rows.length > limit && { nextCursor: encodeLinkCursor(links.at(-1).link) }) };
    },
    revokeLinks: ({ clientId, userId, at }) =>
      transaction(async (run) => {
        const links = await lockUsableLinks(run, { clientId, userId, at });
        await revoke(run, links, { type: 'link.revoked', at });
        return links.length;
      }),
    async listClientSessions({ clientId, since, limit, cursor }) {
      const { sequence: lastSequence } = cursor === undefined ? FIRST : decodeSubmissionCursor(cursor);
      const rows = await run(SQL.listClientSessions, { clientId, since, lastSequence, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const sessions = page.map((row) => read(SESSION_RECORD, row));
      const nextCursor =
        page.length === 0
          ? cursor
          : encodeSubmissionCursor({ ...sessions.at(-1), sequence: page.at(-1).sequence });
      return { sessions, hasMore: rows.length > limit, ...(nextCursor !== undefined && { nextCursor }) };
    },
    deleteUser: ({ clientId, userId, at }) =>
      transaction(async (run) => {
        await lockClient(run, clientId);
        return deleteRecords(run, { clientId, userId }, 'user', at);
      }),
    deleteSessions: (before, at) =>
      sweep(at, async (run) => ({
        deleted: await run(SQL.deleteOldSessions, { before, limit: BATCH_SIZE }),
      })),
    reduceExpiredLinks: (before) => changeAll(SQL.reduceExpiredLinks, { before }),

    // SearchStorage
    findSessions: ({ reference }) => list(SESSION_RECORD, SQL.findSessions, { reference }),
    async findLinks({ accessCodeHash }) {
      return (await run(SQL.findLinks, { accessCodeHash })).map(toLink);
    },

    // CheckStorage
    async takeAttempt(query) {
      const { affectedRows, insertId } = await run(SQL.takeAttempt, query);
      return affectedRows === 1 ? insertId : undefined;
    },
    async returnAttempt(id) {
      await run(SQL.returnAttempt, id);
    },
    unlockLink: (id) => changes(SQL.unlockLink, id),

    // IdempotencyStorage
    insertLinkOnce: (link, idempotency) => insertLink(link, idempotency),
    findIdempotentLink({ clientId, keyMacs }) {
      const { places, parameters } = toList(keyMacs);
      return find(IDEMPOTENT_LINK, SQL.findIdempotentLink(places), { clientId, ...parameters });
    },

    // LifeStorage
    ...createLifeStorage(executor),

    // KeyUseStorage
    async recordKeyUse({ apiKeyHash, at }) {
      await run(SQL.recordKeyUse, { apiKeyHash, at });
    },

    // AdminStorage
    async insertClient(client) {
      if (!(await insert(run, SQL.insertClient, write(CLIENT, client))))
        throw new ClaimlinkError('already_exists');
    },
    listClients: () => list(CLIENT, SQL.listClients),
    updateClient: (client) => changes(SQL.updateClient, write(CLIENT, client)),
    // ClientStorage
    changeClient: (change) =>
      transaction(async (run) => {
        const { clientId } = change;
        if ((await lockClient(run, clientId)) === undefined) return false;
        const [row] = await run(SQL.findClient, { clientId });
        await run(SQL.updateClient, write(CLIENT, changedClient(read(CLIENT, row), change)));
        return true;
      }),
    deleteClient: (clientId, at) =>
      transaction(async (run) => {
        if ((await lockClient(run, clientId)) === undefined) return false;
        await run(SQL.deleteApiKeys, { clientId });
        await deleteRecords(run, { clientId }, 'client', at);
        await run(SQL.deleteClient, { clientId });
        return true;
      }),
    insertApiKey: (apiKey) =>
      transaction(async (run) => {
        const client = await lockClient(run, apiKey.clientId);
        if (client === undefined) throw new ClaimlinkError('client_not_found');
        if (!(await insert(run, SQL.insertApiKey, write(API_KEY, apiKey))))
          throw new ClaimlinkError('already_exists');
      }),
    listApiKeys: (clientId) => list(API_KEY, SQL.listApiKeys, { clientId }),
    revokeApiKey: (id, at) => changes(SQL.revokeApiKey, { id, at }),
    findApiKey: (id) => find(API_KEY, SQL.findApiKey, { id }),
    updateApiKey: (id, { expiresAt }) => changes(SQL.updateApiKey, { id, expiresAt }),
    insertSession: (session) =>
      transaction(async (run) => {
        const lastSequence = await lockClient(run, session.clientId);
        if (lastSequence === undefined) throw new ClaimlinkError('client_not_found');
        if (!(await insertSession(run, session, lastSequence + 1)))
          throw new ClaimlinkError('already_exists');
      }),
  };
}
