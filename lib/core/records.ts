// The use cases of a host's own tools: find, change, export and delete stored data. No route reaches them.
import { assertOptions } from './assert-options.js';
import { invalidParameter } from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { linkState } from './link-state.js';
import type { ResolvedOptions } from './options.js';
import { findClient } from './service.js';
import type { LinkRecord, RecordStorage } from './storage.js';
import { LINK_STATES, type LinkState, type PageRequest, type Session, type WidgetConfig } from './types.js';
import { assertDate, assertId, assertObject, parseId, parsePaging, parseStatus } from './validators.js';

/** A link in a list, without its access code and configuration. */
export interface LinkSummary {
  /** Identifies the link in `revokeLink`. Not secret: it opens nothing. */
  linkId: string;
  userId: string;
  state: LinkState;
  createdAt: Date;
  expiresAt: Date;
  openedAt?: Date;
  submittedAt?: Date;
  revokedAt?: Date;
  /** Reference of the session that the submission created. */
  reference?: string;
}

/** Selects links of a client. */
export interface LinkFilter extends Pick<PageRequest, 'limit' | 'cursor'> {
  /** Default: the links of all users. */
  userId?: string;
  /** Default: links in any state. */
  state?: LinkState;
}

/** One page of the links of a client. */
export interface LinkPage {
  /** By user id; of one user, the newest first. */
  links: readonly LinkSummary[];
  /** Present if more links follow. */
  nextCursor?: string;
}

/** Selects sessions of a client in the order of their submission. */
export interface ClientSessionFilter {
  /** Omits sessions that were submitted before this time. */
  since?: Date;
  /** 1 .. `maxPageSize`; default `maxPageSize`. */
  limit?: number;
  /** The `nextCursor` of the previous page or of an earlier call. */
  cursor?: string;
}

/** The members of a session that a host may change. */
export interface SessionChanges {
  /** 1 to 100 UTF-16 code units without control characters. */
  status?: string;
  /** 1 to 100 UTF-16 code units without control characters, but not `.` or `..`. */
  camsReference?: string;
}

/** All stored data of a user. `JSON.stringify` writes its dates as ISO 8601 in UTC. */
export interface UserExport {
  clientId: string;
  userId: string;
  exportedAt: Date;
  /** Newest first. */
  sessions: readonly Session[];
  /** Newest first. */
  links: readonly (LinkSummary & { callbackUrl: string; config: WidgetConfig })[];
}

/** The use cases. Each throws `options_invalid` if the storage is not a `RecordStorage`. */
export type Records = ReturnType<typeof createRecords>;

/** Creates the use cases. */
export function createRecords(
  { now, maxPageSize }: Pick<ResolvedOptions, 'now' | 'maxPageSize'>,
  storage: GuardedStorage,
) {
  /** Returns the storage. @throws `options_invalid` unless it is a `RecordStorage`, `client_not_found`. */
  async function recordsOf(clientId: string): Promise<RecordStorage> {
    const records = implementing(storage, 'RecordStorage');
    await findClient(storage, clientId);
    return records;
  }

  return {
    async findSession(clientId: string, reference: string) {
      const records = await recordsOf(clientId);
      return records.findSession({ clientId, reference: parseId(reference, 'reference') });
    },

    async listLinks(clientId: string, filter: LinkFilter = {}): Promise<LinkPage> {
      assertOptions(filter, ['userId', 'state', 'limit', 'cursor']);
      const { userId, state } = filter;
      const paging = parsePaging(filter, maxPageSize);
      if (state !== undefined && !LINK_STATES.includes(state)) {
        throw invalidParameter('state', 'value', `must be one of: ${LINK_STATES.join(', ')}`);
      }
      const at = now();
      const records = await recordsOf(clientId);
      const { links, nextCursor } = await records.listLinks({
        clientId,
        ...(userId !== undefined && { userId: parseId(userId, 'userId') }),
        ...(state !== undefined && { state }),
        at,
        ...paging,
      });
      return {
        links: links.map((record) => toSummary(record, at)),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    },

    async updateSession(clientId: string, reference: string, changes: SessionChanges) {
      assertObject(changes, 'changes');
      assertOptions(changes, ['status', 'camsReference'], { parameter: '' });
      const { status, camsReference } = changes;
      if (camsReference !== undefined) assertId(camsReference, 'camsReference');
      const records = await recordsOf(clientId);
      return records.updateSession({
        clientId,
        reference: parseId(reference, 'reference'),
        ...(status !== undefined && { status: parseStatus(status) }),
        ...(camsReference !== undefined && { camsReference }),
      });
    },

    async revokeLinks(clientId: string, filter: { userId?: string } = {}) {
      assertOptions(filter, ['userId']);
      const { userId } = filter;
      const records = await recordsOf(clientId);
      const owner = userId === undefined ? { clientId } : { clientId, userId: parseId(userId, 'userId') };
      return records.revokeLinks({ ...owner, at: now() });
    },

    async listClientSessions(clientId: string, filter: ClientSessionFilter = {}) {
      assertOptions(filter, ['since', 'limit', 'cursor']);
      const { since } = filter;
      if (since !== undefined) assertDate(since, 'since');
      const paging = parsePaging(filter, maxPageSize);
      const records = await recordsOf(clientId);
      return records.listClientSessions({ clientId, ...(since && { since }), ...paging });
    },

    async exportUser(clientId: string, user: string): Promise<UserExport> {
      const userId = parseId(user, 'userId');
      const records = await recordsOf(clientId);
      const exportedAt = now();
      const limit = maxPageSize;
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
        links: links.map((record) => {
          const { callbackUrl, config } = record.link;
          return { ...toSummary(record, exportedAt), callbackUrl, config };
        }),
      };
    },

    async deleteUser(clientId: string, userId: string) {
      const records = await recordsOf(clientId);
      return records.deleteUser({ clientId, userId: parseId(userId, 'userId') });
    },
  };
}

/** Returns a link as lists show it at this time. */
export function toSummary({ link, reference }: LinkRecord, at: Date): LinkSummary {
  const { accessCodeHash, userId, createdAt, expiresAt, openedAt, submittedAt, revokedAt } = link;
  return {
    linkId: accessCodeHash,
    userId,
    state: linkState(link, at),
    createdAt,
    expiresAt,
    ...(openedAt && { openedAt }),
    ...(submittedAt && { submittedAt }),
    ...(revokedAt && { revokedAt }),
    ...(reference !== undefined && { reference }),
  };
}

/** Reads all pages of a list. */
export async function readAll<T>(
  readPage: (cursor: { cursor?: string }) => Promise<{ items: readonly T[]; nextCursor: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor === undefined ? {} : { cursor });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}
