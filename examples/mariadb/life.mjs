// The moments and events of links for the storage over MariaDB: its LifeStorage. Each function gets `run`, which runs a
// statement in the transaction of its caller.
import { dueMoment, noticeTime, toDeletedEvents, toLinkEvent } from 'claimlink';

/** A link has the columns `moments` and `noticeAt`, in storage.mjs. */
export const LIFE_TABLES = [
  `CREATE TABLE IF NOT EXISTS eventTypes (
    type VARCHAR(30) NOT NULL PRIMARY KEY,
    noticeSeconds INT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS lifeEvents (
    id VARCHAR(36) NOT NULL PRIMARY KEY,
    type VARCHAR(30) NOT NULL,
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(100),
    -- The whole event as JSON. The columns above are those that statements compare.
    event MEDIUMTEXT NOT NULL,
    attempts INT NOT NULL,
    nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT,
    reason VARCHAR(200),
    KEY due (failedAt, nextAttemptAt),
    KEY ofUser (clientId, userId)
  )`,
];

const SAME_LINK = 'clientId = :clientId AND accessCodeHash = :accessCodeHash';
const STORED = 'event, attempts, nextAttemptAt, failedAt, reason';
/** The links of which no session remains. */
const REMOVED_LINKS = `SELECT l.clientId, l.accessCodeHash AS linkId FROM links l
  LEFT JOIN sessions s ON s.clientId = l.clientId AND s.sequence = l.sequence WHERE s.reference IS NULL`;
/** Sessions, each with its link unless that remains. */
const REMOVED_SESSIONS = `SELECT s.clientId, s.reference, IF(l.clientId IS NULL, JSON_VALUE(s.link, '$.linkId'), NULL) AS linkId
  FROM sessions s LEFT JOIN links l ON l.clientId = s.clientId AND l.accessCodeHash = JSON_VALUE(s.link, '$.linkId')`;

const SQL = {
  listTypes: 'SELECT type, noticeSeconds FROM eventTypes',
  deleteTypes: 'DELETE FROM eventTypes',
  insertType: 'INSERT INTO eventTypes (type, noticeSeconds) VALUES (:type, :noticeSeconds)',

  findMoments: `SELECT moments FROM links WHERE ${SAME_LINK}`,
  setMoments: `UPDATE links SET moments = :moments, noticeAt = :noticeAt WHERE ${SAME_LINK}`,
  // Without FORCE INDEX, MariaDB scans a small table and locks all of its links.
  lockDueLinks: (columns) => `SELECT ${columns}, moments, noticeAt FROM links l FORCE INDEX (byNotice)
    WHERE noticeAt <= :at ORDER BY noticeAt LIMIT :limit FOR UPDATE SKIP LOCKED`,

  insertEvent: `INSERT INTO lifeEvents (id, type, clientId, userId, event, attempts, nextAttemptAt)
    VALUES (:id, :type, :clientId, :userId, :event, 0, :nextAttemptAt)`,
  lockEvents: `SELECT id FROM lifeEvents FORCE INDEX (due) WHERE failedAt IS NULL AND nextAttemptAt <= :at
    ORDER BY nextAttemptAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  leaseEvent: 'UPDATE lifeEvents SET attempts = attempts + 1, nextAttemptAt = :leaseUntil WHERE id = :id',
  findEvent: `SELECT ${STORED} FROM lifeEvents WHERE id = :id`,
  settleEvent: 'DELETE FROM lifeEvents WHERE id = :id',
  postponeEvent: `UPDATE lifeEvents SET nextAttemptAt = :nextAttemptAt, failedAt = :failedAt, reason = :reason
    WHERE id = :id AND attempts = :attempts`,
  countEvents: `SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM lifeEvents WHERE failedAt IS NULL LIMIT :limit) counted) AS pending,
    (SELECT COUNT(*) FROM (SELECT 1 FROM lifeEvents WHERE failedAt IS NOT NULL LIMIT :limit) counted) AS failed`,
  listPendingEvents: `SELECT ${STORED} FROM lifeEvents
    WHERE failedAt IS NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY nextAttemptAt LIMIT :limit`,
  listFailedEvents: `SELECT ${STORED} FROM lifeEvents
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY failedAt LIMIT :limit`,
  retryEvents: `UPDATE lifeEvents SET failedAt = NULL, attempts = 0, nextAttemptAt = :at
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId)`,
  // Those that tell of deletions stay.
  deleteEvents: `DELETE FROM lifeEvents WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
    AND type <> 'data.deleted'`,
};

/** What a deletion removes, read before it. The parameters are those of the deletion. */
export const REMOVED = {
  expiredLinks: `${REMOVED_LINKS} AND l.expiresAt < :before`,
  links: `${REMOVED_LINKS} AND l.clientId = :clientId AND (:userId IS NULL OR l.userId = :userId)`,
  oldSessions: `${REMOVED_SESSIONS} WHERE s.date < :before`,
  sessions: `${REMOVED_SESSIONS} WHERE s.clientId = :clientId AND (:userId IS NULL OR s.userId = :userId)`,
};

/** Reads JSON with the times of events and moments. */
const parse = (json) =>
  JSON.parse(json, (name, value) => (name === 'at' || name === 'expiresAt' ? new Date(value) : value));

export const toMoments = (json) => (json === null ? [] : parse(json));

/** Returns the choice of the host. Its table decides, not the options of a process. */
export async function readChoice(run) {
  const rows = await run(SQL.listTypes);
  return {
    types: rows.map(({ type }) => type),
    expiryNoticeSeconds: rows[0]?.noticeSeconds ?? 0,
  };
}

async function record(run, event) {
  if (event === undefined) return;
  const { id, type, clientId, userId, at } = event;
  await run(SQL.insertEvent, { id, type, clientId, userId, event, nextAttemptAt: at });
}

/** Returns when a new link is due. */
export const noticeOf = async (run, link) => noticeTime(link, await readChoice(run));

/** Adds a moment to a link whose row is locked, and its event. Without `noticeAt`, the link is not due any more. */
export async function addMoment(run, link, moments, moment, noticeAt, choice) {
  const { clientId, accessCodeHash } = link;
  const added = [...moments, moment];
  await run(SQL.setMoments, { clientId, accessCodeHash, moments: added, noticeAt });
  await record(run, toLinkEvent(link, moment, added.length, choice ?? (await readChoice(run))));
}

/** Records what a deletion removes. Without a time, it records nothing. */
export async function recordDeletion(run, removed, parameters, why, at) {
  const choice = await readChoice(run);
  if (at === undefined || !choice.types.includes('data.deleted')) return;
  const records = (await run(removed, parameters)).map(({ clientId, linkId, reference }) => ({
    clientId,
    ...(linkId && { linkId }),
    ...(reference && { reference }),
  }));
  for (const event of toDeletedEvents(records, why, at, choice)) await record(run, event);
}

/** Deletes the events of a user, or of a client. Returns their number. */
export const deleteEvents = async (run, { clientId, userId }) =>
  (await run(SQL.deleteEvents, { clientId, userId })).affectedRows;

const toStored = ({ event, attempts, nextAttemptAt, failedAt, reason }) => ({
  event: parse(event),
  attempts,
  nextAttemptAt: new Date(nextAttemptAt),
  ...(failedAt !== null && { failedAt: new Date(failedAt) }),
  ...(reason !== null && { reason }),
});

/**
 * Creates the methods that storage.mjs does not have: `lockLink` and `revoke` are those of its links.
 * @param columns The columns of a link in a SELECT.
 */
export function createLife({ run, transaction, changeAll, columns, toLink, lockLink, revoke }) {
  return {
    chooseEvents: ({ types, expiryNoticeSeconds: noticeSeconds }) =>
      transaction(async (run) => {
        await run(SQL.deleteTypes);
        for (const type of types) await run(SQL.insertType, { type, noticeSeconds });
      }),
    addMoment: ({ moment, sequence, revoke: revokes = false, ...id }) =>
      transaction(async (run) => {
        const row = await lockLink(run, id);
        const moments = row && toMoments(row.moments);
        if (moments?.length !== sequence - 1) return false;
        if (revokes) return revoke(run, row, moment);
        const noticeAt = row.noticeAt === null ? undefined : new Date(row.noticeAt);
        await addMoment(run, toLink(row), moments, moment, noticeAt);
        return true;
      }),
    async listMoments(id) {
      const [row] = await run(SQL.findMoments, id);
      return row && toMoments(row.moments);
    },
    addDueMoments: ({ at, limit }) =>
      transaction(async (run) => {
        const rows = await run(SQL.lockDueLinks(columns), { at, limit });
        const choice = await readChoice(run);
        for (const row of rows) {
          const link = toLink(row);
          const moments = toMoments(row.moments);
          const { moment, noticeAt } = dueMoment(link, new Date(row.noticeAt), at, choice);
          if (moment) await addMoment(run, link, moments, moment, noticeAt, choice);
          else await run(SQL.setMoments, { ...link, moments, noticeAt });
        }
        return rows.length;
      }),
    leaseLifeEvents: ({ at, leaseUntil, limit }) =>
      transaction(async (run) => {
        const events = [];
        for (const { id } of await run(SQL.lockEvents, { at, limit })) {
          await run(SQL.leaseEvent, { id, leaseUntil });
          events.push(...(await run(SQL.findEvent, { id })));
        }
        return events.map(toStored);
      }),
    async settleLifeEvent({ id }) {
      await run(SQL.settleEvent, { id });
    },
    async postponeLifeEvent({ id, attempts, nextAttemptAt, failedAt, reason }) {
      await run(SQL.postponeEvent, { id, attempts, nextAttemptAt, failedAt, reason });
    },
    async countLifeEvents({ limit }) {
      const [{ pending, failed }] = await run(SQL.countEvents, { limit });
      return { pending, failed };
    },
    async listLifeEvents({ state, clientId, limit }) {
      const sql = state === 'failed' ? SQL.listFailedEvents : SQL.listPendingEvents;
      return (await run(sql, { clientId, limit })).map(toStored);
    },
    retryLifeEvents: ({ clientId, at }) => changeAll(SQL.retryEvents, { clientId, at }),
  };
}
