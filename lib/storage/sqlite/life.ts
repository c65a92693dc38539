// The choice of events and the moments of links of the SQLite storage: its `LifeStorage`.
import { dueMoment, noticeTime, toDeletedEvents, toLinkEvent } from '../../core/life-events.js';
import { isUsable, linkState } from '../../core/link-state.js';
import type { EventChoice, LifeEvent, LifeStorage, LinkRef } from '../../core/storage.js';
import type { DataDeletedEvent, Link, LinkMoment } from '../../core/types.js';
import { lifeEventParams, momentParam, type Param, toChoice, toLivedLink } from '../sql/rows.js';
import type { Executor } from './execute.js';
import type { createStatements } from './statements.js';

/** Creates the life of the links in a file. Its calls run in the transaction of their caller. */
export function createSqliteLife(
  { all, run, transaction }: Executor,
  sql: ReturnType<typeof createStatements>,
) {
  const choice = (): EventChoice => toChoice(all(sql.listEventTypes, []));

  function record(event: LifeEvent | undefined): void {
    if (event) run(sql.recordEvent, lifeEventParams(event));
  }

  function findLived({ clientId, accessCodeHash }: LinkRef) {
    const [row] = all(sql.livedLink, [clientId, accessCodeHash]);
    return row && toLivedLink(row);
  }

  const storage: Omit<LifeStorage, 'listMoments'> = {
    chooseEvents: ({ types, expiryNoticeSeconds }) =>
      transaction(() => {
        const replaced = choice();
        run(sql.deleteEventTypes, []);
        for (const type of types) run(sql.insertEventType, [type, expiryNoticeSeconds]);
        return replaced;
      }),

    addMoment: ({ clientId, accessCodeHash, moment, sequence, revoke }) =>
      transaction(() => {
        const lived = findLived({ clientId, accessCodeHash });
        if (lived === undefined || lived.moments.length !== sequence - 1) return false;
        const key = [clientId, accessCodeHash];
        if (revoke && !isUsable(linkState(lived.link, moment.at))) return false;
        if (revoke) run(sql.revokeLink, [...key, moment.at, momentParam(moment)]);
        else run(sql.addMoment, [...key, momentParam(moment)]);
        record(toLinkEvent(lived.link, moment, sequence, choice()));
        return true;
      }),

    addDueMoments: ({ at, limit }) =>
      transaction(() => {
        const chosen = choice();
        const due = all(sql.dueLinks, [at, limit]).map(toLivedLink);
        for (const { link, moments, noticeAt = at } of due) {
          const { moment, noticeAt: next } = dueMoment(link, noticeAt, at, chosen);
          const key = [link.clientId, link.accessCodeHash];
          run(sql.setNotice, [...key, next]);
          if (moment === undefined) continue;
          run(sql.addMoment, [...key, momentParam(moment)]);
          record(toLinkEvent(link, moment, moments.length + 1, chosen));
        }
        return due.length;
      }),
  };

  return {
    storage,

    /** Returns when a new link is due. */
    noticeOf: (link: Link): Date | undefined => noticeTime(link, choice()),

    /** Records that the links that a statement selects are revoked, before they are. */
    recordRevocation(statement: string, params: readonly Param[], moment: LinkMoment): void {
      const chosen = choice();
      if (!chosen.types.includes('link.revoked')) return;
      for (const { link, moments } of all(statement, params).map(toLivedLink))
        record(toLinkEvent(link, moment, moments.length + 1, chosen));
    },

    /** Records what a deletion removes, before it. Without a time, it records nothing. */
    recordDeletion(
      statement: string,
      params: readonly Param[],
      why: DataDeletedEvent['why'],
      at: Date | undefined,
    ): void {
      const chosen = choice();
      if (at === undefined || !chosen.types.includes('data.deleted')) return;
      const records = all(statement, params).map((row) => ({
        clientId: String(row['client_id']),
        ...(row['link_id'] != null && { linkId: String(row['link_id']) }),
        ...(row['reference'] != null && { reference: String(row['reference']) }),
      }));
      for (const event of toDeletedEvents(records, why, at, chosen)) record(event);
    },
  };
}
