// The use cases of a user's data: export and delete it.
import type { DeletedRecords } from '../storage.js';
import type { Session, WidgetConfig } from '../types.js';
import { parseId } from '../validators.js';
import { type AdministrationContext, readAll, recorded, recordsOf } from './context.js';
import { type LinkHistory, type LinkSummary, toEntries, toSummary } from './links.js';

/** All stored data of a user. `JSON.stringify` writes its dates as ISO 8601 in UTC. */
export interface UserExport {
  clientId: string;
  userId: string;
  exportedAt: Date;
  /** Newest first. */
  sessions: readonly Session[];
  /** Newest first. */
  links: readonly (LinkSummary &
    Pick<LinkHistory, 'history'> & { callbackUrl: string; config: WidgetConfig })[];
}

/**
 * Exports and deletes the data of a user. Every method needs a `RecordStorage`, and throws `options_invalid` without one,
 * `client_not_found`, and `request_invalid` or `uri_too_long` for invalid arguments.
 */
export interface UserAdministration {
  /** Returns all stored data of a user. */
  exportUser(clientId: string, userId: string): Promise<UserExport>;
  /**
   * Deletes the links, the sessions and the undelivered events of a user. A delivery that has begun is not stopped.
   * Afterwards claimlink has data of the user only from links that are created during or after the call.
   */
  deleteUser(clientId: string, userId: string): Promise<DeletedRecords>;
}

/** Creates the use cases of a user's data. */
export function createUserAdministration(context: AdministrationContext): UserAdministration {
  const { storage, now, maxPageSize: limit } = context;
  return {
    async exportUser(clientId, user) {
      const userId = parseId(user, 'userId');
      const records = await recordsOf(context, clientId);
      const exportedAt = now();
      const sessions = await readAll(async (cursor) => {
        const page = await storage.listSessions({ clientId, userId, limit, ...cursor });
        return { items: page.sessions, nextCursor: page.nextCursor };
      });
      const links = await readAll(async (cursor) => {
        const page = await records.listLinks({ clientId, userId, at: exportedAt, limit, ...cursor });
        return { items: page.links, nextCursor: page.nextCursor };
      });
      return {
        clientId,
        userId,
        exportedAt,
        sessions,
        links: await Promise.all(
          links.map(async (record) => {
            const { link } = record;
            const { accessCodeHash, callbackUrl, config } = link;
            const moments = (await storage.listMoments?.({ clientId, accessCodeHash })) ?? [];
            const history = toEntries(link, exportedAt, moments);
            return { ...toSummary(record, exportedAt), callbackUrl, config, history };
          }),
        ),
      };
    },

    async deleteUser(clientId, userId) {
      const records = await recordsOf(context, clientId);
      const query = { clientId, userId: parseId(userId, 'userId'), at: now() };
      return recorded(context, records.deleteUser(query));
    },
  };
}
