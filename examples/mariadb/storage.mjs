// A storage over MariaDB 10.6 or later, with every interface of lib/core/storage.ts. docs/storage.md is its commentary.
import {
  ClaimlinkError,
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  dueMoment,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
  noticeTime,
  reduceConfig,
  toDeletedEvents,
  toLinkEvent,
} from 'claimlink';

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
    userId VARCHAR(100) NOT NULL,
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
    userId VARCHAR(100) NOT NULL,
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
    -- link.linkId, for data.deleted: JSON of more than 32 levels has no functions.
    linkId VARCHAR(64),
    PRIMARY KEY (clientId, reference),
    UNIQUE KEY inOrder (clientId, sequence),
    KEY ofUser (clientId, userId, createdAt DESC, reference),
    KEY ofReference (reference),
    KEY byDate (date)
  )`,
  `CREATE TABLE IF NOT EXISTS events (
    clientId VARCHAR(100) NOT NULL,
    reference VARCHAR(100) NOT NULL,
    id VARCHAR(36) NOT NULL UNIQUE,
    attempts INT NOT NULL,
    nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT,
    reason VARCHAR(200),
    PRIMARY KEY (clientId, reference),
    KEY due (failedAt, nextAttemptAt),
    FOREIGN KEY (clientId, reference) REFERENCES sessions (clientId, reference) ON DELETE CASCADE
  )`,
  // The row that says which events of links the host chose. No row: none.
  `CREATE TABLE IF NOT EXISTS choices (
    id TINYINT NOT NULL PRIMARY KEY,
    types MEDIUMTEXT NOT NULL,
    expiryNoticeSeconds BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS lifeEvents (
    id VARCHAR(36) NOT NULL PRIMARY KEY,
    type VARCHAR(100) NOT NULL,
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(100),
    at BIGINT NOT NULL,
    -- The members that not every event has.
    data MEDIUMTEXT NOT NULL,
    attempts INT NOT NULL,
    nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT,
    reason VARCHAR(200),
    KEY due (failedAt, nextAttemptAt),
    KEY ofUser (clientId, userId)
  )`,
].map((table) => `${table} ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`);

/** Creates the tables that are missing. */
export async function migrate(pool) {
  for (const table of TABLES) await pool.query(table);
}

// How the value of a column becomes a member.
const text = (value) => value;
const number = (value) => value;
const boolean = (value) => value === 1;
const json = (value) => JSON.parse(value);
const time = (value) => new Date(value);
/** Members that are dates inside of the JSON of notices, moments and events. */
const DATES = ['at', 'expiresAt'];
const datedJson = (value) =>
  JSON.parse(value, (name, member) => (DATES.includes(name) ? new Date(member) : member));

/** Describes a record: the alias of its table, and its members, each of which is a column. */
function record(alias, ...columns) {
  const members = columns.flatMap(([toMember, names]) => names.split(' ').map((name) => [name, toMember]));
  return { alias, names: members.map(([name]) => name), members };
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
/** What decides about a link, without its large `config`. */
const LOCKED_LINK = record(
  'l',
  [text, 'accessCodeHash clientId userId'],
  [number, 'sequence'],
  [time, 'expiresAt openedAt revokedAt submittedAt noticeAt'],
  [datedJson, 'moments'],
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
const DELIVERY_COLUMNS = [
  [text, 'reason'],
  [number, 'attempts'],
  [time, 'nextAttemptAt failedAt'],
];
const EVENT = record('e', [text, 'clientId reference id'], ...DELIVERY_COLUMNS);
const CHOICE = record('h', [json, 'types'], [number, 'expiryNoticeSeconds']);
const LIFE_EVENT = record('v', [text, 'id type clientId userId'], [time, 'at'], [datedJson, 'data']);
const LIFE_DELIVERY = record('v', ...DELIVERY_COLUMNS);

/** Lists the columns of records for SELECT. In the result, a column has the name `alias_member`. */
const columns = (...records) =>
  records
    .flatMap(({ alias, names }) => names.map((name) => `${alias}.${name} AS ${alias}_${name}`))
    .join(', ');

/** Reads a record from a row. Returns `undefined` if an outer join found none. A NULL is a member that is absent. */
function read({ alias, members }, row) {
  const entries = members.flatMap(([name, toMember]) => {
    const value = row[`${alias}_${name}`];
    return value === null ? [] : [[name, toMember(value)]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Returns all members of a record for INSERT or UPDATE, with `undefined` for those that are absent. */
const write = (record, value) => Object.fromEntries(record.names.map((name) => [name, value[name]]));

/** Converts the value of a member to a parameter. */
function toParameter(value) {
  if (value === undefined) return null;
  if (value instanceof Date) return value.getTime();
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

const placesOf = (names) => names.map((name) => `:${name}`).join(', ');
const insertInto = (table, names) => `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placesOf(names)})`;
const assignments = (names) => names.map((name) => `${name} = :${name}`).join(', ');

/** Returns the places and the parameters of a list, for which a prepared statement has no single parameter. */
function toList(values) {
  const parameters = Object.fromEntries(values.map((value, index) => [`item${index}`, value]));
  return { places: placesOf(Object.keys(parameters)), parameters };
}

const SAME_LINK = 'clientId = :clientId AND accessCodeHash = :accessCodeHash';
const USABLE = 'submittedAt IS NULL AND revokedAt IS NULL AND expiresAt > :at';
const LINK_STATE = `CASE WHEN l.submittedAt IS NOT NULL THEN 'submitted' WHEN l.revokedAt IS NOT NULL THEN 'revoked'
  WHEN l.expiresAt <= :at THEN 'expired' WHEN l.openedAt IS NOT NULL THEN 'opened' ELSE 'created' END`;
const FROM_LINKS = `FROM links l JOIN clients c ON c.clientId = l.clientId
  LEFT JOIN sessions s ON s.clientId = l.clientId AND s.sequence = l.sequence`;
const FROM_EVENTS = 'FROM events e JOIN sessions s ON s.clientId = e.clientId AND s.reference = e.reference';
const SAME_EVENT = 'clientId = :clientId AND reference = :reference AND id = :id';
/** Ends a link: it is not due any more. */
const END = 'noticeAt = NULL, config = reducedConfig';
const ADD_MOMENT = `moments = JSON_ARRAY_APPEND(moments, '$', JSON_COMPACT(:moment))`;
/** Number of links or sessions in one transaction of a sweep or of revokeLinks, so that none holds locks for long. */
const BATCH_SIZE = 500;

const countsOf = (table) => `SELECT
  (SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE failedAt IS NULL LIMIT :limit) counted) AS pending,
  (SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE failedAt IS NOT NULL LIMIT :limit) counted) AS failed`;

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
  findLink: `SELECT ${columns(LINK, CLIENT, SESSION)} ${FROM_LINKS}
    WHERE l.clientId = :clientId AND l.accessCodeHash = :accessCodeHash`,
  findLinks: `SELECT ${columns(LINK, CLIENT, SESSION)} ${FROM_LINKS} WHERE l.accessCodeHash = :accessCodeHash`,
  findIdempotentLink: (places) => `SELECT ${columns(IDEMPOTENT_LINK)} FROM links l
    WHERE clientId = :clientId AND keyMac IN (${places}) ORDER BY FIELD(keyMac, ${places}) LIMIT 1`,
  listLinks: `SELECT ${columns(LINK)}, s.reference ${FROM_LINKS}
    WHERE l.clientId = :clientId AND (:userId IS NULL OR l.userId = :userId) AND (:state IS NULL OR ${LINK_STATE} = :state)
      AND l.userId >= :lastUserId AND (l.userId > :lastUserId OR l.createdAt < :lastCreatedAt
        OR (l.createdAt = :lastCreatedAt AND l.accessCodeHash > :lastHash))
    ORDER BY l.userId, l.createdAt DESC, l.accessCodeHash LIMIT :limit`,
  lockLink: `SELECT ${columns(LOCKED_LINK)} FROM links l WHERE ${SAME_LINK} FOR UPDATE`,
  lockUsableLinks: `SELECT ${columns(LOCKED_LINK)} FROM links l
    WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId) AND ${USABLE} LIMIT :limit FOR UPDATE`,
  lockDueLinks: `SELECT ${columns(LOCKED_LINK)} FROM links l FORCE INDEX (due) WHERE noticeAt <= :at
    ORDER BY noticeAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  markLinkOpened: `UPDATE links SET openedAt = :at WHERE ${SAME_LINK} AND openedAt IS NULL`,
  markLinkSubmitted: `UPDATE links SET submittedAt = :at, sequence = :sequence, ${END} WHERE ${SAME_LINK}`,
  revokeLinks: (places) => `UPDATE links SET revokedAt = :at, ${END}, ${ADD_MOMENT}
    WHERE clientId = :clientId AND accessCodeHash IN (${places})`,
  addMoment: `UPDATE links SET ${ADD_MOMENT} WHERE ${SAME_LINK}`,
  listMoments: `SELECT moments FROM links WHERE ${SAME_LINK}`,
  setNotice: `UPDATE links SET noticeAt = :noticeAt WHERE ${SAME_LINK}`,
  reduceExpiredLinks: `UPDATE links SET config = reducedConfig WHERE expiresAt < :before AND config <> reducedConfig`,
  takeAttempt: `UPDATE links SET attempts = LAST_INSERT_ID(attempts + 1) WHERE ${SAME_LINK} AND attempts < :limit`,
  returnAttempt: `UPDATE links SET attempts = attempts - 1 WHERE ${SAME_LINK} AND attempts > 0`,
  unlockLink: `UPDATE links SET attempts = 0 WHERE ${SAME_LINK}`,
  deleteExpiredLinks: `DELETE FROM links WHERE expiresAt < :before ORDER BY expiresAt LIMIT :limit
    RETURNING clientId, accessCodeHash AS linkId, (SELECT s.reference FROM sessions s
      WHERE s.clientId = links.clientId AND s.sequence = links.sequence) AS remaining`,
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
  deleteOldSessions: `DELETE FROM sessions WHERE date < :before ORDER BY date LIMIT :limit
    RETURNING clientId, reference, linkId, (SELECT l.accessCodeHash FROM links l
      WHERE l.clientId = sessions.clientId AND l.accessCodeHash = sessions.linkId) AS remaining`,
  deleteSessions: `DELETE FROM sessions WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
    RETURNING clientId, reference, linkId`,

  insertEvent: insertInto('events', EVENT.names),
  // Without FORCE INDEX, MariaDB scans a small table and locks all of its events.
  lockEvents: `SELECT id FROM events FORCE INDEX (due) WHERE failedAt IS NULL AND nextAttemptAt <= :at
    ORDER BY nextAttemptAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  findEvents: (places) => `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS} WHERE e.id IN (${places})
    ORDER BY e.nextAttemptAt`,
  leaseEvents: (places) =>
    `UPDATE events SET attempts = attempts + 1, nextAttemptAt = :leaseUntil WHERE id IN (${places})`,
  settleEvent: `DELETE FROM events WHERE ${SAME_EVENT}`,
  postponeEvent: `UPDATE events SET nextAttemptAt = :nextAttemptAt, failedAt = :failedAt, reason = :reason
    WHERE ${SAME_EVENT} AND attempts = :attempts`,
  countEvents: countsOf('events'),
  listPendingEvents: `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS}
    WHERE e.failedAt IS NULL AND (:clientId IS NULL OR e.clientId = :clientId) ORDER BY e.nextAttemptAt LIMIT :limit`,
  listFailedEvents: `SELECT ${columns(EVENT, SESSION_RECORD)} ${FROM_EVENTS}
    WHERE e.failedAt IS NOT NULL AND (:clientId IS NULL OR e.clientId = :clientId) ORDER BY e.failedAt LIMIT :limit`,
  retryEvents: `UPDATE events SET failedAt = NULL, attempts = 0, nextAttemptAt = :at WHERE failedAt IS NOT NULL
    AND (:clientId IS NULL OR clientId = :clientId) AND (:reference IS NULL OR reference = :reference)`,
  deleteEvents: `DELETE e ${FROM_EVENTS} WHERE s.clientId = :clientId AND s.userId = :userId`,

  replaceChoice:
    'REPLACE INTO choices (id, types, expiryNoticeSeconds) VALUES (1, :types, :expiryNoticeSeconds)',
  findChoice: `SELECT ${columns(CHOICE)} FROM choices h`,
  lockChoice: `SELECT ${columns(CHOICE)} FROM choices h FOR UPDATE`,
  insertLifeEvent: insertInto('lifeEvents', [...LIFE_EVENT.names, ...LIFE_DELIVERY.names]),
  lockLifeEvents: `SELECT ${columns(LIFE_EVENT, LIFE_DELIVERY)} FROM lifeEvents v FORCE INDEX (due)
    WHERE failedAt IS NULL AND nextAttemptAt <= :at ORDER BY nextAttemptAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  leaseLifeEvents: (places) =>
    `UPDATE lifeEvents SET attempts = attempts + 1, nextAttemptAt = :leaseUntil WHERE id IN (${places})`,
  settleLifeEvent: 'DELETE FROM lifeEvents WHERE id = :id',
  postponeLifeEvent: `UPDATE lifeEvents SET nextAttemptAt = :nextAttemptAt, failedAt = :failedAt, reason = :reason
    WHERE id = :id AND attempts = :attempts`,
  countLifeEvents: countsOf('lifeEvents'),
  listPendingLifeEvents: `SELECT ${columns(LIFE_EVENT, LIFE_DELIVERY)} FROM lifeEvents v
    WHERE failedAt IS NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY nextAttemptAt LIMIT :limit`,
  listFailedLifeEvents: `SELECT ${columns(LIFE_EVENT, LIFE_DELIVERY)} FROM lifeEvents v
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY failedAt LIMIT :limit`,
  retryLifeEvents: `UPDATE lifeEvents SET failedAt = NULL, attempts = 0, nextAttemptAt = :at
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId)`,
  deleteLifeEvents: `DELETE FROM lifeEvents
    WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId) AND type <> 'data.deleted'`,
};

/** The error of MariaDB for a value that a unique index has already. */
const DUPLICATE = 1062;
/** Errors after which MariaDB has rolled the transaction back: a deadlock, and a row that changed since it was read. */
const CONFLICTS = [1213, 1020];
const MAX_ATTEMPTS = 10;

/** Errors that pass by, by their number: a later call may succeed. */
const UNAVAILABLE = {
  1020: 'The transaction was in conflict with others at each attempt.',
  1040: 'MariaDB has too many connections.',
  1047: 'The node of the cluster takes no statements at the moment.',
  1053: 'MariaDB stops.',
  1203: 'The user of the pool has too many connections.',
  1205: 'The wait for a lock took too long.',
  1213: 'The transaction was in conflict with others at each attempt.',
  1290: 'MariaDB is read-only.',
  1317: 'MariaDB ended the statement.',
  1836: 'MariaDB is read-only.',
  1927: 'MariaDB ended the connection.',
  1969: 'The statement took too long.',
};
/** Errors of the pool have a message only. */
const POOL_ERRORS = ['No connections available.', 'Pool is closed.', 'Queue limit reached.'];

/** Returns why MariaDB is not available, or `undefined` for another error. */
function unavailableReason({ errno, fatal, message, sqlState }) {
  if (POOL_ERRORS.includes(message)) return 'The pool has no free connection, or was closed.';
  // An error of the connection comes from the driver: the server gives its errors a state.
  if (fatal && sqlState === undefined) return 'MariaDB cannot be reached, or the connection was lost.';
  return UNAVAILABLE[errno];
}

/** Runs a function again after a conflict. Throws `storage_unavailable` if MariaDB is not available. */
async function repeat(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (CONFLICTS.includes(error.errno) && attempt < MAX_ATTEMPTS) continue;
      const reason = unavailableReason(error);
      throw reason === undefined
        ? error
        : new ClaimlinkError('storage_unavailable', reason, { cause: error });
    }
  }
}

/** Runs a prepared statement. Returns its rows, or its `affectedRows` and `insertId`. */
async function execute(connection, sql, parameters = {}) {
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, toParameter(value)]),
  );
  const [result] = await connection.execute({ sql, values, namedPlaceholders: true });
  return result;
}

/** Runs an INSERT. Returns false if a unique index has the values already. INSERT IGNORE would ignore other errors as well. */
async function insert(run, sql, parameters) {
  try {
    await run(sql, parameters);
    return true;
  } catch (error) {
    if (error.errno === DUPLICATE) return false;
    throw error;
  }
}

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
  return { link: read(LINK, row), client: read(CLIENT, row), ...(session && { session }) };
};
const toEvent = (row) => ({ ...read(EVENT, row), userId: row.s_userId, session: read(SESSION, row) });

const toLifeEvent = (row) => {
  const { data, ...event } = read(LIFE_EVENT, row);
  return { event: { ...event, ...data }, ...read(LIFE_DELIVERY, row) };
};

/** Locks the row of a link until the transaction ends, and returns what decides about it. */
async function lockLink(run, { clientId, accessCodeHash }) {
  const [row] = await run(SQL.lockLink, { clientId, accessCodeHash });
  return row && read(LOCKED_LINK, row);
}

const isUsable = ({ submittedAt, revokedAt, expiresAt }, at) => !submittedAt && !revokedAt && at < expiresAt;

/** Returns which events are recorded. */
async function findChoice(run, sql = SQL.findChoice) {
  const [row] = await run(sql);
  return row ? read(CHOICE, row) : { types: [], expiryNoticeSeconds: 0 };
}

async function insertLifeEvents(run, events) {
  for (const { id, type, clientId, userId, at, ...data } of events) {
    const delivery = write(LIFE_DELIVERY, { attempts: 0, nextAttemptAt: at });
    await run(SQL.insertLifeEvent, { id, type, clientId, userId, at, data, ...delivery });
  }
}

/** Records the event of a moment that follows the moments of each link. The rows of the links are locked. */
async function recordMoment(run, links, moment, choice) {
  const events = links.map((link) => toLinkEvent(link, moment, link.moments.length + 1, choice));
  await insertLifeEvents(
    run,
    events.filter((event) => event !== undefined),
  );
}

async function addMoment(run, link, moment, choice) {
  const { clientId, accessCodeHash } = link;
  await run(SQL.addMoment, { clientId, accessCodeHash, moment });
  await recordMoment(run, [link], moment, choice);
}

/** Revokes links of one client, which are usable and locked, with a moment for each. */
async function revoke(run, links, moment) {
  const [{ clientId }] = links;
  const { places, parameters } = toList(links.map(({ accessCodeHash }) => accessCodeHash));
  await run(SQL.revokeLinks(places), { ...parameters, clientId, at: moment.at, moment });
  await recordMoment(run, links, moment, await findChoice(run));
}

/** Records deletions: the rows have `clientId`, and `reference` or `linkId` or both. Without a time, records nothing. */
async function recordDeletion(run, rows, why, at, choice) {
  if (at === undefined) return;
  // toDeletedEvents takes a member that is absent, and not null.
  const records = rows.map(({ clientId, reference, linkId }) => ({
    clientId,
    ...(reference && { reference }),
    ...(linkId && { linkId }),
  }));
  await insertLifeEvents(run, toDeletedEvents(records, why, at, choice));
}

/** Deletes the links, sessions and events of a client or of a user, whose client is locked. Returns their numbers. */
async function deleteRecords(run, { clientId, userId }, why, at) {
  const links = await run(SQL.deleteLinks, { clientId, userId });
  const events = userId === undefined ? 0 : (await run(SQL.deleteEvents, { clientId, userId })).affectedRows;
  const sessions = await run(SQL.deleteSessions, { clientId, userId });
  const { affectedRows: lifeEvents } = await run(SQL.deleteLifeEvents, { clientId, userId });
  const linksOfSessions = new Set(sessions.map(({ linkId }) => linkId));
  const others = links.filter(({ linkId }) => !linksOfSessions.has(linkId));
  await recordDeletion(run, [...sessions, ...others], why, at, await findChoice(run));
  return { sessions: sessions.length, links: links.length, events: events + lifeEvents };
}

/** The position before the first record of a list. */
const FIRST = { userId: '', createdAt: new Date(8.64e15), reference: '', accessCodeHash: '', sequence: 0 };

/**
 * Takes a pool of `mysql2/promise` whose database has the tables. Its options for types and flags, such as `bigNumberStrings`,
 * have their defaults. Ten connections let ten calls run at the same time.
 */
export function createMariadbStorage(pool) {
  const run = (sql, parameters) => repeat(() => execute(pool, sql, parameters));
  const find = async (record, sql, parameters) => {
    const [row] = await run(sql, parameters);
    return row && read(record, row);
  };
  const list = async (record, sql, parameters) =>
    (await run(sql, parameters)).map((row) => read(record, row));
  /** Returns whether a row matches. mysql2 also counts a row whose values stay the same. */
  const changes = async (sql, parameters) => (await run(sql, parameters)).affectedRows === 1;

  /** Runs a function in a transaction, which may run it several times. READ COMMITTED locks no gaps between rows. */
  const transaction = (work) =>
    repeat(async () => {
      const connection = await pool.getConnection();
      try {
        await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await connection.beginTransaction();
        const result = await work((sql, parameters) => execute(connection, sql, parameters));
        await connection.commit();
        return result;
      } catch (error) {
        // A connection that cannot roll back must not go back to the pool in its transaction.
        await connection.rollback().catch(() => connection.destroy());
        throw error;
      } finally {
        connection.release();
      }
    });

  /** Changes any number of rows. Returns how many. */
  const changeAll = (sql, parameters) =>
    transaction(async (run) => (await run(sql, parameters)).affectedRows);

  /** Repeats a transaction until it changes fewer than `BATCH_SIZE` rows. Returns the number of all rows. */
  async function inBatches(work) {
    let total = 0;
    for (let count = BATCH_SIZE; count === BATCH_SIZE; total += count) count = await transaction(work);
    return total;
  }

  /**
   * Deletes old links or sessions. Only one sweep deletes at a time, under the lock of the choice: of two that delete a link
   * and its session, each would see the other record, and no event would name the link.
   * @param toRecord returns what an event names of a deleted row
   */
  const sweep = (sql, before, at, toRecord) =>
    inBatches(async (run) => {
      const choice = await findChoice(run, SQL.lockChoice);
      const rows = await run(sql, { before, limit: BATCH_SIZE });
      await recordDeletion(run, rows.flatMap(toRecord), 'retention', at, choice);
      return rows.length;
    });

  const insertLink = async (link, idempotency = {}) =>
    insert(run, SQL.insertLink, {
      ...write(LINK, link),
      ...write(IDEMPOTENCY, idempotency),
      reducedConfig: reduceConfig(link.config),
      // No transaction: a choice that changes in between takes effect after this link.
      noticeAt: noticeTime(link, await findChoice(run)),
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
          await run(SQL.insertEvent, write(EVENT, { ...event, clientId, reference: session.reference }));
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
      // A link whose session remains is named with the session.
      sweep(SQL.deleteExpiredLinks, before, at, (row) => (row.remaining === null ? [row] : [])),

    // OutboxStorage
    leaseEvents: ({ at, leaseUntil, limit }) =>
      transaction(async (run) => {
        const locked = await run(SQL.lockEvents, { at, limit });
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
    async countEvents({ limit }) {
      const [{ pending, failed }] = await run(SQL.countEvents, { limit });
      return { pending, failed };
    },
    async listEvents({ state, clientId, limit }) {
      const sql = state === 'failed' ? SQL.listFailedEvents : SQL.listPendingEvents;
      return (await run(sql, { clientId, limit })).map(toEvent);
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
      inBatches(async (run) => {
        const rows = await run(SQL.lockUsableLinks, { clientId, userId, at, limit: BATCH_SIZE });
        const links = rows.map((row) => read(LOCKED_LINK, row));
        if (links.length > 0) await revoke(run, links, { type: 'link.revoked', at });
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
      sweep(SQL.deleteOldSessions, before, at, ({ remaining, ...row }) => ({
        ...row,
        linkId: remaining === null ? row.linkId : null,
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
    async chooseEvents({ types, expiryNoticeSeconds }) {
      await run(SQL.replaceChoice, { types, expiryNoticeSeconds });
    },
    addMoment: ({ moment, sequence, revoke: isRevoked, ...id }) =>
      transaction(async (run) => {
        const link = await lockLink(run, id);
        if (link === undefined || link.moments.length !== sequence - 1) return false;
        if (!isRevoked) await addMoment(run, link, moment, await findChoice(run));
        else if (isUsable(link, moment.at)) await revoke(run, [link], moment);
        else return false;
        return true;
      }),
    async listMoments(id) {
      const [row] = await run(SQL.listMoments, id);
      return row && datedJson(row.moments);
    },
    addDueMoments: ({ at, limit }) =>
      transaction(async (run) => {
        const choice = await findChoice(run);
        const links = (await run(SQL.lockDueLinks, { at, limit })).map((row) => read(LOCKED_LINK, row));
        for (const link of links) {
          const { clientId, accessCodeHash } = link;
          const { moment, noticeAt } = dueMoment(link, link.noticeAt, at, choice);
          await run(SQL.setNotice, { clientId, accessCodeHash, noticeAt });
          if (moment) await addMoment(run, link, moment, choice);
        }
        return links.length;
      }),
    leaseLifeEvents: ({ at, leaseUntil, limit }) =>
      transaction(async (run) => {
        const events = (await run(SQL.lockLifeEvents, { at, limit })).map(toLifeEvent);
        if (events.length === 0) return [];
        const { places, parameters } = toList(events.map(({ event }) => event.id));
        await run(SQL.leaseLifeEvents(places), { ...parameters, leaseUntil });
        return events.map((stored) => ({
          ...stored,
          attempts: stored.attempts + 1,
          nextAttemptAt: leaseUntil,
        }));
      }),
    async settleLifeEvent({ id }) {
      await run(SQL.settleLifeEvent, { id });
    },
    async postponeLifeEvent({ id, ...failure }) {
      await run(SQL.postponeLifeEvent, { id, ...write(LIFE_DELIVERY, failure) });
    },
    async countLifeEvents({ limit }) {
      const [{ pending, failed }] = await run(SQL.countLifeEvents, { limit });
      return { pending, failed };
    },
    async listLifeEvents({ state, clientId, limit }) {
      const sql = state === 'failed' ? SQL.listFailedLifeEvents : SQL.listPendingLifeEvents;
      return (await run(sql, { clientId, limit })).map(toLifeEvent);
    },
    retryLifeEvents: ({ clientId, at }) => changeAll(SQL.retryLifeEvents, { clientId, at }),

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
