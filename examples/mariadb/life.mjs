// The moments of links, and the events that the host chose: the LifeStorage of the storage over MariaDB.
import { dueMoment, noticeTime, toDeletedEvents, toLinkEvent } from 'claimlink/storage';
import {
  columns,
  countsOf,
  DELIVERY_COLUMNS,
  datedJson,
  insertInto,
  json,
  number,
  read,
  record,
  text,
  time,
  toList,
  write,
} from './sql.mjs';

export const LIFE_TABLES = [
  // One row: which events the host chose. Without it, none.
  `CREATE TABLE IF NOT EXISTS choices (
    id TINYINT NOT NULL PRIMARY KEY,
    types MEDIUMTEXT NOT NULL,
    expiryNoticeSeconds BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS lifeEvents (
    id VARCHAR(36) NOT NULL PRIMARY KEY,
    type VARCHAR(100) NOT NULL,
    clientId VARCHAR(100) NOT NULL,
    userId VARCHAR(256),
    at BIGINT NOT NULL,
    -- The members that only some types have.
    data MEDIUMTEXT NOT NULL,
    attempts INT NOT NULL,
    nextAttemptAt BIGINT NOT NULL,
    failedAt BIGINT,
    reason VARCHAR(200),
    KEY due (failedAt, nextAttemptAt),
    KEY ofUser (clientId, userId)
  )`,
];

const CHOICE = record('h', [json, 'types'], [number, 'expiryNoticeSeconds']);
const EVENT = record('v', [text, 'id type clientId userId'], [time, 'at'], [datedJson, 'data']);
const DELIVERY = record('v', ...DELIVERY_COLUMNS);
/** What decides about a link, without its large `config`. */
const LOCKED_LINK = record(
  'l',
  [text, 'accessCodeHash clientId userId'],
  [number, 'sequence'],
  [time, 'expiresAt openedAt revokedAt submittedAt noticeAt'],
  [datedJson, 'moments'],
);

export const SAME_LINK = 'clientId = :clientId AND accessCodeHash = :accessCodeHash';
/** Ends a link: it is not due any more, and no page needs all of its `config`. */
export const END_LINK = 'noticeAt = NULL, config = reducedConfig';
const ADD_MOMENT = `moments = JSON_ARRAY_APPEND(moments, '$', JSON_COMPACT(:moment))`;

const SQL = {
  lockLink: `SELECT ${columns(LOCKED_LINK)} FROM links l WHERE ${SAME_LINK} FOR UPDATE`,
  lockUsableLinks: `SELECT ${columns(LOCKED_LINK)} FROM links l
    WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId)
      AND submittedAt IS NULL AND revokedAt IS NULL AND expiresAt > :at FOR UPDATE`,
  // Without FORCE INDEX, MariaDB scans a small table and locks all of its rows.
  lockDueLinks: `SELECT ${columns(LOCKED_LINK)} FROM links l FORCE INDEX (due) WHERE noticeAt <= :at
    ORDER BY noticeAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  revokeLinks: (places) => `UPDATE links SET revokedAt = :at, ${END_LINK}, ${ADD_MOMENT}
    WHERE clientId = :clientId AND accessCodeHash IN (${places})`,
  addMoment: `UPDATE links SET ${ADD_MOMENT} WHERE ${SAME_LINK}`,
  listMoments: `SELECT moments FROM links WHERE ${SAME_LINK}`,
  setNotice: `UPDATE links SET noticeAt = :noticeAt WHERE ${SAME_LINK}`,

  replaceChoice:
    'REPLACE INTO choices (id, types, expiryNoticeSeconds) VALUES (1, :types, :expiryNoticeSeconds)',
  findChoice: `SELECT ${columns(CHOICE)} FROM choices h`,
  lockChoice: `SELECT ${columns(CHOICE)} FROM choices h FOR UPDATE`,

  insertEvent: insertInto('lifeEvents', [...EVENT.names, ...DELIVERY.names]),
  lockEvents: `SELECT ${columns(EVENT, DELIVERY)} FROM lifeEvents v FORCE INDEX (due)
    WHERE failedAt IS NULL AND nextAttemptAt <= :at ORDER BY nextAttemptAt LIMIT :limit FOR UPDATE SKIP LOCKED`,
  leaseEvents: (places) =>
    `UPDATE lifeEvents SET attempts = attempts + 1, nextAttemptAt = :leaseUntil WHERE id IN (${places})`,
  settleEvent: 'DELETE FROM lifeEvents WHERE id = :id',
  postponeEvent: `UPDATE lifeEvents SET nextAttemptAt = :nextAttemptAt, failedAt = :failedAt, reason = :reason
    WHERE id = :id AND attempts = :attempts`,
  countEvents: countsOf('lifeEvents'),
  listPendingEvents: `SELECT ${columns(EVENT, DELIVERY)} FROM lifeEvents v
    WHERE failedAt IS NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY nextAttemptAt LIMIT :limit`,
  listFailedEvents: `SELECT ${columns(EVENT, DELIVERY)} FROM lifeEvents v
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId) ORDER BY failedAt LIMIT :limit`,
  retryEvents: `UPDATE lifeEvents SET failedAt = NULL, attempts = 0, nextAttemptAt = :at
    WHERE failedAt IS NOT NULL AND (:clientId IS NULL OR clientId = :clientId)`,
  deleteEvents: `DELETE FROM lifeEvents
    WHERE clientId = :clientId AND (:userId IS NULL OR userId = :userId) AND type <> 'data.deleted'`,
};

// The functions that take `run` are steps of a transaction.

/** Locks the row of a link until the transaction ends, and returns what decides about it. */
export async function lockLink(run, { clientId, accessCodeHash }) {
  const [row] = await run(SQL.lockLink, { clientId, accessCodeHash });
  return row && read(LOCKED_LINK, row);
}

/** Locks all links of a client or of a user that can be revoked. */
export async function lockUsableLinks(run, { clientId, userId, at }) {
  return (await run(SQL.lockUsableLinks, { clientId, userId, at })).map((row) => read(LOCKED_LINK, row));
}

export const isUsable = ({ submittedAt, revokedAt, expiresAt }, at) =>
  !submittedAt && !revokedAt && at < expiresAt;

async function findChoice(run, sql = SQL.findChoice) {
  const [row] = await run(sql);
  return row ? read(CHOICE, row) : { types: [], expiryNoticeSeconds: 0 };
}

/** Returns when a new link is due. It needs no transaction with the INSERT: a later choice does not concern this link. */
export const noticeOf = async (run, link) => noticeTime(link, await findChoice(run));

async function insertEvents(run, events) {
  for (const { id, type, clientId, userId, at, ...data } of events) {
    const delivery = write(DELIVERY, { attempts: 0, nextAttemptAt: at });
    await run(SQL.insertEvent, { id, type, clientId, userId, at, data, ...delivery });
  }
}

/** Records the event of a moment of each link that is locked. */
async function recordMoment(run, links, moment, choice) {
  const events = links.map((link) => toLinkEvent(link, moment, link.moments.length + 1, choice));
  await insertEvents(run, events.filter(Boolean));
}

async function addMoment(run, link, moment, choice) {
  const { clientId, accessCodeHash } = link;
  await run(SQL.addMoment, { clientId, accessCodeHash, moment });
  await recordMoment(run, [link], moment, choice);
}

/** Number of places in one statement. */
const MAX_PLACES = 500;

/** Revokes links of one client, which are locked and usable, with a moment for each. */
export async function revoke(run, links, moment) {
  for (let start = 0; start < links.length; start += MAX_PLACES) {
    const part = links.slice(start, start + MAX_PLACES);
    const { places, parameters } = toList(part.map(({ accessCodeHash }) => accessCodeHash));
    const { clientId } = part[0];
    await run(SQL.revokeLinks(places), { ...parameters, clientId, at: moment.at, moment });
  }
  await recordMoment(run, links, moment, await findChoice(run));
}

/** Records a deletion. The rows have `clientId`, and `reference`, `linkId` or both. Without a time, nothing is recorded. */
export async function recordDeletion(run, rows, why, at) {
  if (at === undefined) return;
  // toDeletedEvents takes `undefined` and no null.
  const records = rows.map(({ clientId, reference, linkId }) => ({
    clientId,
    reference: reference ?? undefined,
    linkId: linkId ?? undefined,
  }));
  await insertEvents(run, toDeletedEvents(records, why, at, await findChoice(run)));
}

/** Deletes the events of the links of a client or of a user. Returns their number. Events of deletions remain. */
export const deleteLifeEvents = async (run, { clientId, userId }) =>
  (await run(SQL.deleteEvents, { clientId, userId })).affectedRows;

const toStoredEvent = (row) => {
  const { data, ...event } = read(EVENT, row);
  return { event: { ...event, ...data }, ...read(DELIVERY, row) };
};

/** Returns the methods of a LifeStorage. */
export const createLifeStorage = ({ run, transaction, changeAll }) => ({
  chooseEvents: ({ types, expiryNoticeSeconds }) =>
    transaction(async (run) => {
      const replaced = await findChoice(run, SQL.lockChoice);
      await run(SQL.replaceChoice, { types, expiryNoticeSeconds });
      return replaced;
    }),
  addMoment: ({ moment, sequence, revoke: isRevoking, ...id }) =>
    transaction(async (run) => {
      const link = await lockLink(run, id);
      if (link === undefined || link.moments.length !== sequence - 1) return false;
      if (isRevoking && !isUsable(link, moment.at)) return false;
      if (isRevoking) await revoke(run, [link], moment);
      else await addMoment(run, link, moment, await findChoice(run));
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
      const events = (await run(SQL.lockEvents, { at, limit })).map(toStoredEvent);
      if (events.length === 0) return [];
      const { places, parameters } = toList(events.map(({ event }) => event.id));
      await run(SQL.leaseEvents(places), { ...parameters, leaseUntil });
      return events.map((stored) => ({
        ...stored,
        attempts: stored.attempts + 1,
        nextAttemptAt: leaseUntil,
      }));
    }),
  async settleLifeEvent({ id }) {
    await run(SQL.settleEvent, { id });
  },
  async postponeLifeEvent({ id, ...failure }) {
    await run(SQL.postponeEvent, { id, ...write(DELIVERY, failure) });
  },
  async countLifeEvents({ limit }) {
    const [{ pending, failed }] = await run(SQL.countEvents, { limit });
    return { pending, failed };
  },
  async listLifeEvents({ state, clientId, limit }) {
    const sql = state === 'failed' ? SQL.listFailedEvents : SQL.listPendingEvents;
    return (await run(sql, { clientId, limit })).map(toStoredEvent);
  },
  retryLifeEvents: ({ clientId, at }) => changeAll(SQL.retryEvents, { clientId, at }),
});
