// The moments of links, and how the events that the host chose are recorded: the LifeStorage of the storage over MariaDB.
import { dueMoment, noticeTime, toDeletedEvents, toLinkEvent } from 'claimlink/storage';
import {
  columns,
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
];

const CHOICE = record('h', [json, 'types'], [number, 'expiryNoticeSeconds']);
/** An event of the table outbox. That of a submission has a `reference`; `at` and `data` are those of the others. */
export const EVENT = record(
  'e',
  [text, 'id type clientId userId reference reason'],
  [number, 'attempts'],
  [time, 'at nextAttemptAt failedAt'],
  [datedJson, 'data'],
);
export const INSERT_EVENT = insertInto('outbox', EVENT.names);
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
    const event = { id, type, clientId, userId, at, data, attempts: 0, nextAttemptAt: at };
    await run(INSERT_EVENT, write(EVENT, event));
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

/** Returns the methods of a LifeStorage. */
export const createLifeStorage = ({ run, transaction }) => ({
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
});
